/* seen_causes.h: a graph of waits, and what is delivered of it. */
#ifndef SEEN_CAUSES_H
#define SEEN_CAUSES_H

#include "report/offcpu/wait_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SEEN_NR = 16 };

/* The causes that were delivered. */
struct seen {
	struct rpt_wait_cause items[SEEN_NR];
	uint32_t nr;
	int rc;
};

static inline int see(void *ctx, const struct rpt_wait_cause *cause)
{
	struct seen *seen = ctx;

	assert_true(seen->nr < SEEN_NR);
	seen->items[seen->nr++] = *cause;
	return seen->rc;
}

static inline void run(struct rpt_wait_graph *graph, uint32_t tid,
		       uint64_t start_ns, uint64_t end_ns)
{
	const struct rpt_wait_piece piece = { .start_ns = start_ns,
					      .end_ns = end_ns };

	rpt_wait_graph_add(graph, tid, &piece);
}

/* A wait that another ends. */
static inline struct rpt_wait by(enum rpt_wait_state state, uint32_t waker)
{
	return (struct rpt_wait){ state, waker, "waker" };
}

/* The task waits with that stack until another wakes it.  Those of task 1 are
 * asked for. */
static inline void wait_of(struct rpt_wait_graph *graph, uint32_t tid,
			   uint64_t start_ns, uint64_t end_ns,
			   struct rpt_wait wait, uint32_t stack)
{
	const struct rpt_wait_piece piece = {
		.start_ns = start_ns,
		.end_ns = end_ns,
		.wait = wait,
		.stack = stack,
		.is_asked = tid == 1,
	};

	rpt_wait_graph_add(graph, tid, &piece);
}

static inline void assert_cause(const struct rpt_wait_cause *cause,
				uint64_t start_ns, uint64_t end_ns,
				enum rpt_wait_root root, uint32_t nr,
				uint32_t last)
{
	assert_int_equal(cause->start_ns, start_ns);
	assert_int_equal(cause->end_ns, end_ns);
	assert_int_equal(cause->root, root);
	assert_int_equal(cause->nr, nr);
	assert_int_equal(cause->stacks[nr - 1], last);
}

#endif
