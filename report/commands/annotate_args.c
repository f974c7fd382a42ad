#include "report/commands/annotate_args.h"

#include "report/cli/filter_options.h"
#include "report/cli/symbol_options.h"
#include "report/commands/commands.h"

#include "format/base/limits.h"
#include "format/support/terminal.h"

#include <errno.h>

#define OFF(member) offsetof(struct rpt_annotate_args, member)

static int parse_style(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	static const struct rpt_option_word words[] = { { "att", 0 },
							{ "intel", 1 },
							{ 0 } };
	unsigned value;
	int rc = rpt_option_word("disassembler-style", words, arg, &value, err);

	(void)unset;
	if (!rc)
		((struct rpt_annotate_args *)conf)->is_intel = value;
	return rc;
}

/* is_global, is_by_nr */
static int parse_percent_type(void *conf, const char *arg, bool unset,
			      struct pd_err *err)
{
	static const struct rpt_option_word words[] = { { "local-period", 0 },
							{ "local-hits", 1 },
							{ "global-period", 2 },
							{ "global-hits", 3 },
							{ 0 } };
	struct rpt_row_percent *percent =
		&((struct rpt_annotate_args *)conf)->style.percent;
	unsigned value;
	int rc = rpt_option_word("percent-type", words, arg, &value, err);

	(void)unset;
	if (rc)
		return rc;
	percent->is_by_nr = value & 1;
	percent->is_global = value & 2;
	return 0;
}

static int parse_colour(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "never", 0 }, { "always", 1 }, { "auto", 2 }, { 0 }
	};
	unsigned value;
	int rc = rpt_option_word("stdio-color", words, arg, &value, err);

	(void)unset;
	if (!rc)
		((struct rpt_annotate_args *)conf)->style.is_coloured =
			value == 1 ||
			(value == 2 && sup_terminal()->has_colour);
	return rc;
}

static int parse_limit(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	(void)unset;
	return rpt_option_percent(
		"percent-limit", arg,
		&((struct rpt_annotate_args *)conf)->percent_limit, err);
}

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	RPT_OPTS_FILTER(OFF(filter), 0, 'd', 's', 'C', ""),
	RPT_OPT_FLAG('l', "print-line", OFF(style.with_summary), 0,
		     "show first which source lines have which share, and "
		     "behind an instruction its line"),
	RPT_OPT_FLAG(0, "source", OFF(style.with_source), SUP_OPT_NEGATABLE,
		     "show source lines between instructions (on)"),
	RPT_OPT_FLAG(0, "asm-raw", OFF(style.with_bytes), SUP_OPT_NEGATABLE,
		     "show the bytes of instructions"),
	RPT_OPT_FLAG('P', "full-paths", OFF(style.full_paths), 0,
		     "show paths of files in full"),
	RPT_OPT_TEXT(0, "prefix", OFF(prefix), "DIR",
		     "put DIR before the absolute paths of source files"),
	RPT_OPT_U32("prefix-strip", OFF(strip_nr), "N",
		    "leave out the first N parts of the absolute paths of "
		    "source files"),
	RPT_OPT_CALL('M', "disassembler-style", "att|intel",
		     "show x86 code in this syntax (att)", parse_style),
	RPT_OPT_FLAG('n', "show-nr-samples", OFF(values.are_samples), 0,
		     "show the number of samples instead of percentages"),
	RPT_OPT_FLAG(0, "show-total-period", OFF(values.are_periods), 0,
		     "show the sum of periods instead of percentages"),
	RPT_OPT_CALL(0, "percent-type", "TYPE",
		     "percentages of the function (local-period, local-hits) "
		     "or of all samples (global-period, global-hits), by "
		     "period or number of samples (local-period)",
		     parse_percent_type),
	RPT_OPT_CALL(0, "percent-limit", "PERCENT",
		     "show only functions with this share of the event's "
		     "samples",
		     parse_limit),
	RPT_OPT_FLAG(0, "group", OFF(group), SUP_OPT_NEGATABLE,
		     "show events that were recorded as a group side by side "
		     "(on)"),
	RPT_OPT_FLAG(0, "skip-missing", OFF(skip_missing), 0,
		     "do not say which functions have no code here"),
	RPT_OPT_CALL(0, "stdio-color", "never|always|auto",
		     "colour shares of 0.5 % and more; auto: on a terminal "
		     "(auto)",
		     parse_colour),
	RPT_OPT_KALLSYMS(OFF(symbols.kallsyms)),
	RPT_OPT_VMLINUX(OFF(symbols.vmlinux)),
	RPT_OPT_FLAG(0, "ignore-vmlinux", OFF(symbols.ignore_vmlinux), 0,
		     "do not look for a vmlinux"),
	RPT_OPT_SYMFS(OFF(symbols.symfs)),
	RPT_OPT_CARRIED(OFF(symbols.carried)),
	RPT_OPT_DEMANGLE(OFF(demangle)),
	RPT_OPT_FLAG(0, "demangle-kernel", OFF(symbols.demangle_kernel), 0,
		     "demangle names of the kernel, too"),
	RPT_OPT_BOUNDS(OFF(symbols.with_bounds)),
	RPT_OPT_JOBS(OFF(jobs)),
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	RPT_OPT_FLAG('q', "quiet", OFF(is_quiet), 0,
		     "print no warnings of symbols and code"),
	RPT_OPT_FLAG(0, "stdio", OFF(ignored.is_stdio), 0,
		     "ignored: text is the only form"),
	RPT_OPT_FLAG('m', "modules", OFF(ignored.are_modules_asked), 0,
		     "ignored, for compatibility with perf: symbols of modules "
		     "are always shown"),
	RPT_OPT_FORCE(OFF(ignored.is_forced)),
	RPT_OPT_ITRACE,
	{ 0 },
};

static const char no_tui[] = "the output is text; perfpair view opens a page "
			     "in the browser";
static const char no_types[] = "types of data are not worked out; 'perf "
			       "annotate --data-type' reads the same recording";
static const char no_objdump[] = "no program is asked: capstone disassembles";

static const struct sup_absent absent[] = {
	{ "tui", no_tui },
	{ "gtk", no_tui },
	{ "stdio2", "'--stdio' is the only form" },
	{ "objdump", no_objdump },
	{ "addr2line", "no program is asked for source lines: the files' debug "
		       "information is read" },
	{ "verbose", "use '-P' for full paths, or 'perfpair report -v'" },
	{ "v", "use '-P' for full paths, or 'perfpair report -v'" },
	{ "dump-raw-trace", "'perfpair script -D' dumps a recording" },
	{ "D", "'perfpair script -D' dumps a recording" },
	{ "modules", "symbols of modules are always shown" },
	{ "m", "symbols of modules are always shown" },
	{ "verbose", "'perfpair report -v' shows where names come from" },
	{ "v", "'perfpair report -v' shows where names come from" },
	{ "code-with-type", no_types },
	{ "data-type", no_types },
	{ "insn-stat", no_types },
	{ "type-stat", no_types },
	{ "skip-empty", "events without samples are never shown" },
	{ "prefix", "--symfs says below which folder files are" },
	{ "prefix-strip", "--symfs says below which folder files are" },
	{ 0 },
};

static int take_periods(void *args, const char *value)
{
	return rpt_perf_config_bool(
		value, &((struct rpt_annotate_args *)args)->values.are_periods);
}

static int take_samples(void *args, const char *value)
{
	return rpt_perf_config_bool(
		value, &((struct rpt_annotate_args *)args)->values.are_samples);
}

static int take_style(void *args, const char *value)
{
	struct pd_err err = PD_ERR_INIT;

	return parse_style(args, value, false, &err);
}

const struct rpt_perf_key rpt_annotate_keys[] = {
	{ "annotate.show_total_period", take_periods },
	{ "annotate.show_nr_samples", take_samples },
	{ "annotate.disassembler_style", take_style },
	{ 0 },
};

const struct sup_command rpt_annotate_command = {
	.name = "perfpair annotate",
	.usage = "[OPTION]... [SYMBOL]",
	.summary = "Show functions by instruction, with their source lines "
		   "and the samples at each.",
	.opts = opts,
	.absent = absent,
};

int rpt_annotate_args_parse(struct rpt_annotate_args *ret, int argc,
			    char **argv, struct pd_err *err)
{
	int rc;

	*ret = (struct rpt_annotate_args){
		.style = { .with_source = true,
			   .is_coloured = sup_terminal()->has_colour },
		.demangle = true,
		.group = true,
		.max_ratio = PD_LIMIT_ZSTD_RATIO,
	};
	rpt_perf_config_take(rpt_annotate_keys, ret, argc, argv);
	rc = rpt_options_parse(&rpt_annotate_command, ret, argc, argv,
			       &ret->symbol, err);
	if (rc)
		return rc;
	if (ret->values.are_samples && ret->values.are_periods)
		return pd_err_set(err, -EINVAL,
				  "options --show-nr-samples and "
				  "--show-total-period do not go together");
	if (ret->values.are_samples)
		ret->style.value = RPT_ROW_SAMPLES;
	else if (ret->values.are_periods)
		ret->style.value = RPT_ROW_PERIOD;
	return rpt_symbol_files_check(&ret->symbols, err);
}
