/* off_cpu_pass.h: counts the time that tasks spent without a CPU, by the stack
 * with which they gave it up; with run_idx also the time on a CPU.
 *
 *	rpt_profile_init(&profile, &conf);
 *	rpt_off_cpu_pass(&pass, &profile, &err);
 *
 * It takes the place of rpt_profile_threads_count(): records have to come in
 * the order of time, so that one thread reads them all.  The event whose
 * samples are switches has the counts: its samples are intervals, its periods
 * ns; all other events stay empty.  An interval that blocks of time or --time
 * part is a sample in each part that is asked for.
 */
#ifndef RPT_OFF_CPU_PASS_H
#define RPT_OFF_CPU_PASS_H

#include "report/input/sample_pass.h"
#include "report/offcpu/switch_events.h"
#include "report/profile/profile.h"

#define RPT_OFF_CPU_NO_RUNS (-1)

struct rpt_off_cpu_pass {
	struct rpt_pass_input in; /* types are set by the pass */
	struct rpt_tracepoints *tracepoints;
	/* The event whose samples are time on a CPU: their periods count if it
	 * is a clock, else the time between two of its frequency.
	 * RPT_OFF_CPU_NO_RUNS: none. */
	int64_t run_idx;
	bool is_divided; /* rpt_wait_pass(): the elapsed time is */
};

/* Return the event whose samples can be counted as time on a CPU, or
 * RPT_OFF_CPU_NO_RUNS: the first clock, else the first one with a frequency. */
int64_t rpt_off_cpu_run_event(const struct pd_event_set *events);

/* Count, also profile->off_cpu.  Return 0, -EINVAL if the recording has no
 * switches, or the negative errno of reading or counting. */
int rpt_off_cpu_pass(const struct rpt_off_cpu_pass *pass,
		     struct rpt_profile *profile, struct pd_err *err);

#endif
