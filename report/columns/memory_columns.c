/* Columns of a memory access: where the data are, and where they came from. */
#include "report/columns/columns_impl.h"
#include "report/events/data_src.h"

#include <elf.h>
#include <string.h>

static const struct rpt_row *row_of(const struct rpt_cell *cell)
{
	return &cell->rows->items[cell->row];
}

static const struct rpt_frame *code_of(const struct rpt_cell *cell)
{
	return &cell->rows->frames->items[row_of(cell)->frame];
}

static const struct rpt_frame *data_of(const struct rpt_cell *cell)
{
	return &cell->rows->frames->items[row_of(cell)->from_frame];
}

/* "[k] 0x0123456789abcdef", and perf's room for an offset behind a name. */
#define ADDR_LEN   22u
#define OFFSET_LEN 22u

static uint32_t fit_place(const struct rpt_frame *frame)
{
	return frame->sym ? (uint32_t)strlen(frame->sym->name) + OFFSET_LEN
			  : ADDR_LEN;
}

static uint32_t fit_data_symbol(const struct rpt_cell *cell)
{
	return fit_place(data_of(cell));
}

static uint32_t fit_code_symbol(const struct rpt_cell *cell)
{
	return fit_place(code_of(cell));
}

static uint32_t fit_line(const struct rpt_cell *cell)
{
	const struct rpt_frame *data = data_of(cell);

	return fit_place(data) + !!data->sym;
}

/* In perf the name alone counts, whether a symbol is known or not. */
static uint32_t fit_data_dso(const struct rpt_cell *cell)
{
	const struct rpt_frame *data = data_of(cell);

	if (!data->dso)
		return rpt_cell_fit_dso(cell, data);
	return (uint32_t)strlen(rpt_intern_key(&cell->rows->frames->dso_names,
					       data->dso_place));
}

static uint32_t fit_addr(const struct rpt_cell *cell)
{
	(void)cell;
	return ADDR_LEN;
}

/* The widths of these are perf's. */
static uint32_t fit_level(const struct rpt_cell *cell)
{
	(void)cell;
	return 24;
}

static uint32_t fit_snoop(const struct rpt_cell *cell)
{
	(void)cell;
	return 12;
}

static uint32_t fit_tlb(const struct rpt_cell *cell)
{
	(void)cell;
	return 22;
}

static uint32_t fit_lock(const struct rpt_cell *cell)
{
	(void)cell;
	return 6;
}

static uint32_t fit_block(const struct rpt_cell *cell)
{
	(void)cell;
	return 10;
}

/* Not filled up at the end of a line, as in perf. */
static void put_unfilled(const struct rpt_cell *cell, const char *text,
			 struct rpt_text *out)
{
	if (cell->is_last)
		rpt_text_str(out, text);
	else
		rpt_cell_put(cell, text, out);
}

#define PLACE_CAP 4200 /* a name of 4095 with what stands around it */

/* "[.] table+0x18", "[k] memcpy", "[.] 0x00007f1200001234"; with -v behind
 * the address and a letter. */
static void put_place(const struct rpt_cell *cell, char level,
		      const struct rpt_frame *frame, uint64_t addr,
		      struct rpt_text *out)
{
	const struct rpt_symbol *sym = frame->sym;
	struct rpt_cell rest = *cell;
	char text[PLACE_CAP];

	if (!cell->is_bare)
		rest.width -=
			(uint32_t)rpt_cell_put_origin(cell, frame, addr, out);
	if (rest.width > cell->width)
		rest.width = RPT_LEVEL_LEN;
	if (!sym)
		snprintf(text, sizeof(text), "[%c] %#.16llx", level,
			 (unsigned long long)addr);
	else if (sym->type != STT_OBJECT)
		snprintf(text, sizeof(text), "[%c] %s", level, sym->name);
	else if (frame->addr < sym->start)
		snprintf(text, sizeof(text), "[%c] %s-0x%llx", level, sym->name,
			 (unsigned long long)(sym->start - frame->addr));
	else
		snprintf(text, sizeof(text), "[%c] %s+0x%llx", level, sym->name,
			 (unsigned long long)(frame->addr - sym->start));
	if (cell->columns->is_verbose && sym && sym->type != STT_OBJECT &&
	    !cell->is_bare && rest.width < sizeof(text))
		text[rest.width] = '\0'; /* at the end of a line, too */
	if ((!sym || cell->columns->is_verbose) && !cell->is_last)
		rpt_cell_put_whole(&rest, text, out);
	else
		put_unfilled(&rest, text, out);
}

static void print_data_symbol(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *data = data_of(cell);

	put_place(cell, row_of(cell)->level, data, data->ip, out);
}

static void print_code_symbol(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *code = code_of(cell);

	put_place(cell, row_of(cell)->level, code, code->ip, out);
}

static void print_data_dso(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_print_dso(cell, data_of(cell), out);
}

/* [s]: in a file that processes share, [X]: nobody knows where. */
static void print_line(const struct rpt_cell *cell, struct rpt_text *out)
{
	struct rpt_frame line = *data_of(cell);
	char level = row_of(cell)->level;

	if (!line.dso)
		level = 'X';
	else if (level != 'k' && line.is_shared)
		level = 's';
	line.addr = rpt_cache_line(line.addr);
	put_place(cell, level, &line, line.addr, out);
}

static void print_phys_addr(const struct rpt_cell *cell, struct rpt_text *out)
{
	char text[ADDR_LEN + 1];

	snprintf(text, sizeof(text), "[%c] %#.16llx", row_of(cell)->level,
		 (unsigned long long)rpt_cell_value(cell));
	rpt_cell_put(cell, text, out);
}

/* What these words are depends on the perf that reads such files. */
static void print_level(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_profile *profile = row_of(cell)->input->profile;
	char text[RPT_DATA_SRC_LEN];

	rpt_data_src_level(rpt_cell_value(cell),
			   pd_event_set_needed_perf(
				   pd_reader_events(profile->conf.reader)),
			   text);
	rpt_cell_put_whole(cell, text, out);
}

static void print_snoop(const struct rpt_cell *cell, struct rpt_text *out)
{
	char text[RPT_DATA_SRC_LEN];

	rpt_data_src_snoop(rpt_cell_value(cell), text);
	rpt_cell_put_whole(cell, text, out);
}

static void print_tlb(const struct rpt_cell *cell, struct rpt_text *out)
{
	char text[RPT_DATA_SRC_LEN];

	rpt_data_src_tlb(rpt_cell_value(cell), text);
	rpt_cell_put_whole(cell, text, out);
}

static void print_lock(const struct rpt_cell *cell, struct rpt_text *out)
{
	put_unfilled(cell, rpt_data_src_lock(rpt_cell_value(cell)), out);
}

static void print_block(const struct rpt_cell *cell, struct rpt_text *out)
{
	put_unfilled(cell, rpt_data_src_block(rpt_cell_value(cell)), out);
}

const struct rpt_column rpt_memory_columns[RPT_MEMORY_COLUMNS] = {
	{ .name = "symbol_daddr",
	  .header = "Data Symbol",
	  .by = RPT_BY_DATA_ADDR,
	  .value = RPT_VALUE_DATA_ADDR,
	  .print_text = print_data_symbol,
	  .fit = fit_data_symbol },
	{ .name = "dso_daddr",
	  .header = "Data Object",
	  .by = RPT_BY_DATA_DSO,
	  .value = RPT_VALUE_DATA_ADDR,
	  .print_text = print_data_dso,
	  .fit = fit_data_dso },
	{ .name = "locked",
	  .header = "Locked",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_LOCK,
	  .print_text = print_lock,
	  .fit = fit_lock },
	{ .name = "tlb",
	  .header = "TLB access",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_TLB,
	  .print_text = print_tlb,
	  .fit = fit_tlb },
	{ .name = "mem",
	  .header = "Memory access",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_LEVEL,
	  .print_text = print_level,
	  .fit = fit_level },
	{ .name = "snoop",
	  .header = "Snoop",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_SNOOP,
	  .print_text = print_snoop,
	  .fit = fit_snoop },
	{ .name = "dcacheline",
	  .header = "Data Cacheline",
	  .by = RPT_BY_DATA_LINE,
	  .value = RPT_VALUE_DATA_ADDR,
	  .print_text = print_line,
	  .fit = fit_line },
	{ .name = "symbol_iaddr",
	  .header = "Code Symbol",
	  .by = RPT_BY_ADDR,
	  .print_text = print_code_symbol,
	  .fit = fit_code_symbol },
	{ .name = "phys_daddr",
	  .header = "Data Physical Address",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_PHYS_ADDR,
	  .print_text = print_phys_addr,
	  .fit = fit_addr },
	{ .name = "data_page_size",
	  .header = "Data Page Size",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_DATA_PAGE,
	  .print_text = rpt_cell_print_page,
	  .fit = fit_addr },
	{ .name = "blocked",
	  .header = "Blocked",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_BLOCK,
	  .print_text = print_block,
	  .fit = fit_block },
};
