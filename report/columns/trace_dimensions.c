/* Dimensions of tracepoints: the whole text, and single fields. */
#include "report/columns/columns_impl.h"

#include <stdlib.h>
#include <string.h>

static void key_trace(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = source->trace;
}

static int compare_traces(const struct rpt_row_pair *pair)
{
	const struct rpt_intern *traces = &pair->rows->texts.traces;

	return strcmp(rpt_intern_key(traces, pair->x->trace),
		      rpt_intern_key(traces, pair->y->trace));
}

/* Return "N/A" for events that are no tracepoints. */
static const char *trace_text(const struct rpt_cell *cell)
{
	const struct pd_event_set *events = cell->columns->events;
	uint32_t idx = cell->rows->event_idx;

	if (!events || events->events[idx].attr.type != PD_TYPE_TRACEPOINT)
		return "N/A";
	return rpt_intern_key(&cell->rows->texts.traces,
			      rpt_cell_row(cell)->trace);
}

static void put_trace(const struct rpt_cell *cell, const char *text,
		      struct rpt_text *out)
{
	size_t len;

	if (cell->is_trimmed)
		text += strspn(text, " ");
	len = strlen(text);
	if (cell->columns->asked_widths[cell->idx] && len > cell->width)
		len = cell->width;
	rpt_text_put(out, text, len);
	if (!cell->is_last && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}

/* Return the bytes of a field; ptr is NULL if the stack is of another event. */
static struct pd_str field_bytes(const struct rpt_rows_input *input,
				 const struct rpt_stack_key *stack,
				 uint32_t idx)
{
	const struct rpt_trace_field *field = &input->trace_fields[idx];
	const char *raw = (const char *)rpt_stack_key_raw(stack);

	if (field->event_idx != stack->event_idx)
		return (struct pd_str){ NULL, 0 };
	return rpt_trace_field_bytes(input->tracepoints, field,
				     (struct pd_str){ raw, stack->raw_len });
}

static void key_field(const struct rpt_key_source *source, uint32_t *words)
{
	struct pd_str bytes = field_bytes(source->rows->input, source->stack,
					  source->key->idx);

	words[0] = rpt_frames_number(&source->rows->texts.fields,
				     bytes.ptr ? bytes.ptr : "", bytes.len);
}

static struct pd_str row_bytes(const struct rpt_row *row, uint32_t idx)
{
	return field_bytes(row->input, rpt_row_stack_key(row), idx);
}

/* Compare the bytes as perf does: the greatest come first. */
static int compare_fields(const struct rpt_row_pair *pair)
{
	struct pd_str a = row_bytes(pair->x, pair->key->idx);
	struct pd_str b = row_bytes(pair->y, pair->key->idx);
	size_t len = a.len < b.len ? a.len : b.len;
	int rc = len ? memcmp(b.ptr, a.ptr, len) : 0;

	return rc ? rc : rpt_compare_u64(b.len, a.len);
}

static const char *whole_text(const struct rpt_cell *cell)
{
	return rpt_intern_key(&cell->rows->texts.traces,
			      rpt_cell_row(cell)->trace);
}

/* Return the recording of the row, which has the field and its formats. */
static const struct rpt_rows_input *input_of(const struct rpt_cell *cell)
{
	return rpt_cell_row(cell)->input;
}

static const struct rpt_trace_field *field_of(const struct rpt_cell *cell)
{
	uint32_t idx = cell->columns->items[cell->idx].field;

	return &input_of(cell)->trace_fields[idx];
}

static bool is_of_row(const struct rpt_cell *cell)
{
	return field_of(cell)->event_idx ==
	       rpt_row_stack_key(rpt_cell_row(cell))->event_idx;
}

static char *field_text(const struct rpt_cell *cell)
{
	return rpt_trace_field_text(input_of(cell)->tracepoints, field_of(cell),
				    rpt_row_raw(rpt_cell_row(cell)),
				    whole_text(cell));
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
		is_first &= !columns->items[i].dim->by ||
			    columns->items[i].is_hidden;
	if (is_first)
		bytes = rpt_trace_field_bytes(input_of(cell)->tracepoints,
					      field,
					      rpt_row_raw(rpt_cell_row(cell)));
	return rpt_trace_field_width(field, whole_text(cell), bytes);
}

static void print_field(const struct rpt_cell *cell, struct rpt_text *out)
{
	char *text;

	if (cell->is_bare && !is_of_row(cell))
		return;
	text = field_text(cell);
	if (cell->is_bare) {
		rpt_text_str(out, text);
	} else {
		if (strlen(text) > cell->width)
			text[cell->width] = '\0';
		rpt_text_right(out, text, cell->is_trimmed ? 0 : cell->width);
	}
	free(text);
}

const struct rpt_dimension rpt_trace_dimensions[] = {
	{ .name = "trace",
	  .header = "Trace output",
	  .help = "text of the tracepoint's sample",
	  .by = RPT_BY_TRACE,
	  .word_nr = 1,
	  .key = key_trace,
	  .compare = compare_traces,
	  .text = trace_text,
	  .put = put_trace,
	  .fit = rpt_cell_fit },
	{ .name = NULL }
};

const struct rpt_dimension rpt_field_dimension = {
	.name = "",
	.header = "",
	.by = RPT_BY_FIELD,
	.word_nr = 1,
	.key = key_field,
	.compare = compare_fields,
	.print = print_field,
	.fit = fit_field,
};
