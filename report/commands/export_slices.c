#include "report/commands/export_slices.h"

#include "report/cli/exit_code.h"
#include "report/cli/output_options.h"
#include "report/cli/recording_input.h"
#include "report/commands/report_warnings.h"
#include "report/export/export.h"
#include "report/profile/fetch_debug.h"
#include "report/table/report_files.h"

#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>

/* How many slices share symbols: each holds its own until the last one is done,
 * so that more would only take memory. */
#define SLICES_AT_ONCE 64

struct slices {
	const struct rpt_report_args *args; /* of all */
	struct rpt_rows_tables tables;
	/* Those whose symbols are shared, nr of them: */
	struct rpt_report_args one_args[SLICES_AT_ONCE];
	struct rpt_report_files items[SLICES_AT_ONCE];
	size_t nr;
	size_t failed_nr; /* slices that could not be read */
};

/* --debuginfod */
static int fetch_debug(const struct rpt_report *report, struct pd_err *err)
{
	struct rpt_debug_request request = { &report->profile,
					     rpt_report_shows_lines(report) };

	if (!report->args->symbols.debuginfod.is_asked)
		return 0;
	return rpt_fetch_requests(&report->args->symbols.debuginfod, &request,
				  1, err);
}

/* Close those that others share symbols of last. */
static void close_all(struct slices *slices)
{
	while (slices->nr)
		rpt_report_files_close(&slices->items[--slices->nr]);
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
	*ret_rc = rpt_report_files_open_behind(&slices->items[at], args, shared,
					       err);
	return &slices->items[at];
}

static int export_slice(struct slices *slices, size_t idx, int *ret_exit,
			struct pd_err *err)
{
	struct rpt_report_files *slice;
	int rc, code;

	if (slices->nr == SLICES_AT_ONCE)
		close_all(slices);
	slice = open_slice(slices, idx, &rc, err);
	if (!rc)
		rc = rpt_report_files_count(slice, err);
	if (!rc)
		rc = fetch_debug(&slice->items[0], err);
	if (!rc)
		rc = rpt_rows_tables_add(&slices->tables, &slice->items[0],
					 err);
	if (rc) {
		/* the next one shares symbols of the one before */
		rpt_report_files_close(slice);
		slices->nr--;
		return rc;
	}
	code = rpt_report_warn(&slice->items[0]);
	*ret_exit = code ? code : *ret_exit;
	rpt_report_forget_samples(&slice->items[0]);
	return 0;
}

/* Return 0 if the next slice can be exported. */
static int pass_over(struct slices *slices, size_t idx, int rc, int *ret_exit,
		     struct pd_err *err)
{
	bool is_ours = rc == -ENOMEM || rc == -EMFILE || rc == -ENFILE;

	if (!rc || is_ours || slices->tables.is_broken ||
	    slices->args->input_nr == 1)
		return rc;
	rpt_warn_failed(slices->args->inputs[idx], rc, err);
	*err = (struct pd_err)PD_ERR_INIT;
	*ret_exit = RPT_EXIT_DAMAGED;
	slices->failed_nr++;
	return 0;
}

static int export_all(struct slices *slices, const char **ret_path,
		      int *ret_exit, struct pd_err *err)
{
	size_t nr = slices->args->input_nr;
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		*ret_path = slices->args->inputs[i];
		rc = pass_over(slices, i,
			       export_slice(slices, i, ret_exit, err), ret_exit,
			       err);
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

int rpt_export_slices(const struct rpt_report_args *args, const char **ret_path,
		      int *ret_exit, struct pd_err *err)
{
	struct slices slices = { .args = args };
	const char *stacks = args->out.rows.stacks_path;
	int rc = rpt_output_refuse_inputs(stacks, args->inputs, args->input_nr,
					  err);

	if (rc)
		return rc;
	rc = rpt_rows_tables_open(&slices.tables, &args->out.rows, stdout, err);
	if (!rc)
		rc = export_all(&slices, ret_path, ret_exit, err);
	close_all(&slices);
	return rpt_rows_tables_close(&slices.tables, rc, err);
}
