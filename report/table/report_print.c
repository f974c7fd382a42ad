/* The tables of a report, and what stands around them. */
#include "report/table/report.h"

#include "report/cli/event_title.h"
#include "report/cli/header_text.h"
#include "report/table/out_stdio.h"
#include "report/table/report_inputs.h"
#include "report/table/report_setup.h"
#include "report/base/safe_text.h"
#include "report/profile/thread_counts.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* All but what its rows tell. */
static struct rpt_section section_of(struct rpt_report *report, uint32_t lead,
				     uint32_t member_nr)
{
	const struct rpt_report_args *args = report->args;
	const struct rpt_merged_event *event = &report->events.items[lead];
	struct rpt_section section = {
		.is_group = is_leader(report, event) ||
			    (!lead && is_one_group(report) &&
			     (args->group || !report->shape.is_pipe)),
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

	section.graph.skip_first = starts_with_symbol(args);
	section.graph.separator = args->separator;
	for (uint32_t m = 0; m < member_nr; m++)
		section.sample_nr += report->totals[lead + m].sample_nr;
	return section;
}

/* Its rows, which are those of the section, are there. */
static int print_rows(struct rpt_report *report, struct rpt_section *section,
		      struct rpt_text *out)
{
	const struct rpt_report_args *args = report->args;
	struct rpt_rows *rows = section->rows;
	int rc;

	for (uint32_t m = 0; m < rows->member_nr; m++)
		section->sample_nr -= rows->unresolved[m].sample_nr;
	if (!section->sample_nr && !args->are_empty_shown)
		return 0;
	section->graph.total = rows->totals[0];
	if (args->is_relative)
		set_relative(rows, &section->sample_nr);
	section->graph.least_of = rows->totals[0];
	rc = args->format == RPT_REPORT_TEXT
		     ? rpt_stdio_print_section(section, out)
		     : print_data(report, rows, section->event_name, out);
	report->printed_nr++;
	rpt_branch_types_merge(&report->branch_types, &rows->branch_types);
	return rc;
}

static int print_events(struct rpt_report *report, uint32_t lead,
			uint32_t member_nr, struct rpt_text *out)
{
	const struct rpt_merged_event *event = &report->events.items[lead];
	struct rpt_section section = section_of(report, lead, member_nr);
	struct rpt_rows rows;
	char *title;
	int rc;

	if (!section.sample_nr && !report->args->are_empty_shown)
		return 0;
	title = rpt_event_title(report->events.sets[event->input], event->idx,
				member_nr);
	section.event_name = title;
	section.rows = &rows;
	rpt_rows_init(&rows, &report->rows_conf, &report->profile,
		      &report->frames, member_nr);
	rows.event_idx = lead;
	if (report->args->hierarchy)
		rpt_columns_fill_levels(&report->columns, &rows);
	rc = rpt_parts_fill(report, &rows, lead);
	if (!rc)
		rc = print_rows(report, &section, out);
	rpt_rows_release(&rows);
	free(title);
	return rc;
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
