/* perfpair stat --compare: counts of two sides; all else of stat is the
 * recorder's. */
#include "report/commands/commands.h"

#include "report/cli/command_options.h"
#include "report/cli/exit_code.h"
#include "report/cli/recording_input.h"
#include "report/compare/count_compare.h"

int rpt_cmd_stat_compare(int argc, char **argv)
{
	struct rpt_compare_args args;
	struct pd_err err = PD_ERR_INIT;
	const char *path = NULL;
	struct rpt_gate_result result;
	int exit_code;
	int rc = rpt_compare_args_parse(&args, argc, argv, &err);

	if (!rpt_options_are_good(rc, &rpt_compare_command, &err, &exit_code))
		return exit_code;
	rc = rpt_compare_run(&args, stdout, &result, &path, &err);
	if (rc) {
		rpt_gate_result_release(&result);
		rpt_warn_failed(path, rc, &err);
		return RPT_EXIT_FAILED;
	}
	return rpt_gate_end(&args.gate, &result);
}
