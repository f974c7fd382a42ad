#include "report/top/live_report.h"

#include "report/base/memory.h"
#include "report/events/event_name.h"
#include "report/report/print_pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void release_rows(struct rpt_live_report *frame)
{
	if (frame->event_name)
		rpt_rows_release(&frame->rows);
	free(frame->event_name);
	free(frame->shown);
	frame->event_name = NULL;
	frame->shown = NULL;
	frame->shown_nr = 0;
}

static void close_report(struct rpt_live_report *frame)
{
	release_rows(frame);
	if (frame->is_open)
		rpt_report_close(&frame->report);
	frame->is_open = false;
}

void rpt_live_report_release(struct rpt_live_report *frame)
{
	close_report(frame);
	pd_buf_release(&frame->bytes);
}

void rpt_live_names_release(struct rpt_live_names *names)
{
	rpt_symbols_free(names->symbols);
	names->symbols = NULL;
	names->memory_max_len = 0;
}

/* Return how much memory this process takes; 0 if that is not known. */
static uint64_t memory_len(void)
{
	unsigned long long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file && fscanf(file, "%*u %llu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit_names(struct rpt_live_names *names)
{
	if (!names->symbols || !names->memory_max_len ||
	    memory_len() <= names->memory_max_len)
		return;
	rpt_live_names_release(names);
	rpt_freed_memory_return();
}

/* Count the samples.  Symbols are made at the first time, and lent to the
 * report from then on. */
static int count(struct rpt_live_report *frame, struct rpt_live_names *names,
		 struct pd_err *err)
{
	struct rpt_report *report = &frame->report;
	int rc;

	report->shape &= ~(unsigned)RPT_SHAPE_PIPE;
	report->shared.symbols = names->symbols;
	report->shared.is_lent = names->symbols;
	rc = rpt_report_configure(report, err);
	if (report->symbols)
		names->symbols = report->symbols;
	report->shared.is_lent = true;
	if (!rc)
		rc = rpt_report_count(report, err);
	if (!rc)
		rpt_report_merge(report);
	return rc;
}

int rpt_live_report_again(struct rpt_live_report *frame,
			  const struct rpt_report_args *args,
			  struct rpt_live_names *names, struct pd_err *err)
{
	close_report(frame);
	limit_names(names);
	frame->names = names;
	frame->args = *args;
	frame->args.input = "-";
	frame->args.input_nr = 1;
	frame->is_open = true;
	err->code = 0;
	if (rpt_report_open_memory(&frame->report, &frame->args,
				   frame->bytes.data, frame->bytes.len, err))
		return err->code;
	return count(frame, names, err);
}

int rpt_live_report_make(struct rpt_live_report *frame,
			 const struct rpt_report_args *args,
			 struct rpt_live_names *names,
			 struct rpt_live_window *window,
			 const struct rpt_live_hide *hide, struct pd_err *err)
{
	close_report(frame);
	rpt_live_window_put(window, hide, &frame->bytes);
	if (pd_buf_status(&frame->bytes))
		return pd_err_set(err, -ENOMEM, "out of memory");
	return rpt_live_report_again(frame, args, names, err);
}

uint32_t rpt_live_report_event_nr(const struct rpt_live_report *frame)
{
	return frame->is_open ? frame->report.whole.events.nr : 0;
}

uint64_t rpt_live_report_sample_nr(const struct rpt_live_report *frame,
				   uint32_t event)
{
	return frame->report.whole.totals[event].sample_nr;
}

/* Return whether the first column of names is the symbol, which call graphs
 * then leave out. */
static bool starts_with_symbol(const struct rpt_report_args *args)
{
	return !args->columns.fields && args->columns.sort &&
	       !strncmp(args->columns.sort, "sym", 3);
}

static void set_section(struct rpt_live_report *frame, uint32_t event)
{
	struct rpt_report *report = &frame->report;
	struct rpt_section *section = &frame->section;

	*section = (struct rpt_section){
		.event_name = frame->event_name,
		.sample_nr = report->whole.totals[event].sample_nr,
		.rows = &frame->rows,
		.columns = &report->view.columns,
		.percent_limit = frame->args.rows.percent_limit,
		.graph = frame->args.graph.style,
		.is_quiet = true,
		.jobs = 1,
	};
	section->graph.skip_first = starts_with_symbol(&frame->args);
	section->graph.look = report->view.columns.look;
	section->graph.total = frame->rows.totals[0];
	section->graph.least_of = frame->rows.totals[0];
}

void rpt_live_report_choose(struct rpt_live_report *frame, uint32_t event,
			    uint32_t width)
{
	struct rpt_report *report = &frame->report;
	const struct rpt_merged_event *merged =
		&report->whole.events.items[event];
	struct rpt_print_pipeline steps;
	struct rpt_rows *rows = &frame->rows;

	release_rows(frame);
	report->view.columns.look.width = width;
	frame->event_name = rpt_events_title(
		report->whole.events.sets[merged->input], merged->idx, 1);
	rpt_rows_init(rows, &report->rows_conf, &report->profile,
		      &report->frames, 1);
	rows->event_idx = event;
	rpt_report_fill_rows(report, rows, event);
	set_section(frame, event);
	steps = (struct rpt_print_pipeline){
		.columns = frame->section.columns,
		.rows = rows,
		.min_weight = rpt_stdio_min_weight(&frame->section),
		.jobs = 1,
	};
	rpt_print_pipeline_ready(&steps);
	frame->shown = rpt_alloc_zeroed(rpt_rows_nr(rows) + (size_t)1,
					sizeof(*frame->shown));
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
		if (rpt_stdio_is_shown(&frame->section, rows->order[i]))
			frame->shown[frame->shown_nr++] = rows->order[i];
	if (!frame->names->memory_max_len)
		frame->names->memory_max_len =
			2 * memory_len() + RPT_LIVE_NAMES_LEN;
}

void rpt_live_report_print_header(struct rpt_live_report *frame,
				  struct rpt_text *out)
{
	rpt_columns_print_header(frame->section.columns, out);
}

void rpt_live_report_print_row(struct rpt_live_report *frame, uint32_t row,
			       struct rpt_text *out)
{
	rpt_columns_print_row(frame->section.columns, &frame->rows, row, out);
}

void rpt_live_report_print_graph(struct rpt_live_report *frame, uint32_t row,
				 struct rpt_text *out)
{
	rpt_stdio_print_graph(&frame->section, row, out);
}
