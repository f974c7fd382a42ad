#include "report/page/page_tree.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

void rpt_page_tree_init(struct rpt_page_tree *tree)
{
	*tree = (struct rpt_page_tree){ .edges.is_bytes = true };
	tree->nodes = rpt_grow(NULL, &tree->node_cap, 0, sizeof(*tree->nodes));
	tree->nodes[tree->node_nr++] = (struct rpt_page_node){ 0, 0 };
}

void rpt_page_tree_release(struct rpt_page_tree *tree)
{
	rpt_intern_release(&tree->edges);
	free(tree->nodes);
	free(tree->entries);
	*tree = (struct rpt_page_tree){ 0 };
}

uint32_t rpt_page_tree_child(struct rpt_page_tree *tree, uint32_t node,
			     uint32_t function)
{
	const struct rpt_page_node edge = { node, function };
	uint32_t idx =
		(uint32_t)rpt_intern(&tree->edges, &edge, sizeof(edge)) + 1;

	if (idx == tree->node_nr) {
		tree->nodes = rpt_grow(tree->nodes, &tree->node_cap,
				       tree->node_nr, sizeof(*tree->nodes));
		tree->nodes[tree->node_nr++] = edge;
	}
	return idx;
}

void rpt_page_tree_add(struct rpt_page_tree *tree,
		       const struct rpt_page_entry *entry)
{
	tree->entries = rpt_grow(tree->entries, &tree->entry_cap,
				 tree->entry_nr, sizeof(*tree->entries));
	tree->entries[tree->entry_nr++] = *entry;
}

/* For sorting numbers of nodes or entries. */
struct sorting {
	const struct rpt_page_tree *tree;
	const uint32_t *ranks; /* of functions */
};

static uint64_t node_word(const void *ctx, uint32_t item, unsigned word_idx)
{
	const struct sorting *s = ctx;
	const struct rpt_page_node *node = &s->tree->nodes[item];

	(void)word_idx;
	return (uint64_t)node->parent << 32 | s->ranks[node->function];
}

static int compare_nodes(const void *a, const void *b, void *ctx)
{
	return rpt_compare_u64(node_word(ctx, *(const uint32_t *)a, 0),
			       node_word(ctx, *(const uint32_t *)b, 0));
}

static uint64_t entry_word(const void *ctx, uint32_t item, unsigned word_idx)
{
	const struct sorting *s = ctx;
	const struct rpt_page_entry *e = &s->tree->entries[item];

	return word_idx ? (uint64_t)e->cpu << 32 | e->lane
			: (uint64_t)e->node << 32 | e->bin;
}

static int compare_entries(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order =
		rpt_compare_u64(entry_word(ctx, x, 0), entry_word(ctx, y, 0));

	return order ? order
		     : rpt_compare_u64(entry_word(ctx, x, 1),
				       entry_word(ctx, y, 1));
}

static uint32_t *sorted(struct sorting *s, uint32_t nr, unsigned word_nr,
			uint64_t (*word)(const void *, uint32_t, unsigned),
			int (*compare)(const void *, const void *, void *))
{
	struct rpt_radix_sort sort = { word, word_nr, compare, s };
	uint32_t *items = rpt_alloc_zeroed(nr + 1, sizeof(*items));

	for (uint32_t i = 0; i < nr; i++)
		items[i] = i;
	rpt_radix_sort(&sort, items, nr);
	return items;
}

/* Return the place of each node in preorder.  by_parent: all nodes but the
 * root, sorted by parent, then function. */
static uint32_t *preorder(const struct rpt_page_tree *tree,
			  const uint32_t *by_parent)
{
	uint32_t nr = tree->node_nr, place = 0, depth = 0;
	uint32_t *places = rpt_alloc_zeroed(nr, sizeof(*places));
	uint32_t *next = rpt_alloc_zeroed(nr + 1, sizeof(*next));
	uint32_t *path = rpt_alloc_zeroed(nr, sizeof(*path));

	/* next[n]: where in by_parent the children of n begin that were not
	 * placed yet */
	for (uint32_t i = 1; i < nr; i++)
		next[tree->nodes[i].parent + 1]++;
	for (uint32_t i = 1; i <= nr; i++)
		next[i] += next[i - 1];
	for (places[0] = place++, path[depth++] = 0; depth;) {
		uint32_t node = path[depth - 1];
		uint32_t at = next[node];

		if (at == nr - 1 || tree->nodes[by_parent[at]].parent != node) {
			depth--;
			continue;
		}
		next[node]++;
		places[by_parent[at]] = place++;
		path[depth++] = by_parent[at];
	}
	free(next);
	free(path);
	return places;
}

/* Put the nodes into preorder. */
static void order_nodes(struct rpt_page_tree *tree, struct sorting *s)
{
	uint32_t nr = tree->node_nr;
	struct rpt_page_node *nodes = rpt_alloc_zeroed(nr, sizeof(*nodes));
	uint32_t *items = rpt_alloc_zeroed(nr, sizeof(*items)), *places;
	struct rpt_radix_sort sort = { node_word, 1, compare_nodes, s };

	for (uint32_t i = 1; i < nr; i++)
		items[i - 1] = i;
	rpt_radix_sort(&sort, items, nr - 1);
	places = preorder(tree, items);
	for (uint32_t i = 0; i < nr; i++)
		nodes[places[i]] =
			(struct rpt_page_node){ places[tree->nodes[i].parent],
						tree->nodes[i].function };
	for (uint32_t i = 0; i < tree->entry_nr; i++)
		tree->entries[i].node = places[tree->entries[i].node];
	free(tree->nodes);
	tree->nodes = nodes;
	tree->node_cap = nr;
	free(items);
	free(places);
}

/* Sort the entries, and add up equal ones. */
static void order_entries(struct rpt_page_tree *tree, struct sorting *s)
{
	uint32_t *items =
		sorted(s, tree->entry_nr, 2, entry_word, compare_entries);
	struct rpt_page_entry *entries =
		rpt_alloc_zeroed(tree->entry_nr + 1, sizeof(*entries));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < tree->entry_nr; i++) {
		const struct rpt_page_entry *e = &tree->entries[items[i]];

		if (i && !compare_entries(&items[i - 1], &items[i], s)) {
			entries[nr - 1].nr += e->nr;
			entries[nr - 1].period += e->period;
		} else {
			entries[nr++] = *e;
		}
	}
	free(tree->entries);
	free(items);
	tree->entries = entries;
	tree->entry_nr = nr;
	tree->entry_cap = tree->entry_nr + 1;
}

void rpt_page_tree_use(const struct rpt_page_tree *tree,
		       struct rpt_page_names *names)
{
	for (uint32_t i = 0; i < tree->node_nr; i++)
		rpt_page_names_use(names, tree->nodes[i].function);
}

void rpt_page_tree_order(struct rpt_page_tree *tree,
			 const struct rpt_page_names *names)
{
	struct sorting s = { tree, names->order.ranks };

	order_nodes(tree, &s);
	order_entries(tree, &s);
}

void rpt_page_tree_finish(struct rpt_page_tree *tree,
			  const struct rpt_page_names *names)
{
	rpt_intern_release(&tree->edges);
	tree->full_node_nr = tree->node_nr;
	for (uint32_t i = 0; i < tree->entry_nr; i++)
		tree->entries[i].lane = names->lane_of[tree->entries[i].lane];
	rpt_page_tree_order(tree, names);
}

/* Return how many samples each node has, callees included. */
static uint64_t *totals_of(const struct rpt_page_tree *tree)
{
	uint64_t *totals = rpt_alloc_zeroed(tree->node_nr, sizeof(*totals));

	for (uint32_t i = 0; i < tree->entry_nr; i++)
		totals[tree->entries[i].node] += tree->entries[i].nr;
	for (uint32_t i = tree->node_nr - 1; i > 0; i--)
		totals[tree->nodes[i].parent] += totals[i];
	return totals;
}

/* Return the number that each node has in pruned, which gets those that stay
 * and the rests of their callers. */
static uint32_t *keep_heavy(const struct rpt_page_tree *tree,
			    struct rpt_page_tree *pruned, uint32_t rest,
			    uint64_t sample_nr)
{
	uint64_t *totals = totals_of(tree);
	uint32_t *moved = rpt_alloc_zeroed(tree->node_nr, sizeof(*moved));

	for (uint32_t i = 1; i < tree->node_nr; i++) {
		uint32_t parent = moved[tree->nodes[i].parent];
		uint32_t function =
			totals[i] < sample_nr ? rest : tree->nodes[i].function;

		moved[i] =
			pruned->nodes[parent].function == rest
				? parent
				: rpt_page_tree_child(pruned, parent, function);
	}
	free(totals);
	return moved;
}

void rpt_page_tree_prune(struct rpt_page_tree *tree, uint32_t rest,
			 uint64_t sample_nr)
{
	struct rpt_page_tree pruned;
	uint32_t *moved;

	rpt_page_tree_init(&pruned);
	moved = keep_heavy(tree, &pruned, rest, sample_nr);
	for (uint32_t i = 0; i < tree->entry_nr; i++)
		tree->entries[i].node = moved[tree->entries[i].node];
	rpt_intern_release(&pruned.edges);
	free(tree->nodes);
	tree->nodes = pruned.nodes;
	tree->node_nr = pruned.node_nr;
	tree->node_cap = pruned.node_cap;
	free(moved);
}
