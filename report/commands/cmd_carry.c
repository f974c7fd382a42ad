/* perfpair carry: a recording with what it needs to be read elsewhere. */
#include "report/carry/carry_recording.h"
#include "report/cli/command_options.h"
#include "report/cli/output_options.h"
#include "report/cli/recording_input.h"
#include "report/cli/symbol_options.h"
#include "report/commands/commands.h"

#include "format/base/limits.h"
#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

struct carry_args {
	const char *input;
	struct rpt_output_args output;
	struct rpt_carry_conf conf;
	uint32_t max_ratio;
	bool quiet;
};

#define OFF(member) offsetof(struct carry_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	RPT_OPTS_OUTPUT_FILE(OFF(output), "OUT"),
	RPT_OPT_FLAG(0, "lines", OFF(conf.with_lines), 0,
		     "carry source lines and inlined functions of what was "
		     "hit (the default)"),
	RPT_OPT_FLAG(0, "code", OFF(conf.with_code), 0,
		     "carry the instructions of functions in which at least "
		     "0.1 % of the samples were taken"),
	RPT_OPT_FLAG(0, "source", OFF(conf.with_source), 0,
		     "carry the source text around the lines of what was hit"),
	RPT_OPT_SYMFS(OFF(conf.symbols.symfs)),
	RPT_OPT_KALLSYMS(OFF(conf.symbols.kallsyms)),
	RPT_OPT_VMLINUX(OFF(conf.symbols.vmlinux)),
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	RPT_OPT_FLAG('q', "quiet", OFF(quiet), 0,
		     "print nothing of what is carried"),
	{ 0 },
};

const struct sup_command rpt_carry_command = {
	.name = "perfpair carry",
	.usage = "[OPTION]... [FILE] -o OUT",
	.summary = "Write a recording that carries what it needs to be read "
		   "where its binaries and their debug information are not.",
	.opts = opts,
};

/* Print the files that have nothing of it. */
static void print_missing(const char *path, const struct rpt_carry_count *count,
			  const char *what)
{
	uint32_t shown_nr = count->file_nr < RPT_CARRY_SHOWN ? count->file_nr
							     : RPT_CARRY_SHOWN;

	if (!count->file_nr)
		return;
	printf("%s: no %s of %" PRIu32 " file%s: ", path, what, count->file_nr,
	       count->file_nr == 1 ? "" : "s");
	for (uint32_t i = 0; i < shown_nr; i++)
		printf("%s%s", i ? ", " : "", count->files[i]);
	if (count->file_nr > shown_nr)
		printf(" and %" PRIu32 " more", count->file_nr - shown_nr);
	putchar('\n');
}

static void print_result(const struct carry_args *args,
			 const struct rpt_carry_result *result)
{
	const struct rpt_carry_conf *conf = &args->conf;
	const char *path = conf->path;

	printf("%s: names of %" PRIu64 " of %" PRIu64 " addresses, %" PRIu64
	       " of them new",
	       path, result->names.nr, result->names.all_nr,
	       result->new_name_nr);
	if (conf->with_lines)
		printf("; lines of %" PRIu64 " of %" PRIu64, result->lines.nr,
		       result->lines.all_nr);
	if (conf->with_code)
		printf("; code of %" PRIu64 " of %" PRIu64
		       " functions, %" PRIu64 " bytes",
		       result->code.nr, result->code.all_nr, result->code_len);
	if (conf->with_source)
		printf("; text around %" PRIu64 " of %" PRIu64 " source lines",
		       result->sources.nr, result->sources.all_nr);
	printf("; %" PRIu64 " bytes, %+" PRId64 "\n", result->out_len,
	       (int64_t)(result->out_len - result->in_len));
	print_missing(path, &result->names, "names");
	if (conf->with_lines)
		print_missing(path, &result->lines, "lines");
	if (conf->with_code)
		print_missing(path, &result->code, "code");
	if (conf->with_source)
		print_missing(path, &result->sources, "source text");
	if (result->has_bare_copies)
		printf("%s: its stack copies cannot be unwound elsewhere: run "
		       "perfpair unwind first\n",
		       path);
	if (result->is_cut)
		printf("%s: addresses were left out: there are too many for "
		       "the memory that a recording of this size may take\n",
		       path);
}

static int carry(const struct carry_args *args)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_carry_result result;
	struct rpt_recording_input in;
	int rc = rpt_recording_input_open(&in, args->input);

	if (rc)
		return rc;
	pd_reader_set_ratio(in.reader, args->max_ratio);
	rc = rpt_carry(&in.source, in.reader, &args->conf, &result, &err);
	if (rc) {
		bool is_input = err.has_off || rc == -EBADMSG || rc == -EINVAL;

		rpt_warn_failed(is_input ? in.path : args->output.path, rc,
				&err);
		in.exit_code = RPT_EXIT_FAILED;
	} else if (!args->quiet && rpt_output_keeps_text_apart(&args->output)) {
		print_result(args, &result);
	}
	rpt_carry_result_release(&result);
	return rpt_recording_input_close(&in);
}

static int parse(int argc, char **argv, struct carry_args *ret,
		 struct pd_err *err)
{
	struct rpt_carry_conf *conf = &ret->conf;
	const char *kernels[2];
	int rc = rpt_options_parse(&rpt_carry_command, ret, argc, argv,
				   &ret->input, err);

	if (rc)
		return rc;
	kernels[0] = conf->symbols.kallsyms;
	kernels[1] = conf->symbols.vmlinux;
	conf->path = ret->output.path;
	conf->force = ret->output.force;
	rc = rpt_symbol_files_check(&conf->symbols, err);
	if (rc)
		return rc;
	/* source text is found by lines */
	if (conf->with_source || !conf->with_code)
		conf->with_lines = true;
	rc = rpt_output_check(&ret->output,
			      ret->input ? ret->input
					 : rpt_recording_input_default_path(),
			      err);
	return rc ? rc
		  : rpt_output_refuse_inputs(ret->output.path, kernels, 2, err);
}

int rpt_cmd_carry(int argc, char **argv)
{
	struct carry_args args = { .max_ratio = PD_LIMIT_ZSTD_RATIO };
	struct pd_err err = PD_ERR_INIT;
	int exit_code;

	if (!rpt_options_are_good(parse(argc, argv, &args, &err),
				  &rpt_carry_command, &err, &exit_code))
		return exit_code;
	return carry(&args);
}
