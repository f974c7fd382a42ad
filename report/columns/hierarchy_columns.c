/* Columns of a hierarchy: numbers in front, then what the row's level shows;
 * each level stands further in.
 */
#include "report/columns/columns_impl.h"

#include <string.h>

#define INDENT 3

/* Where the levels of a table stand: fields of other events make none. */
struct level_span {
	size_t start;
	size_t end;
};

/* The columns of the next level from idx on; false: there is none. */
static bool next_level(const struct rpt_columns *columns, size_t idx,
		       struct level_span *ret)
{
	while (idx < columns->nr &&
	       (!columns->levels[idx] || columns->is_hidden[idx]))
		idx++;
	ret->start = idx;
	while (idx < columns->nr &&
	       columns->levels[idx] == columns->levels[ret->start])
		idx++;
	ret->end = idx;
	return ret->start < columns->nr;
}

/* Hidden ones count: rpt_rows_number_fields() takes the first of all. */
static uint32_t fields_before(const struct rpt_columns *columns, size_t idx)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < idx; i++)
		nr += columns->items[i] == &rpt_tracepoint_column;
	return nr;
}

void rpt_columns_fill_levels(struct rpt_columns *columns, struct rpt_rows *rows)
{
	struct level_span span = { 0, 0 };
	struct rpt_row_level level = { 0 };
	enum rpt_value values[RPT_VALUES_NR];

	rpt_columns_hide(columns, rows);
	rows->conf.level_nr = 0;
	while (next_level(columns, span.end, &span)) {
		for (size_t i = span.start; i < span.end; i++) {
			if (!columns->is_hidden[i])
				level.by |= columns->items[i]->by;
		}
		level.field_nr = fields_before(columns, span.end);
		level.value_nr = rpt_columns_values(columns, span.end, values);
		rows->conf.levels[rows->conf.level_nr++] = level;
	}
}

uint32_t rpt_columns_level_at(const struct rpt_columns *columns, size_t idx)
{
	struct level_span span = { 0, 0 };
	uint32_t level = 0;

	while (next_level(columns, span.end, &span) && span.end <= idx)
		level++;
	return level;
}

static size_t step_len(const struct rpt_rows *rows)
{
	return rows->conf.level_nr ? INDENT * (rows->conf.level_nr - 1) : 0;
}

/* Of all numbers in front of the levels, with what is between them. */
static uint32_t numbers_width(const struct rpt_columns *columns)
{
	uint32_t width = 0;

	for (size_t i = 0; i < columns->nr; i++) {
		if (columns->levels[i])
			continue;
		width += columns->widths[i] + (width ? 2 : 0);
	}
	return width;
}

static const char *bare_header(const struct rpt_columns *columns, size_t idx)
{
	const char *header = rpt_columns_header(columns, idx);

	return header + strspn(header, " ");
}

/* "Command+Shared Object / Symbol"; returns how long it is. */
static size_t print_names(const struct rpt_columns *columns,
			  struct rpt_text *out)
{
	struct level_span span = { 0, 0 };
	size_t len = 0;

	while (next_level(columns, span.end, &span)) {
		/* its start is not hidden */
		for (size_t i = span.start; i < span.end; i++) {
			const char *name = bare_header(columns, i);
			const char *mark = i > span.start ? "+"
					   : len	  ? " / "
							  : "";

			if (columns->is_hidden[i])
				continue;
			len += strlen(mark) + strlen(name);
			rpt_text_str(out, mark);
			rpt_text_str(out, name);
		}
	}
	return len;
}

/* What the widest level takes, or least. */
static size_t names_width(const struct rpt_columns *columns, size_t least)
{
	struct level_span span = { 0, 0 };
	size_t step = 0;

	for (; next_level(columns, span.end, &span); step += INDENT) {
		size_t width = step;

		for (size_t i = span.start; i < span.end; i++) {
			if (!columns->is_hidden[i])
				width += columns->widths[i] + (i > span.start);
		}
		if (width > least)
			least = width;
	}
	return least;
}

/* perf 6.1 has no more dots than that for a title of levels. */
#define DOTS_MAX 207

static void print_dots(size_t nr, struct rpt_text *out)
{
	if (nr > DOTS_MAX)
		nr = DOTS_MAX;
	while (nr--)
		rpt_text_char(out, '.');
}

void rpt_columns_print_level_header(const struct rpt_columns *columns,
				    const struct rpt_rows *rows,
				    struct rpt_text *out)
{
	const char *between = "";
	size_t len;

	rpt_text_str(out, "# ");
	rpt_text_pad(out, step_len(rows));
	for (size_t i = 0; i < columns->nr; i++) {
		if (columns->levels[i])
			continue;
		rpt_text_str(out, between);
		rpt_text_right(out, rpt_columns_header(columns, i),
			       columns->widths[i]);
		between = "  ";
	}
	rpt_text_str(out, "  ");
	len = print_names(columns, out);
	rpt_text_str(out, "\n# ");
	print_dots(step_len(rows) + numbers_width(columns), out);
	rpt_text_str(out, "  ");
	print_dots(names_width(columns, len), out);
	rpt_text_str(out, "\n#\n");
}

static void print_cell(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_column *column = cell->columns->items[cell->idx];

	rpt_text_put(out, "  ", 2);
	if (column->print_text) {
		column->print_text(cell, out);
		return;
	}
	for (uint32_t m = 0; m < cell->rows->member_nr; m++)
		column->print_number(cell, m, out);
}

void rpt_columns_print_level_row(const struct rpt_columns *columns,
				 const struct rpt_rows *rows, uint32_t row,
				 struct rpt_text *out)
{
	uint32_t level = rows->items[row].at_level;
	struct level_span span = { 0, 0 };
	struct rpt_cell cell = {
		.columns = columns,
		.rows = rows,
		.row = row,
		.is_last = true,
	};

	rpt_text_pad(out, INDENT * (size_t)level);
	for (size_t i = 0; i < columns->nr; i++) {
		cell.idx = i;
		if (!columns->levels[i])
			print_cell(&cell, out);
	}
	rpt_text_pad(out, step_len(rows));
	for (uint32_t k = 0; k <= level; k++)
		next_level(columns, span.end, &span);
	cell.is_trimmed = true;
	for (size_t i = span.start; i < span.end; i++) {
		if (columns->is_hidden[i])
			continue;
		cell.idx = i;
		cell.width = columns->widths[i];
		print_cell(&cell, out);
	}
	rpt_text_char(out, '\n');
}

void rpt_columns_print_no_entry(const struct rpt_columns *columns,
				const struct rpt_rows *rows, uint32_t row,
				double limit_pct, struct rpt_text *out)
{
	size_t level_nr = rows->conf.level_nr + rows->items[row].at_level;

	rpt_text_pad(out, INDENT * level_nr + numbers_width(columns) + 4);
	rpt_text_format(out, "no entry >= %.2f%%\n", limit_pct);
}
