#include "report/columns/columns_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *whole_text(const struct rpt_cell *cell)
{
	return rpt_intern_key(&cell->rows->traces,
			      cell->rows->items[cell->row].trace);
}

/* The field, and its formats, as the row's own recording has them. */
static const struct rpt_rows_input *input_of(const struct rpt_cell *cell)
{
	return cell->rows->items[cell->row].input;
}

static const struct rpt_trace_field *field_of(const struct rpt_cell *cell)
{
	size_t idx = (size_t)(rpt_column_field(cell->columns, cell->idx) -
			      cell->columns->fields);

	return &input_of(cell)->trace_fields[idx];
}

const struct rpt_trace_field *
rpt_column_field(const struct rpt_columns *columns, size_t idx)
{
	size_t nr = 0;

	for (size_t i = 0; i < idx; i++)
		nr += columns->items[i]->by == RPT_BY_FIELD;
	return &columns->fields[nr];
}

static bool is_of_row(const struct rpt_cell *cell)
{
	const struct rpt_row *row = &cell->rows->items[cell->row];

	return field_of(cell)->event_idx == rpt_row_stack_key(row)->event_idx;
}

static char *field_text(const struct rpt_cell *cell)
{
	const struct rpt_row *row = &cell->rows->items[cell->row];

	return rpt_trace_field_text(input_of(cell)->tracepoints, field_of(cell),
				    rpt_row_raw(row), whole_text(cell));
}

/* perf learns how long a field can be when it compares rows, which it seldom
 * does by fields behind the first key. */
static uint32_t fit_field(const struct rpt_cell *cell)
{
	const struct rpt_columns *columns = cell->columns;
	const struct rpt_trace_field *field = field_of(cell);
	struct pd_str bytes = { NULL, 0 };
	bool is_first = rpt_rows_nr(cell->rows) > 1;

	for (size_t i = 0; i < cell->idx; i++)
		is_first &= !columns->items[i]->by || columns->is_hidden[i];
	if (is_first)
		bytes = rpt_trace_field_bytes(
			input_of(cell)->tracepoints, field,
			rpt_row_raw(&cell->rows->items[cell->row]));
	return rpt_trace_field_width(field, whole_text(cell), bytes);
}

static void print_field(const struct rpt_cell *cell, struct rpt_text *out)
{
	char *text;

	if (cell->is_bare && !is_of_row(cell))
		return;
	text = field_text(cell);
	if (!text) {
		out->status = -ENOMEM;
		return;
	}
	if (cell->is_bare) {
		rpt_text_str(out, text);
	} else {
		if (strlen(text) > cell->width)
			text[cell->width] = '\0';
		rpt_text_right(out, text, cell->is_trimmed ? 0 : cell->width);
	}
	free(text);
}

const struct rpt_column rpt_tracepoint_column = {
	.name = "",
	.header = "",
	.by = RPT_BY_FIELD,
	.print_text = print_field,
	.fit = fit_field,
};
