#include "report/events/leaf_caller.h"

#include "format/records/leaf_words.h"
#include "report/base/memory.h"
#include "report/events/sample_reader.h"
#include "report/events/user_maps.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Answers are kept in pairs, the one that was asked for last first. */
#define PAIR_BITS 13

/* The most callers that are found of one leaf. */
enum { CALLERS_NR = 4 };

/* The addresses of a chain at which the kernel stops by default, and perf in
 * showing: PERF_MAX_STACK_DEPTH of linux/perf_event.h. */
#define DEPTH_MAX 127

/* A question, and its answer. */
struct recent {
	uint64_t ip;  /* 0: none */
	uint64_t key; /* the link register, or a hash of the words */
	uint64_t callers[CALLERS_NR];
	size_t nr; /* 0: the chain has them, or they are not known */
	uint32_t space_id;
	uint32_t space_version;
};

/* The sources of an answer: one of these. */
struct trace {
	uint64_t link;	      /* aarch64; 0: none */
	struct pd_u64s words; /* x86_64 */
};

struct rpt_leaf_caller {
	struct rpt_unwind *unwind;
	struct recent recent[1 << PAIR_BITS][2];
};

/* Files of other machines are not asked. */
static struct rpt_leaf_caller *leaf_new(bool is_x86_64)
{
	struct rpt_leaf_caller *leaf = rpt_alloc_zeroed(1, sizeof(*leaf));

	leaf->unwind =
		rpt_unwind_new(is_x86_64 ? RPT_ARCH_X86_64 : RPT_ARCH_AARCH64);
	return leaf;
}

void rpt_leaf_caller_free(struct rpt_leaf_caller *leaf)
{
	if (!leaf)
		return;
	rpt_unwind_free(leaf->unwind);
	free(leaf);
}

static void ask(struct rpt_leaf_caller *leaf,
		const struct rpt_timeline *timeline,
		const struct rpt_sample *sample, const struct trace *trace,
		struct recent *asked)
{
	struct rpt_user_maps maps = { timeline, &sample->task->ref,
				      sample->when };
	const struct rpt_unwind_input input = {
		.regs_abi = PD_REGS_ABI_64,
		.regs_mask = sample->fields.regs_user.mask,
		.find_map = rpt_user_maps_find,
		.ctx = &maps,
	};

	if (trace->words.nr) {
		asked->nr = rpt_unwind_leaf_words(leaf->unwind, &input,
						  asked->ip, &trace->words,
						  asked->callers, CALLERS_NR);
		return;
	}
	asked->callers[0] = rpt_unwind_leaf_caller(leaf->unwind, &input,
						   asked->ip, trace->link);
	asked->nr = asked->callers[0] != 0;
}

static bool is_same(const struct recent *a, const struct recent *b)
{
	return a->ip == b->ip && a->key == b->key &&
	       a->space_id == b->space_id &&
	       a->space_version == b->space_version;
}

/* Return the answer, which is good until the next question. */
static const struct recent *callers_of(struct rpt_leaf_caller *leaf,
				       const struct rpt_timeline *timeline,
				       const struct rpt_sample *sample,
				       uint64_t ip, const struct trace *trace)
{
	struct recent asked = {
		.ip = ip,
		.key = trace->link,
		.space_id = sample->task->space_id,
		.space_version = sample->task->space_version,
	};
	struct recent *pair;
	uint64_t hash;

	if (trace->words.nr)
		asked.key = XXH3_64bits(trace->words.raw,
					trace->words.nr * sizeof(uint64_t));
	hash = (ip ^ asked.key << 20 ^ asked.key >> 2 ^ asked.space_id) *
	       UINT64_C(0x9e3779b97f4a7c15);
	pair = leaf->recent[hash >> (64 - PAIR_BITS)];
	if (is_same(&pair[0], &asked))
		return &pair[0];
	if (is_same(&pair[1], &asked))
		asked = pair[1];
	else
		ask(leaf, timeline, sample, trace, &asked);
	pair[1] = pair[0];
	pair[0] = asked;
	return &pair[0];
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

/* Put the places of nr calls at idx; the new chain is in room, the old one may
 * be. */
static void put_calls(struct pd_u64s *chain, size_t idx,
		      const uint64_t *callers, size_t nr, uint64_t *room)
{
	copy_words(chain, idx, chain->nr - idx, room + idx + nr);
	copy_words(chain, 0, idx, room);
	for (size_t i = 0; i < nr; i++)
		room[idx + i] = callers[i] - 1;
	*chain = (struct pd_u64s){ .raw = (const uint8_t *)room,
				   .nr = chain->nr + nr };
}

/* Take the outermost addresses off a chain that nr calls made deeper than the
 * kernel's limit: readers that begin there would cut off the leaf. */
static void keep_depth(struct pd_u64s *chain, size_t nr)
{
	size_t depth = 0;

	for (size_t i = 0; i < chain->nr; i++)
		depth += pd_u64s_at(chain, i) < PD_CONTEXT_MAX;
	if (depth > DEPTH_MAX && depth - nr <= DEPTH_MAX)
		chain->nr -= depth - DEPTH_MAX;
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

/* Return how many callers the chain lacks, which goes on with next. */
static size_t lacking_nr(const struct recent *found, uint64_t next)
{
	size_t nr = 0;

	while (nr < found->nr && found->callers[nr] != next)
		nr++;
	return nr;
}

void rpt_leaf_caller_join(struct rpt_leaf_caller **leaf,
			  const struct rpt_timeline *timeline,
			  struct rpt_sample *sample, uint64_t *room)
{
	struct pd_u64s *chain = &sample->fields.callchain;
	const struct trace trace = {
		.link = pd_sample_link(&sample->fields),
		.words = pd_leaf_words(sample->rec, &sample->fields),
	};
	const struct recent *found;
	size_t at, nr;
	uint64_t ip;

	/* what was unwound stands right behind the chain */
	if ((!trace.link && !trace.words.nr) ||
	    chain->nr + CALLERS_NR > RPT_CHAIN_NR || sample->unwound.nr)
		return;
	at = user_idx(chain);
	if (at == chain->nr)
		return;
	ip = pd_u64s_at(chain, at++);
	if (ip >= PD_CONTEXT_MAX)
		return;
	if (!*leaf)
		*leaf = leaf_new(trace.words.nr > 0);
	found = callers_of(*leaf, timeline, sample, ip, &trace);
	nr = lacking_nr(found, at < chain->nr ? pd_u64s_at(chain, at) : 0);
	if (!nr)
		return;
	put_calls(chain, at, found->callers, nr, room);
	keep_depth(chain, nr);
	sample->leaf_idx = at;
	sample->leaf_nr = nr;
}
