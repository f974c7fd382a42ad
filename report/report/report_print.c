/* The tables of a report, and what stands around them. */
#include "report/report/report.h"

#include "report/header/header_text.h"
#include "report/report/out_data.h"
#include "report/report/out_stdio.h"
#include "report/report/report_impl.h"
#include "format/support/safe_text.h"
#include "report/events/event_name.h"
#include "report/profile/thread_counts.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --percentage relative: make what is shown the total.  In a hierarchy these
 * are the uppermost rows, as in perf. */
static void set_relative(struct rpt_rows *rows, uint64_t *ret_sample_nr)
{
	*ret_sample_nr = 0;
	for (uint32_t m = 0; m < rows->member_nr; m++) {
		rows->totals[m] = rows->second_totals[m] = 0;
		for (uint32_t r = 0; r < rpt_rows_nr(rows); r++) {
			const struct rpt_row *row = &rows->items[r];
			const struct rpt_row_stat *stat =
				rpt_rows_stat(rows, r, m);

			if (row->is_hidden)
				continue;
			if (row->above == RPT_NO_ROW)
				rows->totals[m] += stat->self;
			if (row->above == RPT_NO_ROW && rows->modes)
				rows->second_totals[m] += rpt_rows_weight(
					rows, r, RPT_WEIGHT_SECOND, m);
			if (!rpt_rows_is_sum(rows, r))
				*ret_sample_nr += stat->self_nr;
		}
	}
}

/* The first column that is no number decides whether the row's own name is
 * left out of its graph. */
static bool starts_with_symbol(const struct rpt_report_args *args)
{
	return !args->columns.fields && args->columns.sort &&
	       !strncmp(args->columns.sort, "sym", 3);
}

static void print_data(struct rpt_report *report,
		       const struct rpt_data_form *form,
		       struct rpt_section *section, struct rpt_text *out)
{
	struct rpt_rows *rows = section->rows;
	struct rpt_data_event event = {
		.name = section->event_name,
		.is_first = !report->whole.printed_nr,
		.is_only = report->whole.events.nr == 1 ||
			   report->args->switches.off_cpu,
		.is_period = report->args->columns.show_total_period ||
			     report->args->switches.off_cpu ||
			     report->args->switches.latency,
		.rows = rows,
		.report = report,
		.columns = &report->view.columns,
	};

	rpt_columns_hide(&report->view.columns, rows);
	rpt_rows_sort(rows);
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
		rows->items[i].is_hidden = !rpt_stdio_is_shown(section, i);
	form->event(&event, out);
}

/* Return whether the event leads a group, even if members are shown one by one,
 * as in perf. */
static bool is_leader(const struct rpt_report *report,
		      const struct rpt_merged_event *event)
{
	const struct pd_event_set *set =
		report->whole.events.sets[event->input];

	return set->events[event->idx].member_nr > 1;
}

/* Return whether --group makes one group of all events, as there is none.  With
 * --no-group the first is still called its leader, as in perf. */
static bool is_one_group(const struct rpt_report *report)
{
	const struct rpt_merged_events *events = &report->whole.events;

	for (uint32_t i = 0; i < events->nr; i++) {
		if (events->items[i].input || events->items[i].idx != i ||
		    rpt_merged_events_group(events, i) > 1)
			return false;
	}
	return report->args->events.is_group_given && events->nr > 1;
}

/* Refuse --group-sort-idx without a group, unless --group or --no-group is
 * given, as in perf. */
static int check_group_idx(const struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	const struct rpt_merged_events *events = &report->whole.events;

	if (!args->events.group_sort_idx || args->events.is_group_given)
		return 0;
	for (uint32_t i = 0; i < events->nr; i++)
		if (is_leader(report, &events->items[i]))
			return 0;
	return pd_err_set(err, -ENODATA,
			  "--group-sort-idx: no group of events was recorded "
			  "(--group makes one of all)");
}

/* Return a section without what depends on its rows. */
static struct rpt_section section_of(struct rpt_report *report, uint32_t lead,
				     uint32_t member_nr)
{
	const struct rpt_report_args *args = report->args;
	const struct rpt_merged_event *event =
		&report->whole.events.items[lead];
	struct rpt_section section = {
		.is_group = is_leader(report, event) ||
			    (!lead && is_one_group(report) &&
			     (args->events.group ||
			      !(report->shape & RPT_SHAPE_PIPE))),
		.columns = &report->view.columns,
		.percent_limit = args->rows.percent_limit,
		.graph = args->graph.style,
		.is_quiet = args->is_quiet,
		.jobs = args->jobs,
		.times = args->filter.times,
		.sort_order = report->view.sort_order,
		.is_one_socket = args->rows.is_one_socket,
		.socket = args->rows.socket,
	};

	section.graph.skip_first = starts_with_symbol(args);
	section.graph.separator = args->columns.separator;
	section.graph.look = report->view.columns.look;
	for (uint32_t m = 0; m < member_nr; m++)
		section.sample_nr += report->whole.totals[lead + m].sample_nr;
	return section;
}

/* Print the section, whose rows are filled; form NULL: as text. */
static void print_rows(struct rpt_report *report,
		       const struct rpt_data_form *form,
		       struct rpt_section *section, struct rpt_text *out)
{
	const struct rpt_report_args *args = report->args;
	struct rpt_rows *rows = section->rows;

	for (uint32_t m = 0; m < rows->member_nr; m++)
		section->sample_nr -= rows->unresolved[m].sample_nr;
	if (!section->sample_nr && args->events.are_empty_skipped)
		return;
	section->graph.total = rows->totals[0];
	if (args->rows.is_relative)
		set_relative(rows, &section->sample_nr);
	section->graph.least_of = rows->totals[0];
	if (form) {
		print_data(report, form, section, out);
	} else {
		rpt_stdio_print_section(section, out);
		rpt_unnamed_rows_add(&report->whole.unnamed, rows);
	}
	report->whole.printed_nr++;
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
		report->whole.shown_nr += !rows->items[i].is_hidden;
	rpt_branch_types_merge(&report->whole.branch_types,
			       &rows->branch_types);
}

static void print_events(struct rpt_report *report,
			 const struct rpt_data_form *form, uint32_t lead,
			 uint32_t member_nr, struct rpt_text *out)
{
	const struct rpt_merged_event *event =
		&report->whole.events.items[lead];
	struct rpt_section section = section_of(report, lead, member_nr);
	struct rpt_rows rows;
	char *title;

	if (!section.sample_nr && report->args->events.are_empty_skipped)
		return;
	title = rpt_events_title(report->whole.events.sets[event->input],
				 event->idx, member_nr);
	section.event_name = title;
	section.rows = &rows;
	rpt_rows_init(&rows, &report->rows_conf, &report->profile,
		      &report->frames, member_nr);
	rows.event_idx = lead;
	if (report->args->rows.hierarchy)
		rpt_columns_fill_levels(&report->view.columns, &rows);
	rpt_report_fill_rows(report, &rows, lead);
	print_rows(report, form, &section, out);
	rpt_rows_release(&rows);
	free(title);
}

void rpt_report_print_header(const struct rpt_report *report, FILE *out)
{
	rpt_header_print(out, report->reader, report->source.mtime_s,
			 report->args->header.has_info);
}

static void print_headers(const struct rpt_report *report, FILE *out)
{
	for (uint32_t p = 0; p < report->whole.part_nr; p++) {
		if (report->whole.part_nr > 1)
			fprintf(out, "# %s:\n",
				report->whole.parts[p].args->input);
		rpt_report_print_header(&report->whole.parts[p], out);
	}
}

static void print_preamble(const struct rpt_report *report, FILE *out)
{
	if (report->args->header.is_shown) {
		print_headers(report, out);
		return;
	}
	fputs(RPT_HEADER_HINT, out);
	if (report->whole.part_nr == 1)
		return;
	fprintf(out, "# %" PRIu32 " recordings as one:\n",
		report->whole.part_nr);
	for (uint32_t p = 0; p < report->whole.part_nr; p++) {
		fprintf(out, "#   %s (host ",
			report->whole.parts[p].args->input);
		sup_put_safe_text(out, report->whole.parts[p].host);
		fputs(")\n", out);
	}
	fputs("#\n", out);
}

static void print_sections(struct rpt_report *report,
			   const struct rpt_data_form *form,
			   struct rpt_text *out)
{
	bool is_grouped = !form && report->args->events.group;
	uint32_t member_nr;

	if (form && form->open)
		form->open(&report->view.columns, out);
	for (uint32_t i = 0; i < report->whole.events.nr; i += member_nr) {
		member_nr = is_grouped ? rpt_merged_events_group(
						 &report->whole.events, i)
				       : 1;
		if (is_grouped && is_one_group(report))
			member_nr = report->whole.events.nr;
		print_events(report, form, i, member_nr, out);
	}
	if (form && form->close)
		form->close(out);
}

int rpt_report_print_data(struct rpt_report *report,
			  const struct rpt_data_form *form, FILE *out,
			  struct pd_err *err)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	int written;

	rpt_text_init(text, out);
	text->is_safe = !form || form->is_safe;
	print_sections(report, form, text);
	written = rpt_text_flush(text);
	free(text);
	if (written && written != -EPIPE)
		return pd_err_set(err, written, "%s", strerror(-written));
	return 0;
}

/* Return what may be tried next, by what was shown; NULL: nothing.  perf ends
 * with a random tip. */
static const char *tip_for(const struct rpt_report *report)
{
	bool has_chains = report->shape & RPT_SHAPE_CHAINS;

	if (!report->whole.shown_nr)
		return NULL;
	if (report->rows_conf.chains)
		return "For rows without call graphs, try: perfpair report -g "
		       "none";
	if (report->args->switches.latency && !report->args->switches.waits &&
	    rpt_switch_event_of(pd_reader_events(report->reader),
				report->tracepoints) >= 0)
		return "For the time in which nothing ran, too, try: perfpair "
		       "report --latency --waits";
	if (has_chains)
		return "For a flame graph, try: perfpair view";
	if (report->shape & RPT_SHAPE_TRACE && !report->args->columns.sort)
		return "For rows by one field, try: perfpair report -s FIELD";
	if (!(report->shape & (RPT_SHAPE_BY_BRANCH | RPT_SHAPE_DATA_SRC)))
		return "For call graphs, try: perfpair record -g";
	return NULL;
}

/* -T */
static int print_threads(const struct rpt_report *report, FILE *out,
			 struct pd_err *err)
{
	const char *pretty = report->args->facts.pretty;
	bool is_raw = pretty && !strcmp(pretty, "raw");
	int rc = 0;

	for (uint32_t p = 0; p < report->whole.part_nr && !rc; p++) {
		struct rpt_report *part = &report->whole.parts[p];
		struct rpt_thread_counts counts;

		if (report->whole.part_nr > 1)
			fprintf(out, "# %s:\n", part->args->input);
		rc = rpt_thread_counts_load(&counts, part->reader,
					    rpt_timeline_budget(part->timeline),
					    err);
		if (!rc)
			rpt_thread_counts_print(&counts,
						pd_reader_events(part->reader),
						is_raw, out);
		pd_damage_merge(&part->damage, &counts.damage);
		rpt_thread_counts_release(&counts);
	}
	return rc;
}

/* Get how many samples all parts have, and how many were lost. */
static void count_samples(const struct rpt_report *report, uint64_t *ret_nr,
			  uint64_t *ret_lost_nr)
{
	*ret_nr = 0;
	*ret_lost_nr = 0;
	for (uint32_t p = 0; p < report->whole.part_nr; p++) {
		*ret_nr +=
			rpt_profile_sample_nr(&report->whole.parts[p].profile);
		*ret_lost_nr += report->whole.parts[p].profile.lost_sample_nr;
	}
}

static void print_off_cpu_count(const char *title,
				const struct rpt_off_cpu_count *count,
				const char *rest, FILE *out)
{
	if (count->nr)
		fprintf(out, "# %s: %" PRIu64 ", %.6f s%s\n", title, count->nr,
			(double)count->sum_ns / 1e9, rest);
}

/* --off-cpu: what the numbers are, and what is not among them. */
static void print_off_cpu(const struct rpt_report *report, FILE *out)
{
	const struct rpt_report_switch_args *args = &report->args->switches;

	if (args->latency) {
		fputs("# Samples are parts of the elapsed time; their weight "
		      "is ns.\n#\n",
		      out);
		return;
	}
	fprintf(out,
		"# Samples are %sintervals without a CPU%s; their weight is "
		"%s.\n",
		args->waits ? "causes of " : "",
		args->wall_clock ? ", and samples on one" : "",
		args->wall_clock ? "ns of each thread, in all thread-seconds"
				 : "ns");
	for (uint32_t p = 0; p < report->whole.part_nr; p++) {
		const struct rpt_off_cpu_counts *counts =
			&report->whole.parts[p].profile.off_cpu;

		print_off_cpu_count("Threads without a CPU at the start",
				    &counts->at_start,
				    " (no stack, not counted)", out);
		print_off_cpu_count("Without a CPU at the end", &counts->at_end,
				    " (counted until the end)", out);
		print_off_cpu_count("Intervals with missing records",
				    &counts->with_loss, " (not counted)", out);
	}
	fputs("#\n", out);
}

static int print_text(struct rpt_report *report, FILE *out, struct pd_err *err)
{
	bool has_comments = !report->args->is_quiet;
	uint64_t sample_nr, lost_nr;
	const char *tip;
	int rc = check_group_idx(report, err);

	if (rc)
		return rc;
	if (has_comments)
		print_preamble(report, out);
	rpt_report_print_elided(report, out);
	count_samples(report, &sample_nr, &lost_nr);
	if (!sample_nr)
		return 0;
	if (has_comments)
		fprintf(out, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
			lost_nr);
	if (has_comments && report->args->switches.off_cpu)
		print_off_cpu(report, out);
	rc = rpt_report_print_data(report, NULL, out, err);
	tip = tip_for(report);
	if (!rc && has_comments && tip)
		fprintf(out, "#\n# (Tip: %s)\n#\n", tip);
	if (!rc && report->args->facts.are_threads_shown)
		rc = print_threads(report, out, err);
	if (!rc)
		rpt_branch_types_print(&report->whole.branch_types, out);
	return rc;
}

const struct rpt_output rpt_output_text = {
	.name = "text",
	.help = "tables to read",
	.needs = RPT_OUTPUT_TEXT,
	.options = { rpt_column_opts, rpt_level_opts, rpt_row_opts,
		     rpt_report_opts, rpt_text_opts },
	.print = print_text,
};
