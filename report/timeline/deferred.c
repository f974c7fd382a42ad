#include "report/timeline/deferred.h"

#include <stdlib.h>

struct key {
	uint64_t cookie;
	uint64_t tid;
};

void rpt_deferred_add(struct rpt_deferred *deferred, uint32_t tid,
		      const struct pd_callchain_deferred *record)
{
	uint64_t words[PD_SAMPLE_CHAIN_NR];
	struct key key = { record->cookie, tid };
	uint32_t known_nr = deferred->keys.nr;
	int64_t idx = rpt_intern(&deferred->keys, &key, sizeof(key));

	if (idx != known_nr)
		return;
	for (size_t i = 0; i < record->ips.nr; i++)
		words[i] = pd_u64s_at(&record->ips, i);
	deferred->chain_idx = rpt_grow(deferred->chain_idx, &deferred->cap,
				       known_nr, sizeof(*deferred->chain_idx));
	deferred->chain_idx[idx] = (uint32_t)rpt_intern(
		&deferred->chains, words, record->ips.nr * sizeof(*words));
}

void rpt_deferred_join(const struct rpt_deferred *deferred,
		       struct pd_sample *sample, uint64_t *room)
{
	const struct rpt_intern_entry *chain;
	size_t nr = sample->callchain.nr;
	struct key key = { .tid = sample->tid };
	int64_t idx;

	if (nr < 2 ||
	    pd_u64s_at(&sample->callchain, nr - 2) != PD_CONTEXT_USER_DEFERRED)
		return;
	key.cookie = pd_u64s_at(&sample->callchain, nr - 1);
	nr -= 2;
	for (size_t i = 0; i < nr; i++)
		room[i] = pd_u64s_at(&sample->callchain, i);
	idx = rpt_intern_find(&deferred->keys, &key, sizeof(key));
	if (idx >= 0) {
		chain = &deferred->chains.entries[deferred->chain_idx[idx]];
		memcpy(room + nr, chain->key, chain->len);
		nr += chain->len / sizeof(*room);
	}
	sample->callchain = (struct pd_u64s){
		.raw = (const uint8_t *)room,
		.nr = nr,
	};
}

void rpt_deferred_release(struct rpt_deferred *deferred)
{
	rpt_intern_release(&deferred->keys);
	rpt_intern_release(&deferred->chains);
	free(deferred->chain_idx);
	*deferred = (struct rpt_deferred){ 0 };
}
