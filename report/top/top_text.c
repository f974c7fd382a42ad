/* Frames as plain text: --stdio. */
#include "report/top/top.h"

#include "report/base/memory.h"

#include "format/support/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CLEAR	    "\33[H\33[2J"
#define LINE_LEN    80u
#define ENTRIES_NR  20u
#define HEAD_LINES  5u
#define WIDEST_LINE 512u

static double pct_of(uint64_t nr, uint64_t all_nr)
{
	return all_nr ? 100.0 * (double)nr / (double)all_nr : 0.0;
}

/* Append how often the event that is shown is sampled. */
static void put_rate(const struct rpt_live_report *live, struct rpt_text *out)
{
	const struct pd_event_set *events;
	const struct pd_attr *attr;

	if (!live->event_name)
		return;
	events = pd_reader_events(live->report->reader);
	attr = &events->events[live->rows.event_idx].attr;
	rpt_text_dec(out, attr->sample_period, 0);
	rpt_text_str(out, attr->flags & PD_ATTR_FREQ ? "Hz " : " ");
}

static void put_target(const struct rpt_top_args *args, struct rpt_text *out)
{
	const struct rpt_top_record_args *record = &args->record;

	if (args->input)
		rpt_text_str(out, "of a pipe");
	else if (record->pids)
		rpt_text_format(out, "target_pid: %s", record->pids);
	else if (record->tids)
		rpt_text_format(out, "target_tid: %s", record->tids);
	else if (record->uid)
		rpt_text_format(out, "uid: %s", record->uid);
	else if (record->command)
		rpt_text_format(out, "command: %s", record->command[0]);
	else
		rpt_text_str(out, "all");
	if (record->cpus)
		rpt_text_format(out, ", CPUs %s", record->cpus);
	else if (!args->input)
		rpt_text_format(out, ", %ld CPUs",
				sysconf(_SC_NPROCESSORS_ONLN));
}

void rpt_top_put_head(struct rpt_top *top, uint64_t now_ns,
		      struct rpt_text *out)
{
	struct rpt_live_window *window = &top->window;
	uint64_t ns;
	struct rpt_live_counts counts =
		rpt_live_window_counts(window, now_ns, &ns);
	double rate = ns ? (double)counts.sample_nr * 1e9 / (double)ns : 0.0;

	rpt_text_format(out,
			"PerfTop: %7.0f irqs/sec  kernel:%4.1f%%  exact: "
			"%4.1f%% lost: %" PRIu64 "/%" PRIu64 " drop: %" PRIu64
			"/%" PRIu64 " [",
			rate, pct_of(counts.kernel_nr, counts.sample_nr),
			pct_of(counts.exact_nr, counts.sample_nr),
			counts.lost_nr, window->lost_nr, counts.dropped_nr,
			window->dropped_nr);
	put_rate(&top->live, out);
	rpt_text_str(out,
		     top->live.event_name ? top->live.event_name : "no event");
	rpt_text_str(out, "],  (");
	put_target(top->args, out);
	rpt_text_char(out, ')');
}

/* Return how many rows are printed. */
static uint32_t entries(const struct rpt_top *top)
{
	struct winsize size = { 0 };

	if (top->args->view.entry_nr)
		return top->args->view.entry_nr;
	if (!sup_terminal()->is_out ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ||
	    size.ws_row <= HEAD_LINES)
		return ENTRIES_NR;
	return size.ws_row - HEAD_LINES;
}

static void put_rows(struct rpt_top *top, struct rpt_text *out)
{
	struct rpt_live_report *live = &top->live;
	uint32_t max_nr = entries(top), nr = 0;

	for (uint32_t i = 0; i < live->shown_nr && nr < max_nr; i++) {
		uint32_t row = live->shown[i];
		const struct rpt_row_stat *stat =
			rpt_rows_stat(&live->rows, row, 0);

		if (stat->acc_nr < top->args->view.least_nr)
			continue;
		rpt_live_report_print_row(live, row, out);
		rpt_live_report_print_graph(live, row, out);
		nr++;
	}
}

static void put_event(struct rpt_top *top, uint32_t event, uint64_t now_ns,
		      struct rpt_text *out)
{
	if (rpt_live_report_event_nr(&top->live))
		rpt_live_report_choose(&top->live, event,
				       sup_terminal()->width);
	rpt_text_str(out, "\n   ");
	rpt_top_put_head(top, now_ns, out);
	rpt_text_char(out, '\n');
	for (uint32_t i = 1; i < LINE_LEN; i++)
		rpt_text_char(out, '-');
	rpt_text_str(out, "\n\n");
	put_rows(top, out);
}

void rpt_top_print_text(struct rpt_top *top, uint64_t now_ns)
{
	const struct sup_terminal *terminal = sup_terminal();
	struct rpt_text *out = rpt_alloc(sizeof(*out));
	uint32_t nr = rpt_live_report_event_nr(&top->live), shown_nr = 0;

	rpt_text_init(out, stdout);
	out->is_safe = true;
	if (terminal->is_out && !terminal->is_dumb)
		rpt_text_escape(out, CLEAR);
	for (uint32_t i = 0; i < nr; i++)
		if (rpt_live_report_sample_nr(&top->live, i)) {
			put_event(top, i, now_ns, out);
			shown_nr++;
		}
	if (!shown_nr)
		put_event(top, 0, now_ns, out);
	if (rpt_text_flush(out) || fflush(stdout))
		top->is_ended = true; /* nobody reads it any more */
	free(out);
}
