#include "report/top/live_report.h"

#include "report/base/memory.h"
#include "report/events/event_name.h"
#include "report/report/print_pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void release_rows(struct rpt_live_report *live)
{
	if (live->event_name)
		rpt_rows_release(&live->rows);
	free(live->event_name);
	free(live->shown);
	live->event_name = NULL;
	live->shown = NULL;
	live->shown_nr = 0;
}

static void close_report(struct rpt_live_report *live)
{
	release_rows(live);
	if (live->report == &live->of_window)
		rpt_report_close(live->report);
	live->report = NULL;
}

void rpt_live_report_release(struct rpt_live_report *live)
{
	close_report(live);
	rpt_report_files_close(&live->files);
	rpt_report_files_close(&live->first);
	pd_buf_release(&live->bytes);
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
static int count(struct rpt_live_report *live, struct rpt_live_names *names,
		 struct pd_err *err)
{
	struct rpt_report *report = live->report;
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

int rpt_live_report_again(struct rpt_live_report *live,
			  const struct rpt_report_args *args,
			  struct rpt_live_names *names, struct pd_err *err)
{
	close_report(live);
	limit_names(names);
	live->names = names;
	live->args = *args;
	live->args.input = "-";
	live->args.input_nr = 1;
	live->report = &live->of_window;
	err->code = 0;
	if (rpt_report_open_memory(live->report, &live->args, live->bytes.data,
				   live->bytes.len, err))
		return err->code;
	return count(live, names, err);
}

int rpt_live_report_make(struct rpt_live_report *live,
			 const struct rpt_report_args *args,
			 struct rpt_live_names *names,
			 struct rpt_live_window *window,
			 const struct rpt_live_hide *hide, struct pd_err *err)
{
	close_report(live);
	rpt_live_window_put(window, hide, &live->bytes);
	if (pd_buf_status(&live->bytes))
		return pd_err_set(err, -ENOMEM, "out of memory");
	return rpt_live_report_again(live, args, names, err);
}

/* Show files, which were counted, instead of those before.  The first ones have
 * the symbols; their samples go. */
static void show_files(struct rpt_live_report *live,
		       struct rpt_report_files *files)
{
	release_rows(live);
	if (live->first.nr) {
		rpt_report_files_close(&live->files);
	} else if (live->files.nr) {
		rpt_report_forget_samples(&live->files.items[0]);
		live->first = live->files;
	}
	live->files = *files;
	live->report = &live->files.items[0];
	live->args = *live->report->args;
}

int rpt_live_report_read(struct rpt_live_report *live,
			 const struct rpt_report_args *args, struct pd_err *err)
{
	struct rpt_report_files *first =
		live->first.nr ? &live->first : &live->files;
	struct rpt_report_files files;
	int rc;

	err->code = 0;
	rc = rpt_report_files_open_behind(
		&files, args, first->nr ? first->items[0].symbols : NULL, err);
	if (!rc) {
		/* numbers of intervals without a CPU would be by block */
		if (!args->switches.off_cpu || !args->columns.show_nr_samples)
			files.items[0].block_nr = RPT_LIVE_BLOCKS_NR;
		rc = rpt_report_files_count(&files, err);
	}
	if (!rc)
		rc = rpt_report_files_check_word(&files, err);
	live->path = files.path;
	if (rc)
		rpt_report_files_close(&files);
	else
		show_files(live, &files);
	return rc;
}

uint32_t rpt_live_report_event_nr(const struct rpt_live_report *live)
{
	return live->report ? live->report->whole.events.nr : 0;
}

uint64_t rpt_live_report_sample_nr(const struct rpt_live_report *live,
				   uint32_t event)
{
	return live->report->whole.totals[event].sample_nr;
}

/* Return whether the first column of names is the symbol, which call graphs
 * then leave out. */
static bool starts_with_symbol(const struct rpt_report_args *args)
{
	return !args->columns.fields && args->columns.sort &&
	       !strncmp(args->columns.sort, "sym", 3);
}

static void set_section(struct rpt_live_report *live, uint32_t event)
{
	struct rpt_report *report = live->report;
	struct rpt_section *section = &live->section;

	*section = (struct rpt_section){
		.event_name = live->event_name,
		.sample_nr = report->whole.totals[event].sample_nr,
		.rows = &live->rows,
		.columns = &report->view.columns,
		.percent_limit = live->args.rows.percent_limit,
		.graph = live->args.graph.style,
		.is_quiet = true,
		.jobs = 1,
	};
	section->graph.skip_first = starts_with_symbol(&live->args);
	section->graph.look = report->view.columns.look;
	section->graph.total = live->rows.totals[0];
	section->graph.least_of = live->rows.totals[0];
}

void rpt_live_report_choose(struct rpt_live_report *live, uint32_t event,
			    uint32_t width)
{
	struct rpt_report *report = live->report;
	const struct rpt_merged_event *merged =
		&report->whole.events.items[event];
	struct rpt_print_pipeline steps;
	struct rpt_rows *rows = &live->rows;

	release_rows(live);
	report->view.columns.look.width = width;
	live->event_name = rpt_events_title(
		report->whole.events.sets[merged->input], merged->idx, 1);
	rpt_rows_init(rows, &report->rows_conf, &report->profile,
		      &report->frames, 1);
	rows->event_idx = event;
	rpt_report_fill_rows(report, rows, event);
	set_section(live, event);
	steps = (struct rpt_print_pipeline){
		.columns = live->section.columns,
		.rows = rows,
		.min_weight = rpt_stdio_min_weight(&live->section),
		.jobs = 1,
	};
	rpt_print_pipeline_ready(&steps);
	live->shown = rpt_alloc_zeroed(rpt_rows_nr(rows) + (size_t)1,
				       sizeof(*live->shown));
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
		if (rpt_stdio_is_shown(&live->section, rows->order[i]))
			live->shown[live->shown_nr++] = rows->order[i];
	if (live->names && !live->names->memory_max_len)
		live->names->memory_max_len =
			2 * memory_len() + RPT_LIVE_NAMES_LEN;
}

void rpt_live_report_print_header(struct rpt_live_report *live,
				  struct rpt_text *out)
{
	rpt_columns_print_header(live->section.columns, out);
}

void rpt_live_report_print_row(struct rpt_live_report *live, uint32_t row,
			       struct rpt_text *out)
{
	rpt_columns_print_row(live->section.columns, &live->rows, row, out);
}

void rpt_live_report_print_graph(struct rpt_live_report *live, uint32_t row,
				 struct rpt_text *out)
{
	rpt_stdio_print_graph(&live->section, row, out);
}
