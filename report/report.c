#include "report/report.h"

#include "report/event_title.h"
#include "report/header_text.h"
#include "report/out_stdio.h"
#include "report/report_parts.h"
#include "report/report_view.h"
#include "report/safe_text.h"
#include "report/thread_counts.h"
#include "report/timeline_budget.h"
#include "report/tracepoint_load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sample bits that any of the events has. */
static uint64_t all_sample_bits(const struct pd_reader *reader)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	uint64_t bits = 0;

	for (size_t i = 0; i < events->nr; i++)
		bits |= events->events[i].attr.sample_type;
	return bits;
}

static size_t tracepoint_nr(const struct pd_reader *reader)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	size_t nr = 0;

	for (size_t i = 0; i < events->nr; i++)
		nr += events->events[i].attr.type == PD_TYPE_TRACEPOINT;
	return nr;
}

static int set_tracepoints(struct rpt_report *report)
{
	int rc;

	if (!tracepoint_nr(report->reader))
		return 0;
	rc = rpt_tracepoints_load(&report->tracepoints, report->reader,
				  &report->damage);
	if (report->tracepoints && report->args->is_raw_trace)
		rpt_tracepoints_show_raw(report->tracepoints);
	report->rows_conf.tracepoints = report->tracepoints;
	report->columns.tracepoints = report->tracepoints;
	report->columns.events = pd_reader_events(report->reader);
	return rc;
}

/* As perf: where the file says that it has branch stacks, and call chains do
 * not come out of copies of the stack (perf 6.12: nor out of branches). */
static bool is_branch_file(const struct pd_reader *reader)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	bool is_6_1 = pd_event_set_needed_perf(events) == PD_PERF_6_1;
	struct pd_cursor c;

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		if ((attr->sample_type & PD_SAMPLE_STACK_USER) ||
		    (!is_6_1 &&
		     (attr->branch_sample_type & PD_BRANCH_CALL_STACK)))
			return false;
	}
	return !pd_reader_header(reader)->is_pipe &&
	       pd_reader_feature(reader, PD_FEATURE_BRANCH_STACK, &c);
}

static bool is_power_file(const struct pd_reader *reader)
{
	struct pd_str arch = pd_reader_string(reader, PD_FEATURE_ARCH);

	return arch.len >= 3 && !memcmp(arch.ptr, "ppc", 3);
}

static struct rpt_report_shape shape_of(const struct pd_reader *reader)
{
	size_t event_nr = pd_reader_events(reader)->nr;

	return (struct rpt_report_shape){
		.has_chains = all_sample_bits(reader) & PD_SAMPLE_CALLCHAIN,
		.has_branches =
			all_sample_bits(reader) & PD_SAMPLE_BRANCH_STACK,
		.has_data_src = all_sample_bits(reader) & PD_SAMPLE_DATA_SRC,
		.is_power = is_power_file(reader),
		.is_pipe = pd_reader_header(reader)->is_pipe,
		.is_branch = is_branch_file(reader),
		.is_trace = event_nr && tracepoint_nr(reader) == event_nr &&
			    !pd_reader_header(reader)->is_pipe,
	};
}

/* -b, --no-branch-stack */
static int set_branch(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;

	if (args->has_branch_history)
		report->shape.is_branch = false;
	if (!args->is_branch_given || args->has_branch_history)
		return 0;
	report->shape.is_branch = args->is_branch;
	if (args->is_branch && !report->shape.has_branches) {
		pd_err_set(err, -EINVAL, "-b: no branches were recorded");
		pd_err_hint(err, "perfpair record -b takes them down, where "
				 "the CPU can");
		return -EINVAL;
	}
	return 0;
}

static int set_unwind(struct rpt_report *report, struct pd_err *err)
{
	struct pd_str arch = pd_reader_string(report->reader, PD_FEATURE_ARCH);

	if (!(all_sample_bits(report->reader) & PD_SAMPLE_STACK_USER))
		return 0;
	report->unwind = rpt_unwind_new(rpt_arch_of(arch.ptr, arch.len));
	if (!report->unwind)
		return pd_err_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* One of several may do so where the first does not. */
static bool may_unwind(const struct rpt_report *report)
{
	return report->unwind || report->args->input_nr > 1;
}

/* The file's own host, else what the file is called. */
static int set_host(struct rpt_report *report)
{
	const char *slash = strrchr(report->args->input, '/');
	struct pd_str name =
		pd_reader_string(report->reader, PD_FEATURE_HOSTNAME);

	report->host =
		name.len ? strndup(name.ptr, name.len)
			 : strdup(slash ? slash + 1 : report->args->input);
	return report->host ? 0 : -ENOMEM;
}

int rpt_report_open(struct rpt_report *report,
		    const struct rpt_report_args *args, struct pd_err *err)
{
	int rc;

	*report = (struct rpt_report){ .args = args, .part_nr = 1 };
	report->parts = report;
	rc = rpt_filter_parse(&report->filter, &args->filter, err);
	if (!rc)
		rc = rpt_file_source_open(&report->source, args->input, err);
	if (!rc)
		rc = rpt_file_source_reader(&report->source, NULL,
					    &report->reader, err);
	if (rc)
		return rc;
	pd_reader_set_ratio(report->reader, args->max_ratio);
	report->shape = shape_of(report->reader);
	rc = set_branch(report, err);
	if (rc)
		return rc;
	rc = rpt_filter_settle(&report->filter, &args->filter, report->reader,
			       err);
	if (!rc)
		rc = set_tracepoints(report);
	if (!rc)
		rc = rpt_event_switch_find(
			&report->event_switch, &args->event_switch,
			&report->filter.times, report->reader, err);
	return rc ? rc : set_host(report);
}

int rpt_report_configure(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	struct rpt_symbols_conf symbols = {
		.lender = report->is_lender_busy ? NULL : report->lender,
		.symfs = args->symfs,
		.kallsyms = args->kallsyms,
		.vmlinux = args->vmlinux,
		.ignore_vmlinux = args->ignore_vmlinux,
		.raw_names = !args->demangle,
		.with_parameters = args->is_verbose,
		.demangle_kernel = args->demangle && args->demangle_kernel,
	};
	int rc = rpt_report_set_view(report, err);

	if (!rc)
		rc = set_unwind(report, err);
	if (rc)
		return rc;
	if (!symbols.kallsyms && !symbols.vmlinux)
		symbols.kallsyms = report->source.dir.kallsyms;
	report->symbols = rpt_symbols_new(&symbols);
	if (report->symbols)
		report->timeline = rpt_timeline_new(report->symbols);
	if (!report->timeline)
		return pd_err_set(err, -ENOMEM, "out of memory");
	rpt_frames_init(&report->frames, report->timeline,
			args->inline_frames && may_unwind(report) &&
				(report->rows_conf.chains ||
				 report->rows_conf.children));
	report->frames.key = args->graph_key;
	report->frames.has_labels = report->rows_conf.chains;
	report->frames.full_paths = args->full_source_path;
	report->frames.is_verbose = args->is_verbose;
	return 0;
}

void rpt_report_close(struct rpt_report *report)
{
	rpt_filter_release(&report->filter);
	rpt_merged_events_release(&report->events);
	free(report->totals);
	free(report->host);
	free(report->sort_order);
	rpt_text_string_free(report->cell_text);
	free(report->order);
	rpt_frames_release(&report->frames);
	if (report->is_profiled)
		rpt_profile_release(&report->profile);
	rpt_pieces_release(&report->pieces);
	rpt_frame_match_release(&report->parent);
	rpt_frame_match_release(&report->ignored);
	rpt_sockets_release(&report->sockets);
	rpt_event_switch_release(&report->event_switch);
	rpt_tracepoints_free(report->tracepoints);
	rpt_unwind_free(report->unwind);
	rpt_timeline_free(report->timeline);
	rpt_symbols_free(report->symbols);
	if (report->reader)
		pd_reader_close(report->reader);
	rpt_file_source_close(&report->source);
}

/* --percentage relative: what is shown is all there is.  In a hierarchy these
 * are its uppermost rows, as in perf, with all that they hold. */
static void set_relative(struct rpt_rows *rows, uint64_t *ret_sample_nr)
{
	*ret_sample_nr = 0;
	for (uint32_t m = 0; m < rows->member_nr; m++) {
		rows->totals[m] = 0;
		for (uint32_t r = 0; r < rpt_rows_nr(rows); r++) {
			const struct rpt_row *row = &rows->items[r];
			const struct rpt_row_stat *stat =
				rpt_rows_stat(rows, r, m);

			if (row->is_hidden)
				continue;
			if (row->above == RPT_NO_ROW)
				rows->totals[m] += stat->self;
			if (!rpt_rows_is_sum(rows, r))
				*ret_sample_nr += stat->self_nr;
		}
	}
}

/* The first column that is no number decides whether the row's own name is
 * left out of its graph. */
static bool starts_with_symbol(const struct rpt_report_args *args)
{
	return !args->fields && args->sort && !strncmp(args->sort, "sym", 3);
}

static int print_data(struct rpt_report *report, struct rpt_rows *rows,
		      const char *name, struct rpt_text *out)
{
	struct rpt_data_event event = {
		.name = name,
		.is_first = !report->printed_nr,
		.is_only = report->events.nr == 1,
		.is_period = report->args->show_total_period,
		.rows = rows,
		.columns = &report->columns,
	};

	rpt_columns_hide(&report->columns, rows);
	return rpt_data_event_print(report->args->format, &event, out);
}

/* Also where members are shown one by one, as in perf. */
static bool is_leader(const struct rpt_report *report,
		      const struct rpt_merged_event *event)
{
	const struct pd_event_set *set = report->events.sets[event->input];

	return set->events[event->idx].member_nr > 1;
}

/* --group makes one group of all events where there is none; with --no-group
 * the first is called its leader, as in perf. */
static bool is_one_group(const struct rpt_report *report)
{
	const struct rpt_merged_events *events = &report->events;

	for (uint32_t i = 0; i < events->nr; i++) {
		if (events->items[i].input || events->items[i].idx != i ||
		    rpt_merged_events_group(events, i) > 1)
			return false;
	}
	return report->args->is_group_given && events->nr > 1;
}

/* As perf has it; typed, --group and --no-group answer for it. */
static int check_group_idx(const struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	const struct rpt_merged_events *events = &report->events;

	if (!args->group_sort_idx || args->is_group_given)
		return 0;
	for (uint32_t i = 0; i < events->nr; i++)
		if (is_leader(report, &events->items[i]))
			return 0;
	return pd_err_set(err, -EINVAL,
			  "--group-sort-idx: no group of events was recorded "
			  "(--group makes one of all)");
}

static int print_events(struct rpt_report *report, uint32_t lead,
			uint32_t member_nr, struct rpt_text *out)
{
	const struct rpt_report_args *args = report->args;
	const struct rpt_merged_event *event = &report->events.items[lead];
	struct rpt_rows rows = { 0 };
	struct rpt_section section = {
		.is_group = is_leader(report, event) ||
			    (!lead && is_one_group(report) &&
			     (args->group || !report->shape.is_pipe)),
		.rows = &rows,
		.columns = &report->columns,
		.percent_limit = args->percent_limit,
		.graph = args->graph,
		.is_quiet = args->is_quiet,
		.jobs = args->jobs,
		.times = args->filter.times,
		.sort_order = report->sort_order,
		.is_one_socket = args->is_one_socket,
		.socket = args->socket,
	};
	char *title;
	int rc;

	section.graph.skip_first = starts_with_symbol(args);
	section.graph.separator = args->separator;
	for (uint32_t m = 0; m < member_nr; m++)
		section.sample_nr += report->totals[lead + m].sample_nr;
	if (!section.sample_nr && !args->are_empty_shown)
		return 0;
	title = rpt_event_title(report->events.sets[event->input], event->idx,
				member_nr);
	section.event_name = title;
	rc = title ? rpt_rows_init(&rows, &report->rows_conf, &report->profile,
				   &report->frames, member_nr)
		   : -ENOMEM;
	rows.event_idx = lead;
	if (args->hierarchy)
		rpt_columns_fill_levels(&report->columns, &rows);
	if (!rc)
		rc = rpt_parts_fill(report, &rows, lead);
	for (uint32_t m = 0; m < member_nr && !rc; m++)
		section.sample_nr -= rows.unresolved[m].sample_nr;
	if (!rc && !section.sample_nr && !args->are_empty_shown)
		goto out;
	section.graph.total = rc ? 0 : rows.totals[0];
	if (!rc && args->is_relative)
		set_relative(&rows, &section.sample_nr);
	section.graph.least_of = rc ? 0 : rows.totals[0];
	if (!rc)
		rc = args->format == RPT_REPORT_TEXT
			     ? rpt_stdio_print_section(&section, out)
			     : print_data(report, &rows, title, out);
	report->printed_nr++;
	rpt_branch_types_merge(&report->branch_types, &rows.branch_types);
out:
	rpt_rows_release(&rows);
	free(title);
	return rc;
}

bool rpt_report_shows_lines(const struct rpt_report *report)
{
	unsigned by = report->rows_conf.by;

	return by & (RPT_BY_SRCLINE | RPT_BY_SRCFILE | RPT_BY_SRCLINE_FROM) ||
	       report->frames.key != RPT_FRAME_FUNCTION;
}

void rpt_report_print_header(const struct rpt_report *report, FILE *out)
{
	struct rpt_header_conf conf = {
		.captured_on = report->source.mtime_s,
		.full = report->args->is_info_shown,
	};

	rpt_header_print(out, report->reader, &conf);
}

static void print_headers(const struct rpt_report *report, FILE *out)
{
	for (uint32_t p = 0; p < report->part_nr; p++) {
		if (report->part_nr > 1)
			fprintf(out, "# %s:\n", report->parts[p].args->input);
		rpt_report_print_header(&report->parts[p], out);
	}
}

static void print_preamble(const struct rpt_report *report, FILE *out)
{
	if (report->args->header) {
		print_headers(report, out);
		return;
	}
	fputs(RPT_HEADER_HINT, out);
	if (report->part_nr == 1)
		return;
	fprintf(out, "# %" PRIu32 " recordings as one:\n", report->part_nr);
	for (uint32_t p = 0; p < report->part_nr; p++) {
		fprintf(out, "#   %s (host ", report->parts[p].args->input);
		rpt_put_safe_text(out, report->parts[p].host);
		fputs(")\n", out);
	}
	fputs("#\n", out);
}

static int print_sections(struct rpt_report *report, struct rpt_text *out)
{
	enum rpt_report_format format = report->args->format;
	bool is_grouped = format == RPT_REPORT_TEXT && report->args->group;
	uint32_t member_nr;
	int rc = 0;

	rpt_data_open(format, &report->columns, out);
	for (uint32_t i = 0; i < report->events.nr && !rc; i += member_nr) {
		member_nr =
			is_grouped ? rpt_merged_events_group(&report->events, i)
				   : 1;
		if (is_grouped && is_one_group(report))
			member_nr = report->events.nr;
		rc = print_events(report, i, member_nr, out);
	}
	rpt_data_close(format, out);
	return rc;
}

/* Results, after what was printed to out before. */
static int print_results(struct rpt_report *report, FILE *out,
			 struct pd_err *err)
{
	struct rpt_text *text = malloc(sizeof(*text));
	int written;
	int rc;

	if (!text)
		return pd_err_set(err, -ENOMEM, "out of memory for the text");
	rpt_text_init(text, out);
	text->is_safe = report->args->format == RPT_REPORT_TEXT ||
			report->args->format == RPT_REPORT_FOLDED;
	rc = print_sections(report, text);
	written = rpt_text_flush(text);
	free(text);
	if (rc)
		return pd_err_set(err, rc, "out of memory for rows");
	if (written && written != -EPIPE)
		return pd_err_set(err, written, "%s", strerror(-written));
	return 0;
}

struct pd_damage rpt_report_damage(const struct rpt_report *report)
{
	struct pd_damage damage = *pd_reader_damage(report->reader);

	pd_damage_merge(&damage, &report->damage);
	pd_damage_merge(&damage, rpt_timeline_damage(report->timeline));
	pd_damage_merge(&damage, &report->profile.damage);
	return damage;
}

bool rpt_report_is_damaged(const struct rpt_report *report)
{
	return report->profile.damaged_nr || report->profile.unknown_id_nr ||
	       rpt_report_damage(report).skipped_nr;
}

/* perf closes with a random one. */
static const char tip[] =
	"#\n# (Tip: For rows without call graphs, try: perfpair report -g "
	"none)\n#\n";

/* -T */
static int print_threads(const struct rpt_report *report, FILE *out,
			 struct pd_err *err)
{
	const char *pretty = report->args->pretty;
	bool is_raw = pretty && !strcmp(pretty, "raw");
	int rc = 0;

	for (uint32_t p = 0; p < report->part_nr && !rc; p++) {
		struct rpt_report *part = &report->parts[p];
		struct rpt_thread_counts counts;

		if (report->part_nr > 1)
			fprintf(out, "# %s:\n", part->args->input);
		rc = rpt_thread_counts_load(&counts, part->reader,
					    rpt_timeline_budget(part->timeline),
					    err);
		if (!rc && rpt_thread_counts_print(
				   &counts, pd_reader_events(part->reader),
				   is_raw, out))
			rc = pd_err_set(err, -ENOMEM, "out of memory");
		pd_damage_merge(&part->damage, &counts.damage);
		rpt_thread_counts_release(&counts);
	}
	return rc;
}

int rpt_report_print(struct rpt_report *report, FILE *out, struct pd_err *err)
{
	bool is_text = report->args->format == RPT_REPORT_TEXT;
	bool is_talkative = is_text && !report->args->is_quiet;
	uint64_t sample_nr, lost_nr;
	int rc = rpt_parts_merge(report);

	if (rc)
		return pd_err_set(err, rc, "out of memory for events");
	rc = check_group_idx(report, err);
	if (rc)
		return rc;
	if (is_talkative)
		print_preamble(report, out);
	if (is_text)
		rpt_report_print_elided(report, out);
	rpt_parts_samples(report, &sample_nr, &lost_nr);
	if (is_text && !sample_nr)
		return 0;
	if (is_talkative)
		fprintf(out, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
			lost_nr);
	rc = print_results(report, out, err);
	if (!rc && is_talkative)
		fputs(tip, out);
	if (!rc && is_text && report->args->are_threads_shown)
		rc = print_threads(report, out, err);
	if (!rc && is_text)
		rpt_branch_types_print(&report->branch_types, out);
	return rc;
}
