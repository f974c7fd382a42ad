/* phase_lock.h: tasks that keep step with the clock that samples them.
 *
 * A clock event has a constant period on each CPU
 * (record/event/clock_period.h).  If n periods are m turns of a program that a
 * timer wakes, samples see the same n moments of its turns, for as long as both
 * run: what it does between two of them has no share, whatever the number of
 * samples.  It shows by
 *
 *   samples	which functions of a task are seen, and whether its CPU is idle,
 *		depends on the number of the sample, modulo n, in one half of
 *		the recording as in the other (turn_moments.c).  A task with
 *		n = 1 cannot be told from one that does one thing.
 *   switches	if they are recorded: a task has a CPU after a sleep at the same
 *		place between two samples each time (turn_moments.c).
 *
 * Samples are numbered on the grid of their CPU, not by their times: the clock
 * of samples and that of timers drift apart by parts in a million.
 */
#ifndef RPT_PHASE_LOCK_H
#define RPT_PHASE_LOCK_H

#include "format/reader/reader.h"
#include "report/events/tracepoint.h"
#include "report/timeline/timeline.h"

struct rpt_phase_lock {
	char comm[24];	  /* "" if no record names the task */
	uint32_t moments; /* of its turns that samples see */
	bool is_by_samples;
	/* How many samples a row may have too many, or too few: one moment
	 * stands for its part of a turn, and for no more. */
	double reach_nr;
};

struct rpt_phase_locks {
	struct rpt_phase_lock *items; /* owned; fewest moments first */
	uint32_t nr;
	double reach; /* how far shares can be off, in all; 0 to 1 */
};

/* Find the tasks in the beginning of a recording, if it has such an event.
 * tracepoints may be NULL.  The caller releases *ret. */
void rpt_phase_locks_find(struct pd_reader *reader,
			  const struct rpt_timeline *timeline,
			  struct rpt_tracepoints *tracepoints,
			  struct rpt_phase_locks *ret);
void rpt_phase_locks_release(struct rpt_phase_locks *locks);

/* Return a sentence about them, NULL if there are none; the caller frees it. */
char *rpt_phase_locks_text(const struct rpt_phase_locks *locks);

#endif
