/* Dimensions of a location: DSO, function, address, source line. */
#include "report/columns/columns_impl.h"

#include <stdio.h>
#include <string.h>

void rpt_key_dso(struct rpt_rows *rows, const struct rpt_sort_key *key,
		 const struct rpt_key_source *source, uint32_t *words)
{
	(void)key;
	words[0] = rows->frames->items[source->frame].dso_place;
}

int rpt_compare_dsos(const struct rpt_rows *rows,
		     const struct rpt_sort_key *key, const struct rpt_row *x,
		     const struct rpt_row *y)
{
	return -rpt_compare_names(
		rpt_rows_dso_name(rows, rpt_row_frame(rows, x, key->dim)),
		rpt_rows_dso_name(rows, rpt_row_frame(rows, y, key->dim)));
}

static uint32_t fit_dso(const struct rpt_cell *cell)
{
	return rpt_cell_fit_dso(cell, rpt_cell_frame(cell));
}

static void print_dso(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_print_dso(cell, rpt_cell_frame(cell), out);
}

/* A symbol's number; without a symbol the address that is shown. */
void rpt_key_symbol(struct rpt_rows *rows, const struct rpt_sort_key *key,
		    const struct rpt_key_source *source, uint32_t *words)
{
	const struct rpt_frame *frame = &rows->frames->items[source->frame];

	(void)key;
	if (frame->sym)
		rpt_key_put64(words, frame->place);
	else
		rpt_key_put64(words, source->is_own ? frame->addr : frame->ip);
	words[2] = !frame->sym;
}

static uint32_t fit_symbol(const struct rpt_cell *cell)
{
	return rpt_cell_fit_symbol(cell, rpt_cell_frame(cell));
}

static void print_symbol(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_row *row = rpt_cell_row(cell);
	const struct rpt_frame *frame = rpt_cell_frame(cell);

	rpt_cell_print_symbol(cell, frame, row->level, rpt_row_addr(row, frame),
			      out);
}

void rpt_key_line(struct rpt_rows *rows, const struct rpt_sort_key *key,
		  const struct rpt_key_source *source, uint32_t *words)
{
	uint32_t line, file;

	(void)key;
	rpt_frame_line(rows->frames, source->frame, &line, &file);
	words[0] = line;
}

static void key_file(struct rpt_rows *rows, const struct rpt_sort_key *key,
		     const struct rpt_key_source *source, uint32_t *words)
{
	uint32_t line, file;

	(void)key;
	rpt_frame_line(rows->frames, source->frame, &line, &file);
	words[0] = file;
}

static const char *line_text(const struct rpt_rows *rows, uint32_t number)
{
	return rpt_intern_key(&rows->frames->lines, number - 1);
}

int rpt_compare_lines(const struct rpt_rows *rows,
		      const struct rpt_sort_key *key, const struct rpt_row *x,
		      const struct rpt_row *y)
{
	return rpt_compare_names(
		line_text(rows, rpt_row_frame(rows, x, key->dim)->line),
		line_text(rows, rpt_row_frame(rows, y, key->dim)->line));
}

static int compare_files(const struct rpt_rows *rows,
			 const struct rpt_sort_key *key,
			 const struct rpt_row *x, const struct rpt_row *y)
{
	return rpt_compare_names(
		line_text(rows, rpt_row_frame(rows, x, key->dim)->file),
		line_text(rows, rpt_row_frame(rows, y, key->dim)->file));
}

const char *rpt_cell_line(const struct rpt_cell *cell)
{
	return line_text(cell->rows, rpt_cell_frame(cell)->line);
}

uint32_t rpt_cell_fit_line(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(rpt_cell_line(cell));
}

static void print_line(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_put_unfilled(cell, rpt_cell_line(cell), out);
}

static const char *source_file(const struct rpt_cell *cell)
{
	return line_text(cell->rows, rpt_cell_frame(cell)->file);
}

static uint32_t fit_file(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(source_file(cell));
}

static void print_file(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_put_unfilled(cell, source_file(cell), out);
}

static uint64_t symbol_len(const struct rpt_frame *frame)
{
	return frame->sym ? frame->sym->end - frame->sym->start : 0;
}

static void key_symbol_len(struct rpt_rows *rows,
			   const struct rpt_sort_key *key,
			   const struct rpt_key_source *source, uint32_t *words)
{
	(void)key;
	words[0] = (uint32_t)symbol_len(&rows->frames->items[source->frame]);
}

static int compare_symbol_lens(const struct rpt_rows *rows,
			       const struct rpt_sort_key *key,
			       const struct rpt_row *x, const struct rpt_row *y)
{
	return rpt_compare_u64(symbol_len(rpt_row_frame(rows, x, key->dim)),
			       symbol_len(rpt_row_frame(rows, y, key->dim)));
}

static void put_right(const struct rpt_cell *cell, const char *text,
		      struct rpt_text *out)
{
	rpt_text_right(out, text,
		       cell->is_bare || cell->is_trimmed ? 0 : cell->width);
}

static void print_symbol_len(const struct rpt_cell *cell, struct rpt_text *out)
{
	uint64_t len = symbol_len(rpt_cell_frame(cell));
	char text[24] = "unknown";

	if (len)
		snprintf(text, sizeof(text), "%llu", (unsigned long long)len);
	put_right(cell, text, out);
}

static void key_dso_len(struct rpt_rows *rows, const struct rpt_sort_key *key,
			const struct rpt_key_source *source, uint32_t *words)
{
	(void)key;
	rpt_key_put64(words, rows->frames->items[source->frame].map_len);
}

static int compare_dso_lens(const struct rpt_rows *rows,
			    const struct rpt_sort_key *key,
			    const struct rpt_row *x, const struct rpt_row *y)
{
	return rpt_compare_u64(rpt_row_frame(rows, x, key->dim)->map_len,
			       rpt_row_frame(rows, y, key->dim)->map_len);
}

static void print_dso_len(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *frame = rpt_cell_frame(cell);
	char text[24] = "unknown";

	if (frame->dso)
		snprintf(text, sizeof(text), "%d", (int)frame->map_len);
	put_right(cell, text, out);
}

void rpt_key_ip(struct rpt_rows *rows, const struct rpt_sort_key *key,
		const struct rpt_key_source *source, uint32_t *words)
{
	(void)key;
	rpt_key_put64(words, rows->frames->items[source->frame].ip);
}

/* perf subtracts addresses and takes the result for a signed number: the upper
 * half of all addresses comes first. */
int rpt_compare_ips(const struct rpt_rows *rows, const struct rpt_sort_key *key,
		    const struct rpt_row *x, const struct rpt_row *y)
{
	return rpt_compare_int((int64_t)rpt_row_frame(rows, x, key->dim)->ip,
			       (int64_t)rpt_row_frame(rows, y, key->dim)->ip);
}

void rpt_key_addr(struct rpt_rows *rows, const struct rpt_sort_key *key,
		  const struct rpt_key_source *source, uint32_t *words)
{
	rpt_key_put64(words, rows->frames->items[source->frame].addr);
	rpt_key_dso(rows, key, source, words + 2);
}

int rpt_compare_addrs(const struct rpt_rows *rows,
		      const struct rpt_sort_key *key, const struct rpt_row *x,
		      const struct rpt_row *y)
{
	int rc = rpt_compare_dsos(rows, key, x, y);

	return rc ? rc
		  : rpt_compare_int(
			    (int64_t)rpt_row_frame(rows, x, key->dim)->addr,
			    (int64_t)rpt_row_frame(rows, y, key->dim)->addr);
}

static void print_addr(const struct rpt_cell *cell, struct rpt_text *out)
{
	char text[24];

	snprintf(text, sizeof(text), "%#llx",
		 (unsigned long long)rpt_cell_frame(cell)->ip);
	rpt_cell_put_whole(cell, text, out);
}

/* "+0x22" behind the name of a function. */
static int offset_text(const struct rpt_frame *frame, char text[24])
{
	return snprintf(text, 24, "+0x%llx",
			(unsigned long long)(frame->addr - frame->sym->start));
}

static bool has_offset(const struct rpt_frame *frame)
{
	return frame->sym && !frame->inline_name;
}

static uint32_t fit_offset(const struct rpt_cell *cell)
{
	const struct rpt_frame *frame = rpt_cell_frame(cell);
	uint32_t len = rpt_cell_fit_symbol(cell, frame);
	char text[24];

	return has_offset(frame) ? len + (uint32_t)offset_text(frame, text)
				 : len;
}

/* Never cut: an offset that was cut would be another one. */
static void print_offset(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *frame = rpt_cell_frame(cell);
	struct rpt_cell name = *cell;
	char text[24];
	size_t len;

	name.is_last = true;
	print_symbol(has_offset(frame) ? &name : cell, out);
	if (!has_offset(frame))
		return;
	len = rpt_cell_fit_symbol(cell, frame) - frame->sym->mark_len +
	      (size_t)offset_text(frame, text);
	rpt_text_str(out, text);
	if (!cell->is_last && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}

#define NO_IPC "-      -"

static void print_no_ipc(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_put(cell, NO_IPC, out);
}

const struct rpt_dimension rpt_location_dimensions[] = {
	{ .name = "dso",
	  .header = "Shared Object",
	  .by = RPT_BY_DSO,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = rpt_key_dso,
	  .rank = RPT_RANK_DSO,
	  .print_text = print_dso,
	  .fit = fit_dso },
	{ .name = "symbol",
	  .header = "Symbol",
	  .by = RPT_BY_SYMBOL,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_symbol,
	  .rank = RPT_RANK_SYMBOL,
	  .has_level = true,
	  .print_text = print_symbol,
	  .fit = fit_symbol },
	{ .name = "srcline",
	  .header = "Source:Line",
	  .by = RPT_BY_LINE,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = rpt_key_line,
	  .compare = rpt_compare_lines,
	  .print_text = print_line,
	  .fit = rpt_cell_fit_line },
	{ .name = "srcfile",
	  .header = "Source File",
	  .by = RPT_BY_LINE,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = key_file,
	  .compare = compare_files,
	  .print_text = print_file,
	  .fit = fit_file },
	{ .name = "symbol_size",
	  .header = "Symbol size",
	  .by = RPT_BY_SYMBOL_LEN,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = key_symbol_len,
	  .compare = compare_symbol_lens,
	  .print_text = print_symbol_len },
	{ .name = "dso_size", /* of its map */
	  .header = "DSO size",
	  .by = RPT_BY_ADDR,
	  .side = RPT_OF_FRAME,
	  .word_nr = 2,
	  .key = key_dso_len,
	  .compare = compare_dso_lens,
	  .print_text = print_dso_len },
	{ .name = "ipc_null", /* instructions per cycle, out of branches */
	  .header = "IPC   [IPC Coverage]",
	  .by = RPT_BY_SYMBOL,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_symbol,
	  .rank = RPT_RANK_SYMBOL,
	  .is_kept = true,
	  .print_text = print_no_ipc,
	  .width = sizeof(NO_IPC) - 1 },
	{ .name = "symoff", /* of perf 6.8 */
	  .header = "Symbol Offset",
	  .by = RPT_BY_ADDR,
	  .side = RPT_OF_FRAME,
	  .is_new = true,
	  .word_nr = 3,
	  .key = rpt_key_addr,
	  .compare = rpt_compare_addrs,
	  .has_level = true,
	  .print_text = print_offset,
	  .fit = fit_offset },
	{ .name = "addr",
	  .header = "Address",
	  .by = RPT_BY_ADDR,
	  .side = RPT_OF_FRAME,
	  .word_nr = 2,
	  .key = rpt_key_ip,
	  .compare = rpt_compare_ips,
	  .print_text = print_addr,
	  .width = 18 },
	{ .name = NULL }
};
