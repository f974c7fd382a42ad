/* Numbers that are added up: weights, counts of samples. */
#include "report/columns/columns_impl.h"

#define PERCENT_WIDTH 8
#define COUNT_WIDTH   12

static double percent(const struct rpt_cell *cell, uint32_t member,
		      uint64_t value)
{
	uint64_t total = cell->rows->totals[member];

	return total ? 100.0 * (double)value / (double)total : 0.0;
}

/* How wide a number is that has width columns with the blank that stands in
 * front of it, however long it is. */
static unsigned number_width(const struct rpt_cell *cell, uint32_t member,
			     unsigned width, struct rpt_text *out)
{
	const struct rpt_columns *columns = cell->columns;
	unsigned asked = columns->asked_widths[cell->idx];
	unsigned less = rpt_cell_dimension(cell)->width - width + 1;

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

/* Once for all members. */
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

static void print_acc(const struct rpt_cell *cell, uint32_t member,
		      struct rpt_text *out)
{
	uint64_t acc = rpt_rows_stat(cell->rows, cell->row, member)->acc;

	if (!cell->rows->conf.children) {
		print_no_acc(cell, member, out);
		return;
	}
	rpt_text_percent(out, percent(cell, member, acc),
			 number_width(cell, member, PERCENT_WIDTH - 1, out));
}

static void print_self(const struct rpt_cell *cell, uint32_t member,
		       struct rpt_text *out)
{
	uint64_t self = rpt_rows_stat(cell->rows, cell->row, member)->self;

	rpt_text_percent(out, percent(cell, member, self),
			 number_width(cell, member, PERCENT_WIDTH - 1, out));
}

static void print_mode(const struct rpt_cell *cell, uint32_t member,
		       struct rpt_text *out)
{
	const struct rpt_dimension *dim = rpt_cell_dimension(cell);
	const struct rpt_row_modes *modes =
		rpt_rows_modes(cell->rows, cell->row, member);
	uint64_t part = modes->self[dim->weight - RPT_WEIGHT_SYS];

	rpt_text_percent(out, percent(cell, member, part),
			 number_width(cell, member, dim->width - 1, out));
}

static void print_samples(const struct rpt_cell *cell, uint32_t member,
			  struct rpt_text *out)
{
	uint64_t nr = rpt_rows_stat(cell->rows, cell->row, member)->self_nr;

	rpt_text_dec(out, nr, number_width(cell, member, COUNT_WIDTH, out));
}

static void print_period(const struct rpt_cell *cell, uint32_t member,
			 struct rpt_text *out)
{
	uint64_t self = rpt_rows_stat(cell->rows, cell->row, member)->self;

	rpt_text_dec(out, self, number_width(cell, member, COUNT_WIDTH, out));
}

const struct rpt_dimension rpt_number_dimensions[] = {
	{ .name = "overhead",
	  .header = "Overhead",
	  .width = PERCENT_WIDTH,
	  .print_number = print_self,
	  .weight = RPT_WEIGHT_SELF },
	{ .name = "overhead_sys",
	  .header = "sys",
	  .width = PERCENT_WIDTH,
	  .print_number = print_mode,
	  .weight = RPT_WEIGHT_SYS },
	{ .name = "overhead_us",
	  .header = "usr",
	  .width = PERCENT_WIDTH,
	  .print_number = print_mode,
	  .weight = RPT_WEIGHT_USER },
	{ .name = "overhead_guest_sys",
	  .header = "guest sys",
	  .width = PERCENT_WIDTH + 1,
	  .print_number = print_mode,
	  .weight = RPT_WEIGHT_GUEST_SYS },
	{ .name = "overhead_guest_us",
	  .header = "guest usr",
	  .width = PERCENT_WIDTH + 1,
	  .print_number = print_mode,
	  .weight = RPT_WEIGHT_GUEST_USER },
	{ .name = "overhead_children",
	  .header = "Children",
	  .width = PERCENT_WIDTH,
	  .print_number = print_acc,
	  .weight = RPT_WEIGHT_ACC },
	{ .name = "sample",
	  .header = "Samples",
	  .width = COUNT_WIDTH,
	  .print_number = print_samples,
	  .weight = RPT_WEIGHT_SAMPLES },
	{ .name = "period",
	  .header = "Period",
	  .width = COUNT_WIDTH,
	  .print_number = print_period,
	  .weight = RPT_WEIGHT_SELF },
	{ .name = NULL }
};
