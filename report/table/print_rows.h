/* print_rows.h: many rows of a table as text, piece by piece: any thread makes
 * any piece, and one writes them in their order.  Without call graphs.
 */
#ifndef RPT_PRINT_ROWS_H
#define RPT_PRINT_ROWS_H

#include "report/columns/columns.h"

struct rpt_print_rows {
	const struct rpt_columns *columns; /* as wide as they will be */
	const struct rpt_rows *rows;
	const uint32_t *list; /* rows in their order */
	uint32_t nr;
};

struct rpt_out_piece {
	struct rpt_text text;
	struct rpt_text_heap heap; /* what was too long for text */
};

uint32_t rpt_print_rows_piece_nr(const struct rpt_print_rows *rows);

/* Large as it is, it is not zeroed. */
void rpt_out_piece_init(struct rpt_out_piece *piece);
void rpt_out_piece_release(struct rpt_out_piece *piece);

/* Piece number idx of rows, in place of the one before. */
void rpt_out_piece_make(struct rpt_out_piece *piece,
			const struct rpt_print_rows *rows, uint32_t idx);

/* Put what was made. */
void rpt_out_piece_write(const struct rpt_out_piece *piece,
			 struct rpt_text *out);

#endif
