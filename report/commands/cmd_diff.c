/* perfpair diff: shows what changed between recordings, and whether that is
 * more than chance. */
#include "report/commands/commands.h"
#include "report/commands/outputs.h"
#include "report/diff/diff_verdict.h"
#include "report/cli/command_options.h"
#include "report/cli/no_samples.h"
#include "report/cli/output_file.h"
#include "report/cli/output_options.h"
#include "report/diff/diff_load.h"
#include "report/cli/recording_input.h"
#include "report/diff/out_diff.h"
#include "report/page/page_diff.h"
#include "report/rows/rows_conf.h"
#include "report/base/memory.h"
#include "report/base/progress.h"
#include "format/support/safe_text.h"

#include "format/support/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct diff {
	struct rpt_diff_args *args;
	struct rpt_labels labels;
	struct rpt_run *runs; /* args.path_nr */
	size_t run_nr;
	const struct rpt_run **run_list; /* all, side by side */
	struct rpt_side *sides;
	struct rpt_diff_table *tables; /* one for each event */
	size_t table_nr;
	struct rpt_page_diff *page; /* with --format html */
	struct rpt_gate_result gate;
};

static void diff_release(struct diff *diff)
{
	for (size_t t = 0; t < diff->table_nr; t++)
		rpt_diff_table_release(&diff->tables[t]);
	while (diff->run_nr) /* the others use symbols of the first */
		rpt_run_release(&diff->runs[--diff->run_nr]);
	rpt_page_diff_free(diff->page);
	rpt_gate_result_release(&diff->gate);
	free(diff->tables);
	free(diff->runs);
	free(diff->run_list);
	free(diff->sides);
	rpt_labels_release(&diff->labels);
}

static int load(struct diff *diff, const char **ret_path, struct pd_err *err)
{
	size_t nr = diff->args->path_nr;

	diff->runs = rpt_alloc_zeroed(nr, sizeof(*diff->runs));
	diff->run_list = rpt_alloc_zeroed(nr, sizeof(*diff->run_list));
	diff->sides =
		rpt_alloc_zeroed(diff->args->side_nr, sizeof(*diff->sides));
	diff->run_nr = nr;
	if (diff->args->format == RPT_DIFF_HTML) {
		diff->page = rpt_page_diff_new();
		diff->args->visitor = rpt_page_diff_visitor(diff->page);
	}
	for (size_t r = 0; r < nr; r++)
		diff->run_list[r] = &diff->runs[r];
	return rpt_runs_load(diff->runs, &diff->labels, diff->args, ret_path,
			     err);
}

static void set_sides(struct diff *diff)
{
	const struct rpt_run **at = diff->run_list;

	for (size_t s = 0; s < diff->args->side_nr; s++) {
		diff->sides[s] = (struct rpt_side){
			.runs = at,
			.run_nr = diff->args->run_nrs[s],
			.units = s < 2 ? diff->args->units[s] : 0.0,
		};
		at += diff->args->run_nrs[s];
	}
}

/* Return true if one of these runs has the event; with_samples: and samples of
 * it. */
static bool has_event(const struct rpt_run *const *runs, size_t run_nr,
		      uint32_t number, bool with_samples)
{
	for (size_t r = 0; r < run_nr; r++) {
		for (size_t e = 0; e < runs[r]->event_nr; e++) {
			if (runs[r]->events[e].number == number &&
			    (!with_samples ||
			     runs[r]->events[e].total.nr > 0.0))
				return true;
		}
	}
	return false;
}

/* Return whether events without samples have tables, as in perf's; of --measure
 * elapsed there is one event. */
static bool has_empty(const struct diff *diff)
{
	return !diff->args->table.intervals &&
	       !diff->args->report.switches.off_cpu;
}

/* Return true if an event is on the old side and on another. */
static bool is_compared(const struct diff *diff, uint32_t number)
{
	const struct rpt_run *const *runs = diff->run_list;
	size_t old_nr = diff->args->run_nrs[0];

	return has_event(runs, old_nr, number, false) &&
	       has_event(runs + old_nr, diff->run_nr - old_nr, number, false) &&
	       (has_empty(diff) || has_event(runs, diff->run_nr, number, true));
}

static bool has_common_row(const struct rpt_diff_table *table)
{
	for (size_t i = 0; i < table->row_nr * table->side_nr; i++) {
		if (i % table->side_nr && table->cells[i].is_there &&
		    table->cells[i - i % table->side_nr].is_there)
			return true;
	}
	return false;
}

/* Return true if rows are by function, or by function and DSO, alone. */
static bool are_symbols(const struct rpt_labels *labels)
{
	unsigned by = 0;

	for (size_t i = 0; i < labels->column_nr; i++)
		by |= labels->by[i];
	return !labels->is_paths && (by & RPT_BY_SYMBOL) &&
	       !(by & ~(unsigned)(RPT_BY_SYMBOL | RPT_BY_DSO));
}

static bool is_filtered(const struct rpt_filter_args *filter)
{
	return filter->comms || filter->dsos || filter->symbols ||
	       filter->pids || filter->tids || filter->cpus || filter->times;
}

/* Return -EINVAL for recordings of different programs: all rows would be gone
 * or new.  Paths may all differ if the outermost function has another name, and
 * so may the rows that a filter leaves: they are not checked. */
static int check_common(const struct diff *diff, struct pd_err *err)
{
	if (!diff->args->table.intervals || !are_symbols(&diff->labels) ||
	    is_filtered(&diff->args->report.filter))
		return 0;
	for (size_t t = 0; t < diff->table_nr; t++) {
		if (has_common_row(&diff->tables[t]))
			return 0;
	}
	pd_err_set(err, -ENODATA, "%s and %s have no symbol in common",
		   diff->args->paths[0],
		   diff->args->paths[diff->args->path_nr - 1]);
	pd_err_hint(err, "--sort dso or comm compares what they are parts of");
	return -ENODATA;
}

static int tables_fill(struct diff *diff, struct pd_err *err)
{
	struct rpt_diff_table_conf conf = diff->args->table;
	uint32_t nr = diff->labels.events.nr;
	size_t compared_nr = 0;
	int rc = 0;

	conf.is_nested = diff->args->children;
	diff->tables = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*diff->tables));
	for (uint32_t number = 0; number < nr && !rc; number++) {
		if (is_compared(diff, number))
			compared_nr++;
		else if (!has_empty(diff) ||
			 !has_event(diff->run_list, diff->args->run_nrs[0],
				    number, false))
			continue; /* perf's table has all of the baseline */
		conf.event = number;
		rc = rpt_diff_table_fill(&diff->tables[diff->table_nr++], &conf,
					 &diff->labels, diff->sides,
					 diff->args->side_nr, err);
	}
	if (!rc && !compared_nr) {
		pd_err_set(err, -ENODATA,
			   "%s and %s have no event in "
			   "common",
			   diff->args->paths[0],
			   diff->args->paths[diff->args->path_nr - 1]);
		pd_err_hint(err, "perfpair evlist names the events of a file");
		rc = -ENODATA;
	}
	return rc ? rc : check_common(diff, err);
}

static int print_data(const struct diff *diff)
{
	const struct rpt_diff_args *args = diff->args;
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	int rc;

	rpt_text_init(text, stdout);
	text->is_safe = args->format != RPT_DIFF_JSON;
	if (args->format == RPT_DIFF_JSON)
		rpt_diff_print_json(args, diff->sides, diff->tables,
				    diff->table_nr, text);
	else if (args->format == RPT_DIFF_FOLDED)
		rpt_diff_print_folded(diff->tables, diff->table_nr, text);
	else
		rpt_diff_print_csv(args, diff->tables, diff->table_nr, text);
	rc = rpt_text_flush(text);
	free(text);
	return rc == -EPIPE ? 0 : rc;
}

static int print_text(const struct diff *diff)
{
	const struct rpt_diff_args *args = diff->args;
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	FILE *out = rpt_text_stream(text);
	int rc;

	rpt_text_init(text, stdout);
	/* fields with a separator are for programs, and it may be any */
	text->is_safe = !args->separator;

	if (args->format == RPT_DIFF_MARKDOWN)
		rpt_diff_print_markdown(args, &diff->gate, diff->tables,
					diff->table_nr, out);
	else if (args->table.intervals && !args->is_quiet)
		rpt_diff_print_head(args, diff->sides, out);
	for (size_t t = 0; t < diff->table_nr && args->format == RPT_DIFF_TEXT;
	     t++) {
		if (t && (args->table.intervals || !args->is_quiet))
			fputc('\n', out);
		rpt_diff_print_table(args, &diff->tables[t], text, out);
	}
	fclose(out);
	rc = rpt_text_flush(text);
	free(text);
	return rc == -EPIPE ? 0 : rc;
}

static int print_page(const struct diff *diff, struct pd_err *err)
{
	const struct rpt_page_diff_result result = {
		.args = diff->args,
		.sides = diff->sides,
		.tables = diff->tables,
		.table_nr = diff->table_nr,
		.runs = diff->runs,
	};
	char *title = rpt_page_title(diff->args->paths, diff->args->path_nr);
	const struct rpt_page_conf conf = {
		.len_max = diff->args->report.out.page_len,
		.title = title,
	};
	int rc = rpt_page_diff_print(diff->page, &result, &conf, stdout, err);

	free(title);
	return rc;
}

static int print(const struct diff *diff, struct pd_err *err)
{
	int rc = 0;

	if (diff->page)
		return print_page(diff, err);
	rc = diff->args->format == RPT_DIFF_TEXT ||
			     diff->args->format == RPT_DIFF_MARKDOWN
		     ? print_text(diff)
		     : print_data(diff);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

/* Return whether a sample passed the filter in a run. */
static bool has_cells(const struct diff *diff)
{
	for (size_t r = 0; r < diff->run_nr; r++)
		for (size_t e = 0; e < diff->runs[r].event_nr; e++)
			if (diff->runs[r].events[e].cell_nr)
				return true;
	return false;
}

/* Print which option leaves nothing of each file. */
static void warn_nothing_passes(const struct diff *diff)
{
	for (size_t r = 0; r < diff->run_nr; r++) {
		const struct rpt_run *run = &diff->runs[r];

		if (run->unmatched)
			sup_message_err(run->path, run->unmatched);
		else
			rpt_warn_nothing_passes(run->path,
						&diff->args->report.filter);
	}
}

static int verdict(struct diff *diff)
{
	bool is_damaged = false;
	int exit_code;

	for (size_t r = 0; r < diff->run_nr; r++) {
		if (diff->runs[r].misses_returns)
			sup_message("%s: when a thread got a CPU again is not "
				    "recorded; record --off-cpu, or perf "
				    "record --switch-events, has it",
				    diff->runs[r].path);
		if (!diff->runs[r].is_damaged)
			continue;
		sup_message("%s: not all of it could be read; perfpair check "
			    "says what",
			    diff->runs[r].path);
		is_damaged = true;
	}
	if (!has_cells(diff))
		warn_nothing_passes(diff);
	else if (diff->args->table.only_significant &&
		 !rpt_diff_shows_rows(diff->tables, diff->table_nr))
		sup_message("%s", diff->args->unmarked
					  ? "no row is marked: " RPT_DIFF_BLOCKS
					  : "no row changed by more than "
					    "chance");
	if (diff->args->gate.limit_pct >= 0.0)
		rpt_diff_warn_regressions(diff->tables, diff->table_nr,
					  diff->args->gate.limit_pct);
	exit_code = rpt_gate_end(&diff->args->gate, &diff->gate);
	if (exit_code != RPT_EXIT_OK || !is_damaged)
		return exit_code;
	return RPT_EXIT_DAMAGED;
}

/* Load, compare and print; *ret_path names the file of an error. */
static int run(struct diff *diff, const char **ret_path, struct pd_err *err)
{
	int rc = rpt_diff_check_duplicates(diff->args, err);

	if (!rc)
		rc = load(diff, ret_path, err);
	if (rc)
		return rc;
	*ret_path = NULL;
	set_sides(diff);
	rpt_diff_choose_measure(diff->args, diff->runs, diff->run_nr);
	if (diff->args->table.is_between &&
	    rpt_sides_are_blocks(&diff->sides[0], &diff->sides[1])) {
		diff->args->unmarked = RPT_DIFF_BLOCKS;
		diff->args->table.is_tested = false;
	}
	rc = tables_fill(diff, err);
	if (!rc)
		rpt_inlined_find(diff->tables, diff->table_nr, diff->args,
				 diff->sides, rpt_run_symbols(&diff->runs[0]));
	if (rc)
		return rc;
	if (diff->args->gate.limit_pct >= 0.0)
		rpt_diff_judge(diff->args, diff->tables, diff->table_nr,
			       &diff->gate);
	return print(diff, err);
}

static int refuse_inputs(const struct rpt_report_args *args, struct pd_err *err)
{
	const char *const others[] = { args->symbols.kallsyms,
				       args->symbols.carried };

	return rpt_output_refuse_inputs(args->out.path, others, 2, err);
}

int rpt_diff_run(struct rpt_diff_args *args)
{
	struct diff diff = { .args = args };
	struct rpt_output_file file;
	struct pd_err err = PD_ERR_INIT;
	const char *path = NULL;
	int exit_code;
	int rc;

	if (args->is_quiet)
		rpt_progress_end();
	rc = rpt_output_file_open(&file, args->report.out.path, args->paths,
				  args->path_nr, &err);
	if (!rc)
		rc = refuse_inputs(&args->report, &err);
	if (!rc)
		rc = run(&diff, &path, &err);
	rc = rpt_output_file_end(&file, rc, &err);
	exit_code = rc ? rpt_warn_failed(path, rc, &err) : verdict(&diff);
	diff_release(&diff);
	return exit_code;
}

int rpt_cmd_diff(int argc, char **argv)
{
	struct rpt_diff_args args;
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_diff_args_parse(&args, RPT_DIFF_TEXT, argc, argv, &err);
	int exit_code;

	if (rpt_options_are_good(rc, &rpt_diff_command, &err, &exit_code))
		exit_code = rpt_diff_run(&args);
	rpt_diff_args_release(&args);
	return exit_code;
}
