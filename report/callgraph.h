/* callgraph.h: many call trees in one table, filled chain by chain, and their
 * print in graph mode.
 *
 * A tree is named by its root node.  Each node is one frame label below its
 * parent; it counts what ended there (hit) and what went through (below).
 * Nodes with a single successor and nothing of their own are shown as one, as
 * perf's trees hold them.
 */
#ifndef RPT_CALLGRAPH_H
#define RPT_CALLGRAPH_H

#include "report/frames.h"

#include <stdio.h>

struct rpt_call_node {
	uint64_t hit;	/* periods of chains that end here */
	uint64_t below; /* periods of chains that go on */
	uint64_t hit_nr;
	uint32_t frame;
	uint32_t parent;
	uint32_t first_child; /* 0: none */
	uint32_t next_sibling;
	uint32_t child_nr;
};

struct rpt_callgraph {
	struct rpt_call_node *nodes; /* 0 is no node */
	uint32_t nr;
	uint32_t cap;
	uint32_t *slots; /* (parent, label) -> node, open addressing */
	uint32_t slots_nr;
	const struct rpt_frames *frames;
};

void rpt_callgraph_init(struct rpt_callgraph *graph,
			const struct rpt_frames *frames);
void rpt_callgraph_release(struct rpt_callgraph *graph);

/* A new empty tree; 0: out of memory. */
uint32_t rpt_callgraph_root(struct rpt_callgraph *graph);

/* Adds a chain of frames, the one at the root first.  0 or -ENOMEM. */
int rpt_callgraph_add(struct rpt_callgraph *graph, uint32_t root,
		      const uint32_t *chain, uint32_t nr, uint64_t period,
		      uint64_t count);

struct rpt_callgraph_style {
	uint64_t total;	  /* what 100 % is */
	uint64_t min_hit; /* nodes below it are left out */
	bool skip_first;  /* the row already shows the first name */
};

/* Prints the tree of a row whose own (accumulated) period is row_period,
 * followed by an empty line if there was anything.  0 or -ENOMEM. */
int rpt_callgraph_print(const struct rpt_callgraph *graph, uint32_t root,
			uint64_t row_period,
			const struct rpt_callgraph_style *style, FILE *out);

#endif
