/* profile.h: counts samples by stack; no single sample is stored.
 *
 * This is the second pass of the reader: every sample becomes a key (event,
 * task name, version of its address space, ip, recorded call chain, and
 * whatever else the columns distinguish), and equal keys are added up.
 * Addresses stay numbers here; rows.h resolves each key once.
 *
 * Each thread fills a profile of its own from chunks of the file; they are
 * merged in the end (profile_threads.h).
 */
#ifndef RPT_PROFILE_H
#define RPT_PROFILE_H

#include "format/reader/reader.h"
#include "report/base/intern.h"
#include "report/events/sample_reader.h"
#include "report/events/sample_value.h"
#include "report/events/time_blocks.h"
#include "report/input/sample_rle.h"
#include "report/offcpu/off_cpu.h"
#include "report/profile/branch_history.h"
#include "report/profile/linked_stacks.h"
#include "report/profile/stack_key.h"
#include "report/timeline/timeline.h"
#include "report/unwind/unwind.h"

/* Stack contexts that are found without the lock of their table. */
#define RPT_RECENT_CONTEXTS_NR 64

/* About as many bytes of memory as a stack takes besides its key. */
#define RPT_STACK_COST_LEN 100u

struct rpt_stack {
	uint64_t period; /* sum of all its samples, in the event's unit */
	uint64_t nr;	 /* of samples */
	struct rpt_timestamp first; /* the first sample in time */
	uint32_t first_pid;
	uint32_t first_tid;
};

/* Sums of rpt_sample.second, by number of the stack's key. */
struct rpt_stack_seconds {
	uint64_t *items; /* owned */
	uint32_t nr;	 /* stacks behind these have 0 */
};

struct rpt_event_total {
	uint64_t sample_nr;
	uint64_t period;
	uint64_t second; /* of rpt_sample */
};

/* How samples are counted by the branches that they carry. */
struct rpt_profile_branches {
	bool is_asked;	   /* each branch counts as a sample of period 1 */
	bool by_from;	   /* stacks differ by where a branch came from */
	uint64_t by_flags; /* and by these of its flags */
};

struct rpt_profile_conf {
	struct pd_reader *reader;
	/* The table to share with other profiles.  NULL: make one. */
	struct rpt_stack_bases *bases;
	const struct rpt_timeline *timeline;
	struct rpt_unwind *unwind; /* NULL: stack copies are not unwound */
	/* Other fields that distinguish stacks: */
	bool by_task;
	bool by_cpu;
	bool by_raw;
	const enum rpt_value *values;
	uint32_t value_nr;
	struct rpt_value_conf value_conf;
	struct rpt_time_blocks blocks;

	bool is_weight_period; /* a sample's period is its weight, 1 if 0 */
	bool with_chains;
	bool is_stitched; /* equal records may have different chains */
	struct rpt_branch_history_conf history; /* put before the chains */
	struct rpt_profile_branches branches;
	/* Samples of other sockets count only in the totals.  NULL: all
	 * sockets. */
	const uint32_t *socket;
	/* Samples that these two leave out by time or CPU are not counted at
	 * all; those of other tasks count only in the totals.  NULL: none. */
	const struct rpt_event_switch *event_switch;
	const struct rpt_filter *filter;
	struct rpt_stack_choice shown; /* may change once all are counted */
};

struct rpt_profile {
	struct rpt_profile_conf conf;	   /* bases is never NULL */
	struct rpt_stack_bases *own_bases; /* conf.bases, or NULL */
	const struct rpt_stack_context *recent[RPT_RECENT_CONTEXTS_NR];
	struct rpt_intern keys;	  /* struct rpt_stack_key */
	struct rpt_stack *stacks; /* by number of the key */
	uint32_t stacks_cap;
	struct rpt_stack_seconds seconds;
	struct rpt_event_total *totals;	   /* by event, then block */
	uint64_t lost_nr;		   /* events, by LOST records */
	uint64_t lost_chunk_nr;		   /* LOST records */
	uint64_t lost_sample_nr;	   /* by LOST_SAMPLES records */
	struct rpt_sample_reader samples;  /* counts what it cannot read */
	struct pd_damage damage;	   /* what could not be read */
	struct rpt_off_cpu_counts off_cpu; /* by rpt_off_cpu_pass() */
	struct rpt_linked_stacks *linked;  /* by rpt_wait_pass(); else NULL */
	bool has_some_switches;		   /* not all were recorded */
	bool is_latency;	 /* rpt_stack.period is the latency, seconds are
				  * periods;	 by rpt_latency_pass() */
	bool is_full;		 /* there is no budget for new stacks */
	bool is_left_out;	 /* one was left out ... */
	uint64_t left_out_off;	 /* ... at this record first */
	uint64_t budget_floor;	 /* bytes that stacks leave for rows */
	uint64_t *scratch;	 /* a key under construction */
	uint32_t block;		 /* of time, of the current sample */
	struct pd_branch branch; /* the one that is being counted */
	uint64_t latency_rest;	 /* what was not counted yet; LATENCY_ONE */
};

/* Begin an empty profile.  conf is copied; what it points to is borrowed. */
void rpt_profile_init(struct rpt_profile *profile,
		      const struct rpt_profile_conf *conf);
/* Free what the profile owns, and zero it. */
void rpt_profile_release(struct rpt_profile *profile);

/* Count every sample of a chunk.  Damaged records are skipped and added to
 * profile->damage.  Return 0, or -EFBIG for more than 2^30 stacks. */
int rpt_profile_add_chunk(struct rpt_profile *profile, struct pd_chunk chunk,
			  struct pd_err *err);
/* Do the same for the runs of a chunk that was encoded with the profile's
 * conf.by_raw; the blocks of its rest are counted one by one. */
int rpt_profile_add_rle(struct rpt_profile *profile,
			const struct rpt_sample_rle *rle, struct pd_err *err);
/* Count the samples of one block of the rest. */
int rpt_profile_add_block(struct rpt_profile *profile,
			  const struct rpt_sample_rle *rle,
			  const struct rpt_sample_block *block,
			  struct pd_err *err);

/* Add what other counted, with an equal conf and the same bases.  Afterwards
 * other can only be released.  Return 0 or -EFBIG. */
int rpt_profile_merge(struct rpt_profile *profile, struct rpt_profile *other,
		      struct pd_err *err);

/* For a pass that reads the samples itself, by profile->samples: count a sample
 * in the totals alone, and a record of lost ones. */
void rpt_profile_add_total(struct rpt_profile *profile,
			   const struct rpt_sample *sample);
void rpt_profile_add_lost(struct rpt_profile *profile,
			  const struct pd_record *rec);

/* Return the number of samples of all events. */
uint64_t rpt_profile_sample_nr(const struct rpt_profile *profile);
/* Return the numbers of all stacks, in the order of event and first sample.
 * The caller frees them. */
uint32_t *rpt_profile_order(const struct rpt_profile *profile);

static inline const struct rpt_stack_key *
rpt_profile_key(const struct rpt_profile *profile, uint32_t idx)
{
	return rpt_intern_key(&profile->keys, idx);
}

/* Prefetch the keys of stacks that the caller will read soon; it reads the
 * first of them next. */
void rpt_profile_prefetch(const struct rpt_profile *profile,
			  const uint32_t *stacks, uint32_t nr);

#endif
