#include "report/table/print_rows.h"

#include "report/columns/columns.h"
#include "report/base/safe_text.h"

#include <stdlib.h>

/* Rows that one thread prints before it asks for more. */
#define PIECE_NR 1024u

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

void rpt_out_piece_make(struct rpt_out_piece *piece,
			const struct rpt_print_rows *rows, uint32_t idx)
{
	uint32_t start = idx * PIECE_NR;

	rpt_text_init(&piece->text, NULL);
	piece->text.heap = &piece->heap;
	piece->heap.len = 0;
	for (uint32_t i = start; i < rows->nr && i - start < PIECE_NR; i++) {
		rpt_columns_print_row(rows->columns, rows->rows, rows->list[i],
				      &piece->text);
	}
	piece->is_clean = !piece->heap.len &&
			  rpt_is_safe((struct pd_str){ piece->text.data,
						       piece->text.len });
}

int rpt_out_piece_write(const struct rpt_out_piece *piece, struct rpt_text *out)
{
	const struct rpt_text *text = &piece->text;

	if (text->status)
		return text->status;
	if (piece->is_clean) {
		rpt_text_put_clean(out, text->data, text->len);
		return 0;
	}
	if (piece->heap.len)
		rpt_text_put(out, piece->heap.data, piece->heap.len);
	rpt_text_put(out, text->data, text->len);
	return 0;
}
