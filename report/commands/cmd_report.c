/* perfpair report: shows where the samples of a recording were taken. */
#include "report/commands/commands.h"
#include "report/cli/command_options.h"
#include "report/cli/no_samples.h"
#include "report/cli/output_file.h"
#include "report/cli/output_options.h"
#include "report/cli/recording_input.h"
#include "report/base/memory.h"
#include "report/base/progress.h"
#include "report/base/safe_text.h"
#include "report/table/report_files.h"
#include "report/page/page.h"
#include "report/export/export.h"
#include "report/symbols/kernel_origin.h"
#include "report/cli/report_stats.h"
#include "report/script/script_args.h"
#include "report/cli/task_tree.h"
#include "report/timeline/timeline.h"
#include "report/profile/unmatched_filter.h"
#include "report/profile/profile_hints.h"
#include "report/profile/unnamed_samples.h"
#include "report/symbols/inline_frames.h"
#include "report/profile/user_stack.h"
#include "report/symbols/carried_names.h"

#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

static void warn_lost(const char *path, const struct rpt_report *report)
{
	const struct rpt_profile *p = &report->profile;
	uint64_t damaged_nr = p->samples.damaged_nr;

	const struct rpt_sample_choice choice = {
		.filter = &report->args->filter,
		.event_switch = &report->args->event_switch,
	};

	if (report->is_profiled && !rpt_profile_sample_nr(p))
		rpt_warn_no_samples(path, report->reader, &choice);
	if (p->lost_chunk_nr)
		sup_message("%" PRIu64 " record%s lost in %" PRIu64
			    " place%s while recording",
			    p->lost_nr, plural(p->lost_nr), p->lost_chunk_nr,
			    plural(p->lost_chunk_nr));
	if (p->off_cpu.with_loss.nr)
		sup_message("%s: %" PRIu64 " interval%s without a CPU, %.6f s, "
			    "miss records and are not counted",
			    path, p->off_cpu.with_loss.nr,
			    plural(p->off_cpu.with_loss.nr),
			    (double)p->off_cpu.with_loss.sum_ns / 1e9);
	if (p->samples.unknown_id_nr)
		sup_message("%s: %" PRIu64 " sample%s of events that the file "
			    "does not describe",
			    path, p->samples.unknown_id_nr,
			    plural(p->samples.unknown_id_nr));
	if (damaged_nr)
		sup_message("%s: %" PRIu64 " record%s could not be read", path,
			    damaged_nr, plural(damaged_nr));
}

static bool is_withheld(const struct rpt_symbols *symbols,
			const struct rpt_dso *dso)
{
	const char *why = rpt_symbols_withheld(symbols);

	return why && !strcmp(why, rpt_dso_problem(dso));
}

/* Print which files have no symbols and why; for the kernel and its modules
 * once. */
static void warn_problems(const struct rpt_symbols *symbols)
{
	struct rpt_dso *dso;
	bool is_warned = false;

	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++) {
		if (!rpt_dso_problem(dso))
			continue;
		if (!is_withheld(symbols, dso) || !is_warned)
			rpt_warn_problem(dso);
		is_warned |= is_withheld(symbols, dso);
	}
}

static void run_stats(struct rpt_report *report)
{
	struct rpt_profile *p = &report->profile;
	struct rpt_stats stats;

	rpt_stats_count(&stats, report->reader);
	rpt_stats_print(&stats, report->reader, stdout);
	if (stats.unknown_nr)
		sup_message("%s: %" PRIu64 " record%s of types that are not "
			    "known, not counted",
			    report->args->input, stats.unknown_nr,
			    plural(stats.unknown_nr));
	p->samples.unknown_id_nr = stats.unknown_id_nr;
	p->samples.damaged_nr = stats.damaged_nr;
	p->damage = stats.damage;
	rpt_stats_release(&stats);
}

static int run_tasks(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_task_tree_conf conf = {
		.with_maps = report->args->facts.mmaps,
		.is_newer = pd_event_set_needed_perf(pd_reader_events(
				    report->reader)) != PD_PERF_6_1,
	};
	int rc = rpt_timeline_load(report->timeline, report->reader,
				   &report->pieces, err);

	/* the samples are not read */
	pd_damage_merge(&report->damage, rpt_timeline_passed(report->timeline));
	if (!rc)
		rpt_task_tree_print(report->timeline, &conf, stdout);
	return rc;
}

static bool shows_facts(const struct rpt_report_args *args)
{
	return args->header.is_only || args->facts.stats || args->facts.tasks ||
	       args->facts.mmaps;
}

/* Print what the options show of each file instead of tables. */
static int run_facts(struct rpt_report_files *inputs,
		     const struct rpt_report_args *args, struct pd_err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < inputs->nr && !rc; i++) {
		struct rpt_report *report = &inputs->items[i];

		inputs->path = report->args->input;
		if (inputs->nr > 1)
			printf("# %s:\n", inputs->path);
		if (args->header.is_shown || args->header.is_only)
			rpt_report_print_header(report, stdout);
		if (args->facts.stats)
			run_stats(report);
		else if (!args->header.is_only)
			rc = run_tasks(report, err);
	}
	return rc;
}

/* --debuginfod: fetch files before any symbol is looked up. */
static int fetch_debug(struct rpt_report_files *inputs,
		       const struct rpt_report_args *args, struct pd_err *err)
{
	struct rpt_debug_request *requests =
		rpt_alloc_zeroed(inputs->nr, sizeof(*requests));
	int rc;

	inputs->path = NULL;
	for (uint32_t i = 0; i < inputs->nr; i++)
		requests[i] = (struct rpt_debug_request){
			&inputs->items[i].profile,
			rpt_report_shows_lines(&inputs->items[i]),
		};
	rc = rpt_fetch_requests(&args->symbols.debuginfod, requests, inputs->nr,
				err);
	free(requests);
	return rc;
}

/* -D: dump each file, one after the other. */
static int run_dump(const struct rpt_report_args *args)
{
	struct rpt_script_args dump = {
		.symbols = {
			.symfs = args->symbols.symfs,
			.kallsyms = args->symbols.kallsyms,
			.vmlinux = args->symbols.vmlinux,
			.ignore_vmlinux = args->symbols.ignore_vmlinux,
			.raw_names = !args->symbols.demangle,
			.demangle_kernel = args->symbols.demangle_kernel,
		},
		.filter = { .cpus = args->filter.cpus,
			    .times = args->filter.times },
		.max_stack = args->chains.max_stack,
		.max_ratio = args->max_ratio,
		.jobs = args->jobs,
		.is_dump = true,
		.is_unsorted_dump = args->facts.is_unsorted_dump,
		.is_report_dump = true,
		.header = args->header.is_shown && !args->is_quiet,
		.full_header = args->header.has_info,
	};
	int exit_code = RPT_EXIT_OK;

	for (size_t i = 0; i < args->input_nr; i++) {
		int code;

		dump.input = args->inputs[i];
		if (args->input_nr > 1)
			printf("# %s:\n", dump.input);
		if (!args->header.is_shown && !args->is_quiet)
			fputs(RPT_HEADER_HINT, stdout);
		code = rpt_script_run(&dump);
		exit_code = code ? code : exit_code;
	}
	return exit_code;
}

static int run(struct rpt_report_files *inputs,
	       const struct rpt_report_args *args, struct pd_err *err)
{
	int rc = rpt_report_files_open(inputs, args, err);

	if (!rc && shows_facts(args))
		return run_facts(inputs, args, err);
	if (!rc)
		rc = rpt_report_files_count(inputs, err);
	if (!rc && args->symbols.debuginfod.is_asked)
		rc = fetch_debug(inputs, args, err);
	/* a page holds what the warnings say */
	if (rc || args->out.format == RPT_REPORT_HTML)
		return rc;
	return rpt_report_is_export(args->out.format)
		       ? rpt_export_print(&inputs->items[0], stdout, err)
		       : rpt_report_print(&inputs->items[0], stdout, err);
}

static double pct_of(uint64_t nr, uint64_t all_nr)
{
	return 100.0 * (double)nr / (double)all_nr;
}

/* Print how many samples lie in files whose names could not be carried. */
static void warn_unnamed(const char *path, const struct rpt_report *report)
{
	struct rpt_unnamed_samples unnamed;
	char *names = NULL;
	size_t len;
	FILE *out;

	rpt_unnamed_samples_count(&report->profile,
				  pd_reader_is_unfinished(report->reader),
				  &unnamed);
	if (!unnamed.nr)
		return;
	if (unnamed.is_unfinished) {
		sup_message("%s: %.1f%% of the samples have no symbol; the "
			    "recording carries no names, since it was not "
			    "finished",
			    path, pct_of(unnamed.nr, unnamed.all_nr));
		return;
	}
	out = open_memstream(&names, &len);
	for (uint32_t i = 0; i < RPT_UNNAMED_SHOWN && unnamed.files[i]; i++) {
		struct rpt_dso *dso = unnamed.files[i];

		fputs(i ? ", " : "", out);
		rpt_put_safe_text(out, rpt_dso_name(dso));
		fprintf(out, " (%s)",
			rpt_carried_reason(rpt_dso_carried_file(dso)));
	}
	fclose(out);
	sup_message(
		"%s: %.1f%% of the samples are in %u file%s without symbols: "
		"%s%s",
		path, pct_of(unnamed.nr, unnamed.all_nr), unnamed.file_nr,
		plural(unnamed.file_nr), names,
		unnamed.file_nr > RPT_UNNAMED_SHOWN ? ", ..." : "");
	free(names);
}

#define UNNAMED_LEAST	  20u /* samples, from which on it is said ... */
#define UNNAMED_LEAST_PCT 1.0 /* ... and their share of all */

/* Print how many samples of the tables have no function's name, which files
 * they are in, and what gives names. */
static void warn_nameless(const struct rpt_report *report)
{
	const struct rpt_unnamed_rows *unnamed = &report->whole.unnamed;
	struct rpt_dso *files[RPT_UNNAMED_ROWS_SHOWN];
	uint64_t nrs[RPT_UNNAMED_ROWS_SHOWN];
	uint32_t nr = rpt_unnamed_rows_files(unnamed, files, nrs);
	bool has_stripped = false, has_missing = false;
	char *names = NULL;
	size_t len;
	FILE *out;

	if (unnamed->nr < UNNAMED_LEAST || report->args->is_quiet ||
	    pct_of(unnamed->nr, unnamed->all_nr) < UNNAMED_LEAST_PCT)
		return;
	out = open_memstream(&names, &len);
	for (uint32_t i = 0; i < nr; i++) {
		bool is_here = rpt_dso_has_file(files[i]);

		has_stripped |= is_here;
		has_missing |= !is_here;
		fputs(i ? ", " : "", out);
		rpt_put_safe_text(out, rpt_dso_name(files[i]));
		fprintf(out, " (%.1f%%, %s)", pct_of(nrs[i], unnamed->all_nr),
			is_here ? "stripped" : "not here");
	}
	fclose(out);
	sup_message("%s: %.1f%% of the samples have no function's name, in %u "
		    "file%s: %s%s",
		    report->args->input, pct_of(unnamed->nr, unnamed->all_nr),
		    unnamed->files.nr, plural(unnamed->files.nr), names,
		    unnamed->files.nr > nr ? ", ..." : "");
	free(names);
	if (has_missing)
		sup_message("'perfpair carry' where these files are adds their "
			    "names");
	if (has_stripped)
		sup_message("a debug package or --debuginfod has the names of "
			    "stripped files");
}

/* Print all warnings about a file that was read.  Return the exit code. */
static int warn_all(const struct rpt_report *report)
{
	const char *path = report->args->input;
	struct pd_damage damage = rpt_report_damage(report);

	warn_lost(path, report);
	if (report->unwind)
		rpt_user_stack_warn(path, report->unwind);
	warn_problems(report->symbols);
	if (report->is_profiled)
		warn_unnamed(path, report);
	if (report->is_profiled)
		warn_nameless(report);
	if (report->is_profiled && !report->args->is_quiet)
		rpt_profile_hints_warn(path, &report->profile);
	rpt_warn_damage(path, &report->source, &damage);
	if (rpt_report_reads_samples(report))
		rpt_warn_missing(path, report->reader, damage.sample_nr);
	return rpt_report_is_damaged(report) ? RPT_EXIT_DAMAGED : RPT_EXIT_OK;
}

/* Texts of warnings, for a page. */
struct warnings {
	char **texts; /* owned, with the texts */
	uint32_t nr;
	uint32_t cap;
};

static void take_warning(void *ctx, const char *text)
{
	struct warnings *w = ctx;

	w->texts = rpt_grow(w->texts, &w->cap, w->nr, sizeof(*w->texts));
	w->texts[w->nr++] = rpt_alloc_text(text, strlen(text));
}

/* Print why no row is shown of samples that there are. */
static void warn_no_rows(const struct rpt_report *report)
{
	const struct rpt_report_args *args = report->args;
	const struct rpt_report_row_args *rows = &args->rows;
	struct pd_err err = PD_ERR_INIT;

	if (rpt_unmatched_filter_find(&report->profile, &args->filter, &err))
		sup_message_err(args->input, &err);
	else if (rows->symbol_part)
		sup_message("%s: --symbol-filter: no function has '%s' in its "
			    "name, which is no recording either",
			    args->input, rows->symbol_part);
	else if (rows->is_one_socket)
		sup_message("%s: --socket-filter: no sample is of socket "
			    "%" PRIu32,
			    args->input, rows->socket);
	else if (args->chains.exclude_other)
		sup_message("%s: --exclude-other: no sample has such a parent",
			    args->input);
	else if (rows->hide_unresolved)
		sup_message("%s: --hide-unresolved: no sample has a symbol",
			    args->input);
	else
		rpt_warn_nothing_passes(args->input, &args->filter);
}

/* Print warnings of all files. */
static int warn_files(const struct rpt_report_files *inputs)
{
	const struct rpt_report *first = &inputs->items[0];
	int exit_code = RPT_EXIT_OK;

	if (first->is_profiled && first->whole.part_nr &&
	    !first->whole.shown_nr && rpt_profile_sample_nr(&first->profile) &&
	    first->args->out.format < RPT_REPORT_HTML)
		warn_no_rows(first);
	for (uint32_t i = 0; i < inputs->nr; i++) {
		int code = warn_all(&inputs->items[i]);

		exit_code = code ? code : exit_code;
	}
	return exit_code;
}

/* The same, and print the page. */
static int print_page(struct rpt_report_files *inputs,
		      const struct rpt_report_args *args, int *ret_exit,
		      struct pd_err *err)
{
	struct warnings warnings = { 0 };
	char *title = rpt_page_title(args->inputs, args->input_nr);
	struct rpt_page_conf conf = { .len_max = args->out.page_len,
				      .title = title,
				      .code = args->out.page_code };
	int rc;

	sup_message_listen(take_warning, &warnings);
	*ret_exit = warn_files(inputs);
	sup_message_listen(NULL, NULL);
	conf.warnings = (const char *const *)warnings.texts;
	conf.warning_nr = warnings.nr;
	rc = rpt_page_print(&inputs->items[0], &conf, stdout, err);
	for (uint32_t i = 0; i < warnings.nr; i++)
		free(warnings.texts[i]);
	free(warnings.texts);
	free(title);
	return rc;
}

static int run_to_file(struct rpt_report_files *inputs,
		       const struct rpt_report_args *args, int *ret_exit,
		       struct pd_err *err)
{
	bool is_page =
		args->out.format == RPT_REPORT_HTML && !shows_facts(args);
	const char *const others[] = { args->symbols.kallsyms,
				       args->symbols.vmlinux,
				       args->symbols.carried };
	struct rpt_output_file file;
	int rc = rpt_output_file_open(&file, args->out.path, args->inputs,
				      args->input_nr, err);

	if (!rc)
		rc = rpt_output_refuse_inputs(args->out.path, others, 3, err);
	if (!rc)
		rc = run(inputs, args, err);
	if (!rc && is_page)
		rc = print_page(inputs, args, ret_exit, err);
	else if (!rc)
		*ret_exit = warn_files(inputs);
	return rpt_output_file_end(&file, rc, err);
}

int rpt_cmd_report(int argc, char **argv)
{
	struct rpt_report_args args;
	struct rpt_report_files inputs = { 0 };
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_report_args_parse(&args, argc, argv, &err);
	int exit_code = RPT_EXIT_OK;

	if (!rpt_options_are_good(rc, &rpt_report_command, &err, &exit_code)) {
		rpt_report_args_release(&args);
		return exit_code;
	}
	if (args.is_quiet)
		rpt_progress_end();
	if (args.facts.is_dump && !args.header.is_only) {
		exit_code = run_dump(&args);
		args.header.is_shown = false; /* the dump has it */
		if (!args.facts.tasks && !args.facts.mmaps) {
			rpt_report_args_release(&args);
			return exit_code;
		}
	}
	rc = run_to_file(&inputs, &args, &exit_code, &err);
	if (rc) {
		rpt_warn_failed(inputs.path, rc, &err);
		exit_code = RPT_EXIT_FAILED;
	}
	rpt_report_files_close(&inputs);
	rpt_report_args_release(&args);
	return exit_code;
}
