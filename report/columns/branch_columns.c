#include "report/columns/columns_impl.h"

#include <string.h>

static const struct rpt_row *row_of(const struct rpt_cell *cell)
{
	return &cell->rows->items[cell->row];
}

static const struct rpt_frame *from_of(const struct rpt_cell *cell)
{
	return &cell->rows->frames->items[row_of(cell)->from_frame];
}

static const struct rpt_frame *to_of(const struct rpt_cell *cell)
{
	return &cell->rows->frames->items[row_of(cell)->frame];
}

/* perf counts the names of those alone whose symbol is known. */
static uint32_t fit_dso(const struct rpt_cell *cell,
			const struct rpt_frame *frame)
{
	static const struct rpt_frame unknown;

	return rpt_cell_fit_dso(cell, frame->sym ? frame : &unknown);
}

static uint32_t fit_dso_from(const struct rpt_cell *cell)
{
	return fit_dso(cell, from_of(cell));
}

static void print_dso_from(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_print_dso(cell, from_of(cell), out);
}

static uint32_t fit_dso_to(const struct rpt_cell *cell)
{
	return fit_dso(cell, to_of(cell));
}

static void print_dso_to(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_print_dso(cell, to_of(cell), out);
}

static uint32_t fit_symbol_from(const struct rpt_cell *cell)
{
	return rpt_cell_fit_symbol(cell, from_of(cell));
}

static void print_symbol_from(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *f = from_of(cell);

	rpt_cell_print_symbol(cell, f, f->level, f->addr, out);
}

static uint32_t fit_symbol_to(const struct rpt_cell *cell)
{
	return rpt_cell_fit_symbol(cell, to_of(cell));
}

static void print_symbol_to(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *f = to_of(cell);

	rpt_cell_print_symbol(cell, f, f->level, f->addr, out);
}

static uint32_t fit_flag(const struct rpt_cell *cell)
{
	(void)cell;
	return 6;
}

static void put(const struct rpt_cell *cell, const char *text,
		struct rpt_text *out)
{
	if (cell->is_bare)
		rpt_text_str(out, text);
	else
		rpt_text_left(out, text, cell->width);
}

static void print_mispredict(const struct rpt_cell *cell, struct rpt_text *out)
{
	uint64_t flags = rpt_row_branch(row_of(cell)).flags;

	put(cell, flags & 2 ? "N" : flags & 1 ? "Y" : "N/A", out);
}

static void print_in_tx(const struct rpt_cell *cell, struct rpt_text *out)
{
	put(cell, rpt_row_branch(row_of(cell)).flags & 4 ? "T" : ".", out);
}

static void print_abort(const struct rpt_cell *cell, struct rpt_text *out)
{
	put(cell, rpt_row_branch(row_of(cell)).flags & 8 ? "A" : ".", out);
}

/* perf prints them signed. */
static void print_cycles(const struct rpt_cell *cell, struct rpt_text *out)
{
	int16_t cycles = (int16_t)(rpt_row_branch(row_of(cell)).flags >> 4);
	char text[16] = "-";

	if (cycles)
		snprintf(text, sizeof(text), "%d", cycles);
	put(cell, text, out);
}

static uint32_t fit_srcline_from(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(rpt_cell_line(cell, from_of(cell)));
}

static void print_srcline_from(const struct rpt_cell *cell,
			       struct rpt_text *out)
{
	put(cell, rpt_cell_line(cell, from_of(cell)), out);
}

static uint32_t fit_srcline_to(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(rpt_cell_line(cell, to_of(cell)));
}

static void print_srcline_to(const struct rpt_cell *cell, struct rpt_text *out)
{
	put(cell, rpt_cell_line(cell, to_of(cell)), out);
}

#define ADDR_LEN 22 /* "[k] 0x0123456789abcdef" */

/* As in perf a place in a function is as wide as the title leaves it room. */
static uint32_t fit_addr(const struct rpt_frame *frame)
{
	return frame->sym ? 0 : ADDR_LEN;
}

static uint32_t fit_addr_from(const struct rpt_cell *cell)
{
	return fit_addr(from_of(cell));
}

static uint32_t fit_addr_to(const struct rpt_cell *cell)
{
	return fit_addr(to_of(cell));
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
static void put_addr(const struct rpt_cell *cell, const struct rpt_frame *frame,
		     struct rpt_text *out)
{
	char text[ADDR_LEN + 1];
	size_t len;

	if (cell->is_bare || !frame->sym) {
		snprintf(text, sizeof(text), "[%c] %#.16llx",
			 row_of(cell)->level, (unsigned long long)frame->addr);
		rpt_text_str(out, text);
		len = strlen(text);
	} else {
		snprintf(text, sizeof(text), "[%c] ", row_of(cell)->level);
		rpt_text_str(out, text);
		len = RPT_LEVEL_LEN + put_place(cell, frame, out);
	}
	if (!cell->is_last && !cell->is_bare && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}

static void print_addr_from(const struct rpt_cell *cell, struct rpt_text *out)
{
	put_addr(cell, from_of(cell), out);
}

static void print_addr_to(const struct rpt_cell *cell, struct rpt_text *out)
{
	put_addr(cell, to_of(cell), out);
}

static uint32_t fit_ipc(const struct rpt_cell *cell)
{
	(void)cell;
	return 0;
}

/* Instructions per cycle come out of the disassembly of blocks, which reports
 * as text do not look at. */
static void print_no_ipc(const struct rpt_cell *cell, struct rpt_text *out)
{
	put(cell, "-", out);
}

const struct rpt_column rpt_branch_columns[RPT_BRANCH_COLUMNS] = {
	{ .name = "dso_from",
	  .header = "Source Shared Object",
	  .by = RPT_BY_DSO_FROM,
	  .print_text = print_dso_from,
	  .fit = fit_dso_from },
	{ .name = "dso_to",
	  .header = "Target Shared Object",
	  .by = RPT_BY_DSO,
	  .order_by = RPT_BY_DSO_TO,
	  .is_kept = true,
	  .print_text = print_dso_to,
	  .fit = fit_dso_to },
	{ .name = "symbol_from",
	  .header = "Source Symbol",
	  .by = RPT_BY_SYMBOL_FROM,
	  .print_text = print_symbol_from,
	  .fit = fit_symbol_from },
	{ .name = "symbol_to",
	  .header = "Target Symbol",
	  .by = RPT_BY_SYMBOL,
	  .order_by = RPT_BY_SYMBOL_TO,
	  .is_kept = true,
	  .print_text = print_symbol_to,
	  .fit = fit_symbol_to },
	{ .name = "mispredict",
	  .header = "Branch Mispredicted",
	  .by = RPT_BY_MISPREDICT,
	  .print_text = print_mispredict,
	  .fit = fit_flag },
	{ .name = "in_tx",
	  .header = "Branch in transaction",
	  .by = RPT_BY_IN_TX,
	  .print_text = print_in_tx,
	  .fit = fit_flag },
	{ .name = "abort",
	  .header = "Transaction abort",
	  .by = RPT_BY_ABORT,
	  .print_text = print_abort,
	  .fit = fit_flag },
	{ .name = "cycles",
	  .header = "Basic Block Cycles",
	  .by = RPT_BY_CYCLES,
	  .print_text = print_cycles,
	  .fit = fit_flag },
	{ .name = "srcline_from",
	  .header = "From Source:Line",
	  .by = RPT_BY_SRCLINE_FROM,
	  .print_text = print_srcline_from,
	  .fit = fit_srcline_from },
	{ .name = "srcline_to",
	  .header = "To Source:Line",
	  .by = RPT_BY_SRCLINE,
	  .print_text = print_srcline_to,
	  .fit = fit_srcline_to },
	{ .name = "ipc_lbr",
	  .header = "IPC   [IPC Coverage]",
	  .by = RPT_BY_SYMBOL,
	  .is_kept = true,
	  .print_text = print_no_ipc,
	  .fit = fit_ipc },
	{ .name = "addr_from",
	  .header = "Source Address",
	  .by = RPT_BY_ADDR_FROM,
	  .print_text = print_addr_from,
	  .fit = fit_addr_from },
	{ .name = "addr_to",
	  .header = "Target Address",
	  .by = RPT_BY_ADDR_TO,
	  .print_text = print_addr_to,
	  .fit = fit_addr_to },
};
