/* perfpair unwind: makes call chains of stack copies. */
#include "report/commands/commands.h"
#include "report/base/memory.h"
#include "report/cli/command_options.h"
#include "report/cli/symbol_options.h"
#include "report/cli/output_options.h"
#include "report/cli/recording_input.h"
#include "report/repair/repair.h"
#include "report/repair/unwind_copies.h"

#include "format/base/limits.h"
#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct unwind_args {
	const char *input;
	struct rpt_output_args output;
	struct rpt_symbols_conf symbols;
	uint32_t max_ratio;
	bool quiet;
};

#define OFF(member) offsetof(struct unwind_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	RPT_OPTS_OUTPUT(OFF(output), "OUT"),
	RPT_OPT_SYMFS(OFF(symbols.symfs)),
	RPT_OPT_CARRIED(OFF(symbols.carried)),
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	{ 'q', "quiet", SUP_FLAG, OFF(quiet), 0, NULL,
	  "print nothing of what was unwound", NULL },
	{ 0 },
};

const struct sup_command rpt_unwind_command = {
	.name = "perfpair unwind",
	.usage = "[OPTION]... [FILE] -o OUT",
	.summary = "Write a recording whose stack copies have become call "
		   "chains: smaller, and without what lay on the stacks.",
	.opts = opts,
};

/* All that is open meanwhile */
struct run {
	const struct unwind_args *args;
	struct rpt_recording_input in;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_unwind_copies copies;
	struct rpt_repair_result *result;
};

static int load(struct run *run, struct pd_err *err)
{
	struct rpt_file_chunks pieces = { 0 };
	int rc;

	if (!pd_event_set_has(pd_reader_events(run->in.reader),
			      PD_SAMPLE_STACK_USER))
		return pd_err_set(err, -EINVAL,
				  "no event has stack copies: there is nothing "
				  "to unwind");
	run->symbols = rpt_symbols_new(&run->args->symbols);
	run->timeline = rpt_timeline_new(run->symbols);
	rc = rpt_timeline_load(run->timeline, run->in.reader, &pieces, err);
	pd_damage_merge(&run->in.damage, rpt_timeline_damage(run->timeline));
	if (!rc)
		rpt_unwind_copies_init(&run->copies, run->in.reader,
				       run->timeline);
	return rc;
}

/* Return how many records are not in the new file. */
static uint64_t left_out_nr(const struct rpt_repair_result *result)
{
	uint64_t nr = 0;

	for (unsigned i = RPT_RECORD_BAD_BODY; i < RPT_RECORD_OUTCOME_NR; i++)
		nr += result->outcome_nr[i];
	return nr;
}

/* Tell what of a damaged recording is not in the new one. */
static void warn_lost(struct run *run)
{
	const struct rpt_repair_result *result = run->result;
	uint64_t nr = left_out_nr(result);

	if (!result->loss_nr && !nr)
		return;
	sup_message("%s: %" PRIu64 " place%s of damage, %" PRIu64
		    " record%s left out; perfpair repair says which",
		    run->in.path, result->loss_nr,
		    result->loss_nr == 1 ? "" : "s", nr, nr == 1 ? "" : "s");
	run->in.exit_code = RPT_EXIT_DAMAGED;
}

static void print_result(const struct run *run)
{
	const struct rpt_unwind_copies_counts *counts = &run->copies.counts;
	const char *path = run->in.path;
	uint64_t copies_nr = counts->sample_nr - counts->empty_nr;

	printf("%s: %" PRIu64 " stack copies: %" PRIu64 " frames; %" PRIu64
	       " copies in which no caller was found; %" PRIu64
	       " samples without a copy\n",
	       path, copies_nr, counts->frame_nr, counts->alone_nr,
	       counts->empty_nr);
	if (counts->marks_nr)
		printf("%s: %" PRIu64 " outermost frames left out: no call "
		       "chain can hold their addresses\n",
		       path, counts->marks_nr);
	printf("%s: %" PRIu64 " bytes of %" PRIu64 "\n", run->args->output.path,
	       run->result->len, pd_reader_len(run->in.reader));
}

static int rewrite(struct run *run, struct pd_err *err)
{
	const struct rpt_repair_edit edit =
		rpt_unwind_copies_edit(&run->copies);
	const struct rpt_repair_conf conf = {
		.path = run->args->output.path,
		.force = run->args->output.force,
		.level = run->args->output.level,
		.max_ratio = run->args->max_ratio,
		.carried = run->args->symbols.carried,
		.may_be_other = true,
		.edit = &edit,
	};

	return rpt_repair(&run->in.source, &conf, run->result, err);
}

static int unwind(const struct unwind_args *args)
{
	struct run run = { .args = args };
	struct pd_err err = PD_ERR_INIT;
	bool is_loaded;
	int rc = rpt_recording_input_open(&run.in, args->input);

	if (rc)
		return rc;
	pd_reader_set_ratio(run.in.reader, args->max_ratio);
	run.result = rpt_alloc(sizeof(*run.result));
	rc = load(&run, &err);
	is_loaded = !rc;
	if (!rc)
		rc = rewrite(&run, &err);
	if (rc) {
		bool is_input = !is_loaded || err.has_off || rc == -EBADMSG;

		rpt_warn_failed(is_input ? run.in.path : args->output.path, rc,
				&err);
		run.in.exit_code = RPT_EXIT_FAILED;
	} else {
		rpt_user_stack_warn(run.in.path, run.copies.unwind);
		warn_lost(&run);
		if (!args->quiet && rpt_output_keeps_text_apart(&args->output))
			print_result(&run);
	}
	if (is_loaded)
		rpt_unwind_copies_release(&run.copies);
	rpt_timeline_free(run.timeline);
	rpt_symbols_free(run.symbols);
	free(run.result);
	return rpt_recording_input_close(&run.in);
}

static int parse(int argc, char **argv, struct unwind_args *ret,
		 struct pd_err *err)
{
	int rc = rpt_options_parse(&rpt_unwind_command, ret, argc, argv,
				   &ret->input, err);

	if (rc)
		return rc;
	rc = rpt_output_check(&ret->output,
			      ret->input ? ret->input
					 : rpt_recording_input_default_path(),
			      err);
	return rc ? rc
		  : rpt_output_refuse_input(ret->output.path,
					    ret->symbols.carried, err);
}

int rpt_cmd_unwind(int argc, char **argv)
{
	struct unwind_args args = {
		.output.level = -1,
		.max_ratio = PD_LIMIT_ZSTD_RATIO,
	};
	struct pd_err err = PD_ERR_INIT;
	int exit_code;

	if (!rpt_options_are_good(parse(argc, argv, &args, &err),
				  &rpt_unwind_command, &err, &exit_code))
		return exit_code;
	return unwind(&args);
}
