#include "report/columns/columns_impl.h"

#include <string.h>

/* Rows that one thread looks at before it asks for more. */
#define PIECE_NR 8192u

static void fit_row(const struct rpt_columns *columns,
		    const struct rpt_rows *rows, uint32_t row,
		    struct rpt_column_widths *widths)
{
	if (rows->items[row].is_hidden)
		return;
	for (size_t i = 0; i < columns->nr; i++) {
		struct rpt_cell cell = {
			.columns = columns, .idx = i, .rows = rows, .row = row
		};
		const struct rpt_dimension *dim = columns->items[i].dim;
		uint32_t need;

		if (columns->items[i].is_hidden || !dim->fit)
			continue;
		need = dim->fit(&cell);
		if (need > widths->items[i])
			widths->items[i] = need;
	}
}

uint32_t rpt_column_fit_piece_nr(const struct rpt_rows *rows)
{
	return (rpt_rows_nr(rows) + PIECE_NR - 1) / PIECE_NR;
}

void rpt_column_fit_piece(const struct rpt_columns *columns,
			  const struct rpt_rows *rows, uint32_t idx,
			  struct rpt_column_widths *widths)
{
	uint32_t start = idx * PIECE_NR;
	uint32_t nr = rpt_rows_nr(rows) - start;

	for (uint32_t i = 0; i < nr && i < PIECE_NR; i++)
		fit_row(columns, rows, start + i, widths);
}

static uint32_t header_width(const struct rpt_columns *columns, size_t idx)
{
	return (uint32_t)strlen(rpt_columns_header(columns, idx));
}

static uint32_t least_width(const struct rpt_columns *columns, size_t idx,
			    uint32_t member_nr)
{
	const struct rpt_dimension *dim = columns->items[idx].dim;
	uint32_t least = header_width(columns, idx);

	if (!dim->by)
		return dim->width * member_nr;
	return least > dim->width ? least : dim->width;
}

/* Return the width that -w asks for; numbers have at least that of the header,
 * or of all members. */
static uint32_t asked_width(const struct rpt_columns *columns, size_t idx,
			    uint32_t member_nr)
{
	const struct rpt_dimension *dim = columns->items[idx].dim;
	uint32_t least = member_nr > 1 ? dim->width * member_nr
				       : header_width(columns, idx);
	uint32_t asked = columns->asked_widths[idx];

	return dim->by || asked > least ? asked : least;
}

void rpt_column_fit_end(struct rpt_columns *columns,
			const struct rpt_rows *rows,
			const struct rpt_column_widths *widths, size_t nr)
{
	for (size_t i = 0; i < columns->nr; i++) {
		uint32_t width = least_width(columns, i, rows->member_nr);

		for (size_t w = 0; w < nr; w++)
			if (widths[w].items[i] > width)
				width = widths[w].items[i];
		if (columns->asked_widths[i])
			width = asked_width(columns, i, rows->member_nr);
		if (!columns->items[i].is_hidden)
			columns->items[i].width = width;
	}
}
