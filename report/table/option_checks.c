/* Options that do not go together, once all of a command line are known. */
#include "report/table/report_impl.h"
#include "report/cli/symbol_options.h"

#include <errno.h>

/* Refuse options that branch stacks are not chosen by. */
static int check_llvm(const struct rpt_report_args *args, struct pd_err *err)
{
	if (args->out.format != RPT_REPORT_LLVM ||
	    !(args->rows.is_one_socket || args->chains.exclude_other ||
	      args->chains.ignore_callees || args->branches.has_history ||
	      args->events.off_cpu ||
	      args->out.labels & ~(unsigned)RPT_LABEL_COMM))
		return 0;
	return pd_err_set(err, -EINVAL,
			  "--format llvm: --socket-filter, --labels, "
			  "--exclude-other, --ignore-callees, --off-cpu and "
			  "--branch-history are not for branch stacks");
}

int rpt_report_args_check(const struct rpt_report_args *args,
			  struct pd_err *err)
{
	int rc = check_llvm(args, err);

	if (rc)
		return rc;
	if (args->events.off_cpu &&
	    (args->rows.mem_mode || args->branches.has_history ||
	     (args->branches.is_given && args->branches.are_counted)))
		return pd_err_set(err, -EINVAL,
				  "--off-cpu and --wall-clock count time: they "
				  "do not go with --mem-mode, -b and "
				  "--branch-history");
	if (args->facts.stats && (args->facts.tasks || args->facts.mmaps))
		return pd_err_set(err, -EINVAL,
				  "--stats and --tasks or --mmaps do not go "
				  "together");
	return rpt_symbol_files_check(
		args->symbols.kallsyms,
		args->symbols.ignore_vmlinux ? NULL : args->symbols.vmlinux,
		err);
}
