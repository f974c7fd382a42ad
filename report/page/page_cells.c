#include "report/page/page_cells.h"

#include "report/base/compare.h"
#include "report/base/memory.h"

#include <stdlib.h>

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

void rpt_page_cells_put(struct pd_buf *b, const struct rpt_page_tree *tree)
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
