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
