#include "report/diff/diff_run.h"

#include "format/base/buf.h"
#include "format/base/search.h"
#include "format/file/feature.h"
#include "format/reader/reader.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/callchain/chain.h"
#include "report/callchain/frames.h"
#include "report/diff/diff_load.h"
#include "report/elf/function_stem.h"
#include "report/events/event_name.h"
#include "report/input/sample_pass.h"
#include "report/profile/unmatched_filter.h"
#include "report/report/report.h"
#include "report/report/report_warnings.h"
#include "report/symbols/dso.h"
#include "report/symbols/dso_bounds.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/symbols.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 4096

#define ROOT 0 /* parent of the outermost functions */

struct walk {
	struct rpt_run_event *event;
	struct rpt_labels *labels;
	struct rpt_report *report;
	struct rpt_chain chain;
	struct rpt_intern edges; /* (parent, frame) */
	uint32_t *edge_labels;	 /* the labels that edges lead to */
	uint32_t edges_cap;
};

static bool is_jit(const struct rpt_frame *frame)
{
	return frame->sym && frame->dso &&
	       rpt_diff_is_jit(rpt_dso_name(frame->dso));
}

/* Return the label of a frame's function below a caller's label (parent), by
 * name. */
static uint32_t label_below(struct walk *w, uint32_t parent, uint32_t frame)
{
	char full[NAME_LEN], stem[NAME_LEN], key[NAME_LEN + 32];
	const char *name = rpt_frame_name(&w->report->frames.items[frame], full,
					  sizeof(full));
	struct rpt_label *label;
	uint32_t idx;
	int len;

	if (!w->report->frames.items[frame].sym)
		name = "[unknown]";
	rpt_diff_symbol(name, RPT_NAME_STEM, stem, sizeof(stem));
	if (is_jit(&w->report->frames.items[frame]))
		rpt_diff_jit_symbol(name, stem, sizeof(stem));
	len = snprintf(key, sizeof(key), "%" PRIu32 ";%" PRIu32 ";%s",
		       w->event->number, parent, stem);
	idx = rpt_label_new(w->labels, key, (size_t)len);
	if (w->labels->items[idx].texts[0])
		return idx;
	label = &w->labels->items[idx];
	label->parent = parent;
	rpt_label_fill(w->labels, label, stem, strlen(stem) + 1);
	return idx;
}

/* The same; known edges are found by their numbers. */
static uint32_t step(struct walk *w, uint32_t parent, uint32_t frame)
{
	uint32_t edge[2] = { parent, frame };
	uint32_t known_nr = w->edges.nr;
	int64_t idx = rpt_intern(&w->edges, edge, sizeof(edge));

	if (idx < known_nr)
		return w->edge_labels[idx];
	w->edge_labels = rpt_grow(w->edge_labels, &w->edges_cap, known_nr,
				  sizeof(*w->edge_labels));
	w->edge_labels[idx] = label_below(w, parent, frame);
	return w->edge_labels[idx];
}

/* Set w->chain to the frames of a stack, the outermost first.  Without a chain,
 * return 1 + the frame of the sample; else 0, or a negative errno. */
static int frames_of(struct walk *w, const struct rpt_stack_key *key,
		     const struct rpt_stack *stack)
{
	struct rpt_chain_conf conf = {
		.is_caller_first = true,
		.max_stack = w->report->rows_conf.max_stack,
		.folds_unmapped = true,
		.linked = w->report->profile.linked,
	};
	struct rpt_frames *frames = &w->report->frames;
	struct rpt_frame_scope scope;
	struct rpt_frame_span span;
	int rc = 0;

	rpt_chain_scope(frames, key, stack, &scope);
	w->chain.nr = 0;
	if (key->chain_nr)
		rc = rpt_chain_resolve(&w->chain, frames, key, &scope, &conf);
	if (rc || w->chain.nr)
		return rc;
	rc = rpt_frames_resolve(frames, &scope, key->cpumode, key->ip, &span);
	return rc ? rc : (int)span.self + 1;
}

static int add_stack(struct walk *w, uint32_t idx)
{
	const struct rpt_stack_key *key =
		rpt_profile_key(&w->report->profile, idx);
	const struct rpt_stack *stack = &w->report->profile.stacks[idx];
	struct rpt_sum sum = { (double)stack->period, (double)stack->nr };
	int self = frames_of(w, key, stack);
	uint32_t nr = self ? 1 : w->chain.nr;
	uint32_t parent = ROOT;

	if (self < 0)
		return self;
	rpt_sum_add(&w->event->blocks[key->base->block], &sum);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t label =
			step(w, parent,
			     self ? (uint32_t)self - 1 : w->chain.frames[i]);

		rpt_run_event_add(w->event, label, key->base->block, &sum);
		parent = label + 1;
	}
	return 0;
}

static void diff_paths_load(struct rpt_run_event *event,
			    struct rpt_labels *labels,
			    struct rpt_report *report, uint32_t event_idx)
{
	struct walk w = { .event = event, .labels = labels, .report = report };
	const struct rpt_profile *profile = &report->profile;
	int rc = 0;

	/* out of budget: compare what there is */
	for (uint32_t i = 0; i < profile->keys.nr && !rc; i++) {
		uint32_t idx = report->order[i];
		const struct rpt_stack_key *key = rpt_profile_key(profile, idx);

		if (key->event_idx == event_idx &&
		    rpt_event_modes_have(event->modes, key->cpumode))
			rc = add_stack(&w, idx);
	}
	rpt_chain_release(&w.chain);
	rpt_intern_release(&w.edges);
	free(w.edge_labels);
}

#define NS_PER_S 1e9

struct rpt_run_load {
	struct rpt_run_conf conf;
	struct rpt_report report;
};

/* Set the blocks to the samples in the event's modes. */
static void set_mode_totals(struct rpt_run_event *event,
			    const struct rpt_profile *profile,
			    uint32_t event_idx, uint32_t block_nr)
{
	memset(event->blocks, 0, block_nr * sizeof(*event->blocks));
	for (uint32_t i = 0; i < profile->keys.nr; i++) {
		const struct rpt_stack_key *key = rpt_profile_key(profile, i);
		struct rpt_sum sum = { (double)profile->stacks[i].period,
				       (double)profile->stacks[i].nr };

		if (key->event_idx == event_idx &&
		    rpt_event_modes_have(event->modes, key->cpumode))
			rpt_sum_add(&event->blocks[key->base->block], &sum);
	}
}

/* Set the sums that percentages are of: all samples, or with --percentage
 * relative those of the rows that are shown, which the blocks have already. */
static void set_totals(struct rpt_run_event *event,
		       const struct rpt_report *report, uint32_t event_idx,
		       uint32_t block_nr)
{
	const struct rpt_event_total *totals =
		report->profile.totals + (size_t)event_idx * block_nr;

	bool is_part = event->modes != RPT_MODE_BOTH;

	if (is_part && !report->args->rows.is_relative)
		set_mode_totals(event, &report->profile, event_idx, block_nr);
	for (uint32_t b = 0; b < block_nr; b++) {
		if (!is_part && !report->args->rows.is_relative)
			event->blocks[b] = (struct rpt_sum){
				(double)totals[b].period,
				(double)totals[b].sample_nr,
			};
		rpt_sum_add(&event->total, &event->blocks[b]);
	}
}

/* Return the modes in which all runs have counted the event. */
static unsigned common_modes(const struct rpt_labels *labels, uint32_t number,
			     const struct pd_attr *attr)
{
	return number >= labels->modes_nr ||
			       labels->modes[number] == rpt_event_modes(attr)
		       ? RPT_MODE_BOTH
		       : labels->modes[number];
}

static void load_event(struct rpt_run *run, struct rpt_labels *labels,
		       uint32_t event_idx, uint32_t number)
{
	const struct rpt_run_conf *conf = &run->load->conf;
	struct rpt_report *report = &run->load->report;
	const struct pd_event *from =
		&pd_reader_events(report->reader)->events[event_idx];
	struct rpt_run_event *event = &run->events[run->event_nr];
	char buf[RPT_EVENT_NAME_LEN];
	const char *name = rpt_event_name(from, buf);

	run->event_nr++;
	event->number = number;
	if (!report->args->switches.off_cpu) /* intervals are as they are */
		event->attr = from->attr;
	event->modes = common_modes(labels, number, &from->attr);
	event->name = rpt_arena_copy(&labels->texts, name, strlen(name));
	event->is_clock = pd_attr_is_clock(&from->attr);
	event->is_elapsed = report->args->switches.latency &&
			    (event->is_clock || report->args->switches.waits);
	event->blocks = rpt_alloc_zeroed(run->block_nr, sizeof(*event->blocks));
	if (conf->paths)
		diff_paths_load(event, labels, report, event_idx);
	else
		rpt_diff_rows_load(event, labels, report, event_idx);
	set_totals(event, report, event_idx, run->block_nr);
	if (conf->blocks) /* not perf's table */
		rpt_run_event_weigh(event, &from->attr, run->block_nr);
	rpt_run_event_merge(event);
}

static void set_facts(struct rpt_run *run, const struct rpt_report *report)
{
	double lost_nr = (double)rpt_lost_samples(
		report->profile.lost_nr, report->profile.lost_sample_nr);
	double nr = lost_nr;
	const struct pd_trailer *trailer = pd_reader_trailer(report->reader);
	struct pd_nrcpus cpus;
	struct pd_cursor c;

	if (trailer)
		run->time = (struct rpt_run_time){
			.start = trailer->start,
			.len_ns = trailer->cost.recorded_ns,
		};
	for (size_t e = 0; e < run->event_nr; e++)
		nr += run->events[e].total.nr;
	run->lost_share = nr > 0.0 ? lost_nr / nr : 0.0;
	run->lock_reach = report->locks.reach;
	run->misses_returns = rpt_report_misses_returns(report);
	if (pd_reader_feature(report->reader, PD_FEATURE_NRCPUS, &c) &&
	    !pd_feature_nrcpus_read(&c, &cpus))
		run->cpu_nr = cpus.online;
	run->is_damaged = rpt_report_is_damaged(report) ||
			  rpt_timeline_budget(report->timeline)->is_spent;
}

/* Give the command a number, by its words from number first on. */
static void number_words(struct rpt_run *run, struct rpt_labels *labels,
			 const struct pd_str_list *argv, size_t first)
{
	struct pd_buf key = PD_BUF_INIT;

	for (size_t i = first; i < argv->nr; i++) {
		pd_buf_u64(&key, argv->items[i].len);
		pd_buf_bytes(&key, argv->items[i].ptr, argv->items[i].len);
	}
	/* without arguments there are no data */
	run->command = (uint32_t)rpt_intern(
			       &labels->commands,
			       key.len ? (const void *)key.data : "", key.len) +
		       1;
	pd_buf_release(&key);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Return whether code of a file of that name was sampled. */
static bool has_file(const struct rpt_frames *frames, const char *name)
{
	for (uint32_t i = 0; i < frames->nr; i++) {
		const struct rpt_dso *dso = frames->items[i].dso;

		if (dso && !strcmp(base_name(rpt_dso_name(dso)), name))
			return true;
	}
	return false;
}

/* Take note of the program that is the command's first word: another build may
 * have another file name.  If the run has files of both names, these are two
 * programs. */
static void set_program(struct rpt_run *run, struct rpt_labels *labels,
			struct pd_str word)
{
	char *path = rpt_alloc_text(word.ptr, word.len);
	const char *name = base_name(path);

	if (!labels->program)
		labels->program =
			rpt_arena_copy(&labels->texts, name, strlen(name));
	else if (!labels->is_perfs && strcmp(labels->program, name) != 0 &&
		 !has_file(&run->load->report.frames, labels->program))
		run->alias = rpt_arena_copy(&labels->texts, name, strlen(name));
	free(path);
}

static void set_command(struct rpt_run *run, struct rpt_labels *labels,
			const struct pd_reader *reader)
{
	const struct pd_trailer *trailer = pd_reader_trailer(reader);
	struct pd_str_list argv;
	struct pd_cursor c;

	if (!trailer || !trailer->whole_command ||
	    !pd_reader_feature(reader, PD_FEATURE_CMDLINE, &c) ||
	    pd_feature_cmdline_read(&c, &argv))
		return;
	/* the number is the place behind the command's name */
	if (trailer->whole_command <= argv.nr) {
		number_words(run, labels, &argv, trailer->whole_command);
		set_program(run, labels,
			    argv.items[trailer->whole_command - 1]);
	}
	pd_str_list_release(&argv);
}

const char *rpt_diff_program(const struct rpt_labels *labels,
			     const struct rpt_dso *dso)
{
	const char *name = base_name(rpt_dso_name(dso));

	return labels->alias && !strcmp(name, labels->alias) ? labels->program
							     : name;
}

static void add_header(struct rpt_labels *labels, unsigned by, const char *name,
		       const char *header)
{
	size_t at = labels->column_nr;

	labels->names[at] = rpt_arena_copy(&labels->texts, name, strlen(name));
	labels->headers[at] =
		rpt_arena_copy(&labels->texts, header, strlen(header));
	labels->by[labels->column_nr++] = by;
}

static bool is_header(const struct rpt_labels *labels, size_t idx, unsigned by,
		      const char *header)
{
	return idx < labels->column_nr && labels->by[idx] == by &&
	       !strcmp(labels->headers[idx], header);
}

/* Take the headers of the first run; other runs need the same ones. */
static int set_headers(struct rpt_labels *labels,
		       const struct rpt_columns *columns, struct pd_err *err)
{
	bool is_first = !labels->column_nr, differs = false;
	char buf[RPT_COLUMN_NAME_LEN];
	size_t nr = 0;

	if (labels->is_paths) {
		if (is_first)
			add_header(labels, RPT_BY_SYMBOL, "symbol",
				   "Call path");
		return 0;
	}
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
		if (is_first)
			add_header(labels, by,
				   rpt_columns_name(columns, i, buf), header);
		differs |= !is_header(labels, nr++, by, header);
	}
	if (differs || nr != labels->column_nr)
		return pd_err_set(err, -ENODATA,
				  "its columns are not those of the first "
				  "file");
	return 0;
}

int rpt_run_open(struct rpt_run *run, const struct rpt_run_conf *conf,
		 struct pd_err *err)
{
	struct rpt_report *report;
	int rc;

	run->block_nr = 1;
	run->load = rpt_alloc_zeroed(1, sizeof(*run->load));
	run->load->conf = *conf;
	run->load->conf.args.input = run->path;
	run->load->conf.args.filter.times = run->times;
	report = &run->load->report;
	rc = rpt_report_open(report, &run->load->conf.args, err);
	report->shared.symbols = conf->shared_from;
	report->shared.is_busy = conf->is_owner_busy;
	if (!rc)
		rc = rpt_report_configure(report, err);
	if (rc)
		return rc;
	if ((conf->children || conf->paths) && !report->rows_conf.chains)
		return pd_err_set(err, -ENODATA,
				  "nothing was recorded with call chains "
				  "(record -g)");
	report->rows_conf.children = conf->children;
	/* no graph for each row; the profile keeps chains for paths */
	report->rows_conf.chains &= conf->paths || conf->visitor;
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
	report->rows_conf.chains = run->load->conf.paths;
	nr = (double)rpt_profile_sample_nr(&report->profile);
	if (nr <= 0.0)
		return pd_err_set(err, -ENODATA, "%s",
				  report->filters.samples.asked &
						  RPT_FILTER_TIME_OR_CPU
					  ? "no sample in it is of the times "
					    "and CPUs asked for"
					  : "there are no samples in it");
	if (report->blocks.nr)
		run->block_nr = report->blocks.nr;
	/* from the first sample to the last, and one interval more */
	if (nr > 1.0)
		run->wall_s = (double)report->blocks.span_ns / NS_PER_S * nr /
			      (nr - 1.0);
	return 0;
}

/* Symbols of a directory are not shared: they name a file in it. */
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

/* Add the files that know inlined functions; all frames are resolved by now. */
static void add_inline_dsos(struct rpt_run *run,
			    const struct rpt_labels *labels,
			    const struct rpt_frames *frames)
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
		name = rpt_diff_program(labels, frame->dso);
		rpt_diff_dso(name, RPT_NAME_STEM, stem, sizeof(stem));
		rpt_intern(&run->inline_dsos, stem, strlen(stem));
	}
}

static int load_events(struct rpt_run *run, struct rpt_labels *labels,
		       struct pd_err *err)
{
	struct rpt_report *report = &run->load->report;
	const struct pd_event_set *set = pd_reader_events(report->reader);
	uint32_t *numbers;
	int rc;

	labels->is_paths = run->load->conf.paths;
	labels->is_perfs = !run->load->conf.blocks;
	rc = set_headers(labels, &report->view.columns, err);
	if (rc)
		return rc;
	set_command(run, labels, report->reader);
	labels->alias = run->alias;
	numbers = rpt_alloc_zeroed(set->nr + 1, sizeof(*numbers));
	run->events = rpt_alloc_zeroed(set->nr + 1, sizeof(*run->events));
	rpt_event_match_add(&labels->events, set, numbers);
	for (uint32_t e = 0; e < set->nr; e++)
		load_event(run, labels, e, numbers[e]);
	free(numbers);
	return 0;
}

/* If no sample passed the filter, find the option that none fits. */
static void find_unmatched(struct rpt_run *run)
{
	const struct rpt_report *report = &run->load->report;
	struct pd_err err = PD_ERR_INIT;

	for (size_t e = 0; e < run->event_nr; e++)
		if (run->events[e].cell_nr)
			return;
	if (!rpt_unmatched_filter_find(&report->profile, &report->args->filter,
				       &err))
		return;
	run->unmatched = rpt_alloc(sizeof(err));
	*run->unmatched = err;
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

	if (conf->is_owner_busy)
		rpt_symbols_set_shared_from(report->symbols, conf->shared_from);
	rc = load_events(run, labels, err);
	if (!rc && conf->blocks && !labels->is_paths)
		add_inline_dsos(run, labels, &report->frames);
	if (!rc) {
		set_facts(run, report);
		find_unmatched(run);
	}
	if (!rc && conf->visitor)
		conf->visitor->visit(conf->visitor->ctx, run, report);
	if (!rc && !conf->shared_from)
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
	free(run->times);
	free(run->unmatched);
	rpt_intern_release(&run->inline_dsos);
	rpt_symbols_free(run->symbols);
	*run = (struct rpt_run){ 0 };
}

void rpt_labels_release(struct rpt_labels *labels)
{
	rpt_intern_release(&labels->keys);
	rpt_event_match_release(&labels->events);
	rpt_intern_release(&labels->commands);
	rpt_intern_release(&labels->builds);
	rpt_arena_release(&labels->texts);
	free(labels->items);
	free(labels->modes);
	*labels = (struct rpt_labels){ 0 };
}

uint32_t rpt_label_new(struct rpt_labels *labels, const char *key, size_t len)
{
	uint32_t known_nr = labels->keys.nr;
	uint32_t idx = (uint32_t)rpt_intern(&labels->keys, key, len);

	labels->items = rpt_grow(labels->items, &labels->cap, known_nr,
				 sizeof(*labels->items));
	if (idx == known_nr)
		labels->items[idx] = (struct rpt_label){ .parent = 0 };
	return idx;
}

void rpt_label_fill(struct rpt_labels *labels, struct rpt_label *label,
		    const char *texts, size_t len)
{
	const char *copy = rpt_arena_copy(&labels->texts, texts, len);

	for (size_t i = 0; i < labels->column_nr; i++) {
		label->texts[i] = copy;
		copy += strlen(copy) + 1;
	}
}

const char *rpt_label_text(const struct rpt_labels *labels, uint32_t label,
			   unsigned by)
{
	for (size_t i = 0; i < labels->column_nr; i++)
		if (labels->by[i] == by)
			return labels->items[label].texts[i];
	return NULL;
}

static int compare_cells(const void *a, const void *b)
{
	const struct rpt_run_cell *x = a;
	const struct rpt_run_cell *y = b;

	int rc = rpt_compare_u64(x->label, y->label);

	return rc ? rc : rpt_compare_u64(x->block, y->block);
}

void rpt_run_event_add(struct rpt_run_event *event, uint32_t label,
		       uint32_t block, const struct rpt_sum *sum)
{
	event->cells = rpt_grow(event->cells, &event->cell_cap, event->cell_nr,
				sizeof(*event->cells));
	event->cells[event->cell_nr++] =
		(struct rpt_run_cell){ label, block, *sum };
}

void rpt_run_event_merge(struct rpt_run_event *event)
{
	struct rpt_run_cell *cells = event->cells;
	uint32_t nr = 0;

	if (event->cell_nr) /* else cells may be NULL */
		qsort(cells, event->cell_nr, sizeof(*cells), compare_cells);
	for (size_t i = 0; i < event->cell_nr; i++) {
		if (nr && !compare_cells(&cells[nr - 1], &cells[i])) {
			rpt_sum_add(&cells[nr - 1].sum, &cells[i].sum);
		} else {
			cells[nr++] = cells[i];
		}
	}
	event->cell_nr = nr;
}

const struct rpt_run_cell *rpt_run_cells(const struct rpt_run_event *event,
					 uint32_t label, size_t *ret_nr)
{
	size_t at, end;

	PD_FIND_FIRST(at, event->cell_nr, event->cells[at].label >= label);
	PD_FIND_FIRST(end, event->cell_nr, event->cells[end].label > label);
	*ret_nr = end - at;
	return end > at ? &event->cells[at] : NULL;
}

void rpt_run_event_weigh(struct rpt_run_event *event,
			 const struct pd_attr *attr, uint32_t block_nr)
{
	double hz = (double)attr->sample_period, factor;

	event->is_weighed =
		!(attr->flags & PD_ATTR_FREQ) ||
		attr->sample_type & (PD_SAMPLE_PERIOD | PD_SAMPLE_READ);
	if (event->is_weighed || !event->is_clock || hz <= 0.0)
		return;
	factor = NS_PER_S / hz / hz;
	for (size_t i = 0; i < event->cell_nr; i++)
		event->cells[i].sum.period *= factor;
	for (uint32_t b = 0; b < block_nr; b++)
		event->blocks[b].period *= factor;
	event->total.period *= factor;
	event->is_weighed = true;
}

bool rpt_unnamed_function(struct rpt_labels *labels,
			  const struct rpt_frame *frame, uint64_t *ret_start,
			  uint32_t *ret_build)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	const struct rpt_symbol *sym;
	const uint8_t *id;
	uint8_t id_len = 0;

	if (!frame->dso || frame->level != '.' ||
	    rpt_dso_kind(frame->dso) != RPT_DSO_USER)
		return false;
	id = rpt_dso_build_id(frame->dso, &id_len);
	sym = id_len ? rpt_dso_bounds_find(frame->dso, frame->addr, &range)
		     : NULL;
	if (!sym)
		return false;
	*ret_start = sym->start;
	*ret_build = (uint32_t)rpt_intern(&labels->builds, id, id_len);
	return true;
}

void rpt_unnamed_merge(const struct rpt_labels *labels, struct rpt_run *runs,
		       size_t run_nr)
{
	for (size_t r = 0; r < run_nr; r++) {
		for (size_t e = 0; e < runs[r].event_nr; e++) {
			struct rpt_run_event *event = &runs[r].events[e];

			for (size_t i = 0; i < event->cell_nr; i++) {
				uint32_t *label = &event->cells[i].label;
				uint32_t whole = labels->items[*label].whole;

				if (whole && labels->items[whole - 1].is_mixed)
					*label = whole - 1;
			}
			rpt_run_event_merge(event);
		}
	}
}
