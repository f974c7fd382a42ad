/* Options that do not go together, once all of a command line are known. */
#include "report/report/report_impl.h"
#include "report/cli/symbol_options.h"

#include <errno.h>
#include <string.h>

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

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* Refuse what switches have not, or are not chosen by. */
static int check_trace(const struct rpt_report_args *args, struct pd_err *err)
{
	if (args->out.format != RPT_REPORT_TRACE)
		return 0;
	if (args->input_nr > 1)
		return pd_err_set(err, -EINVAL,
				  "--format trace takes one recording: the "
				  "clocks of two are not the same");
	if (args->out.path && ends_with(args->out.path, ".chrome.json"))
		return pd_err_set(err, -EINVAL,
				  "--format trace: speedscope takes a file "
				  "called *.chrome.json for a timeline of "
				  "DevTools; call it *.trace.json");
	if (args->filter.dsos || args->filter.symbols ||
	    args->rows.symbol_part || args->rows.hide_unresolved ||
	    args->rows.is_one_socket || args->chains.exclude_other ||
	    args->chains.ignore_callees || args->branches.has_history ||
	    args->events.off_cpu || args->event_switch.on ||
	    args->event_switch.off ||
	    args->out.labels & ~(unsigned)RPT_LABEL_COMM)
		return pd_err_set(err, -EINVAL,
				  "--format trace shows tasks and switches: it "
				  "goes with --comms, --pid, --tid, --cpu and "
				  "--time, but not with options that choose or "
				  "label samples");
	return 0;
}

int rpt_report_args_check(const struct rpt_report_args *args,
			  struct pd_err *err)
{
	int rc = check_llvm(args, err);

	if (!rc)
		rc = check_trace(args, err);
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
