#include "report/profile/branch_history.h"

#include "format/file/layout.h"

#include <string.h>

#define SOURCES_NR	127
#define GOLDEN_RATIO_64 UINT64_C(0x61c8864680b583eb) /* <linux/hash.h> */

/* A branch is a call of the chain if the return address is so close behind. */
#define CALL_LEN_MAX 8

/* Return the slot of a source.  perf finds runs by a table of sources; the
 * first of those that share a slot keeps it.  This finds the same runs. */
static size_t slot_of(uint64_t from)
{
	return (size_t)((from * GOLDEN_RATIO_64) >> 57) % SOURCES_NR;
}

/* Return the length of the run at i if it repeats the one from start on; else
 * 0. */
static size_t run_len(const struct rpt_history_branch *branches, size_t nr,
		      size_t start, size_t i)
{
	size_t len = 0;

	while (start + len < i && i + len < nr) {
		if (branches[start + len].from != branches[i + len].from)
			return 0;
		len++;
	}
	return len;
}

/* Remove repeated runs; the latest branch is first.  Return how many stay. */
static size_t leave_out_runs(struct rpt_history_branch *branches, size_t nr)
{
	uint8_t firsts[SOURCES_NR] = { 0 }; /* their numbers + 1 */

	for (size_t i = 0; i < nr; i++) {
		uint8_t *first = &firsts[slot_of(branches[i].from)];
		uint64_t cycles = 0;
		size_t len;

		if (!*first)
			*first = (uint8_t)(i + 1);
		if (*first == i + 1)
			continue;
		len = run_len(branches, nr, *first - 1u, i);
		if (!len)
			continue;
		for (size_t k = i; k < i + len; k++)
			cycles += branches[k].flags >> 4 & 0xffff;
		if (i + len < nr) {
			branches[i + len].repeat_nr++;
			branches[i + len].run_cycles = cycles;
			memmove(branches + i, branches + i + len,
				(nr - i - len) * sizeof(*branches));
		}
		nr -= len;
	}
	return nr;
}

static size_t read_branches(const struct rpt_branch_history_conf *conf,
			    const struct pd_sample *sample,
			    struct rpt_history_branch *ret)
{
	size_t all_nr = pd_sample_branch_nr(sample);
	size_t nr = all_nr < conf->max_stack ? all_nr : conf->max_stack;

	if (all_nr > RPT_BRANCHES_NR)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		size_t idx = conf->is_caller_first ? all_nr - 1 - i : i;
		struct pd_branch branch = pd_sample_branch_at(sample, idx);

		ret[i] = (struct rpt_history_branch){
			.to = branch.to,
			.from = branch.from,
			.flags = branch.flags,
		};
	}
	return nr;
}

/* Return how many words at the innermost end of the chain the branches
 * include. */
static size_t known_calls(const struct rpt_history_branch *branches, size_t nr,
			  const struct pd_u64s *chain)
{
	size_t known = 0;

	for (size_t i = 0; i < nr && known < chain->nr; i++) {
		uint64_t ip = pd_u64s_at(chain, known);
		uint64_t from = branches[i].from;

		if (ip >= PD_CONTEXT_MAX ||
		    (from < ip && from >= ip - CALL_LEN_MAX))
			known++;
	}
	return known;
}

/* Return the context mark that applies at word idx; 0: none is before it. */
static uint64_t mark_at(const struct pd_u64s *chain, size_t idx)
{
	while (idx-- > 0) {
		uint64_t ip = pd_u64s_at(chain, idx);

		if (ip >= PD_CONTEXT_MAX)
			return ip;
	}
	return 0;
}

static uint32_t copy_calls(const struct pd_u64s *chain, size_t start,
			   size_t end, uint64_t *to)
{
	uint32_t nr = 0;

	for (size_t i = start; i < end; i++)
		to[nr++] = pd_u64s_at(chain, i);
	return nr;
}

uint32_t rpt_branch_history(const struct rpt_branch_history_conf *conf,
			    const struct pd_sample *sample, uint64_t *to)
{
	struct rpt_history_branch branches[RPT_BRANCHES_NR];
	const struct pd_u64s *chain = &sample->callchain;
	size_t nr = read_branches(conf, sample, branches);
	size_t known =
		conf->is_caller_first ? 0 : known_calls(branches, nr, chain);
	uint32_t at = 2;
	uint64_t mark;

	nr = leave_out_runs(branches, nr);
	to[0] = RPT_CONTEXT_BRANCHES;
	to[1] = nr;
	memcpy(to + at, branches, nr * sizeof(*branches));
	at += (uint32_t)(nr * RPT_BRANCH_WORDS);
	if (nr >= chain->nr)
		return at;
	if (!conf->is_caller_first)
		return at + copy_calls(chain, known, chain->nr - nr, to + at);
	mark = mark_at(chain, nr);
	if (mark)
		to[at++] = mark;
	return at + copy_calls(chain, nr, chain->nr, to + at);
}
