#include "report/columns/column_shrink.h"
#include "report/columns/columns_impl.h"

#include <string.h>

/* Rows that one thread looks at before it asks for more. */
#define PIECE_NR 8192u

/* The least width of names that are no functions', on a terminal. */
#define SHORT_LEN 12u

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

bool rpt_column_may_shrink(const struct rpt_columns *columns, size_t idx)
{
	const struct rpt_column *column = &columns->items[idx];

	return column->dim->is_name && !column->is_hidden &&
	       !columns->asked_widths[idx];
}

/* Return how narrow a column of names may become; functions tell most. */
static uint32_t least_shrunk(const struct rpt_columns *columns, size_t idx)
{
	uint32_t least =
		columns->items[idx].dim->has_level ? RPT_SHORT_LEN : SHORT_LEN;
	uint32_t header = header_width(columns, idx);

	return header > least ? header : least;
}

/* Return the widest column that may become narrower; columns->nr: none may. */
static size_t widest(const struct rpt_columns *columns)
{
	size_t found = columns->nr;

	for (size_t i = 0; i < columns->nr; i++) {
		uint32_t width = columns->items[i].width;

		if (rpt_column_may_shrink(columns, i) &&
		    width > least_shrunk(columns, i) &&
		    (found == columns->nr ||
		     width > columns->items[found].width))
			found = i;
	}
	return found;
}

static uint32_t line_width(const struct rpt_columns *columns)
{
	uint32_t width = 0;

	for (size_t i = 0; i < columns->nr; i++)
		if (!columns->items[i].is_hidden)
			width += 2 + columns->items[i].width;
	return width;
}

/* Make columns of names narrower, the widest first, until lines fit. */
static void fit_terminal(struct rpt_columns *columns,
			 const struct rpt_rows *rows)
{
	size_t idx;

	for (size_t i = 0; i < columns->nr; i++)
		columns->items[i].is_short = false;
	if (!columns->look.width || columns->separator)
		return;
	if (rows->conf.keys.level_nr) {
		rpt_columns_fit_levels(columns, rows);
		return;
	}
	for (uint32_t width = line_width(columns); width > columns->look.width;
	     width--) {
		idx = widest(columns);
		if (idx == columns->nr)
			return;
		columns->items[idx].width--;
		columns->items[idx].is_short = true;
	}
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
	fit_terminal(columns, rows);
}
