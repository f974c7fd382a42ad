#include "report/events/leaf_caller.h"

#include "report/base/memory.h"
#include "report/events/sample_reader.h"
#include "report/events/user_maps.h"

#include <stdlib.h>
#include <string.h>

/* Answers are kept in pairs, the one that was asked for last first. */
#define PAIR_BITS 13

/* A question, and its answer. */
struct recent {
	uint64_t ip; /* 0: none */
	uint64_t link;
	uint64_t caller; /* 0: the chain has it, or it is not known */
	uint32_t space_id;
	uint32_t space_version;
};

struct rpt_leaf_caller {
	struct rpt_unwind *unwind;
	struct recent recent[1 << PAIR_BITS][2];
};

static bool has_link(const struct pd_attr *attr)
{
	return attr->sample_type & PD_SAMPLE_CALLCHAIN &&
	       attr->sample_type & PD_SAMPLE_REGS_USER &&
	       attr->sample_regs_user & PD_REGS_AARCH64_LR &&
	       !(attr->flags & PD_ATTR_EXCLUDE_CALLCHAIN_USER);
}

bool rpt_leaf_caller_is_asked(const struct pd_event_set *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (has_link(&events->events[i].attr))
			return true;
	return false;
}

/* Files of other machines are not asked. */
static struct rpt_leaf_caller *leaf_new(void)
{
	struct rpt_leaf_caller *leaf = rpt_alloc_zeroed(1, sizeof(*leaf));

	leaf->unwind = rpt_unwind_new(RPT_ARCH_AARCH64);
	return leaf;
}

void rpt_leaf_caller_free(struct rpt_leaf_caller *leaf)
{
	if (!leaf)
		return;
	rpt_unwind_free(leaf->unwind);
	free(leaf);
}

static uint64_t ask(struct rpt_leaf_caller *leaf,
		    const struct rpt_timeline *timeline,
		    const struct rpt_sample *sample, uint64_t ip, uint64_t link)
{
	struct rpt_user_maps maps = { timeline, &sample->task->ref,
				      sample->when };
	const struct rpt_unwind_input input = {
		.regs_abi = sample->fields.regs_user.abi,
		.regs_mask = sample->fields.regs_user.mask,
		.find_map = rpt_user_maps_find,
		.ctx = &maps,
	};

	return rpt_unwind_leaf_caller(leaf->unwind, &input, ip, link);
}

static bool is_same(const struct recent *a, const struct recent *b)
{
	return a->ip == b->ip && a->link == b->link &&
	       a->space_id == b->space_id &&
	       a->space_version == b->space_version;
}

static uint64_t caller_of(struct rpt_leaf_caller *leaf,
			  const struct rpt_timeline *timeline,
			  const struct rpt_sample *sample, uint64_t ip,
			  uint64_t link)
{
	struct recent asked = {
		.ip = ip,
		.link = link,
		.space_id = sample->task->space_id,
		.space_version = sample->task->space_version,
	};
	uint64_t hash = (ip ^ link << 20 ^ link >> 2 ^ asked.space_id) *
			UINT64_C(0x9e3779b97f4a7c15);
	struct recent *pair = leaf->recent[hash >> (64 - PAIR_BITS)];

	if (is_same(&pair[0], &asked))
		return pair[0].caller;
	asked.caller = is_same(&pair[1], &asked)
			       ? pair[1].caller
			       : ask(leaf, timeline, sample, ip, link);
	pair[1] = pair[0];
	pair[0] = asked;
	return asked.caller;
}

/* Copy the words of a chain from at on. */
static void copy_words(const struct pd_u64s *chain, size_t at, size_t nr,
		       uint64_t *to)
{
	const uint8_t *raw = chain->raw + at * sizeof(*to);

	if (!chain->swap) {
		memmove(to, raw, nr * sizeof(*to));
		return;
	}
	for (size_t i = 0; i < nr; i++)
		to[i] = pd_u64s_at(chain, at + i);
}

/* Put word at idx; the new chain is in room, the old one may be. */
static void put_word(struct pd_u64s *chain, size_t idx, uint64_t word,
		     uint64_t *room)
{
	copy_words(chain, idx, chain->nr - idx, room + idx + 1);
	copy_words(chain, 0, idx, room);
	room[idx] = word;
	*chain = (struct pd_u64s){ .raw = (const uint8_t *)room,
				   .nr = chain->nr + 1 };
}

/* Return the index of the first address behind the mark of the user part;
 * chain->nr if there is none. */
static size_t user_idx(const struct pd_u64s *chain)
{
	size_t at = 0;

	while (at < chain->nr && pd_u64s_at(chain, at) != PD_CONTEXT_USER)
		at++;
	return at + 1 < chain->nr ? at + 1 : chain->nr;
}

void rpt_leaf_caller_join(struct rpt_leaf_caller **leaf,
			  const struct rpt_timeline *timeline,
			  struct rpt_sample *sample, uint64_t *room)
{
	struct pd_u64s *chain = &sample->fields.callchain;
	uint64_t link = pd_sample_link(&sample->fields), ip, caller;
	size_t at;

	/* what was unwound stands right behind the chain */
	if (!link || chain->nr >= RPT_CHAIN_NR || sample->unwound.nr)
		return;
	at = user_idx(chain);
	if (at == chain->nr)
		return;
	ip = pd_u64s_at(chain, at++);
	if (ip >= PD_CONTEXT_MAX)
		return;
	if (!*leaf)
		*leaf = leaf_new();
	caller = caller_of(*leaf, timeline, sample, ip, link);
	if (!caller || (at < chain->nr && pd_u64s_at(chain, at) == caller))
		return;
	put_word(chain, at, caller - 1, room);
	sample->leaf_idx = at;
}
