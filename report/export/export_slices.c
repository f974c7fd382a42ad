/* --format rows of slices, one after the other.  Each is a report of its own,
 * whose rows do not depend on the others; but files that several have mapped
 * are read once, and a stack stands once in the table of stacks. */
#include "report/export/export_impl.h"

#include "report/cli/exit_code.h"
#include "report/cli/output_options.h"
#include "report/cli/recording_input.h"
#include "report/report/report_warnings.h"
#include "report/profile/fetch_debug.h"
#include "report/report/report_files.h"

#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>

/* How many slices share symbols: each holds its own until the last one is done,
 * so that more would only take memory. */
#define SLICES_AT_ONCE 64

struct slices {
	const struct rpt_report_args *args; /* of all */
	struct rpt_rows_tables tables;
	struct rpt_problem_list problems;
	/* Slices whose symbols are shared, nr of them: */
	struct rpt_report_args one_args[SLICES_AT_ONCE];
	struct rpt_report_files items[SLICES_AT_ONCE];
	size_t nr;
	size_t written_nr; /* of them; the others are counted */
	size_t failed_nr;  /* slices that could not be read */
};

static bool fetches(const struct slices *slices)
{
	return slices->args->names.debuginfod.is_asked;
}

/* --debuginfod: ask for what all counted slices lack before any name is looked
 * up, so that a function has one name in all of them. */
static int fetch_debug(const struct slices *slices, struct pd_err *err)
{
	struct rpt_debug_request requests[SLICES_AT_ONCE];
	size_t nr = 0;

	for (size_t i = slices->written_nr; i < slices->nr; i++) {
		const struct rpt_report *report = &slices->items[i].items[0];

		requests[nr++] = (struct rpt_debug_request){
			&report->profile, rpt_report_shows_lines(report)
		};
	}
	return rpt_fetch_requests(&slices->args->names.debuginfod, requests, nr,
				  err);
}

/* Close those that others share symbols of last. */
static void close_all(struct slices *slices)
{
	while (slices->nr)
		rpt_report_files_close(&slices->items[--slices->nr]);
	slices->written_nr = 0;
	rpt_rows_tables_forget(&slices->tables);
}

static struct rpt_report_files *open_slice(struct slices *slices, size_t idx,
					   int *ret_rc, struct pd_err *err)
{
	size_t at = slices->nr++;
	struct rpt_report_args *args = &slices->one_args[at];
	struct rpt_symbols *shared =
		at ? slices->items[at - 1].items[0].symbols : NULL;

	*args = *slices->args;
	args->inputs = slices->args->inputs + idx;
	args->input = args->inputs[0];
	args->input_nr = 1;
	/* a slice is short: to start threads takes more than it saves, and what
	 * counts is the CPU time of a host that has other work */
	if (!args->jobs)
		args->jobs = 1;
	*ret_rc = rpt_report_files_open_behind(&slices->items[at], args, shared,
					       err);
	return &slices->items[at];
}

static int count_slice(struct slices *slices, size_t idx, struct pd_err *err)
{
	int rc;
	struct rpt_report_files *slice = open_slice(slices, idx, &rc, err);

	if (!rc)
		rc = rpt_report_files_count(slice, err);
	if (rc) {
		/* the next one shares symbols of the one before */
		rpt_report_files_close(slice);
		slices->nr--;
	}
	return rc;
}

static int write_slice(struct slices *slices, struct rpt_report *report,
		       int *ret_exit, struct pd_err *err)
{
	int rc = rpt_rows_tables_add(&slices->tables, report, err);
	int code;

	if (!rc) {
		code = rpt_report_warn(report, &slices->problems);
		*ret_exit = code ? code : *ret_exit;
	}
	rpt_report_forget_samples(report);
	return rc;
}

/* Return 0 if other slices can be exported. */
static int pass_over(struct slices *slices, const char *path, int rc,
		     int *ret_exit, struct pd_err *err)
{
	bool is_ours = rc == -ENOMEM || rc == -EMFILE || rc == -ENFILE;

	if (!rc || is_ours || slices->tables.is_broken ||
	    slices->args->input_nr == 1)
		return rc;
	rpt_warn_failed(path, rc, err);
	*err = (struct pd_err)PD_ERR_INIT;
	*ret_exit = RPT_EXIT_DAMAGED;
	slices->failed_nr++;
	return 0;
}

/* Write all slices that are counted. */
static int write_counted(struct slices *slices, const char **ret_path,
			 int *ret_exit, struct pd_err *err)
{
	int rc = 0;

	if (fetches(slices) && slices->written_nr < slices->nr) {
		*ret_path = NULL;
		rc = fetch_debug(slices, err);
	}
	while (!rc && slices->written_nr < slices->nr) {
		struct rpt_report_files *slice =
			&slices->items[slices->written_nr++];

		if (slices->args->input_nr == 1) /* others may have it */
			rc = rpt_report_files_check_word(slice, err);
		*ret_path = slice->path;
		if (!rc)
			rc = write_slice(slices, &slice->items[0], ret_exit,
					 err);
		rc = pass_over(slices, *ret_path, rc, ret_exit, err);
	}
	return rc;
}

static int export_all(struct slices *slices, const char **ret_path,
		      int *ret_exit, struct pd_err *err)
{
	size_t nr = slices->args->input_nr;
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		*ret_path = slices->args->inputs[i];
		rc = pass_over(slices, *ret_path, count_slice(slices, i, err),
			       ret_exit, err);
		/* samples of one slice at a time take memory, unless files are
		 * fetched for all of them */
		if (!rc && (!fetches(slices) || i + 1 == nr ||
			    slices->nr == SLICES_AT_ONCE))
			rc = write_counted(slices, ret_path, ret_exit, err);
		if (slices->nr == SLICES_AT_ONCE)
			close_all(slices);
	}
	if (rc || !slices->failed_nr)
		return rc;
	*ret_path = NULL;
	if (slices->failed_nr == nr)
		return pd_err_set(err, -ENODATA,
				  "none of the slices could be read");
	sup_message("%zu of %zu slices could not be read: the rows are of the "
		    "others",
		    slices->failed_nr, nr);
	return 0;
}

/* Refuse what no slice can be exported with. */
static int check_args(const struct rpt_report_args *args, struct pd_err *err)
{
	const char *stacks = args->out.rows.stacks_path;
	const char *const others[] = { args->symbols.kallsyms,
				       args->symbols.vmlinux,
				       args->symbols.carried };
	struct rpt_filter filter = { 0 };
	int rc = rpt_output_refuse_inputs(stacks, args->inputs, args->input_nr,
					  err);

	if (!rc)
		rc = rpt_output_refuse_inputs(stacks, others, 3, err);
	if (!rc)
		rc = rpt_output_refuse_output("--stacks", stacks,
					      args->out.path, err);
	if (!rc)
		rc = rpt_filter_parse(&filter, &args->filter, err);
	rpt_filter_release(&filter);
	return rc;
}

/* Print the rows of all inputs to stdout, and warn of each.  Of several slices,
 * one that cannot be read is named and left out. */
static int print_each(const struct rpt_report_args *args, const char **ret_path,
		      int *ret_exit, struct pd_err *err)
{
	struct slices slices = { .args = args };
	int rc = check_args(args, err);

	if (rc)
		return rc;
	rc = rpt_rows_tables_open(&slices.tables, &args->out.rows, stdout, err);
	if (!rc)
		rc = export_all(&slices, ret_path, ret_exit, err);
	rpt_problem_list_print(&slices.problems);
	rpt_problem_list_release(&slices.problems);
	close_all(&slices);
	return rpt_rows_tables_close(&slices.tables, rc, err);
}

const struct rpt_output rpt_output_rows = {
	.name = "rows",
	.help = "two tables of a database",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES,
	.options = { rpt_report_opts, rpt_label_opts, rpt_rows_opts },
	.check = rpt_rows_check,
	.set_up = rpt_export_set_up_times,
	.print_each = print_each,
};
