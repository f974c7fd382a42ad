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

/* Bits, the lowest of a byte first. */
struct bits {
	struct pd_buf bytes;
	uint64_t word; /* what is no whole byte yet */
	unsigned nr;
};

static void put_bits(struct bits *bits, uint64_t value, unsigned nr)
{
	bits->word |= value << bits->nr;
	for (bits->nr += nr; bits->nr >= 8; bits->nr -= 8) {
		pd_buf_u8(&bits->bytes, (uint8_t)bits->word);
		bits->word >>= 8;
	}
}

/* Put a number below nr: some in one bit less than the others. */
static void put_below(struct bits *bits, uint32_t value, uint32_t nr)
{
	unsigned bit_nr = 31 - (unsigned)__builtin_clz(nr);
	uint64_t short_nr = (UINT64_C(2) << bit_nr) - nr;

	if (value < short_nr) {
		put_bits(bits, value, bit_nr);
	} else {
		put_bits(bits, (value + short_nr) >> 1, bit_nr);
		put_bits(bits, (value + short_nr) & 1, 1);
	}
}

/* Put nr ascending numbers from lo to hi: the middle one, then those before it,
 * then those behind it. */
static void put_among(struct bits *bits, const uint32_t *numbers, uint32_t nr,
		      uint32_t lo, uint32_t hi)
{
	while (nr) {
		uint32_t mid = nr / 2, number = numbers[mid];

		put_below(bits, number - (lo + mid),
			  hi - (nr - 1 - mid) - (lo + mid) + 1);
		put_among(bits, numbers, mid, lo, number - 1);
		numbers += mid + 1;
		nr -= mid + 1;
		lo = number + 1;
	}
}

void rpt_page_cells_put(struct pd_buf *b, const struct rpt_page_tree *tree)
{
	struct bits bits = { .bytes = PD_BUF_INIT };
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
		put_among(&bits, cells.of_entries + first, at - first, 0,
			  cells.keys.nr - 1);
	}
	put_bits(&bits, 0, 7);
	pd_buf_varint(b, bits.bytes.len);
	pd_buf_bytes(b, bits.bytes.data, bits.bytes.len);
	pd_buf_release(&bits.bytes);
	cells_release(&cells);
}
