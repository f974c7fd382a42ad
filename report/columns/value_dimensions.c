/* Dimensions that are numbers of the sample. */
#include "report/columns/columns_impl.h"
#include "report/timeline/cgroup_ns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Numbers of several recordings are different ones, as cgroups are. */
void rpt_key_value(struct rpt_rows *rows, const struct rpt_sort_key *key,
		   const struct rpt_key_source *source, uint32_t *words)
{
	const uint64_t *values = rpt_stack_key_values(source->stack);

	rpt_key_put64(words, rpt_value_key(key->dim->value, values[key->idx]));
	words[2] = rows->input->is_only ? 0 : rows->input->idx;
}

int rpt_compare_values(const struct rpt_rows *rows,
		       const struct rpt_sort_key *key, const struct rpt_row *x,
		       const struct rpt_row *y)
{
	(void)rows;
	return rpt_value_compare(key->dim->value, rpt_row_values(x)[key->idx],
				 rpt_row_values(y)[key->idx]);
}

uint64_t rpt_cell_value(const struct rpt_cell *cell)
{
	const struct rpt_sort_keys *keys = &cell->rows->conf.keys;
	enum rpt_value value = rpt_cell_dimension(cell)->value;
	uint32_t i = 0;

	while (i < keys->value_nr && keys->values[i] != value)
		i++;
	return i < keys->value_nr ? rpt_row_values(rpt_cell_row(cell))[i] : 0;
}

#define SOCKET_BLANKS 3
#define SOCKET_DIGITS 20 /* what rpt_text_zeros() has room for */

/* As in perf all that the column has, but for the blanks, are digits. */
static void print_socket(const struct rpt_cell *cell, struct rpt_text *out)
{
	int socket = (int)(uint32_t)rpt_cell_value(cell); /* -1: not known */
	uint32_t width = cell->is_bare ? 0 : cell->width;
	uint32_t digit_nr = width > SOCKET_BLANKS ? width - SOCKET_BLANKS
			    : cell->is_bare	  ? 3
						  : 1;
	uint32_t len = digit_nr + (socket < 0);

	if (len < width && !cell->is_trimmed)
		rpt_text_pad(out, width - len);
	if (socket < 0)
		rpt_text_char(out, '-');
	for (; digit_nr > SOCKET_DIGITS; digit_nr--)
		rpt_text_char(out, '0');
	rpt_text_zeros(out, socket < 0 ? -(uint64_t)socket : (uint64_t)socket,
		       digit_nr);
}

static void print_decimal(const struct rpt_cell *cell, struct rpt_text *out)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, rpt_cell_value(cell));
	rpt_cell_put_whole(cell, text, out);
}

/* Of all samples of the row. */
static void print_all(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_row_stat *stat =
		rpt_rows_stat(cell->rows, cell->row, 0);
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64,
		 rpt_cell_value(cell) * stat->self_nr);
	rpt_cell_put_whole(cell, text, out);
}

static const char *cgroup_name(const struct rpt_cell *cell)
{
	const struct rpt_profile *profile = rpt_cell_row(cell)->input->profile;
	uint64_t id = rpt_cell_value(cell);
	const char *name = rpt_timeline_cgroup(profile->conf.timeline, id);

	if (!id)
		return "N/A";
	return name ? name : "unknown";
}

static uint32_t fit_cgroup(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(cgroup_name(cell));
}

/* Not cut, and not filled up: perf takes the width for a least one of nothing.
 */
static void print_cgroup_ns(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_profile *profile = rpt_cell_row(cell)->input->profile;
	struct rpt_cgroup_ns ns = rpt_cgroup_ns_of(
		profile->conf.timeline, (uint32_t)rpt_cell_value(cell));
	char text[48];

	snprintf(text, sizeof(text), "%" PRIu64 "/0x%" PRIx64, ns.dev, ns.ino);
	if (cell->is_last)
		rpt_text_str(out, text);
	else
		rpt_cell_put_whole(cell, text, out);
}

static void print_cgroup(const struct rpt_cell *cell, struct rpt_text *out)
{
	if (cell->is_last)
		rpt_text_str(out, cgroup_name(cell));
	else
		rpt_cell_put_whole(cell, cgroup_name(cell), out);
}

void rpt_cell_print_page(const struct rpt_cell *cell, struct rpt_text *out)
{
	static const char units[] = "BKMG";
	uint64_t len = rpt_cell_value(cell);
	size_t unit = 0;
	char text[24] = "N/A";

	/* 2048 is the first of the next unit, as in perf */
	for (; len / 1024 > 1 && units[unit + 1]; len /= 1024)
		unit++;
	if (len)
		snprintf(text, sizeof(text), "%llu%c", (unsigned long long)len,
			 units[unit]);
	rpt_cell_put_whole(cell, text, out);
}

/* perf's widths: of its header with the blanks in it, of its longest text */
#define NO_TRANSACTION_LEN 27
#define TRANSACTION_LEN	   32

static const char *const transaction_words[] = {
	"EL ",	  "TX ",  "SYNC ",	"ASYNC ",
	"RETRY ", "CON ", "CAP-WRITE ", "CAP-READ ",
};

#define TRANSACTION_WORDS \
	(sizeof(transaction_words) / sizeof(transaction_words[0]))

static uint32_t fit_transaction(const struct rpt_cell *cell)
{
	return rpt_cell_value(cell) ? TRANSACTION_LEN : NO_TRANSACTION_LEN;
}

/* The upper half is the code that the program gave up with. */
static void print_transaction(const struct rpt_cell *cell, struct rpt_text *out)
{
	uint64_t bits = rpt_cell_value(cell);
	char text[80] = "";
	size_t len = 0;

	for (size_t i = 0; i < TRANSACTION_WORDS; i++) {
		if (bits >> i & 1)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s", transaction_words[i]);
	}
	if (bits && !(bits & 12)) /* neither SYNC nor ASYNC */
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"NEITHER ");
	if (bits >> 32)
		snprintf(text + len, sizeof(text) - len, ":%" PRIx64,
			 bits >> 32);
	rpt_cell_put_whole(cell, text, out);
}

/* perf's, of seconds with six digits behind the point, or nine */
#define TIME_LEN    12
#define TIME_LEN_NS 16

static uint32_t fit_time(const struct rpt_cell *cell)
{
	return cell->columns->has_ns ? TIME_LEN_NS : TIME_LEN;
}

static void print_time(const struct rpt_cell *cell, struct rpt_text *out)
{
	unsigned long long time_ns = rpt_cell_value(cell);
	unsigned long long part_ns = time_ns % 1000000000;
	bool has_ns = cell->columns->has_ns;
	char text[32];

	snprintf(text, sizeof(text), "%llu.%0*llu", time_ns / 1000000000,
		 has_ns ? 9 : 6, has_ns ? part_ns : part_ns / 1000);
	if (cell->is_last && !cell->is_bare) /* cut as elsewhere, not filled */
		rpt_text_put(out, text, strnlen(text, cell->width));
	else
		rpt_cell_put(cell, text, out);
}

#define WEIGHT_LEN 12 /* perf's least */

const struct rpt_dimension rpt_value_dimensions[] = {
	{ .name = "socket",
	  .header = "Socket",
	  RPT_KEY_OF_VALUE(RPT_VALUE_SOCKET),
	  .print_text = print_socket },
	{ .name = "local_weight",
	  .header = "Local Weight",
	  RPT_KEY_OF_VALUE(RPT_VALUE_WEIGHT),
	  .print_text = print_decimal,
	  .width = WEIGHT_LEN },
	{ .name = "weight",
	  .header = "Weight",
	  RPT_KEY_OF_VALUE(RPT_VALUE_WEIGHT),
	  .print_text = print_all,
	  .width = WEIGHT_LEN },
	{ .name = "transaction",
	  .header = "Transaction",
	  RPT_KEY_OF_VALUE(RPT_VALUE_TRANSACTION),
	  .print_text = print_transaction,
	  .fit = fit_transaction },
	{ .name = "cgroup",
	  .header = "Cgroup",
	  RPT_KEY_OF_VALUE(RPT_VALUE_CGROUP),
	  .print_text = print_cgroup,
	  .fit = fit_cgroup },
	{ .name = "cgroup_id",
	  .header = "cgroup id (dev/inode)",
	  RPT_KEY_OF_VALUE(RPT_VALUE_CGROUP_NS),
	  .print_text = print_cgroup_ns,
	  .width = 20 },
	{ .name = "time",
	  .header = "Time",
	  RPT_KEY_OF_VALUE(RPT_VALUE_TIME),
	  .print_text = print_time,
	  .fit = fit_time },
	{ .name = "code_page_size",
	  .header = "Code Page Size",
	  RPT_KEY_OF_VALUE(RPT_VALUE_CODE_PAGE),
	  .print_text = rpt_cell_print_page },
	{ .name = "local_ins_lat",
	  .header = "Local INSTR Latency",
	  RPT_KEY_OF_VALUE(RPT_VALUE_INS_LAT),
	  .print_text = print_decimal },
	{ .name = "ins_lat",
	  .header = "INSTR Latency",
	  RPT_KEY_OF_VALUE(RPT_VALUE_INS_LAT),
	  .print_text = print_all },
	{ .name = "local_p_stage_cyc",
	  .header = "Local Pipeline Stage Cycle",
	  RPT_KEY_OF_VALUE(RPT_VALUE_STAGE_CYC),
	  .print_text = print_decimal },
	{ .name = "p_stage_cyc",
	  .header = "Pipeline Stage Cycle",
	  RPT_KEY_OF_VALUE(RPT_VALUE_STAGE_CYC),
	  .print_text = print_all },
	/* of perf 6.3: on x86 the third number of a weight is the time from the
	 * retirement of the instruction before */
	{ .name = "local_retire_lat",
	  .header = "Local Retire Latency",
	  RPT_KEY_OF_VALUE(RPT_VALUE_STAGE_CYC),
	  .is_new = true,
	  .print_text = print_decimal },
	{ .name = "retire_lat",
	  .header = "Retire Latency",
	  RPT_KEY_OF_VALUE(RPT_VALUE_STAGE_CYC),
	  .is_new = true,
	  .print_text = print_all },
	{ .name = NULL }
};
