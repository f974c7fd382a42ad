/* Prints the lines of a call tree. */
#include "report/callchain/callgraph.h"

#include "report/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* perf's left edge of every call graph line */
#define EDGE_LEN 12

/* how far a node stands to the right of the one above, and how much wider a
 * value can be */
#define STEP_LEN   11
#define VALUE_MORE 1u

void rpt_callgraph_print_value(const struct rpt_callgraph_style *style,
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
static void print_name(const struct printer *p, uint32_t node, size_t used)
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
			rpt_callgraph_print_value(p->style, first->weight,
						  first->through_nr, total,
						  p->out);
			rpt_text_str(p->out, "--");
		}
		print_name(p, node, used + is_first * VALUE_MORE);
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
	rpt_callgraph_print_value(p->style, rest->weight, rest->nr, total,
				  p->out);
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
			print_name(p, node, EDGE_LEN + (size_t)p->margin);
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
