/* elapsed.h: divides the elapsed time among what tasks did, and waited for.
 *
 *	fill a graph (wait_graph.h), in which pieces on a CPU are asked for, too
 *	rpt_elapsed_divide(&graph, &conf, deliver, ctx);
 */
#ifndef RPT_ELAPSED_H
#define RPT_ELAPSED_H

#include "report/offcpu/wait_graph.h"

struct rpt_elapsed_conf {
	uint64_t start_ns; /* of the recording, and of tasks that it found */
	bool by_level;	   /* deliver parts with different parallelism apart */
};

/* Divide the time from the start of the tasks that are asked for to the end of
 * the last of their pieces, in the order of time.  While some of them have a
 * CPU, each has as large a part of the time: its causes, of no waker, have the
 * root RPT_ROOT_RUN.  While none has one, the causes are those of the wait of
 * the next that gets one; behind the last one the root is RPT_ROOT_GOES_ON.
 * The latencies of all causes add up to the whole, but for rounding.  A cause
 * whose stacks[0] is RPT_NO_STACK may be of no wait that was recorded: its wait
 * is what the task did next.  Return 0 or what deliver returned. */
int rpt_elapsed_divide(struct rpt_wait_graph *graph,
		       const struct rpt_elapsed_conf *conf,
		       rpt_wait_cause_deliver *deliver, void *ctx);

#endif
