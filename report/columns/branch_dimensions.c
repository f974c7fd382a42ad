/* Dimensions of a branch: its source, its target, its flags. */
#include "report/columns/columns_impl.h"

#include <stdio.h>
#include <string.h>

/* perf counts the names of those alone whose symbol is known. */
static uint32_t fit_dso(const struct rpt_cell *cell)
{
	static const struct rpt_frame unknown;
	const struct rpt_frame *frame = rpt_cell_frame(cell);

	return rpt_cell_fit_dso(cell, frame->sym ? frame : &unknown);
}

static void print_dso(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_print_dso(cell, rpt_cell_frame(cell), out);
}

static void key_source_symbol(struct rpt_rows *rows,
			      const struct rpt_sort_key *key,
			      const struct rpt_key_source *source,
			      uint32_t *words)
{
	struct rpt_key_source caller = *source;

	caller.is_own = false; /* the address as it was recorded */
	rpt_key_symbol(rows, key, &caller, words);
}

/* By address, as in perf. */
static int compare_symbols(const struct rpt_rows *rows,
			   const struct rpt_sort_key *key,
			   const struct rpt_row *x, const struct rpt_row *y)
{
	const struct rpt_frame *p = rpt_row_frame(rows, x, key->dim);
	const struct rpt_frame *q = rpt_row_frame(rows, y, key->dim);

	if (!p->sym != !q->sym)
		return p->sym ? -1 : 1;
	if (p->sym)
		return rpt_compare_u64(p->sym->start, q->sym->start);
	return rpt_compare_ips(rows, key, x, y);
}

static uint32_t fit_symbol(const struct rpt_cell *cell)
{
	return rpt_cell_fit_symbol(cell, rpt_cell_frame(cell));
}

static void print_symbol(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *f = rpt_cell_frame(cell);

	rpt_cell_print_symbol(cell, f, f->level, f->addr, out);
}

static uint64_t flags_of(const struct rpt_row *row,
			 const struct rpt_sort_key *key)
{
	return rpt_row_branch(row).flags & key->dim->branch_flags;
}

static void key_flags(struct rpt_rows *rows, const struct rpt_sort_key *key,
		      const struct rpt_key_source *source, uint32_t *words)
{
	(void)rows;
	words[0] = (uint32_t)rpt_stack_key_branch(source->stack).flags &
		   key->dim->branch_flags;
}

static int compare_flags(const struct rpt_rows *rows,
			 const struct rpt_sort_key *key,
			 const struct rpt_row *x, const struct rpt_row *y)
{
	(void)rows;
	return rpt_compare_u64(flags_of(x, key), flags_of(y, key));
}

/* The most come first. */
static int compare_cycles(const struct rpt_rows *rows,
			  const struct rpt_sort_key *key,
			  const struct rpt_row *x, const struct rpt_row *y)
{
	return -compare_flags(rows, key, x, y);
}

static void print_mispredict(const struct rpt_cell *cell, struct rpt_text *out)
{
	uint64_t flags = rpt_row_branch(rpt_cell_row(cell)).flags;

	rpt_cell_put(cell, flags & 2 ? "N" : flags & 1 ? "Y" : "N/A", out);
}

static void print_in_tx(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_put(cell,
		     rpt_row_branch(rpt_cell_row(cell)).flags & 4 ? "T" : ".",
		     out);
}

static void print_abort(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_put(cell,
		     rpt_row_branch(rpt_cell_row(cell)).flags & 8 ? "A" : ".",
		     out);
}

/* perf prints them signed. */
static void print_cycles(const struct rpt_cell *cell, struct rpt_text *out)
{
	int16_t cycles =
		(int16_t)(rpt_row_branch(rpt_cell_row(cell)).flags >> 4);
	char text[16] = "-";

	if (cycles)
		snprintf(text, sizeof(text), "%d", cycles);
	rpt_cell_put(cell, text, out);
}

static void print_srcline(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_put(cell, rpt_cell_line(cell), out);
}

#define ADDR_LEN 22 /* "[k] 0x0123456789abcdef" */

/* As in perf a place in a function is as wide as the title leaves it room. */
static uint32_t fit_addr(const struct rpt_cell *cell)
{
	return rpt_cell_frame(cell)->sym ? 0 : ADDR_LEN;
}

/* "schedule+0x22": the name is cut to the width, the rest never.  Returns how
 * long it is. */
static size_t put_place(const struct rpt_cell *cell,
			const struct rpt_frame *frame, struct rpt_text *out)
{
	const char *name = frame->sym->name;
	size_t len = cell->width < RPT_LEVEL_LEN
			     ? strlen(name)
			     : strnlen(name, cell->width - RPT_LEVEL_LEN);
	char text[24] = "";

	if (frame->addr != frame->sym->start)
		snprintf(text, sizeof(text), "+0x%llx",
			 (unsigned long long)(frame->addr - frame->sym->start));
	rpt_text_put(out, name, len);
	rpt_text_str(out, text);
	return len + strlen(text);
}

/* For programs the address in any case. */
static void print_addr(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *frame = rpt_cell_frame(cell);
	char text[ADDR_LEN + 1];
	size_t len;

	if (cell->is_bare || !frame->sym) {
		snprintf(text, sizeof(text), "[%c] %#.16llx",
			 rpt_cell_row(cell)->level,
			 (unsigned long long)frame->addr);
		rpt_text_str(out, text);
		len = strlen(text);
	} else {
		snprintf(text, sizeof(text), "[%c] ",
			 rpt_cell_row(cell)->level);
		rpt_text_str(out, text);
		len = RPT_LEVEL_LEN + put_place(cell, frame, out);
	}
	if (!cell->is_last && !cell->is_bare && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}

/* Instructions per cycle come out of the disassembly of blocks, which reports
 * as text do not look at. */
static void print_no_ipc(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_put(cell, "-", out);
}

#define FLAG_LEN 6

#define KEY_OF_FLAGS(which)                                        \
	.by = RPT_BY_FLAGS, .branch_flags = (which), .word_nr = 1, \
	.key = key_flags, .width = FLAG_LEN

const struct rpt_dimension rpt_branch_dimensions[] = {
	{ .name = "dso_from",
	  .header = "Source Shared Object",
	  .by = RPT_BY_FROM,
	  .side = RPT_OF_FROM,
	  .word_nr = 1,
	  .key = rpt_key_dso,
	  .compare = rpt_compare_dsos,
	  .print_text = print_dso,
	  .fit = fit_dso },
	{ .name = "dso_to",
	  .header = "Target Shared Object",
	  .by = RPT_BY_DSO,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = rpt_key_dso,
	  .compare = rpt_compare_dsos,
	  .is_kept = true,
	  .print_text = print_dso,
	  .fit = fit_dso },
	{ .name = "symbol_from",
	  .header = "Source Symbol",
	  .by = RPT_BY_FROM,
	  .side = RPT_OF_FROM,
	  .word_nr = 3,
	  .key = key_source_symbol,
	  .compare = compare_symbols,
	  .has_level = true,
	  .print_text = print_symbol,
	  .fit = fit_symbol },
	{ .name = "symbol_to",
	  .header = "Target Symbol",
	  .by = RPT_BY_SYMBOL,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_symbol,
	  .compare = compare_symbols,
	  .is_kept = true,
	  .has_level = true,
	  .print_text = print_symbol,
	  .fit = fit_symbol },
	{ .name = "mispredict",
	  .header = "Branch Mispredicted",
	  KEY_OF_FLAGS(3),
	  .compare = compare_flags,
	  .print_text = print_mispredict },
	{ .name = "in_tx",
	  .header = "Branch in transaction",
	  KEY_OF_FLAGS(4),
	  .compare = compare_flags,
	  .print_text = print_in_tx },
	{ .name = "abort",
	  .header = "Transaction abort",
	  KEY_OF_FLAGS(8),
	  .compare = compare_flags,
	  .print_text = print_abort },
	{ .name = "cycles",
	  .header = "Basic Block Cycles",
	  KEY_OF_FLAGS(0xffff0),
	  .compare = compare_cycles,
	  .print_text = print_cycles },
	{ .name = "srcline_from",
	  .header = "From Source:Line",
	  .by = RPT_BY_LINE | RPT_BY_FROM,
	  .side = RPT_OF_FROM,
	  .word_nr = 1,
	  .key = rpt_key_line,
	  .compare = rpt_compare_lines,
	  .print_text = print_srcline,
	  .fit = rpt_cell_fit_line },
	{ .name = "srcline_to",
	  .header = "To Source:Line",
	  .by = RPT_BY_LINE,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = rpt_key_line,
	  .compare = rpt_compare_lines,
	  .print_text = print_srcline,
	  .fit = rpt_cell_fit_line },
	{ .name = "ipc_lbr",
	  .header = "IPC   [IPC Coverage]",
	  .by = RPT_BY_SYMBOL,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_symbol,
	  .rank = RPT_RANK_SYMBOL,
	  .is_kept = true,
	  .print_text = print_no_ipc },
	{ .name = "addr_from",
	  .header = "Source Address",
	  .by = RPT_BY_FROM | RPT_BY_ADDR,
	  .side = RPT_OF_FROM,
	  .word_nr = 3,
	  .key = rpt_key_addr,
	  .compare = rpt_compare_addrs,
	  .print_text = print_addr,
	  .fit = fit_addr },
	{ .name = "addr_to",
	  .header = "Target Address",
	  .by = RPT_BY_ADDR,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_addr,
	  .compare = rpt_compare_addrs,
	  .print_text = print_addr,
	  .fit = fit_addr },
	{ .name = NULL }
};
