/* perfpair repair: makes a clean recording out of a damaged one. */
#include "report/commands/commands.h"
#include "report/base/memory.h"
#include "report/cli/command_options.h"
#include "report/cli/output_options.h"
#include "report/cli/recording_input.h"
#include "report/repair/repair.h"

#include "format/base/limits.h"
#include "format/file/feature.h"
#include "format/support/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_NR = 10 };

struct repair_args {
	const char *input;
	const char *carried;
	struct rpt_output_args output;
	bool quiet;
	unsigned verbose;
	uint32_t max_ratio;
};

#define OFF(member) offsetof(struct repair_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	RPT_OPTS_OUTPUT(OFF(output), "FIXED"),
	RPT_OPT_TEXT(0, "carried", OFF(carried), "FILE",
		     "put the names in FILE, of perfpair-record --carry-file, "
		     "into the new file"),
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	{ 'q', "quiet", SUP_FLAG, OFF(quiet), 0, NULL,
	  "print nothing of what was lost", NULL },
	{ 'v', "verbose", SUP_COUNT, OFF(verbose), 0, NULL,
	  "show every place of damage, not only the first 10", NULL },
	{ 0 },
};

const struct sup_command rpt_repair_command = {
	.name = "perfpair repair",
	.usage = "[OPTION]... [FILE] -o FIXED",
	.summary =
		"Write a clean recording, which perf reads, from one that was killed, "
		"cut or damaged, and print what was lost.",
	.opts = opts,
};

static void print_time(uint64_t ns)
{
	printf("%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void print_place(const char *word, uint64_t ns, uint32_t cpu)
{
	printf("%s ", word);
	print_time(ns);
	if (cpu != RPT_NO_CPU)
		printf(" (CPU %" PRIu32 ")", cpu);
}

static void print_frame(const struct pd_trailer_frame *f)
{
	printf("; the index says: a frame of %" PRIu64 " records",
	       f->record_nr);
	if (f->cpu != PD_TRAILER_ANY_CPU)
		printf(" of CPU %" PRIu32, f->cpu);
	if (f->time_lo_ns > f->time_hi_ns)
		return;
	printf(" from ");
	print_time(f->time_lo_ns);
	printf(" to ");
	print_time(f->time_hi_ns);
}

/* The input and the options, for the text about the result */
struct repair_input {
	const char *path;
	const struct rpt_dir_source *dir;
	const struct repair_args *args;
};

static void print_loss(const struct repair_input *in,
		       const struct rpt_repair_loss *loss)
{
	uint64_t off = loss->off;
	const char *file = rpt_dir_source_place(in->dir, &off);

	printf("%s%s%s: lost: at byte 0x%" PRIx64 ": ", in->path,
	       file ? "/" : "", file ? file : "", off);
	if (loss->len)
		printf("%" PRIu64 " %sbyte%s: ", loss->len,
		       loss->kind == PD_DAMAGE_PLAIN ? "plain " : "",
		       loss->len == 1 ? "" : "s");
	printf("%s", loss->text);
	if (loss->before_ns)
		print_place("; behind a record of", loss->before_ns,
			    loss->before_cpu);
	if (loss->after_ns)
		print_place(loss->before_ns ? " and before one of"
					    : "; before a record of",
			    loss->after_ns, loss->after_cpu);
	if (loss->has_frame)
		print_frame(&loss->frame);
	if (loss->kind == PD_DAMAGE_ZSTD)
		printf("; what was read of the frame may be wrong");
	putchar('\n');
}

static void print_losses(const struct repair_input *in,
			 const struct rpt_repair_result *result)
{
	size_t nr = result->loss_shown_nr;

	if (!in->args->verbose && nr > SHOWN_NR)
		nr = SHOWN_NR;
	for (size_t i = 0; i < nr; i++)
		print_loss(in, &result->losses[i]);
	if (result->loss_nr > nr)
		printf("%s: lost: %" PRIu64 " more places; %" PRIu64
		       " bytes in all\n",
		       in->path, result->loss_nr - nr, result->loss_len);
}

static const char *const outcomes[RPT_RECORD_OUTCOME_NR] = {
	[RPT_RECORD_MENDED] =
		"padded, their text ended, or rid of a flag or fields "
		"that perf 6.1 trips over",
	[RPT_RECORD_NO_ID] = "of an event that is not described, given to the "
			     "first one",
	[RPT_RECORD_BAD_BODY] = "left out: their fields make no sense",
	[RPT_RECORD_BAD_SAMPLE] = "left out: samples that are not what their "
				  "event asks for",
	[RPT_RECORD_NO_EVENT] = "left out: of an event that is not described",
	[RPT_RECORD_NEWER] = "left out: of types that perf 6.1 does not read",
	[RPT_RECORD_NEWER_SAMPLE] = "left out: samples with fields that are "
				    "not known",
	[RPT_RECORD_NO_TRACE] = "left out: of a tracer whose trace is not "
				"there, or with less than perf 6.1 asks for",
	[RPT_RECORD_NO_COUNTER] = "left out: counts of CPUs or threads that "
				  "are not listed",
	[RPT_RECORD_SECOND] = "left out: second lists of CPUs or threads, "
			      "which perf 6.1 passes over with a message",
};

static void print_outcomes(const char *path,
			   const struct rpt_repair_result *result)
{
	for (unsigned i = 0; i < RPT_RECORD_OUTCOME_NR; i++)
		if (outcomes[i] && result->outcome_nr[i])
			printf("%s: changed: %" PRIu64 " record%s %s\n", path,
			       result->outcome_nr[i],
			       result->outcome_nr[i] == 1 ? "" : "s",
			       outcomes[i]);
	if (result->bad_round_nr)
		printf("%s: changed: %" PRIu64 " of %" PRIu64
		       " round markers left out: records behind them are "
		       "older than they say\n",
		       path, result->bad_round_nr, result->round_nr);
	if (result->event_lost_nr)
		printf("%s: changed: %zu event%s left out, whose samples have "
		       "their id elsewhere than those of the others\n",
		       path, result->event_lost_nr,
		       result->event_lost_nr == 1 ? "" : "s");
	if (result->event_newer_nr)
		printf("%s: changed: %zu event%s less bits of the attr that "
		       "perf 6.1 does not know\n",
		       path, result->event_newer_nr,
		       result->event_newer_nr == 1 ? "" : "s");
	if (result->is_attr_cut)
		printf("%s: changed: config3 and config4 of the events left "
		       "out: perf 6.1 does not read them\n",
		       path);
}

static void print_set(const char *path, const char *what,
		      const uint64_t *features)
{
	bool is_first = true;

	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++) {
		const char *name = pd_feature_name(bit);

		if (!(features[bit / 64] >> (bit % 64) & 1))
			continue;
		if (is_first)
			printf("%s: %s: ", path, what);
		else
			printf(", ");
		if (name)
			printf("%s", name);
		else
			printf("%u", bit);
		is_first = false;
	}
	if (!is_first)
		putchar('\n');
}

static void print_formats(const char *path,
			  const struct rpt_repair_result *result)
{
	if (result->format_kept_nr || result->format_made_nr)
		printf("%s: formats of tracepoints: %zu kept, %zu made up\n",
		       path, result->format_kept_nr, result->format_made_nr);
}

static void print_kept(const char *path, const struct rpt_repair_result *result)
{
	const char *before = ": ";
	uint64_t nr = 0;

	for (uint32_t i = 0; i < PD_RECORD_USER_NR; i++)
		nr += result->kept_nr[i];
	printf("%s: %" PRIu64 " records", path, nr);
	for (uint32_t i = 0; i < PD_RECORD_USER_NR; i++) {
		if (!result->kept_nr[i])
			continue;
		printf("%s%" PRIu64 " %s", before, result->kept_nr[i],
		       pd_record_type_name(i));
		before = ", ";
	}
	if (result->times.first_ns <= result->times.last_ns) {
		printf("; samples from ");
		print_time(result->times.first_ns);
		printf(" to ");
		print_time(result->times.last_ns);
	}
	printf("; %" PRIu64 " bytes\n", result->len);
}

static void print_result(const struct repair_input *in,
			 const struct rpt_repair_result *result)
{
	const char *path = in->path, *output = in->args->output.path;

	if (result->was_unfinished)
		printf("%s: the recording was not closed: what the recorder "
		       "writes at its end (machine, index) is not there\n",
		       path);
	print_losses(in, result);
	print_outcomes(path, result);
	print_set(path, "features lost", result->features_lost);
	print_set(output, "features kept", result->features_kept);
	print_set(output, "features rebuilt", result->features_rebuilt);
	print_formats(output, result);
	print_kept(output, result);
	if (in->dir->kallsyms)
		printf("%s: the kernel's symbols (kcore_dir) are in the "
		       "directory only\n",
		       path);
}

static int parse(int argc, char **argv, struct repair_args *ret,
		 struct pd_err *err)
{
	int rc = rpt_options_parse(&rpt_repair_command, ret, argc, argv,
				   &ret->input, err);

	if (rc)
		return rc;
	/* -f may put the clean file in the damaged one's place */
	return rpt_output_check(&ret->output, ret->carried, err);
}

static int repair(const struct repair_args *args)
{
	const char *path =
		args->input ? args->input : rpt_recording_input_default_path();
	const struct rpt_repair_conf conf = {
		.path = args->output.path,
		.force = args->output.force,
		.level = args->output.level,
		.max_ratio = args->max_ratio,
		.carried = args->carried,
	};
	struct pd_err err = PD_ERR_INIT;
	struct rpt_file_source source;
	const struct repair_input in = { path, &source.dir, args };
	struct rpt_repair_result *result;
	int rc;

	if (rpt_file_source_open(&source, path, &err)) {
		rpt_warn_unread(path, &err);
		return RPT_EXIT_FAILED;
	}
	result = rpt_alloc(sizeof(*result));
	rc = rpt_repair(&source, &conf, result, &err);
	if (rc) {
		bool is_input = err.has_off || rc == -EBADMSG;

		pd_err_set(&err, rc, "%s", strerror(-rc));
		sup_message_err(is_input ? path : args->output.path, &err);
	} else if (!args->quiet && rpt_output_keeps_text_apart(&args->output)) {
		print_result(&in, result);
	}
	rpt_file_source_close(&source);
	free(result);
	return rc ? RPT_EXIT_FAILED : RPT_EXIT_OK;
}

int rpt_cmd_repair(int argc, char **argv)
{
	struct repair_args args = {
		.max_ratio = PD_LIMIT_ZSTD_RATIO,
		.output.level = -1,
	};
	struct pd_err err = PD_ERR_INIT;
	int exit_code;

	if (!rpt_options_are_good(parse(argc, argv, &args, &err),
				  &rpt_repair_command, &err, &exit_code))
		return exit_code;
	return repair(&args);
}
