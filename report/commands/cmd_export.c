/* perfpair export: writes a recording in the format of another tool. */
#include "report/commands/commands.h"

#include "report/cli/exit_code.h"
#include "report/table/report_args.h"

#include "format/support/message.h"

#include <string.h>

const struct sup_command rpt_export_command = {
	.name = "perfpair export",
	.usage = "--format FORMAT [-o OUT] [OPTION]... [FILE]...",
	.summary =
		"Write the samples of a recording, added up by stack, in "
		"the format of another tool: pprof, speedscope, Firefox Profiler, folded "
		"(report --format).",
	.opts = rpt_report_opts,
};

int rpt_cmd_export(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help")) {
			sup_help(&rpt_export_command, stdout);
			return RPT_EXIT_OK;
		}
		if (!strncmp(argv[i], "--format", strlen("--format")))
			return rpt_cmd_report(argc, argv);
	}
	sup_message("no format was given: --format pprof, speedscope, "
		    "firefox or folded");
	return RPT_EXIT_USAGE;
}
