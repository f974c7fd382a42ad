/* page_tree.h: the samples of one event as a call tree.
 *
 *	rpt_page_tree_init(&tree);
 *	rpt_page_tree_add()		each stack of the event
 *	rpt_page_tree_use()		of all trees, when they are filled
 *	rpt_page_names_sort()
 *	rpt_page_tree_finish()		of all trees
 *	rpt_page_tree_release()
 */
#ifndef RPT_PAGE_TREE_H
#define RPT_PAGE_TREE_H

#include "report/page/page_names.h"

/* Node 0 is the root: parent 0, function 0. */
struct rpt_page_node {
	uint32_t parent;
	uint32_t function; /* in rpt_page_names */
};

/* Own samples of a node.  cpu: an index; lane: a thread before
 * rpt_page_tree_finish(), then a lane. */
struct rpt_page_entry {
	uint32_t node;
	uint32_t bin;
	uint32_t cpu;
	uint32_t lane;
	uint64_t nr;
	uint64_t period;
};

struct rpt_page_tree {
	struct rpt_intern edges;     /* (parent, function): node - 1 */
	struct rpt_page_node *nodes; /* owned; in preorder when finished */
	uint32_t node_nr;
	uint32_t node_cap;
	struct rpt_page_entry *entries; /* owned; sorted when finished */
	uint32_t entry_nr;
	uint32_t entry_cap;
	uint32_t full_node_nr; /* when finished, before any was left out */
};

void rpt_page_tree_init(struct rpt_page_tree *tree);
void rpt_page_tree_release(struct rpt_page_tree *tree);

/* Return the child of a node that has this function. */
uint32_t rpt_page_tree_child(struct rpt_page_tree *tree, uint32_t node,
			     uint32_t function);
/* Add own samples of a node. */
void rpt_page_tree_add(struct rpt_page_tree *tree,
		       const struct rpt_page_entry *entry);

/* Mark the functions of all nodes as used. */
void rpt_page_tree_use(const struct rpt_page_tree *tree,
		       struct rpt_page_names *names);

/* Put nodes into preorder, with siblings in the order of their functions;
 * replace threads by lanes; sort entries, and add up equal ones. */
void rpt_page_tree_finish(struct rpt_page_tree *tree,
			  const struct rpt_page_names *names);

/* Of a finished tree: add each node with fewer than sample_nr samples, callees
 * included, to a child of its caller whose function is rest.  It has to be put
 * into order again. */
void rpt_page_tree_prune(struct rpt_page_tree *tree, uint32_t rest,
			 uint64_t sample_nr);
/* The same as rpt_page_tree_finish(), for a tree that has lanes. */
void rpt_page_tree_order(struct rpt_page_tree *tree,
			 const struct rpt_page_names *names);

#endif
