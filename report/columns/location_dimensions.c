/* Dimensions of a location: DSO, function, address, source line. */
#include "report/columns/columns_impl.h"

#include <stdio.h>
#include <string.h>

void rpt_key_dso(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = rpt_key_frame(source)->dso_place;
}

int rpt_compare_dsos(const struct rpt_row_pair *pair)
{
	return -rpt_compare_names(
		rpt_rows_dso_name(pair->rows, rpt_pair_frame(pair, pair->x)),
		rpt_rows_dso_name(pair->rows, rpt_pair_frame(pair, pair->y)));
}

static uint32_t fit_dso(const struct rpt_cell *cell)
{
	const struct rpt_frame *frame = rpt_cell_frame(cell);
	uint32_t len = frame->dso ? rpt_cell_fit(cell) : 0;
	uint32_t least =
		rpt_frame_has_name(frame) ? 0 : rpt_cell_fit_unresolved(cell);

	return len > least ? len : least;
}

/* Set a symbol's number; without a symbol the address that is shown. */
void rpt_key_symbol(const struct rpt_key_source *source, uint32_t *words)
{
	const struct rpt_frame *frame = rpt_key_frame(source);

	if (frame->sym)
		rpt_key_put64(words, frame->place);
	else
		rpt_key_put64(words, source->is_own ? frame->addr : frame->ip);
	words[2] = !frame->sym;
}

static void print_symbol(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_row *row = rpt_cell_row(cell);

	rpt_cell_print_symbol(cell, row->level,
			      rpt_row_addr(row, rpt_cell_frame(cell)), out);
}

void rpt_key_line(const struct rpt_key_source *source, uint32_t *words)
{
	uint32_t file;

	rpt_frame_line(source->rows->frames, source->frame, words, &file);
}

static void key_file(const struct rpt_key_source *source, uint32_t *words)
{
	uint32_t line;

	rpt_frame_line(source->rows->frames, source->frame, &line, words);
}

static const char *line_text(const struct rpt_rows *rows, uint32_t number)
{
	return rpt_intern_key(&rows->frames->lines, number - 1);
}

int rpt_compare_lines(const struct rpt_row_pair *pair)
{
	return rpt_compare_names(
		line_text(pair->rows, rpt_pair_frame(pair, pair->x)->line),
		line_text(pair->rows, rpt_pair_frame(pair, pair->y)->line));
}

static int compare_files(const struct rpt_row_pair *pair)
{
	return rpt_compare_names(
		line_text(pair->rows, rpt_pair_frame(pair, pair->x)->file),
		line_text(pair->rows, rpt_pair_frame(pair, pair->y)->file));
}

const char *rpt_cell_line(const struct rpt_cell *cell)
{
	return line_text(cell->rows, rpt_cell_frame(cell)->line);
}

static const char *file_text(const struct rpt_cell *cell)
{
	return line_text(cell->rows, rpt_cell_frame(cell)->file);
}

static uint64_t symbol_len(const struct rpt_frame *frame)
{
	return frame->sym && !rpt_symbol_is_file(frame->sym)
		       ? frame->sym->end - frame->sym->start
		       : 0;
}

static void key_symbol_len(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = (uint32_t)symbol_len(rpt_key_frame(source));
}

static int compare_symbol_lens(const struct rpt_row_pair *pair)
{
	return rpt_compare_u64(symbol_len(rpt_pair_frame(pair, pair->x)),
			       symbol_len(rpt_pair_frame(pair, pair->y)));
}

static const char *symbol_len_text(const struct rpt_cell *cell)
{
	uint64_t len = symbol_len(rpt_cell_frame(cell));

	if (!len)
		return "unknown";
	sprintf(cell->buf, "%llu", (unsigned long long)len);
	return cell->buf;
}

static void key_dso_len(const struct rpt_key_source *source, uint32_t *words)
{
	rpt_key_put64(words, rpt_key_frame(source)->map_len);
}

static int compare_dso_lens(const struct rpt_row_pair *pair)
{
	return rpt_compare_u64(rpt_pair_frame(pair, pair->x)->map_len,
			       rpt_pair_frame(pair, pair->y)->map_len);
}

static const char *dso_len_text(const struct rpt_cell *cell)
{
	const struct rpt_frame *frame = rpt_cell_frame(cell);

	if (!frame->dso)
		return "unknown";
	sprintf(cell->buf, "%d", (int)frame->map_len);
	return cell->buf;
}

void rpt_key_ip(const struct rpt_key_source *source, uint32_t *words)
{
	rpt_key_put64(words, rpt_key_frame(source)->ip);
}

/* perf subtracts addresses and takes the result for a signed number: the upper
 * half of all addresses comes first. */
int rpt_compare_ips(const struct rpt_row_pair *pair)
{
	return rpt_compare_int((int64_t)rpt_pair_frame(pair, pair->x)->ip,
			       (int64_t)rpt_pair_frame(pair, pair->y)->ip);
}

void rpt_key_addr(const struct rpt_key_source *source, uint32_t *words)
{
	rpt_key_put64(words, rpt_key_frame(source)->addr);
	rpt_key_dso(source, words + 2);
}

int rpt_compare_addrs(const struct rpt_row_pair *pair)
{
	int rc = rpt_compare_dsos(pair);

	return rc ? rc
		  : rpt_compare_int(
			    (int64_t)rpt_pair_frame(pair, pair->x)->addr,
			    (int64_t)rpt_pair_frame(pair, pair->y)->addr);
}

static const char *addr_text(const struct rpt_cell *cell)
{
	sprintf(cell->buf, "%#llx",
		(unsigned long long)rpt_cell_frame(cell)->ip);
	return cell->buf;
}

/* Return the page of 4 KiB of the data that the sample is about or, if it has
 * no data address, of its code. */
static uint64_t page_of(const struct rpt_stack_key *stack, uint64_t data_addr)
{
	return (data_addr ? data_addr : stack->ip) & ~UINT64_C(0xfff);
}

static void key_page(const struct rpt_key_source *source, uint32_t *words)
{
	const uint64_t *values = rpt_stack_key_values(source->stack);

	rpt_key_put64(words, page_of(source->stack, values[source->key->idx]));
}

static uint64_t row_page(const struct rpt_row_pair *pair,
			 const struct rpt_row *row)
{
	return page_of(rpt_row_stack_key(row),
		       rpt_row_values(row)[pair->key->idx]);
}

static int compare_pages(const struct rpt_row_pair *pair)
{
	return rpt_compare_u64(row_page(pair, pair->x),
			       row_page(pair, pair->y));
}

static const char *page_text(const struct rpt_cell *cell)
{
	uint64_t page = page_of(rpt_row_stack_key(rpt_cell_row(cell)),
				rpt_cell_value(cell));

	sprintf(cell->buf, "%#llx", (unsigned long long)page);
	return cell->buf;
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
	uint32_t len = rpt_cell_fit_symbol(cell);
	char text[24];

	return has_offset(frame) ? len + (uint32_t)offset_text(frame, text)
				 : len;
}

/* Print it whole: an offset that was cut would be another one. */
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
	len = rpt_cell_fit_symbol(cell) - frame->sym->mark_len;
	if (cell->columns->items[cell->idx].is_short && len > cell->width)
		len = cell->width;
	len += (size_t)offset_text(frame, text);
	rpt_text_str(out, text);
	if (!cell->is_last && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}

#define NO_IPC "-      -"

static const char *no_ipc_text(const struct rpt_cell *cell)
{
	(void)cell;
	return NO_IPC;
}

const struct rpt_dimension rpt_location_dimensions[] = {
	{ .name = "dso",
	  .is_name = true,
	  .header = "Shared Object",
	  .help = "file with the code: program, library, [kernel.kallsyms]",
	  .by = RPT_BY_DSO,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = rpt_key_dso,
	  .rank = RPT_RANK_DSO,
	  .text = rpt_cell_dso,
	  .put = rpt_cell_put,
	  .fit = fit_dso },
	{ .name = "symbol",
	  .is_name = true,
	  .header = "Symbol",
	  .help = "function; [k] is code of the kernel, [.] of a program",
	  .by = RPT_BY_SYMBOL,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_symbol,
	  .rank = RPT_RANK_SYMBOL,
	  .has_level = true,
	  .print = print_symbol,
	  .fit = rpt_cell_fit_symbol },
	{ .name = "srcline",
	  .is_name = true,
	  .header = "Source:Line",
	  .help = "file and line of the source text",
	  .by = RPT_BY_LINE,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = rpt_key_line,
	  .compare = rpt_compare_lines,
	  .text = rpt_cell_line,
	  .put = rpt_cell_put_unfilled,
	  .fit = rpt_cell_fit },
	{ .name = "srcfile",
	  .is_name = true,
	  .header = "Source File",
	  .help = "file of the source text",
	  .by = RPT_BY_LINE,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = key_file,
	  .compare = compare_files,
	  .text = file_text,
	  .put = rpt_cell_put_unfilled,
	  .fit = rpt_cell_fit },
	{ .name = "symbol_size",
	  .header = "Symbol size",
	  .help = "length of the function in bytes",
	  .by = RPT_BY_SYMBOL_LEN,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = key_symbol_len,
	  .compare = compare_symbol_lens,
	  .text = symbol_len_text,
	  .put = rpt_cell_put_right },
	{ .name = "dso_size", /* of its map */
	  .header = "DSO size",
	  .help = "length in bytes of the mapping with the code",
	  .by = RPT_BY_ADDR,
	  .side = RPT_OF_FRAME,
	  .word_nr = 2,
	  .key = key_dso_len,
	  .compare = compare_dso_lens,
	  .text = dso_len_text,
	  .put = rpt_cell_put_right },
	{ .name = "ipc_null", /* instructions per cycle, out of branches */
	  .header = "IPC   [IPC Coverage]",
	  .help = "always empty; perf has instructions per cycle there",
	  .by = RPT_BY_SYMBOL,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_symbol,
	  .rank = RPT_RANK_SYMBOL,
	  .is_kept = true,
	  .text = no_ipc_text,
	  .put = rpt_cell_put,
	  .width = sizeof(NO_IPC) - 1 },
	{ .name = "symoff", /* of perf 6.8 */
	  .is_name = true,
	  .header = "Symbol Offset",
	  .help = "function, and how far behind its start",
	  .by = RPT_BY_ADDR,
	  .side = RPT_OF_FRAME,
	  .is_new = true,
	  .word_nr = 3,
	  .key = rpt_key_addr,
	  .compare = rpt_compare_addrs,
	  .has_level = true,
	  .print = print_offset,
	  .fit = fit_offset },
	{ .name = "page",
	  .header = "Page",
	  .help = "page of 4 KiB of the data, or else of the code",
	  .by = RPT_BY_ADDR | RPT_BY_VALUE,
	  .value = RPT_VALUE_DATA_ADDR,
	  .side = RPT_OF_STACK,
	  .is_new = true,
	  .word_nr = 2,
	  .key = key_page,
	  .compare = compare_pages,
	  .text = page_text,
	  .put = rpt_cell_put_whole,
	  .width = 18 },
	{ .name = "addr",
	  .header = "Address",
	  .help = "address of the instruction",
	  .by = RPT_BY_ADDR,
	  .side = RPT_OF_FRAME,
	  .word_nr = 2,
	  .key = rpt_key_ip,
	  .compare = rpt_compare_ips,
	  .text = addr_text,
	  .put = rpt_cell_put_whole,
	  .width = 18 },
	{ .name = NULL }
};
