/* Columns of a sample's numbers, of its address, and of the symbol's size. */
#include "report/columns_impl.h"

#include <inttypes.h>
#include <string.h>

static const struct rpt_row *row_of(const struct rpt_cell *cell)
{
	return &cell->rows->items[cell->row];
}

static const struct rpt_frame *frame_of(const struct rpt_cell *cell)
{
	return &cell->rows->frames->items[row_of(cell)->frame];
}

static uint64_t value_of(const struct rpt_cell *cell)
{
	const struct rpt_rows_conf *conf = &cell->rows->conf;
	enum rpt_value value = cell->columns->items[cell->idx]->value;
	uint32_t i = 0;

	while (i < conf->value_nr && conf->values[i] != value)
		i++;
	return i < conf->value_nr ? rpt_row_values(row_of(cell))[i] : 0;
}

static void put_left(const struct rpt_cell *cell, const char *text,
		     struct rpt_text *out)
{
	if (cell->is_bare)
		rpt_text_str(out, text);
	else
		rpt_text_left(out, text, cell->width);
}

static void put_right(const struct rpt_cell *cell, const char *text,
		      struct rpt_text *out)
{
	rpt_text_right(out, text,
		       cell->is_bare || cell->is_trimmed ? 0 : cell->width);
}

static uint32_t fit_nothing(const struct rpt_cell *cell)
{
	(void)cell;
	return 0; /* the header is wide enough */
}

static void print_socket(const struct rpt_cell *cell, struct rpt_text *out)
{
	char text[16];

	snprintf(text, sizeof(text), "%.3d", (int)(uint32_t)value_of(cell));
	put_right(cell, text, out);
}

static void print_decimal(const struct rpt_cell *cell, struct rpt_text *out)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value_of(cell));
	put_left(cell, text, out);
}

/* Of all samples of the row. */
static void print_all_weights(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_row_stat *stat =
		rpt_rows_stat(cell->rows, cell->row, 0);
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64,
		 value_of(cell) * stat->self_nr);
	put_left(cell, text, out);
}

#define WEIGHT_LEN 12 /* perf's least */

static uint32_t fit_weight(const struct rpt_cell *cell)
{
	(void)cell;
	return WEIGHT_LEN;
}

static const char *cgroup_name(const struct rpt_cell *cell)
{
	const char *name = row_of(cell)->cgroup;

	if (!value_of(cell))
		return "N/A";
	return name ? name : "unknown";
}

static uint32_t fit_cgroup(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(cgroup_name(cell));
}

static void print_cgroup(const struct rpt_cell *cell, struct rpt_text *out)
{
	if (cell->is_last)
		rpt_text_str(out, cgroup_name(cell));
	else
		put_left(cell, cgroup_name(cell), out);
}

static void print_page(const struct rpt_cell *cell, struct rpt_text *out)
{
	static const char units[] = "BKMGTPE";
	uint64_t len = value_of(cell);
	size_t unit = 0;
	char text[24] = "N/A";

	for (; len >= 1024 && units[unit + 1]; len /= 1024)
		unit++;
	if (len)
		snprintf(text, sizeof(text), "%llu%c", (unsigned long long)len,
			 units[unit]);
	put_left(cell, text, out);
}

#define TIME_LEN 12 /* perf's, of seconds with six digits behind the point */

static uint32_t fit_time(const struct rpt_cell *cell)
{
	(void)cell;
	return TIME_LEN;
}

static void print_time(const struct rpt_cell *cell, struct rpt_text *out)
{
	unsigned long long time_us = value_of(cell) / 1000;
	char text[32];

	snprintf(text, sizeof(text), "%llu.%06llu", time_us / 1000000,
		 time_us % 1000000);
	if (cell->is_last)
		rpt_text_str(out, text);
	else
		put_left(cell, text, out);
}

#define ADDR_LEN 18

static uint32_t fit_addr(const struct rpt_cell *cell)
{
	(void)cell;
	return ADDR_LEN;
}

static void print_addr(const struct rpt_cell *cell, struct rpt_text *out)
{
	char text[24];

	snprintf(text, sizeof(text), "%#llx",
		 (unsigned long long)frame_of(cell)->ip);
	put_left(cell, text, out);
}

static void print_symbol_size(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_symbol *sym = frame_of(cell)->sym;
	char text[24] = "unknown";

	if (sym && sym->end > sym->start)
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)(sym->end - sym->start));
	put_right(cell, text, out);
}

static void print_dso_size(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_frame *frame = frame_of(cell);
	char text[24] = "unknown";

	if (frame->dso)
		snprintf(text, sizeof(text), "%d", (int)frame->map_len);
	put_right(cell, text, out);
}

const struct rpt_column rpt_value_columns[RPT_VALUE_COLUMNS] = {
	{ .name = "socket",
	  .header = "Socket",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_SOCKET,
	  .print_text = print_socket,
	  .fit = fit_nothing },
	{ .name = "local_weight",
	  .header = "Local Weight",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_WEIGHT,
	  .print_text = print_decimal,
	  .fit = fit_weight },
	{ .name = "weight",
	  .header = "Weight",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_WEIGHT,
	  .print_text = print_all_weights,
	  .fit = fit_weight },
	{ .name = "symbol_size",
	  .header = "Symbol size",
	  .by = RPT_BY_SYMBOL_SIZE,
	  .print_text = print_symbol_size,
	  .fit = fit_nothing },
	{ .name = "dso_size",
	  .header = "DSO size",
	  .by = RPT_BY_DSO_SIZE,
	  .print_text = print_dso_size,
	  .fit = fit_nothing },
	{ .name = "cgroup",
	  .header = "Cgroup",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_CGROUP,
	  .print_text = print_cgroup,
	  .fit = fit_cgroup },
	{ .name = "time",
	  .header = "Time",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_TIME,
	  .print_text = print_time,
	  .fit = fit_time },
	{ .name = "code_page_size",
	  .header = "Code Page Size",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_CODE_PAGE,
	  .print_text = print_page,
	  .fit = fit_nothing },
	{ .name = "local_ins_lat",
	  .header = "Local INSTR Latency",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_INS_LAT,
	  .print_text = print_decimal,
	  .fit = fit_nothing },
	{ .name = "ins_lat",
	  .header = "INSTR Latency",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_INS_LAT,
	  .print_text = print_decimal,
	  .fit = fit_nothing },
	{ .name = "addr",
	  .header = "Address",
	  .by = RPT_BY_ADDR,
	  .print_text = print_addr,
	  .fit = fit_addr },
};
