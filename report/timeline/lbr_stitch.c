#include "report/timeline/lbr_stitch.h"

#include "format/file/layout.h"
#include "report/base/intern.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>

#define NO_CELL UINT32_MAX

/* A caller that the registers have lost, with a link to its own caller. Samples
 * share the cells that they have in common. */
struct cell {
	uint64_t ip;
	uint32_t caller; /* NO_CELL: there is none */
	uint32_t nr;	 /* number of cells from here on */
};

struct key {
	uint64_t task; /* const struct rpt_task *; 0: unknown */
	uint64_t tid;
};

/* The sample of a task before the current one. */
struct last {
	struct pd_branch *branches; /* latest first; owned */
	uint32_t nr;
	uint32_t cap;
	uint64_t hw_idx;
	uint32_t lost; /* the cell of the latest that belongs to its chain */
};

/* A sample that has lost callers. */
struct stitched {
	uint64_t seq;
	uint32_t lost;
};

struct rpt_lbr_stitch {
	uint32_t register_nr, lost_max;
	struct rpt_budget *budget;
	struct rpt_intern keys;
	struct last *lasts; /* by number of the key; owned */
	uint32_t lasts_cap;
	struct cell *cells; /* owned */
	uint32_t cell_nr, cells_cap;
	struct stitched *samples; /* by seq once finished; owned */
	uint32_t sample_nr, samples_cap;
};

struct rpt_lbr_stitch *rpt_lbr_stitch_new(uint32_t register_nr,
					  uint32_t lost_max,
					  struct rpt_budget *budget)
{
	struct rpt_lbr_stitch *stitch = rpt_alloc_zeroed(1, sizeof(*stitch));

	stitch->register_nr = register_nr;
	stitch->lost_max = lost_max;
	stitch->budget = budget;
	stitch->keys.keys.budget = budget;
	return stitch;
}

static void free_lasts(struct rpt_lbr_stitch *stitch)
{
	for (uint32_t i = 0; stitch->lasts && i < stitch->keys.nr; i++)
		free(stitch->lasts[i].branches);
	free(stitch->lasts);
	stitch->lasts = NULL;
	rpt_intern_release(&stitch->keys);
}

void rpt_lbr_stitch_free(struct rpt_lbr_stitch *stitch)
{
	if (!stitch)
		return;
	free_lasts(stitch);
	free(stitch->cells);
	free(stitch->samples);
	free(stitch);
}

static struct last *last_of(struct rpt_lbr_stitch *stitch,
			    const struct rpt_task_ref *ref)
{
	const struct key key = { (uint64_t)(uintptr_t)ref->task, ref->tid };
	uint32_t known_nr = stitch->keys.nr;
	int64_t idx = rpt_intern(&stitch->keys, &key, sizeof(key));

	stitch->lasts = rpt_grow_within(stitch->budget, stitch->lasts,
					&stitch->lasts_cap, known_nr,
					sizeof(*stitch->lasts));
	if (idx == known_nr)
		stitch->lasts[idx] = (struct last){ .lost = NO_CELL };
	return &stitch->lasts[idx];
}

static bool is_same(const struct pd_branch *a, const struct pd_branch *b)
{
	return a->from == b->from && a->to == b->to && a->flags == b->flags;
}

/* Return whether the register of the sample's oldest branch held the same
 * branch in the last sample; *ret_idx is its index there. */
static bool is_continued(const struct rpt_lbr_stitch *stitch,
			 const struct last *last,
			 const struct pd_sample *sample, uint64_t *ret_idx)
{
	size_t nr = pd_sample_branch_nr(sample);
	uint64_t base = sample->branch_hw_idx + 1 + stitch->register_nr - nr;
	uint64_t idx = last->hw_idx - base;
	struct pd_branch oldest;

	/* registers count round; numbers out of damaged samples wrap, too */
	if (last->hw_idx <= base)
		idx += stitch->register_nr;
	if (!nr || idx >= last->nr)
		return false;
	oldest = pd_sample_branch_at(sample, nr - 1);
	*ret_idx = idx;
	return is_same(&last->branches[idx], &oldest);
}

/* Put a caller in front of those that a chain has lost already. */
static void add_cell(struct rpt_lbr_stitch *stitch, uint64_t ip, uint32_t *lost)
{
	struct cell *cells = rpt_grow_within(stitch->budget, stitch->cells,
					     &stitch->cells_cap,
					     stitch->cell_nr, sizeof(*cells));

	stitch->cells = cells;
	cells[stitch->cell_nr] = (struct cell){
		.ip = ip,
		.caller = *lost,
		.nr = *lost == NO_CELL ? 1 : cells[*lost].nr + 1,
	};
	*lost = stitch->cell_nr++;
}

/* Add the callers that the registers have lost since the last sample. */
static void lose(struct rpt_lbr_stitch *stitch, struct last *last, uint64_t idx)
{
	for (size_t i = last->nr; --i > idx;) {
		/* a mark of a context is no caller */
		if (last->branches[i].from < PD_CONTEXT_MAX)
			add_cell(stitch, last->branches[i].from, &last->lost);
	}
}

static void set_last(struct rpt_lbr_stitch *stitch, struct last *last,
		     const struct pd_sample *sample)
{
	size_t nr = pd_sample_branch_nr(sample);

	for (last->nr = 0; last->nr < nr; last->nr++) {
		last->branches = rpt_grow_within(stitch->budget, last->branches,
						 &last->cap, last->nr,
						 sizeof(*last->branches));
		last->branches[last->nr] =
			pd_sample_branch_at(sample, last->nr);
	}
	last->hw_idx = sample->branch_hw_idx;
}

static void note(struct rpt_lbr_stitch *stitch, uint64_t seq, uint32_t lost)
{
	stitch->samples = rpt_grow_within(
		stitch->budget, stitch->samples, &stitch->samples_cap,
		stitch->sample_nr, sizeof(*stitch->samples));
	stitch->samples[stitch->sample_nr++] = (struct stitched){ seq, lost };
}

int rpt_lbr_stitch_add(struct rpt_lbr_stitch *stitch,
		       const struct rpt_task_ref *ref,
		       const struct pd_sample *sample, uint64_t seq)
{
	struct last *last;
	uint64_t idx;

	if (rpt_budget_is_spent(stitch->budget))
		return -EFBIG;
	last = last_of(stitch, ref);
	if (is_continued(stitch, last, sample, &idx))
		lose(stitch, last, idx);
	else
		last->lost = NO_CELL;
	if (last->lost != NO_CELL)
		note(stitch, seq, last->lost);
	set_last(stitch, last, sample);
	return 0;
}

static int compare_seqs(const void *a, const void *b)
{
	const struct stitched *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

void rpt_lbr_stitch_finish(struct rpt_lbr_stitch *stitch)
{
	free_lasts(stitch);
	if (stitch->sample_nr)
		qsort(stitch->samples, stitch->sample_nr,
		      sizeof(*stitch->samples), compare_seqs);
}

/* Return the last caller that the sample of that seq has lost, or NO_CELL. */
static uint32_t lost_of(const struct rpt_lbr_stitch *stitch, uint64_t seq)
{
	const struct stitched asked = { .seq = seq }, *found = NULL;

	if (stitch->sample_nr)
		found = bsearch(&asked, stitch->samples, stitch->sample_nr,
				sizeof(asked), compare_seqs);
	return found ? found->lost : NO_CELL;
}

uint32_t rpt_lbr_stitch_lost_nr(const struct rpt_lbr_stitch *stitch,
				uint64_t seq)
{
	uint32_t lost = lost_of(stitch, seq);
	uint32_t nr = lost == NO_CELL ? 0 : stitch->cells[lost].nr;

	return nr < stitch->lost_max ? nr : stitch->lost_max;
}

void rpt_lbr_stitch_join(const struct rpt_lbr_stitch *stitch, uint64_t seq,
			 struct pd_sample *sample, uint64_t *room)
{
	size_t nr = sample->callchain.nr, end = nr + stitch->lost_max;

	if (end > RPT_CHAIN_NR)
		end = RPT_CHAIN_NR;
	if (!sample->is_chain_of_branches)
		return;
	for (uint32_t i = lost_of(stitch, seq); i != NO_CELL && nr < end;
	     i = stitch->cells[i].caller)
		room[nr++] = stitch->cells[i].ip;
	sample->callchain.nr = nr;
}
