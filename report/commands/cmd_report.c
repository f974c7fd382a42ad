/* perfpair report: shows where the samples of a recording were taken. */
#include "report/commands/commands.h"
#include "report/commands/outputs.h"
#include "report/report/report_warnings.h"
#include "report/cli/command_options.h"
#include "report/cli/output_file.h"
#include "report/cli/output_options.h"
#include "report/cli/recording_input.h"
#include "report/base/memory.h"
#include "report/base/progress.h"
#include "report/page/page.h"
#include "report/report/report_files.h"
#include "report/cli/report_stats.h"
#include "report/script/script_args.h"
#include "report/report/task_tree.h"
#include "report/timeline/timeline.h"
#include "report/top/finished.h"

#include "format/support/message.h"
#include "format/support/pager.h"
#include "format/support/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ARGS(field) offsetof(struct rpt_report_args, field)

static const struct sup_opt own_opts[] = {
	RPT_OPT_FORMAT("print the report in a format of those below (text); "
		       "folded counts samples, with --show-total-period "
		       "periods"),
	RPT_OPT_OUTPUT_FILE('o', ARGS(out.path)),
	{ 0 },
};

static const struct sup_opt *more_opts(size_t idx)
{
	return rpt_outputs_opts(rpt_outputs, idx);
}

static const char no_view[] =
	"reports are text; perfpair view opens a page in the "
	"browser";
static const char no_annotation[] =
	"reports do not show instructions or lines of functions";

static const char no_program[] =
	"no program is asked for source lines: the files' debug information is "
	"read";

static const struct sup_absent absent[] = {
	{ "samples", no_view },
	{ "objdump", no_annotation },
	{ "disassembler-style", no_annotation },
	{ "M", no_annotation },
	{ "asm-raw", no_annotation },
	{ "source", no_annotation },
	{ "prefix", no_annotation },
	{ "prefix-strip", no_annotation },
	{ "percent-type", no_annotation },
	{ "addr2line", no_program },
	{ "addr2line-style", no_program },
	{ "unwind-style",
	  "stack copies are unwound one way, by the files' call "
	  "frame information" },
	{ "total-cycles", "blocks between branches are not worked out; "
			  "-b -s symbol_from,symbol_to,cycles counts "
			  "branches" },
	{ "show-ref-call-graph",
	  "events without call chains do not take over those of others" },
	{ 0 },
};

static void print_more(FILE *out)
{
	rpt_outputs_print_help(rpt_outputs, out);
	rpt_columns_print_names(out);
}

const struct sup_command rpt_report_command = {
	.name = "perfpair report",
	.usage = "[OPTION]... [FILE... | SYMBOL]",
	.summary = "Show where the samples of a recording were taken.",
	.opts = own_opts,
	.more_opts = more_opts,
	.given = rpt_report_note_option,
	.absent = absent,
	.more = print_more,
};

static void run_stats(struct rpt_report *report)
{
	struct rpt_profile *p = &report->profile;
	struct rpt_stats stats;

	rpt_stats_count(&stats, report->reader);
	rpt_stats_print(&stats, report->reader, true, stdout);
	if (stats.unknown_nr)
		sup_message("%s: %" PRIu64 " record%s of types that are not "
			    "known, not counted",
			    report->args->input, stats.unknown_nr,
			    stats.unknown_nr == 1 ? "" : "s");
	p->samples.unknown_id_nr = stats.unknown_id_nr;
	p->samples.damaged_nr = stats.damaged_nr;
	p->damage = stats.damage;
	rpt_stats_release(&stats);
}

static int run_tasks(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_task_tree_conf conf = {
		.with_maps = report->args->facts.mmaps,
		.is_newer = pd_event_set_needed_perf(pd_reader_events(
				    report->reader)) != PD_PERF_6_1,
	};
	const struct pd_trailer *trailer = pd_reader_trailer(report->reader);
	int rc = rpt_timeline_load(report->timeline, report->reader,
				   &report->pieces, err);

	/* the samples are not read */
	pd_damage_merge(&report->damage, rpt_timeline_passed(report->timeline));
	if (!rc)
		rpt_task_tree_print(report->timeline, &conf, stdout);
	if (!rc && trailer && trailer->left_task_nr)
		printf("# %" PRIu64 " tasks that were not sampled were not "
		       "recorded (--sideband=sampled)\n",
		       trailer->left_task_nr);
	return rc;
}

static bool shows_facts(const struct rpt_report_args *args)
{
	return args->header.is_only || args->facts.stats || args->facts.tasks ||
	       args->facts.mmaps;
}

/* Print what the options show of each file instead of tables. */
static int run_facts(struct rpt_report_files *inputs,
		     const struct rpt_report_args *args, struct pd_err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < inputs->nr && !rc; i++) {
		struct rpt_report *report = &inputs->items[i];

		inputs->path = report->args->input;
		if (inputs->nr > 1)
			printf("# %s:\n", inputs->path);
		if (args->header.is_shown || args->header.is_only)
			rpt_report_print_header(report, stdout);
		if (args->facts.stats)
			run_stats(report);
		else if (!args->header.is_only)
			rc = run_tasks(report, err);
	}
	return rc;
}

/* --debuginfod: fetch files before any symbol is looked up. */
static int fetch_debug(struct rpt_report_files *inputs,
		       const struct rpt_report_args *args, struct pd_err *err)
{
	struct rpt_debug_request *requests =
		rpt_alloc_zeroed(inputs->nr, sizeof(*requests));
	int rc;

	inputs->path = NULL;
	for (uint32_t i = 0; i < inputs->nr; i++)
		requests[i] = (struct rpt_debug_request){
			&inputs->items[i].profile,
			rpt_report_shows_lines(&inputs->items[i]),
		};
	rc = rpt_fetch_requests(&args->names.debuginfod, requests, inputs->nr,
				err);
	free(requests);
	return rc;
}

/* -D: dump each file, one after the other. */
static int run_dump(const struct rpt_report_args *args)
{
	struct rpt_script_args dump = {
		.symbols = args->symbols,
		.filter = { .cpus = args->filter.cpus,
			    .times = args->filter.times },
		.max_stack = args->chains.max_stack,
		.max_ratio = args->max_ratio,
		.jobs = args->jobs,
		.is_dump = true,
		.is_unsorted_dump = args->facts.is_unsorted_dump,
		.is_report_dump = true,
		.header = args->header.is_shown && !args->is_quiet,
		.full_header = args->header.has_info,
	};
	int exit_code = RPT_EXIT_OK;

	dump.symbols.raw_names = !args->names.demangle;
	for (size_t i = 0; i < args->input_nr; i++) {
		int code;

		dump.input = args->inputs[i];
		if (args->input_nr > 1)
			printf("# %s:\n", dump.input);
		if (!args->header.is_shown && !args->is_quiet)
			fputs(RPT_HEADER_HINT, stdout);
		code = rpt_script_run(&dump);
		exit_code = code ? code : exit_code;
	}
	return exit_code;
}

static int run(struct rpt_report_files *inputs,
	       const struct rpt_report_args *args, struct pd_err *err)
{
	int rc = rpt_report_files_open(inputs, args, err);

	if (!rc && shows_facts(args))
		return run_facts(inputs, args, err);
	if (!rc)
		rc = rpt_report_files_count(inputs, err);
	if (!rc && args->names.debuginfod.is_asked)
		rc = fetch_debug(inputs, args, err);
	return rc ? rc : rpt_report_files_check_word(inputs, err);
}

/* Texts of warnings, for a page. */
struct warnings {
	char **texts; /* owned, with the texts */
	uint32_t nr;
	uint32_t cap;
};

static void take_warning(void *ctx, const char *text)
{
	struct warnings *w = ctx;

	w->texts = rpt_grow(w->texts, &w->cap, w->nr, sizeof(*w->texts));
	w->texts[w->nr++] = rpt_alloc_text(text, strlen(text));
}

/* Print the warnings and the output that holds them. */
static int print_with_warnings(struct rpt_report_files *inputs,
			       const struct rpt_output *output, int *ret_exit,
			       struct pd_err *err)
{
	struct rpt_report_whole *whole = &inputs->items[0].whole;
	struct warnings warnings = { 0 };
	int rc;

	sup_message_listen(take_warning, &warnings);
	*ret_exit = rpt_report_files_warn(inputs);
	sup_message_listen(NULL, NULL);
	whole->warnings = (const char *const *)warnings.texts;
	whole->warning_nr = warnings.nr;
	rc = output->print(&inputs->items[0], stdout, err);
	for (uint32_t i = 0; i < warnings.nr; i++)
		free(warnings.texts[i]);
	free(warnings.texts);
	return rc;
}

static int print(struct rpt_report_files *inputs,
		 const struct rpt_report_args *args, int *ret_exit,
		 struct pd_err *err)
{
	const struct rpt_output *output = args->out.output;
	int rc = 0;

	if (!shows_facts(args) && output->print_each)
		return output->print_each(args, &inputs->path, ret_exit, err);
	rc = run(inputs, args, err);
	if (!rc && !shows_facts(args)) {
		if (output->needs & RPT_OUTPUT_WARNINGS)
			return print_with_warnings(inputs, output, ret_exit,
						   err);
		rc = output->print(&inputs->items[0], stdout, err);
	}
	if (!rc)
		*ret_exit = rpt_report_files_warn(inputs);
	return rc;
}

/* Return whether the report is shown on the screen: to a user at a terminal who
 * asks for a table of one recording, and for no other form of it. */
static bool asks_for_screen(const struct rpt_report_args *args)
{
	const struct sup_terminal *terminal = sup_terminal();
	bool is_text = args->is_stdio || args->is_quiet ||
		       args->out.look.colour != RPT_COLOUR_AUTO ||
		       sup_pager_is_chosen();
	bool has_form = args->out.path || args->columns.separator ||
			args->rows.hierarchy || args->header.is_shown ||
			shows_facts(args) || args->facts.are_threads_shown;
	struct stat st;

	/* a file is read again for other sort keys */
	return terminal->is_in && terminal->is_out && !terminal->is_dumb &&
	       (args->is_tui || !is_text) && !has_form &&
	       args->out.output == &rpt_output_text && args->input_nr == 1 &&
	       !stat(args->input, &st) && !S_ISFIFO(st.st_mode);
}

/* Return the output of a file's name; text if none is. */
static const struct rpt_output *output_of(const char *path)
{
	static const struct {
		const char *end;
		const struct rpt_output *output;
	} ends[] = {
		{ ".html", &rpt_output_html },
		{ ".json", &rpt_output_json },
		{ ".csv", &rpt_output_csv },
		{ ".md", &rpt_output_markdown },
		{ ".folded", &rpt_output_folded },
	};
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end_len = strlen(ends[i].end);

		if (len > end_len && !strcmp(path + len - end_len, ends[i].end))
			return ends[i].output;
	}
	return &rpt_output_text;
}

/* Keep the last message, for the screen. */
static void take_message(void *ctx, const char *text)
{
	struct pd_err *err = ctx;

	err->code = 0;
	pd_err_set(err, -EIO, "%s", text);
}

static int write_report(const struct rpt_report_args *shown, const char *path,
			struct pd_err *err)
{
	struct rpt_report_args args = *shown;
	FILE *nowhere = fopen("/dev/null", "we"), *messages;
	int exit_code = RPT_EXIT_FAILED;

	args.out.path = path;
	args.out.output = output_of(path);
	messages = sup_message_to(nowhere);
	sup_message_listen(take_message, err);
	if (!args.out.output->check || !args.out.output->check(&args, err))
		exit_code = rpt_report_run(&args);
	sup_message_listen(NULL, NULL);
	sup_message_to(messages);
	if (nowhere)
		fclose(nowhere);
	return exit_code == RPT_EXIT_OK || exit_code == RPT_EXIT_DAMAGED ? 0
									 : -EIO;
}

static int run_screen(const struct rpt_report_args *args, int *ret_exit)
{
	struct pd_err err = PD_ERR_INIT;
	const char *path;
	int rc;

	sup_pager_cancel();
	rc = rpt_finished_run(args, write_report, &path, ret_exit, &err);
	if (rc && rc != -ENOTTY)
		*ret_exit = rpt_warn_failed(path, rc, &err);
	return rc;
}

int rpt_report_run(const struct rpt_report_args *args)
{
	const char *const others[] = { args->symbols.kallsyms,
				       args->symbols.vmlinux,
				       args->symbols.carried };
	struct rpt_report_files inputs = { 0 };
	struct rpt_output_file file;
	struct pd_err err = PD_ERR_INIT;
	int exit_code = RPT_EXIT_OK;
	int rc;

	if (asks_for_screen(args) && run_screen(args, &exit_code) != -ENOTTY)
		return exit_code;
	if (args->is_quiet)
		rpt_progress_end();
	rc = rpt_output_file_open(&file, args->out.path, args->inputs,
				  args->input_nr, &err);
	if (!rc)
		rc = rpt_output_refuse_inputs(args->out.path, others, 3, &err);
	if (!rc)
		rc = print(&inputs, args, &exit_code, &err);
	rc = rpt_output_file_end(&file, rc, &err);
	if (rc)
		exit_code = rpt_warn_failed(inputs.path, rc, &err);
	rpt_report_files_close(&inputs);
	return exit_code;
}

int rpt_cmd_report(int argc, char **argv)
{
	struct rpt_report_args args = rpt_report_args_default;
	struct pd_err err = PD_ERR_INIT;
	int exit_code = RPT_EXIT_OK;
	int rc;

	args.out.outputs = rpt_outputs;
	rpt_perf_config_take(rpt_report_keys, &args, argc, argv);
	rc = rpt_report_args_parse(&args, &rpt_report_command, argc, argv,
				   &err);
	if (!rpt_options_are_good(rc, &rpt_report_command, &err, &exit_code)) {
		rpt_report_args_release(&args);
		return exit_code;
	}
	if (args.is_verbose)
		rpt_perf_config_tell();
	if (args.facts.is_dump && !args.header.is_only) {
		if (args.is_quiet)
			rpt_progress_end();
		exit_code = run_dump(&args);
		args.header.is_shown = false; /* the dump has it */
		if (!args.facts.tasks && !args.facts.mmaps) {
			rpt_report_args_release(&args);
			return exit_code;
		}
	}
	exit_code = rpt_report_run(&args);
	rpt_report_args_release(&args);
	return exit_code;
}
