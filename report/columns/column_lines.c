/* Headers and rows of a table. */
#include "report/columns/columns_impl.h"

#include <string.h>

static const struct rpt_trace_field *field_of(const struct rpt_columns *columns,
					      size_t idx)
{
	return &columns->fields[columns->items[idx].field];
}

/* Fields are shown only in tables of their own events. */
static bool is_shown(const struct rpt_columns *columns, size_t idx,
		     const struct rpt_rows *rows)
{
	uint32_t event;

	if (columns->items[idx].dim != &rpt_field_dimension)
		return true;
	event = field_of(columns, idx)->event_idx;
	return event >= rows->event_idx &&
	       event - rows->event_idx < rows->member_nr;
}

const char *rpt_columns_header(const struct rpt_columns *columns, size_t idx)
{
	const struct rpt_dimension *dim = columns->items[idx].dim;

	if (dim == &rpt_field_dimension)
		return rpt_trace_field_name(field_of(columns, idx));
	if (columns->children && !strcmp(dim->name, "overhead"))
		return "Self";
	return dim->header;
}

void rpt_columns_hide(struct rpt_columns *columns, const struct rpt_rows *rows)
{
	for (size_t i = 0; i < columns->nr; i++)
		columns->items[i].is_hidden = !is_shown(columns, i, rows);
}

/* cell_text is one for all. */
bool rpt_columns_may_be_shared(const struct rpt_columns *columns)
{
	if (columns->cell_text || columns->is_verbose)
		return false;
	for (size_t i = 0; i < columns->nr; i++)
		if (columns->items[i].dim->by &
		    ~(unsigned)RPT_BY_STACK_AND_LOCATION)
			return false;
	return true;
}

const char *rpt_columns_name(const struct rpt_columns *columns, size_t idx,
			     char *buf)
{
	if (columns->items[idx].dim != &rpt_field_dimension)
		return columns->items[idx].dim->name;
	rpt_trace_field_key(field_of(columns, idx), buf, RPT_COLUMN_NAME_LEN);
	return buf;
}

void rpt_columns_print_text(const struct rpt_columns *columns, size_t idx,
			    const struct rpt_rows *rows, uint32_t row,
			    struct rpt_text *out)
{
	struct rpt_cell cell = { .columns = columns,
				 .idx = idx,
				 .rows = rows,
				 .row = row,
				 .width = 3, /* of a CPU's number */
				 .is_last = true,
				 .is_bare = true };

	rpt_cell_print(&cell, out);
}

uint32_t rpt_columns_text_width(const struct rpt_columns *columns, size_t idx,
				const struct rpt_rows *rows, uint32_t row)
{
	struct rpt_cell cell = {
		.columns = columns, .idx = idx, .rows = rows, .row = row
	};

	return columns->items[idx].dim->fit
		       ? columns->items[idx].dim->fit(&cell)
		       : columns->items[idx].dim->width;
}

/* Print what stands in front of a column. */
static void put_between(const struct rpt_columns *columns, bool is_first,
			const char *first, struct rpt_text *out)
{
	if (is_first)
		rpt_text_str(out, first);
	else if (columns->separator)
		rpt_text_char(out, columns->separator);
	else
		rpt_text_str(out, "  ");
}

static void print_headers(const struct rpt_columns *columns,
			  struct rpt_text *out)
{
	bool is_first = true;

	for (size_t i = 0; i < columns->nr; i++) {
		if (columns->items[i].is_hidden)
			continue;
		put_between(columns, is_first, "# ", out);
		is_first = false;
		if (columns->items[i].dim->by & ~(unsigned)RPT_BY_FIELD)
			rpt_text_left(out, rpt_columns_header(columns, i),
				      columns->items[i].width);
		else
			rpt_text_right(out, rpt_columns_header(columns, i),
				       columns->items[i].width);
	}
	rpt_text_char(out, '\n');
}

void rpt_columns_print_header(const struct rpt_columns *columns,
			      struct rpt_text *out)
{
	bool is_first = true;

	print_headers(columns, out);
	if (columns->separator)
		return;
	for (size_t i = 0; i < columns->nr; i++) {
		if (columns->items[i].is_hidden)
			continue;
		put_between(columns, is_first, "# ", out);
		is_first = false;
		for (uint32_t k = 0; k < columns->items[i].width; k++)
			rpt_text_char(out, '.');
	}
	rpt_text_str(out, "\n#\n");
}

static size_t shown_nr(const struct rpt_columns *columns)
{
	size_t nr = columns->nr;

	while (nr && columns->items[nr - 1].is_hidden)
		nr--;
	return nr;
}

/* Print a point for each separator in the text; fill numbers up on the right
 * but in the last column, as in perf. */
static void print_apart(struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_columns *columns = cell->columns;
	bool is_number = !rpt_cell_dimension(cell)->by;
	const char *colour = is_number && cell->rows->member_nr == 1
				     ? rpt_cell_colour(cell, 0)
				     : NULL;
	const char *text;
	size_t len;

	cell->is_narrow = is_number;
	rpt_cell_print(cell, &columns->cell_text->text);
	text = rpt_text_string_take(columns->cell_text, &len);
	if (colour)
		rpt_text_escape(out, colour);
	for (size_t i = 0; i < len; i++)
		rpt_text_char(out,
			      text[i] == columns->separator ? '.' : text[i]);
	if (colour)
		rpt_text_escape(out, RPT_COLOUR_END);
	if (is_number && !cell->is_last && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}

void rpt_columns_print_row(const struct rpt_columns *columns,
			   const struct rpt_rows *rows, uint32_t row,
			   struct rpt_text *out)
{
	size_t nr = shown_nr(columns);
	bool is_first = true;

	for (size_t i = 0; i < nr; i++) {
		struct rpt_cell cell = { .columns = columns,
					 .idx = i,
					 .rows = rows,
					 .row = row,
					 .width = columns->items[i].width,
					 .is_last = i + 1 == nr };

		if (columns->items[i].is_hidden)
			continue;
		put_between(columns, is_first, columns->separator ? "" : "  ",
			    out);
		is_first = false;
		if (columns->separator ||
		    (columns->asked_widths[i] && !columns->items[i].dim->by))
			print_apart(&cell, out);
		else
			rpt_cell_print(&cell, out);
	}
	rpt_text_char(out, '\n');
}

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
