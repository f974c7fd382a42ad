#include "report/columns/columns.h"

#include "report/columns/column_fit.h"
#include "report/columns/columns_impl.h"
#include "report/timeline/task_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT_WIDTH 8
#define COUNT_WIDTH   12
#define TASK_ID_LEN   8 /* "%7d:" */

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
	unsigned less = columns->items[cell->idx]->width - width + 1;

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
	const struct rpt_column *column = cell->columns->items[cell->idx];
	const struct rpt_row_modes *modes =
		rpt_rows_modes(cell->rows, cell->row, member);
	uint64_t part = modes->self[column->weight - RPT_WEIGHT_SYS];

	rpt_text_percent(out, percent(cell, member, part),
			 number_width(cell, member, column->width - 1, out));
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

static const struct rpt_row *row_of(const struct rpt_cell *cell)
{
	return &cell->rows->items[cell->row];
}

static const struct rpt_frame *frame_of(const struct rpt_cell *cell)
{
	return &cell->rows->frames->items[row_of(cell)->frame];
}

/* comm, or ":TID" in buf. */
static const char *task_name(const char *comm, uint32_t tid, char buf[16])
{
	if (comm)
		return comm;
	snprintf(buf, 16, ":%d", (int)tid);
	return buf;
}

/* The task of the sample that made the row. */
static struct rpt_who who_of(const struct rpt_row *row)
{
	const struct rpt_profile *profile = row->input->profile;
	const struct rpt_stack *stack = &profile->stacks[row->stack];
	struct rpt_who who;

	rpt_timeline_task(profile->conf.timeline, stack->first_pid,
			  stack->first_tid, stack->first, &who);
	return who;
}

static uint32_t last_name_width(const struct rpt_who *who)
{
	char buf[16];

	return (uint32_t)strlen(
		task_name(rpt_who_comm_last(who), who->tid, buf));
}

static bool is_width_of(const struct rpt_name_width *name,
			const struct rpt_timeline *timeline,
			const struct rpt_stack *stack)
{
	return name->timeline == timeline && name->pid == stack->first_pid &&
	       name->tid == stack->first_tid &&
	       rpt_span_has(&name->span, stack->first);
}

/* perf takes the width from the last name of the row's task, even where the row
 * shows an earlier one, and cuts what does not fit. */
static uint32_t fit_comm(const struct rpt_cell *cell)
{
	const struct rpt_row *row = row_of(cell);
	const struct rpt_profile *profile = row->input->profile;
	const struct rpt_timeline *timeline = profile->conf.timeline;
	const struct rpt_stack *stack = &profile->stacks[row->stack];
	struct rpt_name_width *name, here;
	struct rpt_task_state who;

	name = cell->names ? &cell->names[stack->first_tid % RPT_NAME_WIDTHS]
			   : &here;
	if (cell->names && is_width_of(name, timeline, stack))
		return name->width;
	rpt_timeline_task_span(timeline, stack->first_pid, stack->first_tid,
			       stack->first, &who);
	*name = (struct rpt_name_width){
		.timeline = timeline,
		.pid = stack->first_pid,
		.tid = stack->first_tid,
		.span = who.span,
		.width = last_name_width(&who.who),
	};
	return name->width;
}

static void print_comm(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_row *row = row_of(cell);
	char buf[16];

	rpt_cell_put(cell, task_name(row->comm, rpt_row_tid(row), buf), out);
}

static uint32_t fit_task(const struct rpt_cell *cell)
{
	return fit_comm(cell) + TASK_ID_LEN;
}

static void print_task(const struct rpt_cell *cell, struct rpt_text *out)
{
	struct rpt_who task = who_of(row_of(cell)), *who = &task;
	struct rpt_cell rest = *cell;
	const char *name;
	char buf[16];

	rpt_text_int(out, (int)who->tid,
		     cell->is_trimmed ? 0 : TASK_ID_LEN - 1);
	rpt_text_char(out, ':');
	name = task_name(rpt_who_comm_last(who), who->tid, buf);
	rest.is_bare |= cell->width < TASK_ID_LEN; /* -w: as in perf, not cut */
	rest.width -= TASK_ID_LEN;
	rpt_cell_put(&rest, name, out);
}

static uint32_t fit_dso(const struct rpt_cell *cell)
{
	return rpt_cell_fit_dso(cell, frame_of(cell));
}

static void print_dso(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_print_dso(cell, frame_of(cell), out);
}

static uint32_t fit_symbol(const struct rpt_cell *cell)
{
	return rpt_cell_fit_symbol(cell, frame_of(cell));
}

static void print_symbol(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_row *row = row_of(cell);
	const struct rpt_frame *frame = frame_of(cell);

	rpt_cell_print_symbol(cell, frame, row->level, rpt_row_addr(row, frame),
			      out);
}

static uint32_t fit_cpu(const struct rpt_cell *cell)
{
	(void)cell;
	return 3;
}

static void print_cpu(const struct rpt_cell *cell, struct rpt_text *out)
{
	/* -1: not recorded */
	int cpu = (int)rpt_row_stack_key(row_of(cell))->base->cpu;

	if (cpu < 0)
		rpt_text_char(out, '-');
	rpt_text_zeros(out, cpu < 0 ? -(uint64_t)cpu : (uint64_t)cpu,
		       cell->width);
}

static const char *parent_name(const struct rpt_cell *cell)
{
	const char *name = rpt_rows_parent(cell->rows, row_of(cell));

	return name ? name : "[other]";
}

static uint32_t fit_parent(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(parent_name(cell));
}

static void print_parent(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_put(cell, parent_name(cell), out);
}

#define NO_IPC "-      -"

static uint32_t fit_no_ipc(const struct rpt_cell *cell)
{
	(void)cell;
	return sizeof(NO_IPC) - 1;
}

static void print_no_ipc(const struct rpt_cell *cell, struct rpt_text *out)
{
	rpt_cell_put(cell, NO_IPC, out);
}

/* Of other events than tracepoints: that there is none. */
static const char *trace_text(const struct rpt_cell *cell)
{
	const struct pd_event_set *events = cell->columns->events;
	uint32_t idx = cell->rows->event_idx;

	if (!events || events->events[idx].attr.type != PD_TYPE_TRACEPOINT)
		return "N/A";
	return rpt_intern_key(&cell->rows->traces, row_of(cell)->trace);
}

static uint32_t fit_trace(const struct rpt_cell *cell)
{
	return (uint32_t)strlen(trace_text(cell));
}

static void print_trace(const struct rpt_cell *cell, struct rpt_text *out)
{
	const char *text = trace_text(cell);
	size_t len;

	if (cell->is_trimmed)
		text += strspn(text, " ");
	len = strlen(text);
	if (cell->columns->asked_widths[cell->idx] && len > cell->width)
		len = cell->width;
	rpt_text_put(out, text, len);
	if (!cell->is_last && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}

const struct rpt_column rpt_plain_columns[RPT_PLAIN_COLUMNS] = {
	{ .name = "pid",
	  .header = "    Pid:Command",
	  .by = RPT_BY_TASK,
	  .print_text = print_task,
	  .fit = fit_task },
	{ .name = "comm",
	  .header = "Command",
	  .by = RPT_BY_COMM,
	  .print_text = print_comm,
	  .fit = fit_comm },
	{ .name = "dso",
	  .header = "Shared Object",
	  .by = RPT_BY_DSO,
	  .print_text = print_dso,
	  .fit = fit_dso },
	{ .name = "symbol",
	  .header = "Symbol",
	  .by = RPT_BY_SYMBOL,
	  .print_text = print_symbol,
	  .fit = fit_symbol },
	{ .name = "parent",
	  .header = "Parent symbol",
	  .by = RPT_BY_PARENT,
	  .print_text = print_parent,
	  .fit = fit_parent },
	{ .name = "cpu",
	  .header = "CPU",
	  .by = RPT_BY_CPU,
	  .print_text = print_cpu,
	  .fit = fit_cpu },
	{ .name = "trace",
	  .header = "Trace output",
	  .by = RPT_BY_TRACE,
	  .print_text = print_trace,
	  .fit = fit_trace },
	{ .name = "ipc_null", /* instructions per cycle, out of branches */
	  .header = "IPC   [IPC Coverage]",
	  .by = RPT_BY_SYMBOL,
	  .is_kept = true,
	  .print_text = print_no_ipc,
	  .fit = fit_no_ipc },
	{ .name = "tid", /* perf 6.1 shows threads by "pid" alone */
	  .header = "    Tid:Command",
	  .by = RPT_BY_TASK,
	  .print_text = print_task,
	  .fit = fit_task },
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
};
