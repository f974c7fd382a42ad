#include "report/table/print_rows.h"

#include "report/base/cpu_prefetch.h"
#include "report/columns/columns.h"

#include <stdlib.h>

/* Rows that one thread prints before it asks for more. */
#define PIECE_NR 1024u

/* How many rows ahead of the printed one a row and its frame are fetched. */
#define AHEAD_ROW   12u
#define AHEAD_FRAME 6u

uint32_t rpt_print_rows_piece_nr(const struct rpt_print_rows *rows)
{
	return (rows->nr + PIECE_NR - 1) / PIECE_NR;
}

void rpt_out_piece_init(struct rpt_out_piece *piece)
{
	piece->heap = (struct rpt_text_heap){ 0 };
}

void rpt_out_piece_release(struct rpt_out_piece *piece)
{
	free(piece->heap.data);
}

/* Rows are printed in another order than they lie in memory. */
static void prefetch(const struct rpt_print_rows *all, uint32_t at)
{
	const struct rpt_rows *rows = all->rows;
	uint32_t row;

	if (at + AHEAD_ROW < all->nr) {
		row = all->list[at + AHEAD_ROW];
		rpt_cpu_prefetch_all(&rows->items[row], sizeof(*rows->items));
		rpt_cpu_prefetch_all(rpt_rows_stat(rows, row, 0),
				     sizeof(*rows->stats));
	}
	if (at + AHEAD_FRAME < all->nr) {
		row = all->list[at + AHEAD_FRAME];
		rpt_cpu_prefetch_all(
			&rows->frames->items[rows->items[row].frame],
			sizeof(*rows->frames->items));
	}
}

void rpt_out_piece_make(struct rpt_out_piece *piece,
			const struct rpt_print_rows *rows, uint32_t idx)
{
	uint32_t start = idx * PIECE_NR;

	rpt_text_init(&piece->text, NULL);
	piece->text.heap = &piece->heap;
	piece->heap.len = 0;
	for (uint32_t i = start; i < rows->nr && i - start < PIECE_NR; i++) {
		prefetch(rows, i);
		rpt_columns_print_row(rows->columns, rows->rows, rows->list[i],
				      &piece->text);
	}
}

void rpt_out_piece_write(const struct rpt_out_piece *piece,
			 struct rpt_text *out)
{
	const struct rpt_text *text = &piece->text;

	if (piece->heap.len)
		rpt_text_put(out, piece->heap.data, piece->heap.len);
	rpt_text_put(out, text->data, text->len);
}
