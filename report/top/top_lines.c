#include "report/top/top_lines.h"

#include "report/base/hash_seed.h"
#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Return what was printed since the last call, control characters escaped. */
static const char *take(struct rpt_top_lines *lines, size_t *ret_len)
{
	struct rpt_text *text = &lines->text->text;
	const char *taken;

	rpt_text_flush(text);
	text->is_safe = false; /* but for the NUL behind it */
	taken = rpt_text_string_take(lines->text, ret_len);
	text->is_safe = true;
	return taken;
}

/* Return a number that rows of other frames have, too, if their names in all
 * columns are the same. */
static uint64_t id_of(struct rpt_top_lines *lines,
		      const struct rpt_live_report *live, uint32_t row)
{
	const struct rpt_columns *columns = live->section.columns;
	const char *names;
	size_t len;

	for (size_t i = 0; i < columns->nr; i++)
		if (rpt_columns_by_at(columns, i)) {
			rpt_columns_print_text(columns, i, &live->rows, row,
					       &lines->text->text);
			rpt_text_char(&lines->text->text, '\n');
		}
	names = take(lines, &len);
	return XXH3_64bits_withSeed(names, len, rpt_hash_seed[0]);
}

static void fill(const struct rpt_live_report *live, uint32_t row,
		 struct rpt_view_row *ret)
{
	const struct rpt_row *item = &live->rows.items[row];
	const struct rpt_frame *at = &live->rows.frames->items[item->frame];

	*ret = (struct rpt_view_row){
		.dso = rpt_rows_dso_name(&live->rows, at),
		.symbol = rpt_frame_symbol(at),
		.comm = item->comm,
		.tid = rpt_row_tid(item),
	};
}

static void add(struct rpt_top_lines *lines, struct rpt_top_line line)
{
	lines->items = rpt_grow(lines->items, &lines->cap, lines->nr,
				sizeof(*lines->items));
	lines->items[lines->nr++] = line;
}

/* Add the lines of a row's call graph. */
static void add_graph(struct rpt_top_lines *lines, struct rpt_live_report *live,
		      uint32_t row)
{
	size_t len, start = lines->graphs.len;
	const char *text;

	rpt_live_report_print_graph(live, row, &lines->text->text);
	text = take(lines, &len);
	rpt_text_heap_add(&lines->graphs, text, len);
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line_len = end ? (size_t)(end - text) : len;
		size_t step = line_len + (end ? 1 : 0);

		/* an empty line behind a graph says nothing here */
		if (line_len)
			add(lines, (struct rpt_top_line){ row, true, start,
							  line_len });
		text += step;
		start += step;
		len -= step;
	}
}

void rpt_top_lines_make(struct rpt_top_lines *lines,
			struct rpt_live_report *live,
			const struct rpt_view *view,
			const struct rpt_top_view_args *args)
{
	if (!lines->text)
		lines->text = rpt_text_string_new();
	lines->text->text.is_safe = true;
	lines->nr = 0;
	lines->row_nr = 0;
	lines->graphs.len = 0;
	for (uint32_t i = 0; i < live->shown_nr; i++) {
		uint32_t row = live->shown[i];
		struct rpt_view_row names;

		if (args->entry_nr && lines->row_nr == args->entry_nr)
			break;
		fill(live, row, &names);
		if (!rpt_view_shows(view, &names) ||
		    rpt_rows_stat(&live->rows, row, 0)->acc_nr < args->least_nr)
			continue;
		lines->row_nr++;
		add(lines, (struct rpt_top_line){ .row = row });
		if (view->has_chains && (view->open_nr || view->are_open) &&
		    rpt_view_is_open(view, id_of(lines, live, row)))
			add_graph(lines, live, row);
	}
}

void rpt_top_lines_release(struct rpt_top_lines *lines)
{
	free(lines->items);
	free(lines->graphs.data);
	rpt_text_string_free(lines->text);
	*lines = (struct rpt_top_lines){ 0 };
}

uint32_t rpt_top_lines_find(struct rpt_top_lines *lines,
			    const struct rpt_live_report *live, uint64_t id)
{
	for (uint32_t i = 0; i < lines->nr; i++)
		if (!lines->items[i].is_graph &&
		    id_of(lines, live, lines->items[i].row) == id)
			return i;
	return lines->nr;
}

void rpt_top_lines_row(struct rpt_top_lines *lines,
		       const struct rpt_live_report *live, uint32_t line,
		       struct rpt_view_row *ret)
{
	uint32_t row = lines->items[line].row;

	fill(live, row, ret);
	ret->id = id_of(lines, live, row);
}

const char *rpt_top_lines_text(struct rpt_top_lines *lines,
			       struct rpt_live_report *live, uint32_t line,
			       size_t *ret_len)
{
	const struct rpt_top_line *item = &lines->items[line];
	const char *text;

	if (item->is_graph) {
		*ret_len = item->len;
		return lines->graphs.data + item->off;
	}
	rpt_live_report_print_row(live, item->row, &lines->text->text);
	text = take(lines, ret_len);
	if (*ret_len && text[*ret_len - 1] == '\n')
		--*ret_len;
	return text;
}

bool rpt_top_lines_is_open(const struct rpt_top_lines *lines, uint32_t line)
{
	return line + 1 < lines->nr && lines->items[line + 1].is_graph;
}
