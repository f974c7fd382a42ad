/* perfpair export: writes a recording in the format of another tool.  As
 * perf_to_profile it is what pprof calls to read a perf.data file. */
#include "report/commands/commands.h"
#include "report/commands/outputs.h"

#include "report/cli/command_options.h"
#include "report/cli/exit_code.h"
#include "report/columns/columns.h"
#include "report/cli/output_file.h"
#include "report/cli/output_options.h"
#include "report/export/export.h"

#include "format/support/message.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct sup_opt own_opts[] = {
	RPT_OPT_FORMAT("write a format of those below; folded counts samples, "
		       "with --show-total-period periods"),
	RPT_OPT_OUTPUT_FILE('o', offsetof(struct rpt_report_args, out.path)),
	{ 0 },
};

static const struct sup_opt *more_opts(size_t idx)
{
	return rpt_outputs_opts(RPT_EXPORT_OUTPUTS, idx);
}

static void print_more(FILE *out)
{
	rpt_outputs_print_help(RPT_EXPORT_OUTPUTS, out);
	rpt_columns_print_names(out);
}

const struct sup_command rpt_export_command = {
	.name = "perfpair export",
	.usage = "--format FORMAT [-o OUT] [OPTION]... [FILE]...",
	.summary = "Write a recording in the format of another tool: its "
		   "samples, added up by stack, its branch stacks, or its "
		   "tasks and context switches.",
	.opts = own_opts,
	.more_opts = more_opts,
	.given = rpt_report_note_option,
	.more = print_more,
};

/* Run an export whose arguments are good, or say why they are not. */
static int run(struct rpt_report_args *args, const struct sup_command *command,
	       int rc, const struct pd_err *err)
{
	int exit_code = RPT_EXIT_OK;

	if (rpt_options_are_good(rc, command, err, &exit_code))
		exit_code = rpt_report_run(args);
	rpt_report_args_release(args);
	return exit_code;
}

int rpt_cmd_export(int argc, char **argv)
{
	struct rpt_report_args args = rpt_report_args_default;
	struct pd_err err = PD_ERR_INIT;
	int rc;

	args.out.outputs = RPT_EXPORT_OUTPUTS;
	args.out.output = NULL;
	rc = rpt_report_args_parse(&args, &rpt_export_command, argc, argv,
				   &err);
	return run(&args, &rpt_export_command, rc, &err);
}

struct profile_args {
	const char *input;
	const char *output;
	bool force;
	bool allow_unaligned_jit;
};

#define ARGS(field) offsetof(struct profile_args, field)

static const struct sup_opt profile_opts[] = {
	{ 'i', "input", SUP_STRING, ARGS(input), 0, "FILE", "read FILE", NULL },
	{ 'o', "output", SUP_STRING, ARGS(output), 0, "FILE",
	  "write the profile to FILE", NULL },
	{ 'f', "force", SUP_FLAG, ARGS(force), 0, NULL,
	  "overwrite FILE if it exists", NULL },
	{ 'j', "jit", SUP_FLAG, ARGS(allow_unaligned_jit), 0, NULL,
	  "ignored: generated code is read in any case", NULL },
	{ 0 },
};

const struct sup_command rpt_perf_to_profile_command = {
	.name = "perf_to_profile",
	.usage = "-i FILE -o FILE [-f]",
	.summary = "Write a recording as a profile of pprof, which calls this "
		   "program for perf.data files.",
	.opts = profile_opts,
};

int rpt_cmd_perf_to_profile(int argc, char **argv)
{
	struct rpt_report_args profile = rpt_report_args_default;
	struct profile_args args = { .input = NULL };
	struct pd_err err = PD_ERR_INIT;
	int first, exit_code = RPT_EXIT_OK;
	int rc = sup_options_parse(&rpt_perf_to_profile_command, &args, argc,
				   argv, &first, &err);

	if (!rpt_options_are_good(rc, &rpt_perf_to_profile_command, &err,
				  &exit_code))
		return exit_code;
	if (!args.input || !args.output || first < argc) {
		sup_message("it takes -i FILE and -o FILE, and no other words");
		return RPT_EXIT_USAGE;
	}
	if (!args.force && !access(args.output, F_OK)) {
		sup_message("%s exists: -f overwrites it", args.output);
		return RPT_EXIT_FAILED;
	}
	if (rpt_output_refuse_input(args.output, args.input, &err)) {
		sup_message_err(NULL, &err);
		return RPT_EXIT_USAGE;
	}
	/* pprof has the file open, so it may not be replaced by another */
	if (!freopen(args.output, "w", stdout)) {
		sup_message("%s: %s", args.output, strerror(errno));
		return RPT_EXIT_FAILED;
	}
	profile.out.outputs = RPT_EXPORT_OUTPUTS;
	profile.out.output = &rpt_output_pprof;
	rpt_report_args_add_input(&profile, args.input);
	rc = rpt_report_args_finish(&profile, &err);
	return run(&profile, &rpt_perf_to_profile_command, rc, &err);
}
