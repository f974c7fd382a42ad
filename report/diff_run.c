#include "report/diff_run.h"
#include "report/diff_paths.h"

#include "format/feature.h"
#include "report/diff_name.h"
#include "report/event_name.h"
#include "report/inline.h"
#include "report/lost_nr.h"
#include "report/names_lock.h"
#include "report/report.h"
#include "report/timeline_budget.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S   1e9
#define NAME_LEN   4096
#define TASK_CLOCK 1 /* PERF_COUNT_SW_TASK_CLOCK; 0 is the CPU's */

struct rpt_run_load {
	struct rpt_run_conf conf;
	struct rpt_report report;
};

/* From a table of rows, which know periods since their beginning, to cells:
 * after each block, what has grown in it. */
struct harvest {
	struct rpt_run_event *event; /* whose blocks get what is shown */
	struct rpt_rows rows;
	uint32_t lead; /* event */
	bool is_inclusive;
	struct rpt_row_stat *before; /* by row */
	uint32_t before_cap;
	struct rpt_run_cell *cells; /* .label is a row */
	size_t cell_nr;
	size_t cell_cap;
};

static int harvest_cell(struct harvest *h, uint32_t row, uint32_t block,
			const struct rpt_sum *sum)
{
	struct rpt_run_cell *cells = h->cells;

	if (h->cell_nr == h->cell_cap) {
		h->cell_cap = h->cell_cap ? h->cell_cap * 2 : 4096;
		cells = realloc(cells, h->cell_cap * sizeof(*cells));
		if (!cells)
			return -ENOMEM;
		h->cells = cells;
	}
	cells[h->cell_nr++] = (struct rpt_run_cell){ row, block, *sum };
	return 0;
}

static int harvest_room(struct harvest *h)
{
	uint32_t cap = h->rows.cap;
	struct rpt_row_stat *before;

	if (cap <= h->before_cap)
		return 0;
	before = realloc(h->before, cap * sizeof(*before));
	if (!before)
		return -ENOMEM;
	memset(before + h->before_cap, 0,
	       (cap - h->before_cap) * sizeof(*before));
	h->before = before;
	h->before_cap = cap;
	return 0;
}

static int harvest_row(struct harvest *h, uint32_t row, uint32_t block)
{
	const struct rpt_row_stat *now = rpt_rows_stat(&h->rows, row, 0);
	struct rpt_row_stat was = h->before[row];
	struct rpt_sum self = {
		(double)(now->self - was.self),
		(double)(now->self_nr - was.self_nr),
	};
	struct rpt_sum acc = {
		(double)(now->acc - was.acc),
		(double)(now->acc_nr - was.acc_nr),
	};
	const struct rpt_sum *sum = h->is_inclusive ? &acc : &self;

	h->before[row] = *now;
	if (h->rows.items[row].is_hidden)
		return 0;
	rpt_sum_add(&h->event->blocks[block], &self);
	return sum->nr > 0.0 ? harvest_cell(h, row, block, sum) : 0;
}

static int harvest_block(struct harvest *h, uint32_t block)
{
	int rc = harvest_room(h);

	for (uint32_t r = 0; r < rpt_rows_nr(&h->rows) && !rc; r++)
		rc = harvest_row(h, r, block);
	return rc;
}

static void harvest_release(struct harvest *h)
{
	rpt_rows_release(&h->rows);
	free(h->before);
	free(h->cells);
}

/* The stacks of one event come in the order of time, so block by block. */
static int harvest_event(struct harvest *h, const struct rpt_report *report)
{
	const struct rpt_profile *profile = &report->profile;
	uint32_t at = 0;
	int rc = 0;

	for (uint32_t i = 0; i < profile->keys.nr && !rc; i++) {
		uint32_t idx = report->order[i];
		const struct rpt_stack_key *key = rpt_profile_key(profile, idx);

		if (key->event_idx != h->lead)
			continue;
		if (key->base->block != at)
			rc = harvest_block(h, at);
		at = key->base->block;
		if (!rc)
			rc = rpt_rows_add(&h->rows, idx, 0);
	}
	/* out of budget: the rows that there are can be compared */
	return rc && rc != -EFBIG ? rc : harvest_block(h, at);
}

static bool is_nameless(const struct rpt_rows *rows, uint32_t row)
{
	const struct rpt_frame *frame =
		&rows->frames->items[rows->items[row].frame];

	return !frame->sym && !frame->inline_name;
}

/* The texts of a row with a NUL behind each; for the key, what tells it from
 * others (its event in front), for the label, what is shown. */
static void row_texts(const struct rpt_columns *columns,
		      const struct rpt_rows *rows, uint32_t row,
		      const struct rpt_run_event *key_of, struct rpt_text *out)
{
	if (key_of) {
		rpt_text_dec(out, key_of->name, 0);
		rpt_text_char(out, ';');
	}
	for (size_t i = 0; i < columns->nr; i++) {
		if (!rpt_columns_by_at(columns, i))
			continue;
		if (!key_of || rpt_columns_by_at(columns, i) != RPT_BY_SYMBOL ||
		    !is_nameless(rows, row))
			rpt_columns_print_text(columns, i, rows, row, out);
		rpt_text_char(out, '\0');
	}
}

static void set_widths(struct rpt_label *label,
		       const struct rpt_columns *columns,
		       const struct rpt_rows *rows, uint32_t row)
{
	size_t nr = 0;

	for (size_t i = 0; i < columns->nr; i++) {
		if (rpt_columns_by_at(columns, i))
			label->widths[nr++] =
				rpt_columns_text_width(columns, i, rows, row);
	}
}

static int64_t row_label(struct rpt_labels *labels,
			 const struct rpt_columns *columns,
			 const struct rpt_rows *rows, uint32_t row,
			 const struct rpt_run_event *event,
			 struct rpt_text_string *string)
{
	const char *text;
	size_t len;
	int64_t idx;

	row_texts(columns, rows, row, event, &string->text);
	text = rpt_text_string_take(string, &len);
	idx = text ? rpt_label_new(labels, text, len) : -ENOMEM;
	if (idx < 0 || labels->items[idx].texts[0])
		return idx;
	row_texts(columns, rows, row, NULL, &string->text);
	text = rpt_text_string_take(string, &len);
	if (!text || rpt_label_fill(labels, &labels->items[idx], text, len))
		return -ENOMEM;
	set_widths(&labels->items[idx], columns, rows, row);
	return idx;
}

static uint64_t addr_of(const struct rpt_rows *rows, uint32_t row)
{
	const struct rpt_row *item = &rows->items[row];

	return rpt_row_addr(item, &rows->frames->items[item->frame]);
}

static int compare_addrs(const void *a, const void *b, void *ctx)
{
	uint64_t x = addr_of(ctx, *(const uint32_t *)a);
	uint64_t y = addr_of(ctx, *(const uint32_t *)b);

	return (x > y) - (x < y);
}

/* Of addresses that share a label the lowest is shown, as in perf. */
static int number_rows(struct rpt_labels *labels,
		       const struct rpt_columns *columns, struct rpt_rows *rows,
		       const struct rpt_run_event *event, uint32_t *numbers)
{
	uint32_t nr = rpt_rows_nr(rows);
	uint32_t *order = malloc((nr + 1) * sizeof(*order));
	struct rpt_text_string *string = rpt_text_string_new();
	int rc = order && string ? 0 : -ENOMEM;

	for (uint32_t r = 0; r < nr && !rc; r++)
		order[r] = r;
	if (!rc)
		qsort_r(order, nr, sizeof(*order), compare_addrs, rows);
	for (uint32_t i = 0; i < nr && !rc; i++) {
		int64_t idx = row_label(labels, columns, rows, order[i], event,
					string);

		if (idx < 0)
			rc = (int)idx;
		else
			numbers[order[i]] = (uint32_t)idx;
	}
	rpt_text_string_free(string);
	free(order);
	return rc;
}

static int label_cells(struct harvest *h, struct rpt_labels *labels,
		       const struct rpt_columns *columns,
		       struct rpt_run_event *event)
{
	uint32_t nr = rpt_rows_nr(&h->rows);
	uint32_t *numbers = malloc((nr + 1) * sizeof(*numbers));
	int rc =
		numbers ? number_rows(labels, columns, &h->rows, event, numbers)
			: -ENOMEM;

	if (!rc) {
		for (size_t i = 0; i < h->cell_nr; i++)
			h->cells[i].label = numbers[h->cells[i].label];
		event->cells = h->cells;
		event->cell_nr = h->cell_nr;
		h->cells = NULL;
	}
	free(numbers);
	return rc;
}

static int load_rows(struct rpt_run_event *event, struct rpt_labels *labels,
		     struct rpt_report *report, uint32_t lead)
{
	struct harvest h = { .event = event,
			     .lead = lead,
			     .is_inclusive = report->rows_conf.children };
	int rc = rpt_rows_init(&h.rows, &report->rows_conf, &report->profile,
			       &report->frames, 1);

	if (!rc)
		rc = harvest_event(&h, report);
	if (!rc)
		rc = label_cells(&h, labels, &report->columns, event);
	harvest_release(&h);
	return rc;
}

/* Percentages are of all samples, or with --percentage relative of those in
 * rows that are shown, which the blocks have already. */
static void set_totals(struct rpt_run_event *event,
		       const struct rpt_report *report, uint32_t lead,
		       uint32_t block_nr)
{
	const struct rpt_event_total *totals =
		report->profile.totals + (size_t)lead * block_nr;

	for (uint32_t b = 0; b < block_nr; b++) {
		if (!report->args->is_relative)
			event->blocks[b] = (struct rpt_sum){
				(double)totals[b].period,
				(double)totals[b].sample_nr,
			};
		rpt_sum_add(&event->total, &event->blocks[b]);
	}
}

static int load_event(struct rpt_run *run, struct rpt_labels *labels,
		      struct rpt_report *report, uint32_t lead,
		      const struct rpt_run_conf *conf)
{
	const struct pd_event *from =
		&pd_reader_events(report->reader)->events[lead];
	struct rpt_run_event *event = &run->events[run->event_nr];
	char buf[RPT_EVENT_NAME_LEN];
	const char *name = rpt_event_name(from, buf);
	int64_t idx = rpt_intern(&labels->events, name, strlen(name));
	int rc;

	if (idx < 0)
		return (int)idx;
	run->event_nr++;
	event->name = (uint32_t)idx;
	event->is_clock = from->attr.type == PD_TYPE_SOFTWARE &&
			  from->attr.config <= TASK_CLOCK;
	event->blocks = calloc(run->block_nr, sizeof(*event->blocks));
	if (!event->blocks)
		return -ENOMEM;
	rc = conf->paths ? rpt_paths_load(event, labels, report, lead)
			 : load_rows(event, labels, report, lead);
	if (rc)
		return rc;
	set_totals(event, report, lead, run->block_nr);
	if (conf->blocks) /* else it is perf's table */
		rpt_run_event_weigh(event, &from->attr, run->block_nr);
	rpt_run_event_merge(event);
	return 0;
}

static void set_facts(struct rpt_run *run, const struct rpt_report *report)
{
	double lost_nr = (double)rpt_lost_nr(report->profile.lost_nr,
					     report->profile.lost_sample_nr);
	double nr = lost_nr;
	struct pd_nrcpus cpus;
	struct pd_cursor c;

	for (size_t e = 0; e < run->event_nr; e++)
		nr += run->events[e].total.nr;
	run->lost_share = nr > 0.0 ? lost_nr / nr : 0.0;
	if (pd_reader_feature(report->reader, PD_FEATURE_NRCPUS, &c) &&
	    !pd_feature_nrcpus_read(&c, &cpus))
		run->cpu_nr = cpus.online;
	run->is_damaged = rpt_report_is_damaged(report) ||
			  rpt_timeline_budget(report->timeline)->is_spent;
}

static int add_header(struct rpt_labels *labels, unsigned by, const char *name,
		      const char *header)
{
	size_t at = labels->column_nr;

	labels->names[at] = rpt_arena_copy(&labels->texts, name, strlen(name));
	labels->headers[at] =
		rpt_arena_copy(&labels->texts, header, strlen(header));
	if (!labels->names[at] || !labels->headers[at])
		return -ENOMEM;
	labels->by[labels->column_nr++] = by;
	return 0;
}

static bool is_header(const struct rpt_labels *labels, size_t idx, unsigned by,
		      const char *header)
{
	return idx < labels->column_nr && labels->by[idx] == by &&
	       !strcmp(labels->headers[idx], header);
}

static int set_path_header(struct rpt_labels *labels)
{
	return labels->column_nr ? 0
				 : add_header(labels, RPT_BY_SYMBOL, "symbol",
					      "Call path");
}

/* Those of the first run, which the others have too: labels of all runs have
 * the same texts. */
static int set_headers(struct rpt_labels *labels,
		       const struct rpt_columns *columns, struct pd_err *err)
{
	bool is_first = !labels->column_nr, differs = false;
	char buf[RPT_COLUMN_NAME_LEN];
	size_t nr = 0;

	if (labels->is_paths)
		return set_path_header(labels);
	for (size_t i = 0; i < columns->nr; i++) {
		unsigned by = rpt_columns_by_at(columns, i);
		const char *header = rpt_columns_header(columns, i);

		if (!by)
			continue;
		if (nr == RPT_LABEL_COLUMNS_MAX)
			return pd_err_set(err, -EINVAL,
					  "more than %d sort keys cannot be "
					  "compared",
					  RPT_LABEL_COLUMNS_MAX);
		if (is_first &&
		    add_header(labels, by, rpt_columns_name(columns, i, buf),
			       header))
			return -ENOMEM;
		differs |= !is_header(labels, nr++, by, header);
	}
	if (differs || nr != labels->column_nr)
		return pd_err_set(err, -EINVAL,
				  "its columns are not those of the first "
				  "file");
	return 0;
}

int rpt_run_open(struct rpt_run *run, const struct rpt_run_conf *conf,
		 struct pd_err *err)
{
	struct rpt_report *report;
	int rc;

	*run = (struct rpt_run){ .path = conf->args.input, .block_nr = 1 };
	run->load = calloc(1, sizeof(*run->load));
	if (!run->load)
		return pd_err_set(err, -ENOMEM, "out of memory");
	run->load->conf = *conf;
	report = &run->load->report;
	rc = rpt_report_open(report, &run->load->conf.args, err);
	report->lender = conf->lender;
	report->is_lender_busy = conf->is_lender_busy;
	if (!rc)
		rc = rpt_report_configure(report, err);
	if (rc)
		return rc;
	if ((conf->children || conf->paths) && !report->rows_conf.chains)
		return pd_err_set(err, -EINVAL,
				  "nothing was recorded with call chains "
				  "(record -g)");
	report->rows_conf.children = conf->children;
	/* no graph for each row; the profile keeps chains for paths */
	report->rows_conf.chains = conf->paths;
	report->block_nr = conf->blocks ? RPT_BLOCKS_MAX : 0;
	return 0;
}

int rpt_run_count(struct rpt_run *run, struct pd_err *err)
{
	struct rpt_report *report = &run->load->report;
	int rc = rpt_report_count(report, err);
	double nr;

	if (rc)
		return rc;
	nr = (double)rpt_profile_sample_nr(&report->profile);
	if (nr <= 0.0)
		return pd_err_set(err, -ENODATA, "%s",
				  report->filter.asked & RPT_FILTER_MOMENT
					  ? "no sample in it is of the times "
					    "and CPUs asked for"
					  : "there are no samples in it");
	if (report->blocks.nr)
		run->block_nr = report->blocks.nr;
	/* from the first sample to the last, and one distance more */
	if (nr > 1.0)
		run->wall_s = (double)report->blocks.span_ns / NS_PER_S * nr /
			      (nr - 1.0);
	return 0;
}

/* Those of a directory name a file out of it. */
struct rpt_symbols *rpt_run_symbols(const struct rpt_run *run)
{
	const struct rpt_report *report = run->load ? &run->load->report : NULL;

	if (!report)
		return run->symbols;
	return report->source.dir.kallsyms ? NULL : report->symbols;
}

struct rpt_report *rpt_run_report(const struct rpt_run *run)
{
	return &run->load->report;
}

/* All frames are resolved by now, so that their files have been read. */
static int add_inline_dsos(struct rpt_run *run, const struct rpt_frames *frames)
{
	const struct rpt_dso *last = NULL;
	char stem[NAME_LEN];

	for (uint32_t i = 0; i < frames->nr; i++) {
		const struct rpt_frame *frame = &frames->items[i];
		const char *name;

		if (!frame->dso || !frame->sym || frame->dso == last)
			continue;
		last = frame->dso;
		if (!rpt_dso_has_functions(frame->dso))
			continue;
		name = rpt_dso_name(frame->dso);
		rpt_diff_dso(strrchr(name, '/') ? strrchr(name, '/') + 1 : name,
			     RPT_NAME_STEM, stem, sizeof(stem));
		if (rpt_intern(&run->inline_dsos, stem, strlen(stem)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int load_events(struct rpt_run *run, struct rpt_labels *labels,
		       struct pd_err *err)
{
	struct rpt_report *report = &run->load->report;
	size_t event_nr = pd_reader_events(report->reader)->nr;
	int rc;

	labels->is_paths = run->load->conf.paths;
	rc = set_headers(labels, &report->columns, err);
	if (rc)
		return rc;
	run->events = calloc(event_nr + 1, sizeof(*run->events));
	if (!run->events)
		return -ENOMEM;
	for (size_t e = 0; e < event_nr && !rc; e++)
		rc = load_event(run, labels, report, (uint32_t)e,
				&run->load->conf);
	return rc;
}

static void unload(struct rpt_run *run)
{
	if (!run->load)
		return;
	rpt_report_close(&run->load->report);
	free(run->load);
	run->load = NULL;
}

int rpt_run_label(struct rpt_run *run, struct rpt_labels *labels,
		  struct pd_err *err)
{
	const struct rpt_run_conf *conf = &run->load->conf;
	struct rpt_report *report = &run->load->report;
	int rc;

	if (conf->is_lender_busy)
		rpt_symbols_set_lender(report->symbols, conf->lender);
	rc = load_events(run, labels, err);
	if (!rc && conf->blocks && !labels->is_paths)
		rc = add_inline_dsos(run, &report->frames);
	if (!rc)
		set_facts(run, report);
	if (!rc && !conf->lender)
		run->symbols = rpt_run_symbols(run);
	if (run->symbols)
		report->symbols = NULL;
	unload(run);
	return rc;
}

void rpt_run_release(struct rpt_run *run)
{
	unload(run);
	for (size_t e = 0; e < run->event_nr; e++) {
		free(run->events[e].cells);
		free(run->events[e].blocks);
	}
	free(run->events);
	rpt_intern_release(&run->inline_dsos);
	rpt_symbols_free(run->symbols);
	*run = (struct rpt_run){ 0 };
}
