#include "report/callchain/callgraph.h"

#include "format/file/layout.h"
#include "report/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Prints the lines of a call tree. */

/* perf's left edge of every call graph line */
#define EDGE_LEN 12

/* how far a node stands to the right of the one above, and how much wider a
 * value can be */
#define STEP_LEN   11
#define VALUE_MORE 1u

/* Print "12.34%" or "4711", as style has it. */
static void callgraph_print_value(const struct rpt_callgraph_style *style,
				  uint64_t period, uint64_t nr, uint64_t total,
				  struct rpt_text *out)
{
	double pct = total ? 100.0 * (double)period / (double)total : 0.0;
	const char *colour;

	switch (style->value) {
	case RPT_GRAPH_PERIOD:
		rpt_text_dec(out, period, 0);
		break;
	case RPT_GRAPH_COUNT:
		rpt_text_dec(out, nr, 0);
		break;
	default:
		colour = rpt_percent_colour(&style->look, pct);
		if (colour)
			rpt_text_escape(out, colour);
		rpt_text_percent(out, pct, 0);
		if (colour)
			rpt_text_escape(out, RPT_COLOUR_END);
		break;
	}
}

struct printer {
	const struct rpt_callgraph *graph;
	const struct rpt_callgraph_style *style;
	struct rpt_text *out;
	int margin; /* of every line, beyond the edge */
	bool is_printed;
};

static const struct rpt_frame *frame_of(const struct rpt_callgraph *graph,
					uint32_t node)
{
	return &graph->frames->items[graph->nodes[node].frame];
}

/* Return the last of the nodes that are shown as one with node. */
static uint32_t run_end(const struct rpt_callgraph *graph, uint32_t node)
{
	while (!graph->nodes[node].end_nr && graph->nodes[node].child_nr == 1)
		node = graph->nodes[node].first_child;
	return node;
}

struct ranked {
	uint64_t weight;
	uint64_t addr;
	uint32_t dso_rank;
	uint32_t node;
	const struct rpt_frame *frame;
};

static const char *plain_name(const struct rpt_frame *frame)
{
	if (frame->inline_name)
		return frame->inline_name;
	return frame->sym ? frame->sym->name : "";
}

/* The heaviest node comes first; equal ones as perf mostly has them: the DSO
 * that came last and the highest address first, inlined functions backwards by
 * name. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->frame->inline_name || y->frame->inline_name)
		return strcmp(plain_name(y->frame), plain_name(x->frame));
	if (x->dso_rank != y->dso_rank)
		return x->dso_rank > y->dso_rank ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr > y->addr ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Return whether a child is shown.  Only fractal trees hide some here: of
 * others rpt_callgraph_build() built no light nodes. */
static bool is_heavy(const struct printer *p, const struct rpt_call_node *node,
		     const struct rpt_call_node *child)
{
	double least = ceil((double)node->below * p->style->min_pct / 100.0);

	return p->style->mode != RPT_GRAPH_REL ||
	       (double)child->weight >= least;
}

/* Return the children that are shown, ordered; the caller frees them. */
static struct ranked *ranked_children(const struct printer *p, uint32_t parent,
				      uint32_t *ret_nr)
{
	const struct rpt_callgraph *graph = p->graph;
	const struct rpt_call_node *node = &graph->nodes[parent];
	struct ranked *items = rpt_alloc(node->built_nr * sizeof(*items));

	*ret_nr = 0;
	for (uint32_t i = 0; i < node->built_nr; i++) {
		uint32_t c = node->first_child + i;
		const struct rpt_frame *f = frame_of(graph, c);

		if (!is_heavy(p, node, &graph->nodes[c]))
			continue;
		items[(*ret_nr)++] = (struct ranked){
			.weight = graph->nodes[c].weight,
			.addr = f->sym ? f->sym->start : f->ip,
			.dso_rank = f->dso_rank,
			.node = c,
			.frame = f,
		};
	}
	qsort(items, *ret_nr, sizeof(*items), compare_ranked);
	return items;
}

static void print_margin(const struct printer *p)
{
	rpt_text_pad(p->out, (size_t)(EDGE_LEN + p->margin));
}

/* used: columns that stand in front of the name */
static void print_graph_name(const struct printer *p, uint32_t node,
			     size_t used)
{
	char buf[1024];

	rpt_text_short(p->out,
		       rpt_frame_graph_name(p->graph->frames,
					    p->graph->nodes[node].frame, buf,
					    sizeof(buf)),
		       rpt_look_room(&p->style->look, used));
	if (p->graph->branch_stats)
		rpt_branch_stat_print(&p->graph->branch_stats[node], p->out);
	rpt_text_char(p->out, '\n');
}

/* Return whether a line goes down at this level, which is a bit of mask.  There
 * are 32 of them, as in perf. */
static bool has_pipe(uint32_t mask, unsigned level)
{
	return mask >> (level & 31) & 1;
}

/* Print a line of its own with the pipes down to depth. */
static void print_pipes(struct printer *p, unsigned depth, uint32_t mask)
{
	print_margin(p);
	for (unsigned i = 0; i < depth; i++)
		rpt_text_str(p->out,
			     has_pipe(mask, i) ? "|          " : "           ");
	rpt_text_char(p->out, '\n');
	p->is_printed = true;
}

static void print_run(struct printer *p, uint32_t node, unsigned depth,
		      uint32_t mask, uint64_t total)
{
	uint32_t end = run_end(p->graph, node);
	const struct rpt_call_node *first = &p->graph->nodes[node];
	size_t used = EDGE_LEN + (size_t)p->margin + (size_t)depth * STEP_LEN;

	for (bool is_first = true;; is_first = false) {
		print_margin(p);
		for (unsigned i = 0; i < depth; i++) {
			rpt_text_char(p->out, has_pipe(mask, i) ? '|' : ' ');
			if (!is_first || i < depth - 1) {
				rpt_text_pad(p->out, 10);
				continue;
			}
			rpt_text_str(p->out, "--");
			callgraph_print_value(p->style, first->weight,
					      first->through_nr, total, p->out);
			rpt_text_str(p->out, "--");
		}
		print_graph_name(p, node, used + is_first * VALUE_MORE);
		if (node == end)
			return;
		node = p->graph->nodes[node].first_child;
	}
}

/* The sums that a fractal tree does not show below a node: of nodes that are
 * too light, and of those beyond show_nr. */
struct rest {
	uint64_t weight;
	uint64_t nr; /* samples */
};

static struct rest rest_of(const struct printer *p, uint32_t parent,
			   const struct ranked *items, uint32_t shown_nr,
			   uint64_t total)
{
	const struct rpt_call_node *nodes = p->graph->nodes;
	struct rest rest = { total, nodes[parent].below_nr };

	for (uint32_t i = 0; i < shown_nr; i++) {
		uint64_t nr = nodes[items[i].node].through_nr;

		rest.weight -= items[i].weight < rest.weight ? items[i].weight
							     : rest.weight;
		rest.nr -= nr < rest.nr ? nr : rest.nr;
	}
	if (p->style->mode != RPT_GRAPH_REL || rest.weight == total)
		rest.weight = 0;
	return rest;
}

static void print_rest(struct printer *p, unsigned depth, uint32_t mask,
		       const struct rest *rest, uint64_t total)
{
	if (!rest->weight || (p->style->value == RPT_GRAPH_COUNT && !rest->nr))
		return;
	print_margin(p);
	for (unsigned i = 0; i + 1 < depth; i++)
		rpt_text_str(p->out,
			     has_pipe(mask, i) ? "|          " : "           ");
	rpt_text_str(p->out, " --");
	callgraph_print_value(p->style, rest->weight, rest->nr, total, p->out);
	rpt_text_str(p->out, "--[...]\n");
}

static void print_level(struct printer *p, uint32_t parent, unsigned depth,
			uint32_t mask, uint64_t total)
{
	bool is_relative = p->style->mode == RPT_GRAPH_REL;
	struct rest rest;
	uint32_t nr;
	struct ranked *items = ranked_children(p, parent, &nr);
	uint32_t shown_nr = p->style->show_nr && p->style->show_nr < nr
				    ? p->style->show_nr
				    : nr;

	rest = rest_of(p, parent, items, shown_nr, total);
	for (uint32_t i = 0; i < shown_nr; i++) {
		uint32_t end = run_end(p->graph, items[i].node);
		uint32_t next = mask;

		if (i == nr - 1 && !rest.weight)
			next &= ~(1u << ((depth - 1) & 31));
		print_pipes(p, depth, mask);
		print_run(p, items[i].node, depth, next, total);
		print_level(p, end, depth + 1, next | 1u << (depth & 31),
			    is_relative ? p->graph->nodes[end].below : total);
		if (i == nr - 1)
			mask = next;
	}
	print_rest(p, depth, mask, &rest, total);
	free(items);
}

/* Print the start of a tree whose only root has the whole row's weight: it has
 * no percentage.  Frames count for show_nr here, as nodes do elsewhere.  Return
 * the last node. */
static uint32_t print_trunk(struct printer *p, uint32_t node)
{
	uint32_t end = run_end(p->graph, node);
	bool is_skipped = p->style->skip_first;
	bool is_open = false;
	uint32_t printed_nr = 0;

	for (;; node = p->graph->nodes[node].first_child) {
		if (!is_skipped && !is_open) {
			print_margin(p);
			rpt_text_str(p->out, "|\n");
			print_margin(p);
			rpt_text_str(p->out, "---");
			p->margin += 3;
			is_open = true;
			p->is_printed = true;
		} else if (!is_skipped) {
			print_margin(p);
		}
		if (!is_skipped) {
			print_graph_name(p, node, EDGE_LEN + (size_t)p->margin);
			printed_nr++;
		}
		is_skipped = false;
		if (node == end ||
		    (printed_nr && printed_nr == p->style->show_nr))
			return end;
	}
}

void rpt_callgraph_print(const struct rpt_callgraph *graph, uint64_t row_period,
			 const struct rpt_callgraph_style *style,
			 struct rpt_text *out)
{
	struct printer p = { .graph = graph, .style = style, .out = out };
	uint64_t total =
		style->mode == RPT_GRAPH_REL ? row_period : style->total;
	uint32_t root = 0;
	uint32_t nr;
	struct ranked *items;

	items = ranked_children(&p, root, &nr);
	if (nr == 1 && items[0].weight == row_period)
		root = print_trunk(&p, items[0].node);
	free(items);
	print_level(&p, root, 1, 1, total);
	if (p.is_printed)
		rpt_text_char(out, '\n');
}

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

#define VALUE_MARGIN 11 /* of flat chains; names stand further in */
#define NAME_MARGIN  16

/* Compare by names, so that equal chains lie side by side, and a longer chain
 * lies behind those that it starts with. */
static int compare_labels(const void *a, const void *b)
{
	const struct rpt_call_chain *x = a;
	const struct rpt_call_chain *y = b;

	for (uint32_t i = 0; i < x->nr && i < y->nr; i++) {
		if (x->labels[i] != y->labels[i])
			return x->labels[i] < y->labels[i] ? -1 : 1;
	}
	return (x->nr > y->nr) - (x->nr < y->nr);
}

/* A chain, with the sums of those equal to it and of those that start with it.
 */
struct entry {
	struct rpt_call_chain chain; /* its sums: of the equal ones */
	uint64_t period;	     /* of these and the longer ones */
	uint64_t sample_nr;
};

static bool starts_with(const struct rpt_call_chain *chain,
			const struct rpt_call_chain *start)
{
	struct rpt_call_chain cut = *chain;

	if (chain->nr < start->nr)
		return false;
	cut.nr = start->nr;
	return compare_labels(&cut, start) == 0;
}

static uint32_t merge_equals(const struct rpt_call_chain *chains, uint32_t nr,
			     struct entry *entries)
{
	uint32_t entry_nr = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct entry *last = entries + entry_nr - 1;

		if (entry_nr && !compare_labels(&chains[i], &last->chain)) {
			last->chain.period += chains[i].period;
			last->chain.sample_nr += chains[i].sample_nr;
		} else if (chains[i].nr) {
			entries[entry_nr++].chain = chains[i];
		}
	}
	return entry_nr;
}

/* Add the longer chains, which stand right behind those that they start
 * with. */
static void add_longer(struct entry *entries, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct entry *entry = &entries[i];

		for (uint32_t k = i;
		     k < nr && starts_with(&entries[k].chain, &entry->chain);
		     k++) {
			entry->period += entries[k].chain.period;
			entry->sample_nr += entries[k].chain.sample_nr;
		}
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	if (x->chain.period != y->chain.period)
		return x->chain.period > y->chain.period ? -1 : 1;
	return compare_labels(&x->chain, &y->chain);
}

static void print_name(const struct rpt_frames *frames, uint32_t label,
		       size_t room, struct rpt_text *out)
{
	char buf[1024];

	rpt_text_short(out,
		       rpt_frame_graph_name(frames, label, buf, sizeof(buf)),
		       room);
}

/* Return whether the address is that of a context mark, as at the end of a
 * broken chain out of a stack copy; perf 6.1 leaves it out here. */
static bool is_context_mark(const struct rpt_frames *frames, uint32_t label)
{
	return frames->items[label].ip >= PD_CONTEXT_MAX;
}

static void print_folded(const struct rpt_frames *frames,
			 const struct entry *entry,
			 const struct rpt_callgraph_style *style,
			 struct rpt_text *out)
{
	const struct rpt_call_chain *chain = &entry->chain;
	char separator = style->separator ? style->separator : ';';
	bool is_first = true;

	callgraph_print_value(style, chain->period, chain->sample_nr,
			      style->total, out);
	for (uint32_t i = 0; i < chain->nr; i++) {
		if (is_context_mark(frames, chain->labels[i]))
			continue;
		rpt_text_char(out, is_first ? ' ' : separator);
		print_name(frames, rpt_call_chain_frame(chain, i), SIZE_MAX,
			   out);
		is_first = false;
	}
	rpt_text_char(out, '\n');
}

static void print_flat(const struct rpt_frames *frames,
		       const struct entry *entry,
		       const struct rpt_callgraph_style *style,
		       struct rpt_text *out)
{
	rpt_text_pad(out, VALUE_MARGIN);
	callgraph_print_value(style, entry->period, entry->sample_nr,
			      style->total, out);
	for (uint32_t i = 0; i < entry->chain.nr; i++) {
		if (is_context_mark(frames, entry->chain.labels[i]))
			continue;
		rpt_text_char(out, '\n');
		rpt_text_pad(out, NAME_MARGIN);
		print_name(frames, rpt_call_chain_frame(&entry->chain, i),
			   rpt_look_room(&style->look, NAME_MARGIN), out);
	}
	rpt_text_str(out, "\n\n");
}

void rpt_callgraph_print_chains(const struct rpt_frames *frames,
				struct rpt_call_chain *chains, uint32_t nr,
				const struct rpt_callgraph_style *style,
				struct rpt_text *out)
{
	double least =
		floor((double)style->least_of * (style->min_pct / 100.0));
	struct entry *entries = rpt_alloc_zeroed(nr, sizeof(*entries));
	uint32_t entry_nr;

	qsort(chains, nr, sizeof(*chains), compare_labels);
	entry_nr = merge_equals(chains, nr, entries);
	add_longer(entries, entry_nr);
	qsort(entries, entry_nr, sizeof(*entries), compare_entries);
	for (uint32_t i = 0; i < entry_nr; i++) {
		if ((double)entries[i].chain.period < least ||
		    (style->show_nr && i == style->show_nr))
			break;
		if (style->mode == RPT_GRAPH_FOLDED)
			print_folded(frames, &entries[i], style, out);
		else
			print_flat(frames, &entries[i], style, out);
	}
	free(entries);
}
