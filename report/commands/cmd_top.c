/* perfpair top: where the samples of the last seconds were taken. */
#include "report/base/memory.h"
#include "report/base/progress.h"
#include "report/cli/command_options.h"
#include "report/cli/recording_input.h"
#include "report/commands/commands.h"
#include "report/top/top.h"

#include "format/support/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Print what the recorder printed. */
static void print_tail(const struct rpt_recorder_child *child)
{
	fwrite(child->tail, 1, child->tail_len, stderr);
	if (child->tail_len && child->tail[child->tail_len - 1] != '\n')
		fputc('\n', stderr);
}

/* Print what could not be read.  Return the exit code. */
static int warn_damage(const struct rpt_top *top)
{
	const char *path = top->args->input ? top->args->input : "the recorder";
	const struct pd_damage *damage = &top->stream.damage;

	if (top->window.damaged_nr)
		sup_message("%s: %" PRIu64 " record%s could not be used", path,
			    top->window.damaged_nr,
			    top->window.damaged_nr == 1 ? "" : "s");
	if (damage->skipped_nr)
		sup_message_err(path, &damage->first);
	if (damage->skipped_nr)
		sup_message("%s: %" PRIu64 " bytes were skipped in %" PRIu64
			    " place%s",
			    path, damage->skipped_len, damage->skipped_nr,
			    damage->skipped_nr == 1 ? "" : "s");
	return damage->skipped_nr || top->window.damaged_nr ? RPT_EXIT_DAMAGED
							    : RPT_EXIT_OK;
}

int rpt_cmd_top(int argc, char **argv)
{
	struct rpt_top_args args;
	struct pd_err err = PD_ERR_INIT;
	struct rpt_top *top;
	int rc = rpt_top_args_parse(&args, argc, argv, &err);
	int exit_code = RPT_EXIT_OK;

	if (!rpt_options_are_good(rc, &rpt_top_command, &err, &exit_code)) {
		rpt_top_args_release(&args);
		return exit_code;
	}
	rpt_progress_end();
	top = rpt_alloc(sizeof(*top));
	rc = rpt_top_run(top, &args, &err);
	if (top->exit_code)
		print_tail(&top->child);
	/* a recorder that did not start has said why */
	if (rc && !(top->exit_code && !top->window.has_header))
		exit_code = rpt_warn_failed(
			args.input ? args.input : "the recorder", rc, &err);
	else
		exit_code = rc ? RPT_EXIT_FAILED : warn_damage(top);
	if (top->exit_code)
		exit_code = top->exit_code;
	rpt_top_close(top);
	free(top);
	rpt_top_args_release(&args);
	return exit_code;
}
