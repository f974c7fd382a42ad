/* Dimensions of a branch: its source, its target, its flags. */
#include "report/columns/columns_impl.h"

#include <stdio.h>
#include <string.h>

/* perf counts only the names whose symbol is known. */
static uint32_t fit_dso(const struct rpt_cell *cell)
{
	return rpt_cell_frame(cell)->sym ? rpt_cell_fit(cell)
					 : rpt_cell_fit_unresolved(cell);
}

static void key_source_symbol(const struct rpt_key_source *source,
			      uint32_t *words)
{
	struct rpt_key_source caller = *source;

	caller.is_own = false; /* the address as it was recorded */
	rpt_key_symbol(&caller, words);
}

/* Compare by address, as in perf. */
static int compare_symbols(const struct rpt_row_pair *pair)
{
	const struct rpt_frame *p = rpt_pair_frame(pair, pair->x);
	const struct rpt_frame *q = rpt_pair_frame(pair, pair->y);

	if (!p->sym != !q->sym)
		return p->sym ? -1 : 1;
	if (p->sym)
		return rpt_compare_u64(p->sym->start, q->sym->start);
	return rpt_compare_ips(pair);
}

static void print_symbol(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *f = rpt_cell_frame(cell);

	rpt_cell_print_symbol(cell, f->level, f->addr, out);
}

static uint64_t flags_of(const struct rpt_row_pair *pair,
			 const struct rpt_row *row)
{
	return rpt_row_branch(row).flags & pair->key->dim->branch_flags;
}

static void key_flags(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = (uint32_t)rpt_stack_key_branch(source->stack).flags &
		   source->key->dim->branch_flags;
}

static int compare_flags(const struct rpt_row_pair *pair)
{
	return rpt_compare_u64(flags_of(pair, pair->x),
			       flags_of(pair, pair->y));
}

/* The most come first. */
static int compare_cycles(const struct rpt_row_pair *pair)
{
	return -compare_flags(pair);
}

/* Return the flags that the cell is about. */
static uint64_t cell_flags(const struct rpt_cell *cell)
{
	return rpt_row_branch(rpt_cell_row(cell)).flags &
	       rpt_cell_dimension(cell)->branch_flags;
}

static const char *mispredict_text(const struct rpt_cell *cell)
{
	uint64_t flags = cell_flags(cell);

	return flags & 2 ? "N" : flags & 1 ? "Y" : "N/A";
}

static const char *in_tx_text(const struct rpt_cell *cell)
{
	return cell_flags(cell) ? "T" : ".";
}

static const char *abort_text(const struct rpt_cell *cell)
{
	return cell_flags(cell) ? "A" : ".";
}

/* perf prints cycles signed. */
static const char *cycles_text(const struct rpt_cell *cell)
{
	int16_t cycles = (int16_t)(cell_flags(cell) >> 4);

	if (!cycles)
		return "-";
	sprintf(cell->buf, "%d", cycles);
	return cell->buf;
}

#define ADDR_LEN 22 /* "[k] 0x0123456789abcdef" */

/* As in perf, a location in a function is as wide as the title. */
static uint32_t fit_addr(const struct rpt_cell *cell)
{
	return rpt_cell_frame(cell)->sym ? 0 : ADDR_LEN;
}

/* Put "schedule+0x22": the name is cut to the width, the rest never.  Return
 * how long it is. */
static size_t put_location(const struct rpt_cell *cell,
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

/* Programs get the address in any case. */
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
		len = RPT_LEVEL_LEN + put_location(cell, frame, out);
	}
	if (!cell->is_last && !cell->is_bare && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}

/* Instructions per cycle would need a disassembly of blocks. */
static const char *no_ipc_text(const struct rpt_cell *cell)
{
	(void)cell;
	return "-";
}

#define FLAG_LEN 6

#define KEY_OF_FLAGS(which)                                        \
	.by = RPT_BY_FLAGS, .branch_flags = (which), .word_nr = 1, \
	.key = key_flags, .width = FLAG_LEN, .put = rpt_cell_put

const struct rpt_dimension rpt_branch_dimensions[] = {
	{ .name = "dso_from",
	  .is_name = true,
	  .header = "Source Shared Object",
	  .help = "file that the branch came from",
	  .by = RPT_BY_FROM,
	  .side = RPT_OF_FROM,
	  .word_nr = 1,
	  .key = rpt_key_dso,
	  .compare = rpt_compare_dsos,
	  .text = rpt_cell_dso,
	  .put = rpt_cell_put,
	  .fit = fit_dso },
	{ .name = "dso_to",
	  .is_name = true,
	  .header = "Target Shared Object",
	  .help = "file that it went to",
	  .by = RPT_BY_DSO,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = rpt_key_dso,
	  .compare = rpt_compare_dsos,
	  .is_kept = true,
	  .text = rpt_cell_dso,
	  .put = rpt_cell_put,
	  .fit = fit_dso },
	{ .name = "symbol_from",
	  .is_name = true,
	  .header = "Source Symbol",
	  .help = "function that it came from",
	  .by = RPT_BY_FROM,
	  .side = RPT_OF_FROM,
	  .word_nr = 3,
	  .key = key_source_symbol,
	  .compare = compare_symbols,
	  .has_level = true,
	  .print = print_symbol,
	  .fit = rpt_cell_fit_symbol },
	{ .name = "symbol_to",
	  .is_name = true,
	  .header = "Target Symbol",
	  .help = "function that it went to",
	  .by = RPT_BY_SYMBOL,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_symbol,
	  .compare = compare_symbols,
	  .is_kept = true,
	  .has_level = true,
	  .print = print_symbol,
	  .fit = rpt_cell_fit_symbol },
	{ .name = "mispredict",
	  .header = "Branch Mispredicted",
	  .help = "whether it was predicted wrongly: Y, N or N/A",
	  KEY_OF_FLAGS(3),
	  .compare = compare_flags,
	  .text = mispredict_text },
	{ .name = "in_tx",
	  .header = "Branch in transaction",
	  .help = "T: it was in a hardware transaction",
	  KEY_OF_FLAGS(4),
	  .compare = compare_flags,
	  .text = in_tx_text },
	{ .name = "abort",
	  .header = "Transaction abort",
	  .help = "A: it ended a hardware transaction",
	  KEY_OF_FLAGS(8),
	  .compare = compare_flags,
	  .text = abort_text },
	{ .name = "cycles",
	  .header = "Basic Block Cycles",
	  .help = "cycles since the branch before",
	  KEY_OF_FLAGS(0xffff0),
	  .compare = compare_cycles,
	  .text = cycles_text },
	{ .name = "srcline_from",
	  .is_name = true,
	  .header = "From Source:Line",
	  .help = "file and line of the source text that it came from",
	  .by = RPT_BY_LINE | RPT_BY_FROM,
	  .side = RPT_OF_FROM,
	  .word_nr = 1,
	  .key = rpt_key_line,
	  .compare = rpt_compare_lines,
	  .text = rpt_cell_line,
	  .put = rpt_cell_put,
	  .fit = rpt_cell_fit },
	{ .name = "srcline_to",
	  .is_name = true,
	  .header = "To Source:Line",
	  .help = "file and line that it went to",
	  .by = RPT_BY_LINE,
	  .side = RPT_OF_FRAME,
	  .word_nr = 1,
	  .key = rpt_key_line,
	  .compare = rpt_compare_lines,
	  .text = rpt_cell_line,
	  .put = rpt_cell_put,
	  .fit = rpt_cell_fit },
	{ .name = "ipc_lbr",
	  .header = "IPC   [IPC Coverage]",
	  .help = "always empty; perf has instructions per cycle there",
	  .by = RPT_BY_SYMBOL,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_symbol,
	  .rank = RPT_RANK_SYMBOL,
	  .is_kept = true,
	  .text = no_ipc_text,
	  .put = rpt_cell_put },
	{ .name = "addr_from",
	  .header = "Source Address",
	  .help = "address that it came from",
	  .by = RPT_BY_FROM | RPT_BY_ADDR,
	  .side = RPT_OF_FROM,
	  .word_nr = 3,
	  .key = rpt_key_addr,
	  .compare = rpt_compare_addrs,
	  .print = print_addr,
	  .fit = fit_addr },
	{ .name = "addr_to",
	  .header = "Target Address",
	  .help = "address that it went to",
	  .by = RPT_BY_ADDR,
	  .side = RPT_OF_FRAME,
	  .word_nr = 3,
	  .key = rpt_key_addr,
	  .compare = rpt_compare_addrs,
	  .print = print_addr,
	  .fit = fit_addr },
	{ .name = NULL }
};
