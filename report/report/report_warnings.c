#include "report/report/report_warnings.h"

#include "format/support/safe_text.h"
#include "format/symtab/perf_map_line.h"
#include "report/base/memory.h"
#include "report/cli/exit_code.h"
#include "report/cli/no_samples.h"
#include "report/cli/recording_input.h"
#include "report/offcpu/switch_events.h"
#include "report/profile/unmatched_filter.h"
#include "report/profile/profile_hints.h"
#include "report/profile/user_stack.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/kernel_origin.h"

#include "format/support/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/* Say where the recording of a recorder that was killed ends. */
static void warn_killed(const char *path, const struct rpt_report *report)
{
	const struct pd_trailer *t = pd_reader_trailer(report->reader);

	if (t && pd_trailer_is_adopted(t))
		sup_message("%s: its recorder was killed: what was not written "
			    "by %.6f s is missing",
			    path, (double)pd_trailer_last_ns(t) / 1e9);
}

bool rpt_report_misses_returns(const struct rpt_report *report)
{
	const struct pd_event_set *events = pd_reader_events(report->reader);
	int64_t idx;

	if (!report->profile.off_cpu.with_loss.nr)
		return false;
	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.flags & PD_ATTR_CONTEXT_SWITCH)
			return false;
	/* such an event is of the tasks of a command, of whose switches it sees
	 * those away */
	idx = rpt_switch_event_of(events, report->tracepoints);
	return idx >= 0 &&
	       events->events[idx].attr.flags & PD_ATTR_ENABLE_ON_EXEC;
}

/* Say which time without a CPU is not known, and what records it. */
static void warn_intervals(const char *path, const struct rpt_report *report)
{
	const struct rpt_profile *p = &report->profile;
	const struct rpt_off_cpu_count *sum = &p->off_cpu.with_loss;
	const char *what =
		p->is_latency ? "are of no known cause" : "are not counted";

	if (!sum->nr)
		return;
	if (rpt_report_misses_returns(report))
		sup_message("%s: when a thread got a CPU again is not "
			    "recorded, so that %" PRIu64 " interval%s without "
			    "one, %.6f s, %s; record --off-cpu, or perf record "
			    "--switch-events, has it",
			    path, sum->nr, plural(sum->nr),
			    (double)sum->sum_ns / 1e9, what);
	else
		sup_message("%s: %" PRIu64 " interval%s without a CPU, %.6f s, "
			    "miss records and %s",
			    path, sum->nr, plural(sum->nr),
			    (double)sum->sum_ns / 1e9, what);
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
		sup_message("%s: %" PRIu64 " record%s lost in %" PRIu64
			    " place%s while recording",
			    path, p->lost_nr, plural(p->lost_nr),
			    p->lost_chunk_nr, plural(p->lost_chunk_nr));
	warn_intervals(path, report);
	if (p->linked && p->linked->has_no_wakers)
		sup_message("%s: no wakeups were recorded, so that no waker is "
			    "known; record --off-cpu -a, or perf record -e "
			    "sched:sched_waking, has them",
			    path);
	if (p->linked && p->linked->left_ns)
		sup_message("%s: %.6f s of waits are not followed to their "
			    "roots, since they depend on too many others",
			    path, (double)p->linked->left_ns / 1e9);
	if (p->has_some_switches)
		sup_message("%s: not each context switch and wakeup was "
			    "recorded (-F, -c), so that intervals may be "
			    "several; -c 1 records all",
			    path);
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

/* Print, or add to the list, why a file has no symbols. */
static void warn_problem(const struct rpt_dso *dso,
			 struct rpt_problem_list *list)
{
	char *text = rpt_problem_text(dso);

	if (list)
		rpt_problem_list_add(list, text);
	else
		sup_message("%s", text);
	free(text);
}

/* Say which files have no symbols and why; for the kernel and its modules
 * once. */
static void warn_problems(const struct rpt_symbols *symbols,
			  struct rpt_problem_list *list)
{
	struct rpt_dso *dso;
	bool is_warned = false;

	if (list)
		rpt_problem_list_next(list);
	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++) {
		if (!rpt_dso_problem(dso))
			continue;
		if (!is_withheld(symbols, dso) || !is_warned)
			warn_problem(dso, list);
		is_warned |= is_withheld(symbols, dso);
	}
}

static double pct_of(uint64_t nr, uint64_t all_nr)
{
	return 100.0 * (double)nr / (double)all_nr;
}

/* Print how many samples lie in files whose names could not be carried. */
static void warn_unnamed(const char *path,
			 const struct rpt_unnamed_samples *unnamed)
{
	char *names = NULL;
	size_t len;
	FILE *out = open_memstream(&names, &len);

	for (uint32_t i = 0; i < RPT_UNNAMED_SHOWN && unnamed->files[i]; i++) {
		struct rpt_dso *dso = unnamed->files[i];

		fputs(i ? ", " : "", out);
		sup_put_safe_text(out, rpt_dso_name(dso));
		fprintf(out, " (%s)",
			rpt_carried_reason(rpt_dso_carried_file(dso)));
	}
	fclose(out);
	sup_message(
		"%s: %.1f%% of the samples are in %u file%s without symbols: "
		"%s%s",
		path, pct_of(unnamed->nr, unnamed->all_nr), unnamed->file_nr,
		plural(unnamed->file_nr), names,
		unnamed->file_nr > RPT_UNNAMED_SHOWN ? ", ..." : "");
	free(names);
}

#define UNNAMED_LEAST	  20u /* samples, from which on it is said ... */
#define UNNAMED_LEAST_PCT 1.0 /* ... and their share of all */

/* Sources of the names that files lack. */
struct name_advice {
	bool has_stripped; /* a debug package */
	bool has_missing;  /* perfpair carry */
};

/* Return why a file has no names, and add what gives them. */
static const char *why_nameless(struct rpt_dso *dso, struct name_advice *advice)
{
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);
	const char *name = rpt_dso_recorded_name(dso);

	if (rpt_dso_has_file(dso) || (f && !rpt_carried_reason(f))) {
		advice->has_stripped = true;
		return "stripped";
	}
	advice->has_missing |=
		f ? !rpt_carried_is_lost(f)
		  : !pd_is_unlinked((struct pd_str){ name, strlen(name) });
	return f ? rpt_carried_reason(f) : "not here";
}

/* Return whether so many samples of the tables have no function's name that it
 * is said. */
static bool has_nameless(const struct rpt_report *report)
{
	const struct rpt_unnamed_rows *unnamed = &report->whole.unnamed;

	return unnamed->nr >= UNNAMED_LEAST && !report->args->is_quiet &&
	       pct_of(unnamed->nr, unnamed->all_nr) >= UNNAMED_LEAST_PCT;
}

/* Name what is shown together, "a.data and 2 more"; the caller frees it. */
static char *name_inputs(const struct rpt_report *report,
			 const struct rpt_report_files *inputs)
{
	const char *first = report->args->input;
	char *name;

	if (!inputs || inputs->nr < 2)
		return rpt_alloc_text(first, strlen(first));
	if (asprintf(&name, "%s and %" PRIu32 " more", first, inputs->nr - 1) <
	    0)
		abort();
	return name;
}

/* Print how many samples of the tables have no function's name, which files
 * they are in, and what gives names. */
static void warn_nameless(const struct rpt_report *report,
			  const struct rpt_report_files *inputs)
{
	char *name = name_inputs(report, inputs);
	const struct rpt_unnamed_rows *unnamed = &report->whole.unnamed;
	struct rpt_dso *files[RPT_UNNAMED_ROWS_SHOWN];
	uint64_t nrs[RPT_UNNAMED_ROWS_SHOWN];
	uint32_t nr = rpt_unnamed_rows_files(unnamed, files, nrs);
	struct name_advice advice = { false, false };
	char *names = NULL;
	size_t len;
	FILE *out;

	out = open_memstream(&names, &len);
	for (uint32_t i = 0; i < nr; i++) {
		fputs(i ? ", " : "", out);
		sup_put_safe_text(out, rpt_dso_name(files[i]));
		fprintf(out, " (%.1f%%, %s)", pct_of(nrs[i], unnamed->all_nr),
			why_nameless(files[i], &advice));
	}
	fclose(out);
	sup_message("%s: %.1f%% of the samples have no function's name, in %u "
		    "file%s: %s%s",
		    name, pct_of(unnamed->nr, unnamed->all_nr),
		    unnamed->files.nr, plural(unnamed->files.nr), names,
		    unnamed->files.nr > nr ? ", ..." : "");
	free(names);
	free(name);
	if (advice.has_missing)
		sup_message("'perfpair carry' where these files are adds their "
			    "names");
	if (advice.has_stripped)
		sup_message("a debug package or --debuginfod has the names of "
			    "stripped files");
}

/* Print in one line why samples have no names; table: the report that has the
 * rows of all inputs. */
static void warn_names(const struct rpt_report *report,
		       const struct rpt_report *table,
		       const struct rpt_report_files *inputs)
{
	const char *path = report->args->input;
	struct rpt_unnamed_samples unnamed;

	rpt_unnamed_samples_count(&report->profile,
				  pd_reader_is_unfinished(report->reader),
				  &unnamed);
	if (unnamed.nr && unnamed.is_unfinished)
		sup_message("%s: %.1f%% of the samples have no symbol; the "
			    "recording carries no names, since it was not "
			    "finished",
			    path, pct_of(unnamed.nr, unnamed.all_nr));
	else if (has_nameless(table) && table == report)
		warn_nameless(table, inputs);
	else if (unnamed.nr && !has_nameless(table))
		warn_unnamed(path, &unnamed);
}

static void warn_locks(const char *path, const struct rpt_phase_locks *locks)
{
	char *text = rpt_phase_locks_text(locks);

	if (text)
		sup_message("%s: %s", path, text);
	free(text);
}

/* Say how to record what is missing, of all inputs once; inputs NULL: of the
 * only one. */
static void warn_hints(const struct rpt_report *report,
		       const struct rpt_report_files *inputs)
{
	size_t all_nr = inputs ? inputs->nr : 1;
	const struct rpt_profile **at = rpt_alloc(all_nr * sizeof(*at));
	struct rpt_profile_list profiles = { .at = at };
	char *name;

	for (size_t i = 0; i < all_nr; i++) {
		const struct rpt_report *r =
			inputs ? &inputs->items[i] : report;

		if (r->is_profiled)
			at[profiles.nr++] = &r->profile;
	}
	name = name_inputs(report, inputs);
	profiles.name = name;
	rpt_profile_hints_warn(&profiles, !report->frames.conf.without_symbols);
	free(name);
	free(at);
}

static int warn(const struct rpt_report *report, const struct rpt_report *table,
		const struct rpt_report_files *inputs,
		struct rpt_problem_list *list)
{
	const char *path = report->args->input;
	struct pd_damage damage = rpt_report_damage(report);

	/* what follows from it comes later */
	rpt_warn_damage(path, &report->source, &damage);
	warn_killed(path, report);
	warn_lost(path, report);
	if (report->unwind)
		rpt_user_stack_warn(path, report->unwind);
	warn_problems(report->symbols, list);
	rpt_warn_dispute(path, report->symbols);
	if (report->is_profiled)
		warn_names(report, table, inputs);
	if (report == table && report->is_profiled && !report->args->is_quiet)
		warn_hints(report, inputs);
	if (!report->args->is_quiet)
		warn_locks(path, &report->locks);
	if (rpt_report_reads_samples(report))
		rpt_warn_missing(path, report->reader, damage.sample_nr);
	return rpt_report_is_damaged(report) ? RPT_EXIT_DAMAGED : RPT_EXIT_OK;
}

int rpt_report_warn(const struct rpt_report *report,
		    struct rpt_problem_list *list)
{
	return warn(report, report, NULL, list);
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
		sup_message("%s: --symbol-filter: no row's function has '%s' "
			    "in its name",
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

int rpt_report_files_warn(const struct rpt_report_files *inputs)
{
	const struct rpt_report *first = &inputs->items[0];
	struct rpt_problem_list list = { 0 };
	int exit_code = RPT_EXIT_OK;

	if (first->is_profiled && first->whole.part_nr &&
	    !first->whole.shown_nr && rpt_profile_sample_nr(&first->profile) &&
	    !(first->args->out.output->needs & RPT_OUTPUT_SAMPLES))
		warn_no_rows(first);
	for (uint32_t i = 0; i < inputs->nr; i++) {
		int code = warn(&inputs->items[i], first, inputs,
				inputs->nr > 1 ? &list : NULL);

		exit_code = code ? code : exit_code;
	}
	rpt_problem_list_print(&list);
	rpt_problem_list_release(&list);
	return exit_code;
}
