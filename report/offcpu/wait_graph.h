/* wait_graph.h: what a wait was for: what its waker did meanwhile, what that
 * waited for in turn, and so on to a root.
 *
 *	rpt_wait_graph_init(&graph, budget);
 *	for each task, in the order of time: rpt_wait_graph_add()
 *	for each sample of a CPU, in the order of time: rpt_wait_graph_sample()
 *	rpt_wait_graph_explain(&graph, deliver, ctx);
 *	or rpt_elapsed_divide(&graph, &conf, deliver, ctx); (elapsed.h)
 *	rpt_wait_graph_release(&graph);
 *
 * Each nanosecond of a wait has one cause: the wait ended when its waker woke
 * it, so while it lasted the waker was on its way to do that.  Where the waker
 * had a CPU, that is the root; where it waited itself, its own wait is followed
 * in the same way; where it was woken or preempted, it waited for a CPU, behind
 * the task that ran meanwhile on the one that it got.  An interrupt is a root.
 * Time of a waker that is not recorded, and a wait without a known waker, have
 * the root RPT_ROOT_UNKNOWN: nothing is guessed.
 *
 * A waker's wait ends before it wakes anybody, so that no circle can be in what
 * a kernel recorded; a file that has one ends at RPT_WAIT_DEPTH.  The pieces
 * and samples that all explanations together look at are bounded in proportion
 * to those that there are: behind the bound nothing is followed, which left_ns
 * counts.
 */
#ifndef RPT_WAIT_GRAPH_H
#define RPT_WAIT_GRAPH_H

#include "report/base/ids.h"
#include "report/events/wait_state.h"

#include <stdbool.h>

#define RPT_WAIT_DEPTH 16u

/* The stack of a wait or sample that has none. */
#define RPT_NO_STACK UINT32_MAX

enum rpt_wait_root {
	RPT_ROOT_RUN, /* the last task had a CPU */
	RPT_ROOT_NO_CPU,
	RPT_ROOT_INTERRUPT,
	RPT_ROOT_GOES_ON, /* the wait had not ended at the end of all */
	RPT_ROOT_UNKNOWN,
	RPT_ROOT_TOO_DEEP, /* the bounds above */
	RPT_ROOTS_NR,
};

/* One thing that a task did, from start_ns to before end_ns. */
struct rpt_wait_piece {
	uint64_t start_ns;
	uint64_t end_ns;
	struct rpt_wait wait; /* RPT_WAIT_NONE: it had a CPU */
	uint32_t stack;	      /* of a wait: a number of the caller's */
	uint32_t pid;
	uint32_t cpu;
	bool is_asked; /* it is to be explained; on a CPU: it is of those whose
			* time is divided */
	bool is_open;  /* a wait that had not ended */
};

/* A part of a wait, and its cause: stacks[0] is the victim's, the others those
 * of the wakers' waits, each of which ended the one before; the last one is a
 * sample of a CPU if root is RPT_ROOT_RUN, or RPT_NO_STACK. */
struct rpt_wait_cause {
	const struct rpt_wait_piece *wait;
	uint32_t tid; /* of the victim */
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t nr;
	uint32_t stacks[RPT_WAIT_DEPTH];
	const char *wakers[RPT_WAIT_DEPTH]; /* [i] woke stacks[i - 1] */
	enum rpt_wait_root root;
	uint32_t behind_tid; /* of RPT_ROOT_NO_CPU: what ran; 0: not known */
	/* by rpt_elapsed_divide(): */
	uint64_t latency_ns;  /* its part of the elapsed time */
	uint32_t parallelism; /* how many tasks ran, in the mean; 0: none */
};

/* Take a cause.  Return 0, or a negative errno, which ends everything. */
typedef int rpt_wait_cause_deliver(void *ctx,
				   const struct rpt_wait_cause *cause);

struct rpt_wait_graph {
	struct rpt_budget *budget; /* NULL: none */
	struct rpt_ids tids;
	struct rpt_wait_task *tasks; /* owned; by number of the tid */
	uint32_t task_cap;
	struct rpt_ids cpu_ids;
	struct rpt_wait_cpu *cpus; /* owned; by number of the CPU */
	uint32_t cpu_cap;
	uint64_t item_nr; /* pieces and samples */
	uint64_t step_nr;
	uint64_t taken_len; /* of the budget */
	uint64_t left_ns;   /* that was not followed for the bound on steps */
	uint64_t unfit_nr;  /* pieces and samples for which no budget was */
};

/* Begin.  budget is borrowed; NULL: none. */
void rpt_wait_graph_init(struct rpt_wait_graph *graph,
			 struct rpt_budget *budget);
void rpt_wait_graph_release(struct rpt_wait_graph *graph);

/* Add what a task did after all that was added of it before. */
void rpt_wait_graph_add(struct rpt_wait_graph *graph, uint32_t tid,
			const struct rpt_wait_piece *piece);
/* A sample was taken while a task had a CPU. */
void rpt_wait_graph_sample(struct rpt_wait_graph *graph, uint32_t tid,
			   uint64_t time_ns, uint32_t stack);

/* Deliver the causes of all waits that are asked for, task by task, in the
 * order of time; those of a wait are together as long as it is.  Return 0 or
 * what deliver returned. */
int rpt_wait_graph_explain(struct rpt_wait_graph *graph,
			   rpt_wait_cause_deliver *deliver, void *ctx);

#endif
