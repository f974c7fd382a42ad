/* Numbers that are added up: weights, counts of samples. */
#include "report/columns/columns_impl.h"

#define PERCENT_WIDTH 8
#define COUNT_WIDTH   12

/* Return how wide a number is that has width columns with the blank that stands
 * in front of it, however long it is. */
static unsigned number_width(const struct rpt_cell *cell, uint32_t member,
			     struct rpt_text *out)
{
	const struct rpt_dimension *dim = rpt_cell_dimension(cell);
	const struct rpt_columns *columns = cell->columns;
	unsigned asked = columns->asked_widths[cell->idx];
	unsigned width = dim->width - !dim->is_count;
	unsigned less = dim->width - width + 1;

	if (cell->is_narrow) {
		rpt_text_char(out, ' ');
		return !columns->separator && asked > less ? asked - less : 0;
	}
	if (cell->is_trimmed && !member)
		return 0;
	rpt_text_char(out, ' ');
	return width - 1;
}

#define NO_ACC_WIDTH 4u /* with a blank in front */

/* Print "N/A" once for all members. */
static void print_no_acc(const struct rpt_cell *cell, uint32_t member,
			 struct rpt_text *out)
{
	unsigned asked = cell->columns->asked_widths[cell->idx];
	unsigned width = asked > NO_ACC_WIDTH ? asked : NO_ACC_WIDTH;

	if (!member)
		rpt_text_right(out, "N/A",
			       cell->is_trimmed ? 0
			       : asked		? width
						: PERCENT_WIDTH);
	else if (!cell->is_last && !asked)
		rpt_text_pad(out, PERCENT_WIDTH);
}

static bool is_acc(const struct rpt_dimension *dim)
{
	return dim->weight == RPT_WEIGHT_ACC ||
	       dim->weight == RPT_WEIGHT_SECOND_ACC;
}

const char *rpt_cell_colour(const struct rpt_cell *cell, uint32_t member)
{
	const struct rpt_dimension *dim = rpt_cell_dimension(cell);
	const struct rpt_rows *rows = cell->rows;
	uint64_t total = rpt_rows_total(rows, dim->weight, member);
	uint64_t value = rpt_rows_weight(rows, cell->row, dim->weight, member);

	if (dim->is_count || !total || cell->columns->separator ||
	    (is_acc(dim) && !rows->conf.children))
		return NULL;
	return rpt_percent_colour(&cell->columns->look,
				  100.0 * (double)value / (double)total);
}

static void print_member(const struct rpt_cell *cell, uint32_t member,
			 struct rpt_text *out)
{
	const struct rpt_dimension *dim = rpt_cell_dimension(cell);
	const struct rpt_rows *rows = cell->rows;
	uint64_t total = rpt_rows_total(rows, dim->weight, member);
	uint64_t value = rpt_rows_weight(rows, cell->row, dim->weight, member);
	double pct = total ? 100.0 * (double)value / (double)total : 0.0;

	if (is_acc(dim) && !rows->conf.children)
		print_no_acc(cell, member, out);
	else if (dim->is_count)
		rpt_text_dec(out, value, number_width(cell, member, out));
	else
		rpt_text_percent(out, pct, number_width(cell, member, out));
}

static void print_number(const struct rpt_cell *cell, struct rpt_text *out)
{
	for (uint32_t m = 0; m < cell->rows->member_nr; m++) {
		/* of a narrow number, who prints it adds the colour */
		const char *colour =
			cell->is_narrow ? NULL : rpt_cell_colour(cell, m);

		if (colour)
			rpt_text_escape(out, colour);
		print_member(cell, m, out);
		if (colour)
			rpt_text_escape(out, RPT_COLOUR_END);
	}
}

#define NUMBER(name_, header_, weight_, width_, help_)         \
	.name = (name_), .header = (header_), .help = (help_), \
	.weight = RPT_WEIGHT_##weight_, .width = (width_),     \
	.print = print_number

#define LATENCY_WIDTH (PERCENT_WIDTH - 1) /* perf's, of the first of two */

#define OVERHEAD(weight_, width_)                       \
	NUMBER("overhead", "Overhead", weight_, width_, \
	       "share of the row, without its callees")
#define CHILDREN(weight_, width_)                                \
	NUMBER("overhead_children", "Children", weight_, width_, \
	       "share of the row with its callees (--children)")
#define LATENCY(weight_, width_)                                           \
	NUMBER("latency", "Latency", weight_, width_,                      \
	       "share of the elapsed time, which running threads divide"), \
		.is_new = true
#define LATENCY_CHILDREN(weight_, width_)                      \
	NUMBER("latency_children", "Latency", weight_, width_, \
	       "the same with callees (--children)"),          \
		.is_new = true
#define PERIOD(weight_, width_)                                   \
	NUMBER("period", "Period", weight_, width_,               \
	       "sum of their periods, in the unit of the event"), \
		.is_count = true

/* The same numbers in tables whose periods are latencies. */
static const struct rpt_dimension overhead = { OVERHEAD(SECOND,
							PERCENT_WIDTH) };
static const struct rpt_dimension children = { CHILDREN(SECOND_ACC,
							PERCENT_WIDTH) };
static const struct rpt_dimension latency = { LATENCY(SELF, PERCENT_WIDTH) };
static const struct rpt_dimension latency_children = { LATENCY_CHILDREN(
	ACC, LATENCY_WIDTH) };
static const struct rpt_dimension period = { PERIOD(SECOND, COUNT_WIDTH) };

#define OR_LATENCY(dim) .variants = RPT_VARIANT_LATENCY, .instead = &(dim)

const struct rpt_dimension rpt_number_dimensions[] = {
	{ OVERHEAD(SELF, PERCENT_WIDTH), OR_LATENCY(overhead) },
	{ NUMBER("overhead_sys", "sys", SYS, PERCENT_WIDTH,
		 "the part of it in the kernel") },
	{ NUMBER("overhead_us", "usr", USER, PERCENT_WIDTH,
		 "the part of it in programs") },
	{ NUMBER("overhead_guest_sys", "guest sys", GUEST_SYS,
		 PERCENT_WIDTH + 1, "the part of it in kernels of guests") },
	{ NUMBER("overhead_guest_us", "guest usr", GUEST_USER,
		 PERCENT_WIDTH + 1, "the part of it in programs of guests") },
	{ CHILDREN(ACC, PERCENT_WIDTH), OR_LATENCY(children) },
	{ LATENCY(SECOND, PERCENT_WIDTH), OR_LATENCY(latency) },
	{ LATENCY_CHILDREN(SECOND_ACC, LATENCY_WIDTH),
	  OR_LATENCY(latency_children) },
	{ NUMBER("sample", "Samples", SAMPLES, COUNT_WIDTH,
		 "number of samples"),
	  .is_count = true },
	{ PERIOD(SELF, COUNT_WIDTH), OR_LATENCY(period) },
	{ .name = NULL }
};
