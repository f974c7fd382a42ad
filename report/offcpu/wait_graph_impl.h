/* wait_graph_impl.h: what wait_graph.c, which explains waits, and elapsed.c,
 * which divides the elapsed time, share of a graph.
 */
#ifndef RPT_WAIT_GRAPH_IMPL_H
#define RPT_WAIT_GRAPH_IMPL_H

#include "report/offcpu/wait_graph.h"

struct rpt_wait_sample {
	uint64_t time_ns;
	uint32_t stack;
};

struct rpt_wait_task {
	struct rpt_wait_piece *pieces; /* owned; they do not overlap */
	uint32_t nr;
	uint32_t cap;
	struct rpt_wait_sample *samples; /* owned */
	uint32_t sample_nr;
	uint32_t sample_cap;
	uint32_t run_idx;   /* of the piece that goes on, in a division ... */
	uint32_t begun_idx; /* ... and of the change that it began with */
};

/* A task's time on a CPU. */
struct rpt_wait_turn {
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t tid;
};

struct rpt_wait_cpu {
	struct rpt_wait_turn *turns; /* owned; in order, they do not overlap */
	uint32_t nr;
	uint32_t cap;
};

/* An explanation at work. */
struct rpt_wait_path {
	struct rpt_wait_graph *graph;
	rpt_wait_cause_deliver *deliver;
	void *ctx;
	struct rpt_wait_cause cause; /* nr: what is on the path */
};

/* Return the first piece that ends after a time, or task->nr. */
uint32_t rpt_wait_first_piece(const struct rpt_wait_task *task,
			      uint64_t time_ns);
/* Return the first sample that is not before a time, or task->sample_nr. */
uint32_t rpt_wait_first_sample(const struct rpt_wait_task *task,
			       uint64_t time_ns);

/* Deliver a cause with this root, unless it has no length.  Return what deliver
 * returned, or 0. */
int rpt_wait_give(struct rpt_wait_path *path, enum rpt_wait_root root,
		  uint64_t start_ns, uint64_t end_ns);

/* Deliver the causes of a part of the last wait on the path, a piece of task.
 * Return as above. */
int rpt_wait_explain(struct rpt_wait_path *path,
		     const struct rpt_wait_task *task,
		     const struct rpt_wait_piece *piece, uint64_t start_ns,
		     uint64_t end_ns);

#endif
