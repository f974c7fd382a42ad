/* perfpair fleet: asks a database about the samples of many hosts. */
#include "report/commands/commands.h"

#include "report/cli/command_options.h"
#include "report/cli/exit_code.h"
#include "report/cli/output_file.h"
#include "report/cli/recording_input.h"
#include "report/fleet/fleet.h"

#include "format/support/message.h"

int rpt_cmd_fleet(int argc, char **argv)
{
	struct rpt_fleet_args args;
	struct rpt_output_file file;
	struct pd_err err = PD_ERR_INIT;
	bool is_partial = false;
	int exit_code;
	int rc = rpt_fleet_args_parse(&args, argc, argv, &err);

	if (rpt_options_are_good(rc, &rpt_fleet_command, &err, &exit_code)) {
		rc = rpt_output_file_open(&file, args.output, NULL, 0, &err);
		if (!rc)
			rc = rpt_fleet_run(&args, stdout, &is_partial, &err);
		rc = rpt_output_file_end(&file, rc, &err);
		exit_code = is_partial ? RPT_EXIT_DAMAGED : RPT_EXIT_OK;
		if (rc) {
			rpt_warn_failed(NULL, rc, &err);
			exit_code = RPT_EXIT_FAILED;
		}
	}
	rpt_fleet_args_release(&args);
	return exit_code;
}
