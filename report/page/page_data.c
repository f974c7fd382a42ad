#include "report/page/page_data.h"

#include "report/base/compare.h"
#include "report/base/memory.h"

#include "format/base/search.h"

#include <stdlib.h>
#include <string.h>

/* The bins, CPUs and lanes of a tree's entries, as the bytes of README.md,
 * "The data". */

/* Without padding: it is hashed. */
struct cell {
	uint32_t bin;
	uint32_t cpu;
	uint32_t lane;
};

/* The cells of a tree, numbered as they were met. */
struct cells {
	struct rpt_intern keys; /* struct cell */
	uint32_t *order;	/* owned: their numbers, sorted by cell */
	uint32_t *of_entries;	/* owned: by entry, the place in order */
};

static int compare_cells(const void *a, const void *b, void *ctx)
{
	const struct cells *cells = ctx;
	const struct cell *x =
		rpt_intern_key(&cells->keys, *(const uint32_t *)a);
	const struct cell *y =
		rpt_intern_key(&cells->keys, *(const uint32_t *)b);
	int order = rpt_compare_u64(x->bin, y->bin);

	if (!order)
		order = rpt_compare_u64(x->cpu, y->cpu);
	return order ? order : rpt_compare_u64(x->lane, y->lane);
}

static void cells_init(struct cells *cells, const struct rpt_page_tree *tree)
{
	uint32_t *places, nr;

	*cells = (struct cells){ .keys.is_bytes = true };
	cells->of_entries = rpt_alloc_zeroed(tree->entry_nr + (size_t)1,
					     sizeof(*cells->of_entries));
	for (uint32_t i = 0; i < tree->entry_nr; i++) {
		const struct rpt_page_entry *e = &tree->entries[i];
		const struct cell cell = { e->bin, e->cpu, e->lane };

		cells->of_entries[i] =
			(uint32_t)rpt_intern(&cells->keys, &cell, sizeof(cell));
	}
	nr = cells->keys.nr;
	cells->order = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*cells->order));
	places = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*places));
	for (uint32_t i = 0; i < nr; i++)
		cells->order[i] = i;
	qsort_r(cells->order, nr, sizeof(*cells->order), compare_cells, cells);
	for (uint32_t i = 0; i < nr; i++)
		places[cells->order[i]] = i;
	for (uint32_t i = 0; i < tree->entry_nr; i++)
		cells->of_entries[i] = places[cells->of_entries[i]];
	free(places);
}

static void cells_release(struct cells *cells)
{
	rpt_intern_release(&cells->keys);
	free(cells->order);
	free(cells->of_entries);
}

static void put_columns(struct pd_buf *b, const struct cells *cells)
{
	uint32_t nr = cells->keys.nr, last_bin = 0;

	for (unsigned column = 0; column < 3; column++) {
		pd_buf_varint(b, nr);
		for (uint32_t i = 0; i < nr; i++) {
			const struct cell *cell =
				rpt_intern_key(&cells->keys, cells->order[i]);

			pd_buf_varint(b, column == 0   ? cell->bin - last_bin
					 : column == 1 ? cell->cpu
						       : cell->lane);
			last_bin = cell->bin;
		}
	}
}

/* Append the cells of a finished tree, how many of them each node has, and
 * which. */
static void page_cells_put(struct pd_buf *b, const struct rpt_page_tree *tree)
{
	struct cells cells;
	uint32_t at = 0;

	cells_init(&cells, tree);
	put_columns(b, &cells);
	pd_buf_varint(b, tree->node_nr);
	for (uint32_t i = 0; i < tree->node_nr; i++) {
		uint32_t first = at;

		while (at < tree->entry_nr && tree->entries[at].node == i)
			at++;
		pd_buf_varint(b, at - first);
	}
	pd_buf_varint(b, tree->entry_nr);
	for (uint32_t i = 0; i < tree->entry_nr; i++) {
		bool is_first = !i || tree->entries[i].node !=
					      tree->entries[i - 1].node;

		pd_buf_varint(b, is_first
					 ? cells.of_entries[i]
					 : cells.of_entries[i] -
						   cells.of_entries[i - 1] - 1);
	}
	cells_release(&cells);
}

static void put_text(struct pd_buf *b, const char *text, size_t len)
{
	pd_buf_varint(b, len);
	pd_buf_bytes(b, text, len);
}

void rpt_page_data_texts(struct pd_buf *b, const struct rpt_intern *texts,
			 const struct rpt_page_order *order)
{
	const char *last = "";

	pd_buf_varint(b, order->nr);
	for (uint32_t i = 0; i < order->nr; i++) {
		const char *text = rpt_intern_key(texts, order->items[i]);
		size_t shared = 0;

		while (text[shared] && text[shared] == last[shared])
			shared++;
		pd_buf_varint(b, shared);
		put_text(b, text + shared, strlen(text + shared));
		last = text;
	}
}

void rpt_page_data_names(struct pd_buf *b, const struct rpt_page_names *names)
{
	uint32_t nr = names->order.nr, before = 0;

	rpt_page_data_texts(b, &names->texts, &names->text_order);
	for (unsigned column = 0; column < 3; column++) {
		pd_buf_varint(b, nr);
		for (uint32_t i = 0; i < nr; i++) {
			const struct rpt_page_function *f = rpt_intern_key(
				&names->functions, names->order.items[i]);
			uint32_t name = names->text_order.ranks[f->name];

			if (column == 0)
				pd_buf_varint(b, name - before);
			else
				pd_buf_varint(
					b, column == 1 ? names->text_order
								 .ranks[f->dso]
						       : f->kind);
			before = name;
		}
	}
}

/* The calls of a tree: places of functions in the page, sorted by caller. */
struct calls {
	uint64_t *items; /* caller << 32 | callee; owned */
	uint32_t nr;
	uint32_t *starts; /* by caller: its first item; owned */
};

static int compare_calls(const void *a, const void *b)
{
	return rpt_compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

static uint32_t function_of(const struct rpt_page_tree *tree,
			    const struct rpt_page_names *names, uint32_t node)
{
	return names->order.ranks[tree->nodes[node].function];
}

static struct calls calls_of(const struct rpt_page_tree *tree,
			     const struct rpt_page_names *names)
{
	uint32_t function_nr = names->order.nr, nr = 0;
	struct calls calls = {
		.items = rpt_alloc_zeroed(tree->node_nr, sizeof(uint64_t)),
		.starts = rpt_alloc_zeroed(function_nr + (size_t)1,
					   sizeof(uint32_t)),
	};

	for (uint32_t i = 1; i < tree->node_nr; i++)
		calls.items[i - 1] = (uint64_t)function_of(
					     tree, names, tree->nodes[i].parent)
					     << 32 |
				     function_of(tree, names, i);
	qsort(calls.items, tree->node_nr - 1, sizeof(uint64_t), compare_calls);
	for (uint32_t i = 0; i + 1 < tree->node_nr; i++)
		if (!i || calls.items[i] != calls.items[nr - 1])
			calls.items[nr++] = calls.items[i];
	calls.nr = nr;
	for (uint32_t i = 0; i < nr; i++)
		calls.starts[(calls.items[i] >> 32) + 1] = i + 1;
	for (uint32_t f = 1; f <= function_nr; f++)
		if (!calls.starts[f])
			calls.starts[f] = calls.starts[f - 1];
	return calls;
}

static void calls_release(struct calls *calls)
{
	free(calls->items);
	free(calls->starts);
}

static void put_calls(struct pd_buf *b, const struct calls *calls,
		      uint32_t function_nr)
{
	pd_buf_varint(b, function_nr);
	for (uint32_t f = 0; f < function_nr; f++)
		pd_buf_varint(b, calls->starts[f + 1] - calls->starts[f]);
	pd_buf_varint(b, calls->nr);
	for (uint32_t i = 0; i < calls->nr; i++) {
		uint32_t callee = (uint32_t)calls->items[i];
		bool is_first = !i || calls->items[i - 1] >> 32 !=
					      calls->items[i] >> 32;

		pd_buf_varint(
			b,
			is_first ? callee
				 : callee - (uint32_t)calls->items[i - 1] - 1);
	}
}

/* Return which of its caller's callees a node is. */
static uint32_t which(const struct rpt_page_tree *tree,
		      const struct rpt_page_names *names,
		      const struct calls *calls, uint32_t node)
{
	uint32_t caller = function_of(tree, names, tree->nodes[node].parent);
	uint64_t key = (uint64_t)caller << 32 | function_of(tree, names, node);
	const uint64_t *items = calls->items + calls->starts[caller];
	uint32_t nr = calls->starts[caller + 1] - calls->starts[caller];
	uint32_t at;

	PD_FIND_FIRST(at, nr, items[at] > key);
	return at ? at - 1 : 0;
}

static void put_nodes(struct pd_buf *b, const struct rpt_page_tree *tree,
		      const struct rpt_page_names *names,
		      const struct calls *calls)
{
	uint32_t *child_nr = rpt_alloc_zeroed(tree->node_nr, sizeof(*child_nr));
	uint32_t *last = rpt_alloc_zeroed(tree->node_nr, sizeof(*last));

	for (uint32_t i = 1; i < tree->node_nr; i++)
		child_nr[tree->nodes[i].parent]++;
	pd_buf_varint(b, tree->node_nr);
	for (uint32_t i = 0; i < tree->node_nr; i++)
		pd_buf_varint(b, child_nr[i]);
	pd_buf_varint(b, tree->node_nr - 1);
	for (uint32_t i = 1; i < tree->node_nr; i++) {
		uint32_t idx = which(tree, names, calls, i) + 1;
		uint32_t *before = &last[tree->nodes[i].parent];

		pd_buf_varint(b, idx - *before - 1);
		*before = idx;
	}
	free(child_nr);
	free(last);
}

static void put_samples(struct pd_buf *b, const struct rpt_page_tree *tree)
{
	pd_buf_varint(b, tree->entry_nr);
	for (uint32_t i = 0; i < tree->entry_nr; i++)
		pd_buf_varint(b, tree->entries[i].nr - 1);
}

static void put_periods(struct pd_buf *b, const struct rpt_page_tree *tree,
			uint64_t period)
{
	uint32_t nr = period ? 0 : tree->entry_nr;

	pd_buf_varint(b, nr);
	for (uint32_t i = 0; i < nr; i++)
		pd_buf_varint(b, tree->entries[i].period);
}

void rpt_page_data_tree(struct pd_buf *b, const struct rpt_page_tree *tree,
			const struct rpt_page_names *names, uint64_t period)
{
	struct calls calls = calls_of(tree, names);

	put_calls(b, &calls, names->order.nr);
	put_nodes(b, tree, names, &calls);
	page_cells_put(b, tree);
	put_samples(b, tree);
	put_periods(b, tree, period);
	calls_release(&calls);
}
