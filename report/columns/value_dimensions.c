/* Dimensions that are numbers of the sample. */
#include "report/columns/columns_impl.h"
#include "report/timeline/cgroup_ns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Numbers of several recordings are different ones, as cgroups are. */
void rpt_key_value(const struct rpt_key_source *source, uint32_t *words)
{
	const uint64_t *values = rpt_stack_key_values(source->stack);
	const struct rpt_rows_input *input = source->rows->input;
	const struct rpt_sort_key *key = source->key;

	rpt_key_put64(words, rpt_value_key(key->dim->value, values[key->idx]));
	words[2] = input->is_only ? 0 : input->idx;
}

int rpt_compare_values(const struct rpt_row_pair *pair)
{
	const struct rpt_sort_key *key = pair->key;

	return rpt_value_compare(key->dim->value,
				 rpt_row_values(pair->x)[key->idx],
				 rpt_row_values(pair->y)[key->idx]);
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

/* As in perf, the column has digits but for the blanks. */
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

static const char *decimal_text(const struct rpt_cell *cell)
{
	sprintf(cell->buf, "%" PRIu64, rpt_cell_value(cell));
	return cell->buf;
}

/* Of all samples of the row. */
static const char *sum_text(const struct rpt_cell *cell)
{
	uint64_t nr = rpt_rows_stat(cell->rows, cell->row, 0)->self_nr;

	sprintf(cell->buf, "%" PRIu64, rpt_cell_value(cell) * nr);
	return cell->buf;
}

static const char *cgroup_text(const struct rpt_cell *cell)
{
	const struct rpt_profile *profile = rpt_cell_row(cell)->input->profile;
	uint64_t id = rpt_cell_value(cell);
	const char *name = rpt_timeline_cgroup(profile->conf.timeline, id);

	if (!id)
		return "N/A";
	return name ? name : "unknown";
}

/* Return the text of an RPT_VALUE_UNIT. */
static const char *unit_name(uint64_t value)
{
	return value ? (const char *)(uintptr_t)value : "N/A";
}

static void key_unit(const struct rpt_key_source *source, uint32_t *words)
{
	const char *text = unit_name(
		rpt_stack_key_values(source->stack)[source->key->idx]);

	words[0] = rpt_frames_number(&source->rows->texts.names, text,
				     strlen(text));
}

static int compare_units(const struct rpt_row_pair *pair)
{
	uint32_t idx = pair->key->idx;

	return rpt_compare_names(unit_name(rpt_row_values(pair->x)[idx]),
				 unit_name(rpt_row_values(pair->y)[idx]));
}

static const char *unit_text(const struct rpt_cell *cell)
{
	return unit_name(rpt_cell_value(cell));
}

static const char *cgroup_ns_text(const struct rpt_cell *cell)
{
	const struct rpt_profile *profile = rpt_cell_row(cell)->input->profile;
	struct rpt_cgroup_ns ns = rpt_cgroup_ns_of(
		profile->conf.timeline, (uint32_t)rpt_cell_value(cell));

	sprintf(cell->buf, "%" PRIu64 "/0x%" PRIx64, ns.dev, ns.ino);
	return cell->buf;
}

/* Put it whole, and do not fill it up at the end: perf takes the width for a
 * minimum of nothing. */
static void put_cgroup(const struct rpt_cell *cell, const char *text,
		       struct rpt_text *out)
{
	if (cell->is_last)
		rpt_text_str(out, text);
	else
		rpt_cell_put_whole(cell, text, out);
}

const char *rpt_cell_page(const struct rpt_cell *cell)
{
	static const char units[] = "BKMG";
	uint64_t len = rpt_cell_value(cell);
	size_t unit = 0;

	if (!len)
		return "N/A";
	/* 2048 is the first of the next unit, as in perf */
	for (; len / 1024 > 1 && units[unit + 1]; len /= 1024)
		unit++;
	sprintf(cell->buf, "%llu%c", (unsigned long long)len, units[unit]);
	return cell->buf;
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
static const char *transaction_text(const struct rpt_cell *cell)
{
	uint64_t bits = rpt_cell_value(cell);
	char *end = cell->buf;

	*end = '\0';
	for (size_t i = 0; i < TRANSACTION_WORDS; i++)
		if (bits >> i & 1)
			end = stpcpy(end, transaction_words[i]);
	if (bits && !(bits & 12)) /* neither SYNC nor ASYNC */
		end = stpcpy(end, "NEITHER ");
	if (bits >> 32)
		sprintf(end, ":%" PRIx64, bits >> 32);
	return cell->buf;
}

/* perf's, of seconds with six digits behind the point, or nine */
#define TIME_LEN    12
#define TIME_LEN_NS 16

static uint32_t fit_time(const struct rpt_cell *cell)
{
	return cell->columns->has_ns ? TIME_LEN_NS : TIME_LEN;
}

static const char *time_text(const struct rpt_cell *cell)
{
	unsigned long long time_ns = rpt_cell_value(cell);
	unsigned long long part_ns = time_ns % 1000000000;
	bool has_ns = cell->columns->has_ns;

	sprintf(cell->buf, "%llu.%0*llu", time_ns / 1000000000, has_ns ? 9 : 6,
		has_ns ? part_ns : part_ns / 1000);
	return cell->buf;
}

/* Cut it as elsewhere, but do not fill it up at the end of a line. */
static void put_time(const struct rpt_cell *cell, const char *text,
		     struct rpt_text *out)
{
	if (cell->is_last && !cell->is_bare)
		rpt_text_put(out, text, strnlen(text, cell->width));
	else
		rpt_cell_put(cell, text, out);
}

#define WEIGHT_LEN 12 /* perf's least */

/* Of perf 6.3: on x86 the third number of a weight is the time from the
 * retirement of the instruction before. */
#define LOCAL_RETIRE_ENTRY                                            \
	.name = "local_retire_lat", .header = "Local Retire Latency", \
	.help = "cycles since the instruction before retired (x86)",  \
	RPT_KEY_OF_VALUE(RPT_VALUE_STAGE_CYC), .is_new = true,        \
	.text = decimal_text, .put = rpt_cell_put_whole
#define RETIRE_ENTRY                                           \
	.name = "retire_lat", .header = "Retire Latency",      \
	.help = "these cycles, summed up over the row",        \
	RPT_KEY_OF_VALUE(RPT_VALUE_STAGE_CYC), .is_new = true, \
	.text = sum_text, .put = rpt_cell_put_whole

/* The name in its texts of the key that perf 6.1 has for that number; the
 * entries of the table are the same thing, so that no table shows it twice. */
static const struct rpt_dimension local_retire = { LOCAL_RETIRE_ENTRY };
static const struct rpt_dimension retire = { RETIRE_ENTRY };

const struct rpt_dimension rpt_value_dimensions[] = {
	{ .name = "socket",
	  .header = "Socket",
	  .help = "socket of the CPU; -1: not known",
	  RPT_KEY_OF_VALUE(RPT_VALUE_SOCKET),
	  .print = print_socket },
	{ .name = "local_weight",
	  .header = "Local Weight",
	  .help = "weight of a sample, such as its latency (record -W)",
	  RPT_KEY_OF_VALUE(RPT_VALUE_WEIGHT),
	  .text = decimal_text,
	  .put = rpt_cell_put_whole,
	  .width = WEIGHT_LEN },
	{ .name = "weight",
	  .header = "Weight",
	  .help = "these weights, summed up over the row",
	  RPT_KEY_OF_VALUE(RPT_VALUE_WEIGHT),
	  .text = sum_text,
	  .put = rpt_cell_put_whole,
	  .width = WEIGHT_LEN },
	{ .name = "transaction",
	  .header = "Transaction",
	  .help = "state of a hardware transaction",
	  RPT_KEY_OF_VALUE(RPT_VALUE_TRANSACTION),
	  .text = transaction_text,
	  .put = rpt_cell_put_whole,
	  .fit = fit_transaction },
	{ .name = "cgroup",
	  .header = "Cgroup",
	  .help = "control group (record --all-cgroups)",
	  RPT_KEY_OF_VALUE(RPT_VALUE_CGROUP),
	  .text = cgroup_text,
	  .put = put_cgroup,
	  .fit = rpt_cell_fit },
	{ .name = "unit", /* not perf's */
	  .header = "Unit",
	  .help = "pod, container, service or scope (record --all-cgroups)",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_UNIT,
	  .is_new = true,
	  .word_nr = 1,
	  .key = key_unit,
	  .compare = compare_units,
	  .text = unit_text,
	  .put = rpt_cell_put,
	  .fit = rpt_cell_fit },
	{ .name = "cgroup_id",
	  .header = "cgroup id (dev/inode)",
	  .help = "namespace of control groups (record --namespaces)",
	  RPT_KEY_OF_VALUE(RPT_VALUE_CGROUP_NS),
	  .text = cgroup_ns_text,
	  .put = put_cgroup,
	  .width = 20 },
	{ .name = "time",
	  .header = "Time",
	  .help = "time in seconds, in steps of --time-quantum",
	  RPT_KEY_OF_VALUE(RPT_VALUE_TIME),
	  .text = time_text,
	  .put = put_time,
	  .fit = fit_time },
	{ .name = "code_page_size",
	  .header = "Code Page Size",
	  .help = "size of the page with the code",
	  RPT_KEY_OF_VALUE(RPT_VALUE_CODE_PAGE),
	  .text = rpt_cell_page,
	  .put = rpt_cell_put_whole },
	{ .name = "local_ins_lat",
	  .header = "Local INSTR Latency",
	  .help = "latency of the instruction in cycles",
	  RPT_KEY_OF_VALUE(RPT_VALUE_INS_LAT),
	  .text = decimal_text,
	  .put = rpt_cell_put_whole },
	{ .name = "ins_lat",
	  .header = "INSTR Latency",
	  .help = "these latencies, summed up over the row",
	  RPT_KEY_OF_VALUE(RPT_VALUE_INS_LAT),
	  .text = sum_text,
	  .put = rpt_cell_put_whole },
	{ .name = "local_p_stage_cyc",
	  .header = "Local Pipeline Stage Cycle",
	  .help = "cycles in a stage of the pipeline (POWER)",
	  RPT_KEY_OF_VALUE(RPT_VALUE_STAGE_CYC),
	  .text = decimal_text,
	  .put = rpt_cell_put_whole,
	  .variants = RPT_VARIANT_RETIRE,
	  .instead = &local_retire },
	{ .name = "p_stage_cyc",
	  .header = "Pipeline Stage Cycle",
	  .help = "these cycles, summed up over the row",
	  RPT_KEY_OF_VALUE(RPT_VALUE_STAGE_CYC),
	  .text = sum_text,
	  .put = rpt_cell_put_whole,
	  .variants = RPT_VARIANT_RETIRE,
	  .instead = &retire },
	{ .name = "parallelism", /* of perf 6.15 */
	  .header = "Parallelism",
	  .help = "how many of the recorded threads ran then",
	  RPT_KEY_OF_VALUE(RPT_VALUE_PARALLELISM),
	  .is_new = true,
	  .text = decimal_text,
	  .put = rpt_cell_put_right },
	{ LOCAL_RETIRE_ENTRY, .variants = RPT_VARIANT_RETIRE,
	  .instead = &local_retire },
	{ RETIRE_ENTRY, .variants = RPT_VARIANT_RETIRE, .instead = &retire },
	{ .name = NULL }
};
