/* Columns of a hierarchy: numbers, then the columns of the row's level, each
 * level indented further.
 */
#include "report/columns/columns_impl.h"

#include <string.h>

#define INDENT 3

/* The columns of a level; fields of other events make none. */
struct level_span {
	size_t start;
	size_t end;
};

/* Get the columns of the next level from idx on, or return false. */
static bool next_level(const struct rpt_columns *columns, size_t idx,
		       struct level_span *ret)
{
	while (idx < columns->nr &&
	       (!columns->items[idx].level || columns->items[idx].is_hidden))
		idx++;
	ret->start = idx;
	while (idx < columns->nr &&
	       columns->items[idx].level == columns->items[ret->start].level)
		idx++;
	ret->end = idx;
	return ret->start < columns->nr;
}

void rpt_columns_fill_levels(struct rpt_columns *columns, struct rpt_rows *rows)
{
	struct rpt_sort_keys *keys = &rows->conf.keys;
	struct level_span span = { 0, 0 };
	uint32_t key_nr = 0;
	size_t i = 0;

	rpt_columns_hide(columns, rows);
	keys->level_nr = 0;
	while (next_level(columns, span.end, &span)) {
		for (; i < span.end; i++)
			key_nr += columns->items[i].dim->by != 0;
		keys->levels[keys->level_nr++] = key_nr;
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
	return rows->conf.keys.level_nr
		       ? INDENT * (rows->conf.keys.level_nr - 1)
		       : 0;
}

/* Return the width of all numbers, with what is between them. */
static uint32_t numbers_width(const struct rpt_columns *columns)
{
	uint32_t width = 0;

	for (size_t i = 0; i < columns->nr; i++) {
		if (columns->items[i].level)
			continue;
		width += columns->items[i].width + (width ? 2 : 0);
	}
	return width;
}

/* Give each column of names of the level its part of what is left of a line. */
static void fit_level(struct rpt_columns *columns,
		      const struct level_span *span, size_t used)
{
	size_t name_nr = 0, room;

	for (size_t i = span->start; i < span->end; i++) {
		if (rpt_column_may_shrink(columns, i))
			name_nr++;
		else if (!columns->items[i].is_hidden)
			used += 2 + columns->items[i].width;
	}
	if (!name_nr)
		return;
	room = rpt_look_room(&columns->look, used) / name_nr;
	for (size_t i = span->start; i < span->end; i++) {
		struct rpt_column *column = &columns->items[i];

		if (!rpt_column_may_shrink(columns, i) || column->width < room)
			continue;
		column->width = (uint32_t)room - 2;
		column->is_short = true;
	}
}

void rpt_columns_fit_levels(struct rpt_columns *columns,
			    const struct rpt_rows *rows)
{
	size_t used = 2 + numbers_width(columns) + step_len(rows);
	struct level_span span = { 0, 0 };

	for (; next_level(columns, span.end, &span); used += INDENT)
		fit_level(columns, &span, used);
}

static const char *bare_header(const struct rpt_columns *columns, size_t idx)
{
	const char *header = rpt_columns_header(columns, idx);

	return header + strspn(header, " ");
}

/* Print "Command+Shared Object / Symbol"; return its length. */
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

			if (columns->items[i].is_hidden)
				continue;
			len += strlen(mark) + strlen(name);
			rpt_text_str(out, mark);
			rpt_text_str(out, name);
		}
	}
	return len;
}

/* Return the width of the widest level, at least least. */
static size_t names_width(const struct rpt_columns *columns, size_t least)
{
	struct level_span span = { 0, 0 };
	size_t step = 0;

	for (; next_level(columns, span.end, &span); step += INDENT) {
		size_t width = step;

		for (size_t i = span.start; i < span.end; i++) {
			if (!columns->items[i].is_hidden)
				width += columns->items[i].width +
					 (i > span.start);
		}
		if (width > least)
			least = width;
	}
	return least;
}

static void print_dots(size_t nr, struct rpt_text *out)
{
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
		if (columns->items[i].level)
			continue;
		rpt_text_str(out, between);
		rpt_text_right(out, rpt_columns_header(columns, i),
			       columns->items[i].width);
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

static void put_cell(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_text_put(out, "  ", 2);
	rpt_cell_print(cell, out);
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
		if (!columns->items[i].level)
			put_cell(&cell, out);
	}
	rpt_text_pad(out, step_len(rows));
	for (uint32_t k = 0; k <= level; k++)
		next_level(columns, span.end, &span);
	cell.is_trimmed = true;
	for (size_t i = span.start; i < span.end; i++) {
		if (columns->items[i].is_hidden)
			continue;
		cell.idx = i;
		cell.width = columns->items[i].width;
		put_cell(&cell, out);
	}
	rpt_text_char(out, '\n');
}

void rpt_columns_print_no_entry(const struct rpt_columns *columns,
				const struct rpt_rows *rows, uint32_t row,
				double limit_pct, struct rpt_text *out)
{
	size_t level_nr = rows->conf.keys.level_nr + rows->items[row].at_level;

	rpt_text_pad(out, INDENT * level_nr + numbers_width(columns) + 4);
	rpt_text_format(out, "no entry >= %.2f%%\n", limit_pct);
}
