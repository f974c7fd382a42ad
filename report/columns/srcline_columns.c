#include "report/columns/columns_impl.h"

#include <string.h>

static const struct rpt_row *row_of(const struct rpt_cell *cell)
{
	return &cell->rows->items[cell->row];
}

static const struct rpt_frame *frame_of(const struct rpt_cell *cell)
{
	return &cell->rows->frames->items[row_of(cell)->frame];
}

/* Not filled up at the end of a line, as in perf. */
static void put(const struct rpt_cell *cell, const char *text,
		struct rpt_text *out)
{
	if (cell->is_bare || cell->is_last)
		rpt_text_str(out, text);
	else
		rpt_text_left(out, text, cell->width);
}

static uint32_t fit_host(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(row_of(cell)->input->host);
}

static void print_host(const struct rpt_cell *cell, struct rpt_text *out)
{
	put(cell, row_of(cell)->input->host, out);
}

const char *rpt_cell_line(const struct rpt_cell *cell,
			  const struct rpt_frame *frame)
{
	return rpt_intern_key(&cell->rows->frames->lines, frame->line - 1);
}

static uint32_t fit_srcline(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(rpt_cell_line(cell, frame_of(cell)));
}

static void print_srcline(const struct rpt_cell *cell, struct rpt_text *out)
{
	put(cell, rpt_cell_line(cell, frame_of(cell)), out);
}

static const char *source_file(const struct rpt_cell *cell)
{
	return rpt_intern_key(&cell->rows->frames->lines,
			      frame_of(cell)->file - 1);
}

static uint32_t fit_srcfile(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(source_file(cell));
}

static void print_srcfile(const struct rpt_cell *cell, struct rpt_text *out)
{
	put(cell, source_file(cell), out);
}

const struct rpt_column rpt_srcline_columns[RPT_SRCLINE_COLUMNS] = {
	{ .name = "srcline",
	  .header = "Source:Line",
	  .by = RPT_BY_SRCLINE,
	  .print_text = print_srcline,
	  .fit = fit_srcline },
	{ .name = "srcfile",
	  .header = "Source File",
	  .by = RPT_BY_SRCFILE,
	  .print_text = print_srcfile,
	  .fit = fit_srcfile },
	{ .name = "host", /* not perf's */
	  .header = "Host",
	  .by = RPT_BY_HOST,
	  .print_text = print_host,
	  .fit = fit_host },
};
