/* latency_pass.h: counts samples by how many threads ran when each was taken.
 *
 *	rpt_profile_init(&profile, &conf);
 *	rpt_latency_pass(&in, tracepoints, &profile, &err);
 *
 * The pass takes the place of rpt_profile_threads_count(): who runs is said by
 * context switches, which have to come in the order of time.  A sample's
 * latency is its part of the elapsed time: its period, divided by the number of
 * threads of the recording that had a CPU then.  Time in which none of them ran
 * has no samples (rpt_wait_pass() counts it).
 *
 * A sample says that its thread runs, too, so that one that had a CPU before
 * the recording, or since records were lost, is known by its first sample.
 */
#ifndef RPT_LATENCY_PASS_H
#define RPT_LATENCY_PASS_H

#include "report/events/tracepoint.h"
#include "report/input/sample_pass.h"
#include "report/profile/profile.h"

/* Count; in->types are set by the pass, tracepoints may be NULL.  With
 * profile->is_latency stacks have latencies as periods.  Return 0, -ENODATA if
 * the recording has no switches, or the negative errno of reading or counting.
 */
int rpt_latency_pass(const struct rpt_pass_input *in,
		     struct rpt_tracepoints *tracepoints,
		     struct rpt_profile *profile, struct pd_err *err);

#endif
