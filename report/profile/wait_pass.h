/* wait_pass.h: counts the time that tasks waited by what it was for: the stack
 * of the wait, that of what its waker did meanwhile, and so on to the root
 * (offcpu/wait_graph.h).
 *
 *	rpt_profile_init(&profile, &conf);
 *	rpt_wait_pass(&pass, &profile, &err);
 *
 * The pass takes the place of rpt_off_cpu_pass(), and counts the same time: an
 * interval without a CPU is one sample for each of its causes, of that cause's
 * stack (profile/linked_stacks.h).
 *
 * With pass->is_divided it counts the elapsed time of the tasks that the filter
 * leaves, taken together (rpt_elapsed_divide()): periods are parts of it,
 * rpt_profile.seconds time on a CPU.
 */
#ifndef RPT_WAIT_PASS_H
#define RPT_WAIT_PASS_H

#include "report/profile/off_cpu_pass.h"

/* Count, also profile->off_cpu and profile->linked.  pass->run_idx is the event
 * whose samples tell what a waker with a CPU did.  Return what
 * rpt_off_cpu_pass() returns. */
int rpt_wait_pass(const struct rpt_off_cpu_pass *pass,
		  struct rpt_profile *profile, struct pd_err *err);

#endif
