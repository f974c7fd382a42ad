#include "report/timeline/deferred.h"

#include <errno.h>
#include <stdlib.h>

struct key {
	uint64_t cookie;
	uint64_t tid;
};

static int grow(struct rpt_deferred *deferred)
{
	uint32_t cap = deferred->cap ? deferred->cap * 2 : 256;
	uint32_t *idx = reallocarray(deferred->chain_idx, cap, sizeof(*idx));

	if (!idx)
		return -ENOMEM;
	deferred->chain_idx = idx;
	deferred->cap = cap;
	return 0;
}

int rpt_deferred_add(struct rpt_deferred *deferred, uint32_t tid,
		     const struct pd_callchain_deferred *record)
{
	uint64_t words[PD_SAMPLE_CHAIN_NR];
	struct key key = { record->cookie, tid };
	uint32_t known_nr = deferred->keys.nr;
	int64_t idx, chain;

	if (known_nr == deferred->cap && grow(deferred))
		return -ENOMEM;
	idx = rpt_intern(&deferred->keys, &key, sizeof(key));
	if (idx < 0)
		return (int)idx;
	if (idx != known_nr)
		return 0;
	for (size_t i = 0; i < record->ips.nr; i++)
		words[i] = pd_u64s_at(&record->ips, i);
	chain = rpt_intern(&deferred->chains, words,
			   record->ips.nr * sizeof(*words));
	if (chain < 0)
		return (int)chain;
	deferred->chain_idx[idx] = (uint32_t)chain;
	return 0;
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
