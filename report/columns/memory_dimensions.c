/* Dimensions of a memory access: where the data are, and where they came from.
 */
#include "report/columns/columns_impl.h"
#include "report/events/data_src.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* Lines of a file are the same in all its processes, memory of a process is its
 * own; as perf has it. */
static void key_line(const struct rpt_key_source *source, uint32_t *words)
{
	const struct rpt_frame *data = rpt_key_frame(source);
	unsigned mode = source->stack->cpumode;

	rpt_key_put64(words, rpt_cache_line(data->addr));
	rpt_key_put64(words + 2, data->ino);
	words[4] = (uint32_t)mode << 1 | !!data->dso;
	words[5] = data->dso && !data->ino && mode != PD_CPUMODE_KERNEL
			   ? source->pid
			   : 0;
}

/* Put those of the kernel first; order others by file, or by process if there
 * is none. */
static int compare_lines(const struct rpt_row_pair *pair)
{
	const struct rpt_frame *p = rpt_pair_frame(pair, pair->x);
	const struct rpt_frame *q = rpt_pair_frame(pair, pair->y);
	uint32_t mode = rpt_row_stack_key(pair->x)->cpumode;
	int rc = rpt_compare_u64(mode, rpt_row_stack_key(pair->y)->cpumode);

	if (!rc)
		rc = !p->dso - !q->dso;
	if (!rc)
		rc = rpt_compare_u64(p->ino, q->ino);
	if (!rc && p->dso && !p->ino && mode != PD_CPUMODE_KERNEL)
		rc = rpt_compare_int((int)rpt_row_pid(pair->x),
				     (int)rpt_row_pid(pair->y));
	return rc ? rc
		  : rpt_compare_u64(rpt_cache_line(p->addr),
				    rpt_cache_line(q->addr));
}

/* "[k] 0x0123456789abcdef", and perf's room for an offset behind a name. */
#define ADDR_LEN   22u
#define OFFSET_LEN 22u

static uint32_t fit_symbol(const struct rpt_cell *cell)
{
	const struct rpt_symbol *sym = rpt_cell_frame(cell)->sym;

	return sym ? (uint32_t)strlen(sym->name) + OFFSET_LEN : ADDR_LEN;
}

static uint32_t fit_line(const struct rpt_cell *cell)
{
	return fit_symbol(cell) + !!rpt_cell_frame(cell)->sym;
}

/* In perf only the name counts, whether a symbol is known or not. */
static uint32_t fit_data_dso(const struct rpt_cell *cell)
{
	return rpt_cell_frame(cell)->dso ? rpt_cell_fit(cell)
					 : rpt_cell_fit_unresolved(cell);
}

#define LOCATION_CAP 4200 /* a name of 4095 with what stands around it */

/* Put "[.] table+0x18", "[k] memcpy", "[.] 0x00007f1200001234"; with -v behind
 * the address and a letter. */
static void put_location(const struct rpt_cell *cell, char level,
			 const struct rpt_frame *frame, uint64_t addr,
			 struct rpt_text *out)
{
	const struct rpt_symbol *sym = frame->sym;
	struct rpt_cell rest = *cell;
	char text[LOCATION_CAP];

	if (!cell->is_bare)
		rest.width -= (uint32_t)rpt_cell_put_origin(cell, addr, out);
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
		rpt_cell_put_unfilled(&rest, text, out);
}

static void print_symbol(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *data = rpt_cell_frame(cell);

	put_location(cell, rpt_cell_row(cell)->level, data, data->ip, out);
}

/* [s] is a file that processes share, [X] an unknown location. */
static void print_line(const struct rpt_cell *cell, struct rpt_text *out)
{
	struct rpt_frame line = *rpt_cell_frame(cell);
	char level = rpt_cell_row(cell)->level;

	if (!line.dso)
		level = 'X';
	else if (level != 'k' && line.is_shared)
		level = 's';
	line.addr = rpt_cache_line(line.addr);
	put_location(cell, level, &line, line.addr, out);
}

static const char *phys_addr_text(const struct rpt_cell *cell)
{
	sprintf(cell->buf, "[%c] %#.16llx", rpt_cell_row(cell)->level,
		(unsigned long long)rpt_cell_value(cell));
	return cell->buf;
}

_Static_assert(RPT_DATA_SRC_LEN <= RPT_CELL_TEXT_LEN, "they fit into a cell");

/* The words depend on the perf that reads such files. */
static const char *level_text(const struct rpt_cell *cell)
{
	const struct rpt_profile *profile = rpt_cell_row(cell)->input->profile;

	rpt_data_src_level(rpt_cell_value(cell),
			   pd_event_set_needed_perf(
				   pd_reader_events(profile->conf.reader)),
			   cell->buf);
	return cell->buf;
}

static const char *snoop_text(const struct rpt_cell *cell)
{
	rpt_data_src_snoop(rpt_cell_value(cell), cell->buf);
	return cell->buf;
}

static const char *tlb_text(const struct rpt_cell *cell)
{
	rpt_data_src_tlb(rpt_cell_value(cell), cell->buf);
	return cell->buf;
}

static const char *lock_text(const struct rpt_cell *cell)
{
	return rpt_data_src_lock(rpt_cell_value(cell));
}

static const char *block_text(const struct rpt_cell *cell)
{
	return rpt_data_src_block(rpt_cell_value(cell));
}

#define MEM_ENTRY                                                     \
	.name = "mem", .header = "Memory access",                     \
	.help = "where the data came from: a level of cache, memory", \
	RPT_KEY_OF_VALUE(RPT_VALUE_LEVEL), .text = level_text,        \
	.put = rpt_cell_put_whole

static const struct rpt_dimension newer_mem = { MEM_ENTRY, .width = 39 };

const struct rpt_dimension rpt_memory_dimensions[] = {
	{ .name = "symbol_daddr",
	  .is_name = true,
	  .header = "Data Symbol",
	  .help = "variable that was accessed",
	  .by = RPT_BY_DATA,
	  .value = RPT_VALUE_DATA_ADDR,
	  .side = RPT_OF_FROM,
	  .word_nr = 2,
	  .key = rpt_key_ip,
	  .compare = rpt_compare_ips,
	  .print = print_symbol,
	  .fit = fit_symbol },
	{ .name = "dso_daddr",
	  .is_name = true,
	  .header = "Data Object",
	  .help = "file with the data",
	  .by = RPT_BY_DATA,
	  .value = RPT_VALUE_DATA_ADDR,
	  .side = RPT_OF_FROM,
	  .word_nr = 1,
	  .key = rpt_key_dso,
	  .compare = rpt_compare_dsos,
	  .text = rpt_cell_dso,
	  .put = rpt_cell_put,
	  .fit = fit_data_dso },
	{ .name = "locked",
	  .header = "Locked",
	  .help = "whether the access was atomic",
	  RPT_KEY_OF_VALUE(RPT_VALUE_LOCK),
	  .text = lock_text,
	  .put = rpt_cell_put_unfilled,
	  .width = 6 },
	{ .name = "tlb",
	  .header = "TLB access",
	  .help = "level of the TLB that the address was looked up in",
	  RPT_KEY_OF_VALUE(RPT_VALUE_TLB),
	  .text = tlb_text,
	  .put = rpt_cell_put_whole,
	  .width = 22 },
	{ MEM_ENTRY, .width = 24, .variants = RPT_VARIANT_NEWER,
	  .instead = &newer_mem },
	{ .name = "snoop",
	  .header = "Snoop",
	  .help = "answer of the other caches",
	  RPT_KEY_OF_VALUE(RPT_VALUE_SNOOP),
	  .text = snoop_text,
	  .put = rpt_cell_put_whole,
	  .width = 12 },
	{ .name = "dcacheline",
	  .header = "Data Cacheline",
	  .help = "cache line of the data",
	  .by = RPT_BY_DATA,
	  .value = RPT_VALUE_DATA_ADDR,
	  .side = RPT_OF_FROM,
	  .word_nr = 6,
	  .key = key_line,
	  .compare = compare_lines,
	  .print = print_line,
	  .fit = fit_line },
	{ .name = "symbol_iaddr",
	  .is_name = true,
	  .header = "Code Symbol",
	  .help = "function that accessed it",
	  .by = RPT_BY_ADDR,
	  .side = RPT_OF_FRAME,
	  .word_nr = 2,
	  .key = rpt_key_ip,
	  .compare = rpt_compare_ips,
	  .print = print_symbol,
	  .fit = fit_symbol },
	{ .name = "phys_daddr",
	  .header = "Data Physical Address",
	  .help = "physical address of the data",
	  RPT_KEY_OF_VALUE(RPT_VALUE_PHYS_ADDR),
	  .text = phys_addr_text,
	  .put = rpt_cell_put,
	  .width = ADDR_LEN },
	{ .name = "data_page_size",
	  .header = "Data Page Size",
	  .help = "size of the page with the data",
	  RPT_KEY_OF_VALUE(RPT_VALUE_DATA_PAGE),
	  .text = rpt_cell_page,
	  .put = rpt_cell_put_whole,
	  .width = ADDR_LEN },
	{ .name = "blocked",
	  .header = "Blocked",
	  .help = "why a load had to wait",
	  RPT_KEY_OF_VALUE(RPT_VALUE_BLOCK),
	  .text = block_text,
	  .put = rpt_cell_put_unfilled,
	  .width = 10 },
	{ .name = NULL }
};
