/* moment_table.h: whether what a task does depends on the number of the sample.
 *
 * Samples are numbered on the grid of their clock.  If each n-th one sees the
 * task at the same moment of its turns, the table of its samples by number
 * modulo n and by place differs from what rows and columns give, and it does so
 * alike in both halves, which take turns.  A task that changes what it does,
 * but in no step with the clock, differs in each half in another way, or is
 * seen at all moments in time.
 */
#ifndef RPT_MOMENT_TABLE_H
#define RPT_MOMENT_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum {
	RPT_PLACES_NR = 32,	  /* that a task's code is divided into */
	RPT_IDLE = RPT_PLACES_NR, /* the place of a sample of an idle CPU */
};

struct rpt_moment_sample {
	uint32_t grid; /* of a CPU without a long gap */
	uint32_t tid;
	uint32_t at; /* its number on the grid */
	uint32_t place;
};

/* Return how many moments the samples of a task see; 0: it does not keep step.
 * task has its samples, idle those of its CPU while it was idle, both of one
 * grid and in the order of their numbers. */
uint32_t rpt_moments_of_samples(const struct rpt_moment_sample *task,
				size_t task_nr,
				const struct rpt_moment_sample *idle,
				size_t idle_nr);

#endif
