#include "report/callchain/callgraph.h"

#include "report/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The chains of a node that go on with the same label. */
struct rpt_call_group {
	uint64_t weight;
	uint64_t sample_nr;
	uint32_t label;
	uint32_t frame; /* of the first of them */
	uint32_t chain_nr;
	uint32_t at; /* where the next of them moves; or NOT_BUILT */
};

#define NOT_BUILT UINT32_MAX

void rpt_callgraph_init(struct rpt_callgraph *graph,
			const struct rpt_frames *frames)
{
	*graph = (struct rpt_callgraph){ .frames = frames };
}

void rpt_callgraph_release(struct rpt_callgraph *graph)
{
	free(graph->nodes);
	free(graph->moved);
	free(graph->groups);
	free(graph->group_of);
	free(graph->branch_stats);
	*graph = (struct rpt_callgraph){ 0 };
}

static void grow_scratch(struct rpt_callgraph *graph, uint32_t chain_nr)
{
	uint32_t label_nr = graph->frames->nr;

	if (label_nr > graph->group_of_nr) {
		free(graph->group_of);
		graph->group_of =
			rpt_alloc_zeroed(label_nr, sizeof(*graph->group_of));
		graph->group_of_nr = label_nr;
	}
	if (chain_nr > graph->moved_cap) {
		free(graph->moved);
		free(graph->groups);
		graph->moved =
			rpt_alloc_zeroed(chain_nr, sizeof(*graph->moved));
		graph->groups =
			rpt_alloc_zeroed(chain_nr, sizeof(*graph->groups));
		graph->moved_cap = chain_nr;
	}
}

/* Return the number of a new node. */
static uint32_t node_new(struct rpt_callgraph *graph)
{
	graph->nodes = rpt_grow(graph->nodes, &graph->cap, graph->nr,
				sizeof(*graph->nodes));
	graph->nodes[graph->nr] = (struct rpt_call_node){ 0 };
	return graph->nr++;
}

/* Fill groups with the labels that follow node.  Return how many there are. */
static uint32_t group_chains(struct rpt_callgraph *graph,
			     struct rpt_call_node *node)
{
	uint32_t nr = 0;

	for (uint32_t i = node->chains_start; i < node->chains_end; i++) {
		const struct rpt_call_chain *chain = &graph->chains[i];
		struct rpt_call_group *group;
		uint32_t *slot;

		if (chain->nr == node->depth) {
			node->end_nr += chain->sample_nr;
			continue;
		}
		slot = &graph->group_of[chain->labels[node->depth]];
		if (!*slot) {
			group = &graph->groups[nr++];
			*group = (struct rpt_call_group){
				.label = chain->labels[node->depth],
				.frame = rpt_call_chain_frame(chain,
							      node->depth),
			};
			*slot = nr;
		}
		group = &graph->groups[*slot - 1];
		group->weight += chain->period;
		group->sample_nr += chain->sample_nr;
		group->chain_nr++;
	}
	return nr;
}

/* Build the children that are heavy enough.  Each gets a part of the node's
 * chains. */
static void make_children(struct rpt_callgraph *graph, uint32_t parent,
			  uint32_t group_nr)
{
	uint32_t at = graph->nodes[parent].chains_start;
	uint32_t built_nr = 0;

	graph->nodes[parent].child_nr = group_nr;
	for (uint32_t i = 0; i < group_nr; i++) {
		struct rpt_call_group *group = &graph->groups[i];
		uint32_t idx;

		group->at = NOT_BUILT;
		graph->nodes[parent].below += group->weight;
		graph->nodes[parent].below_nr += group->sample_nr;
		if (group->weight < graph->min_weight)
			continue;
		idx = node_new(graph);
		if (!built_nr++)
			graph->nodes[parent].first_child = idx;
		graph->nodes[idx] = (struct rpt_call_node){
			.weight = group->weight,
			.through_nr = group->sample_nr,
			.frame = group->frame,
			.depth = graph->nodes[parent].depth + 1,
			.chains_start = at,
			.chains_end = at + group->chain_nr,
		};
		group->at = at;
		at += group->chain_nr;
	}
	graph->nodes[parent].built_nr = built_nr;
}

/* Move the chains to the parts that make_children() made.  Chains that end here
 * or are in too light a group are dropped. */
static void move_chains(struct rpt_callgraph *graph,
			const struct rpt_call_node *node)
{
	uint32_t start = node->chains_start;
	uint32_t moved_nr = 0;

	for (uint32_t i = start; i < node->chains_end; i++) {
		const struct rpt_call_chain *chain = &graph->chains[i];
		struct rpt_call_group *group;

		if (chain->nr == node->depth)
			continue;
		group = &graph->groups
				 [graph->group_of[chain->labels[node->depth]] -
				  1];
		if (group->at == NOT_BUILT)
			continue;
		graph->moved[group->at++ - start] = *chain;
		moved_nr++;
	}
	memcpy(graph->chains + start, graph->moved,
	       moved_nr * sizeof(*graph->moved));
}

/* Return whether the chains are of a branch history; maybe none of them has a
 * branch. */
static bool have_ends(const struct rpt_callgraph *graph,
		      const struct rpt_call_node *node)
{
	return node->chains_start < node->chains_end &&
	       graph->chains[node->chains_start].ends;
}

/* Sum up the branches of the node's chains, which must still be together. */
static void sum_branches(struct rpt_callgraph *graph, uint32_t idx)
{
	const struct rpt_intern *ends = &graph->frames->branch_ends;
	const struct rpt_call_node *node = &graph->nodes[idx];
	struct rpt_branch_stat *stats;

	if (!ends->nr && !have_ends(graph, node))
		return;
	stats = rpt_grow(graph->branch_stats, &graph->branch_stats_cap, idx,
			 sizeof(*stats));
	graph->branch_stats = stats;
	stats[idx] = (struct rpt_branch_stat){ 0 };
	for (uint32_t i = node->chains_start;
	     node->depth && i < node->chains_end; i++) {
		const struct rpt_call_chain *chain = &graph->chains[i];
		uint32_t end = chain->ends ? chain->ends[node->depth - 1] : 0;

		if (end)
			rpt_branch_stat_add(&stats[idx],
					    rpt_intern_key(ends, end - 1),
					    chain->sample_nr);
	}
}

static void expand(struct rpt_callgraph *graph, uint32_t idx)
{
	uint32_t group_nr = group_chains(graph, &graph->nodes[idx]);

	make_children(graph, idx, group_nr);
	sum_branches(graph, idx);
	if (group_nr > 1 || graph->nodes[idx].end_nr)
		move_chains(graph, &graph->nodes[idx]);
	for (uint32_t i = 0; i < group_nr; i++)
		graph->group_of[graph->groups[i].label] = 0;
}

void rpt_callgraph_build(struct rpt_callgraph *graph,
			 struct rpt_call_chain *chains, uint32_t nr,
			 uint64_t min_weight)
{
	grow_scratch(graph, nr);
	graph->chains = chains;
	graph->min_weight = min_weight;
	graph->nr = 0;
	node_new(graph);
	graph->nodes[0].chains_end = nr;
	/* Children come behind their parents, so nr grows here. */
	for (uint32_t i = 0; i < graph->nr; i++)
		expand(graph, i);
}
