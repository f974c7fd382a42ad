/* callgraph.h: the call tree of one row.  It is built from the row's chains,
 * and printed, or the chains are printed instead.
 *
 * Each node is one frame label below its parent; its weight is the sum of the
 * periods of the chains that go through it.  A node with a single child and no
 * chain that ends there is shown as one with the child, as in perf.
 *
 * Few nodes of most rows are shown, so those below min_weight are counted but
 * not built.  Building a tree costs a step for each chain and heavy node on it.
 */
#ifndef RPT_CALLGRAPH_H
#define RPT_CALLGRAPH_H

#include "report/base/look.h"
#include "report/callchain/branch_stat.h"
#include "report/callchain/frames.h"

struct rpt_call_chain {
	const uint32_t *labels; /* of frames, the one at the root first */
	const uint32_t *frames; /* that name the nodes; NULL: the labels do */
	const uint32_t *ends;	/* of branches: numbers + 1 in
				 * rpt_frames.branch_ends, 0 if the frame is of
				 * no branch; NULL: there are no branches */
	uint32_t nr;
	uint64_t period;
	uint64_t sample_nr;
};

/* Return the frame that names the node at this place of the chain. */
static inline uint32_t rpt_call_chain_frame(const struct rpt_call_chain *chain,
					    uint32_t at)
{
	return (chain->frames ? chain->frames : chain->labels)[at];
}

struct rpt_call_node {
	uint64_t weight;      /* periods of the chains through it */
	uint64_t through_nr;  /* samples of these */
	uint64_t below;	      /* periods of the chains that go on */
	uint64_t below_nr;    /* samples of these */
	uint64_t end_nr;      /* samples whose chains end here */
	uint32_t frame;	      /* that names it; the root has none */
	uint32_t child_nr;    /* with those that are not built */
	uint32_t first_child; /* the first built one; others follow it */
	uint32_t built_nr;    /* children that are built */
	uint32_t depth;
	uint32_t chains_start; /* the chains through it, while it is built */
	uint32_t chains_end;
};

struct rpt_callgraph {
	const struct rpt_frames *frames;
	struct rpt_call_node *nodes; /* of the row that was built last */
	uint32_t nr;
	uint32_t cap;
	uint64_t min_weight;
	struct rpt_call_chain *chains; /* the caller's */
	struct rpt_call_chain *moved;  /* scratch, as many */
	uint32_t moved_cap;
	struct rpt_call_group *groups; /* scratch: children of one node */
	uint32_t *group_of; /* scratch, by label: group + 1; 0 between uses */
	uint32_t group_of_nr;
	struct rpt_branch_stat *branch_stats; /* by node; NULL: no branches */
	uint32_t branch_stats_cap;
};

/* Begin without a tree; frames must outlive the graph. */
void rpt_callgraph_init(struct rpt_callgraph *graph,
			const struct rpt_frames *frames);
void rpt_callgraph_release(struct rpt_callgraph *graph);

/* Build the tree of these chains, in place of the tree before.  The order of
 * the chains changes. */
void rpt_callgraph_build(struct rpt_callgraph *graph,
			 struct rpt_call_chain *chains, uint32_t nr,
			 uint64_t min_weight);

enum rpt_graph_mode {
	RPT_GRAPH_ABS,	  /* percent of all samples */
	RPT_GRAPH_REL,	  /* "fractal": percent of the node above */
	RPT_GRAPH_FLAT,	  /* chain after chain, a name a line */
	RPT_GRAPH_FOLDED, /* chain after chain, one line each */
};

enum rpt_graph_value {
	RPT_GRAPH_PERCENT,
	RPT_GRAPH_PERIOD,
	RPT_GRAPH_COUNT,
};

struct rpt_callgraph_style {
	enum rpt_graph_mode mode;
	enum rpt_graph_value value;
	double min_pct;	   /* lighter nodes are not shown; of the total, or of
			    * the node above */
	uint32_t show_nr;  /* at most so many nodes at a place; 0: all */
	uint64_t total;	   /* the period that is 100 % */
	uint64_t least_of; /* 100 % of min_pct for chains one by one: less
			    * than total with --percentage relative */
	bool skip_first;   /* the row already shows the first name */
	char separator;	   /* between names of RPT_GRAPH_FOLDED; 0: ';' */
	struct rpt_look look;
};

/* Sort chains, and print them one by one in the mode RPT_GRAPH_FLAT or _FOLDED.
 * Equal chains become one; it is left out if its period is below
 * style->min_pct. */
void rpt_callgraph_print_chains(const struct rpt_frames *frames,
				struct rpt_call_chain *chains, uint32_t nr,
				const struct rpt_callgraph_style *style,
				struct rpt_text *out);

/* Print the tree of a row whose accumulated period is row_period, with an empty
 * line behind it unless the tree is empty. */
void rpt_callgraph_print(const struct rpt_callgraph *graph, uint64_t row_period,
			 const struct rpt_callgraph_style *style,
			 struct rpt_text *out);

#endif
