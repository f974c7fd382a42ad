/* profile.h: samples counted by where they were taken; nothing is kept per
 * sample.
 *
 * Pass 2 of the reader: every sample becomes a key (event, name of the task,
 * state of its address space, ip, raw call chain, and what else the columns
 * tell apart), and equal keys are added up.  Addresses stay numbers here;
 * rows.h resolves each key once.
 *
 * Threads fill one each, over parts of a file; they are merged afterwards.
 */
#ifndef RPT_PROFILE_H
#define RPT_PROFILE_H

#include "format/reader.h"
#include "report/profile/branch_history.h"
#include "report/base/intern.h"
#include "report/profile/repeat_sample.h"
#include "report/events/sample_reader.h"
#include "report/events/sample_value.h"
#include "report/profile/stack_key.h"
#include "report/events/time_blocks.h"
#include "report/timeline/timeline.h"
#include "report/unwind/unwind.h"

#define RPT_BASES_NR 64 /* of stacks that came last */

struct rpt_stack {
	uint64_t period;       /* of all its samples, in the event's units */
	uint64_t nr;	       /* of samples */
	struct rpt_when first; /* the sample that came first in time */
	uint32_t first_pid;
	uint32_t first_tid;
};

struct rpt_event_total {
	uint64_t sample_nr;
	uint64_t period;
};

struct rpt_profile_conf {
	struct pd_reader *reader;
	struct rpt_stack_bases *bases; /* NULL: those of a profile alone */
	const struct rpt_timeline *timeline;
	struct rpt_unwind *unwind; /* NULL: user stacks are not unwound */
	bool by_task;		   /* rows tell tasks apart */
	bool by_cpu;
	bool by_raw;
	const enum rpt_value *values; /* that rows tell apart */
	uint32_t value_nr;
	struct rpt_value_conf value_conf;
	bool is_weight_period; /* of memory accesses; 1 where it is 0 */
	const struct rpt_event_switch *event_switch; /* NULL: none */
	bool is_one_socket; /* others' samples count in the totals alone */
	uint32_t socket;
	bool with_chains;
	bool is_stitched; /* equal samples have other chains */
	struct rpt_branch_history_conf history; /* in front of these */
	bool by_branch; /* each branch of a stack counts, as one, alone */
	bool by_branch_from;
	uint64_t branch_flags;	       /* what counts of them */
	struct rpt_time_blocks blocks; /* that stacks are told apart by, too */
	/* Samples of other moments do not exist; of other tasks they count in
	 * the totals alone.  NULL: none of that. */
	const struct rpt_filter *filter;
};

struct rpt_profile {
	struct rpt_profile_conf conf;
	struct rpt_stack_bases *own_bases; /* conf.bases, or NULL */
	/* of samples that came lately, by task and CPU */
	const struct rpt_stack_context *lately[RPT_BASES_NR];
	struct rpt_intern keys;	  /* struct rpt_stack_key */
	struct rpt_stack *stacks; /* by number of the key */
	uint32_t stacks_cap;
	uint32_t last_idx; /* of the last sample's: often the next one's */
	struct rpt_event_total *totals;	    /* by event, then block */
	uint64_t lost_nr, lost_chunk_nr;    /* LOST: events dropped, records */
	uint64_t lost_sample_nr;	    /* LOST_SAMPLES */
	struct rpt_sample_reader samples;   /* counts what it cannot read */
	struct pd_damage damage;	    /* passed over, or without budget */
	bool is_full, is_full_told;	    /* no budget for other stacks */
	uint64_t budget_floor, advance_len; /* for rows; for stacks to come */
	uint64_t *scratch;		    /* a key under construction */
	uint32_t block;		    /* that the last sample was in, ... */
	struct rpt_span block_span; /* ... and when it is that */
	struct rpt_repeat_sample
		*repeat;	 /* NULL: equal records may not be alike */
	struct pd_branch branch; /* that is being counted */
};

/* conf is copied, what it points to is borrowed; in profile->conf there are
 * bases in any case.  -ENOMEM. */
int rpt_profile_init(struct rpt_profile *profile,
		     const struct rpt_profile_conf *conf, struct pd_err *err);
void rpt_profile_release(struct rpt_profile *profile);

/* Counts every sample of a part; damage is passed over and told.  -ENOMEM. */
int rpt_profile_add_piece(struct rpt_profile *profile, struct pd_chunk piece,
			  struct pd_err *err);

/* Adds what other counted, of the same conf with the same bases, and uses it
 * up.  is_last: nothing is counted after it.  -ENOMEM. */
int rpt_profile_merge(struct rpt_profile *profile, struct rpt_profile *other,
		      bool is_last, struct pd_err *err);

/* Of all events. */
uint64_t rpt_profile_sample_nr(const struct rpt_profile *profile);
/* All stacks by event, then first sample; to be freed.  NULL: no memory. */
uint32_t *rpt_profile_order(const struct rpt_profile *profile);

static inline const struct rpt_stack_key *
rpt_profile_key(const struct rpt_profile *profile, uint32_t idx)
{
	return rpt_intern_key(&profile->keys, idx);
}

#endif
