#include "report/diff/diff_args.h"
#include "report/base/memory.h"
#include "report/cli/command_options.h"
#include "report/cli/symbol_options.h"
#include "report/cli/filter_options.h"
#include "report/cli/output_file.h"
#include "report/cli/recording_input.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PATH_LIMIT 0.005 /* of all samples */

static const char default_sort[] = "dso,symbol";

static int parse_weights(struct rpt_diff_args *args, const char *text,
			 struct pd_err *err)
{
	char *end;

	args->table.w1 = strtoll(text, &end, 10);
	if (end != text && *end == ',') {
		text = end + 1;
		args->table.w2 = strtoll(text, &end, 10);
		if (end != text && !*end)
			return 0;
	}
	return pd_err_set(err, -EINVAL,
			  "option --compute: wdiff needs two weights: "
			  "wdiff:1,2");
}

static int parse_compute(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "delta", RPT_COMPUTE_DELTA },
		{ "delta-abs", RPT_COMPUTE_DELTA_ABS },
		{ "ratio", RPT_COMPUTE_RATIO },
		{ "wdiff:W1,W2", RPT_COMPUTE_WDIFF },
		{ NULL, 0 },
	};
	struct rpt_diff_args *args = conf;

	(void)unset;
	if (!strncmp(arg, "wdiff", 5)) {
		args->table.compute = RPT_COMPUTE_WDIFF;
		return parse_weights(args, arg + 5 + (arg[5] == ':'), err);
	}
	if (!strcmp(arg, "cycles")) {
		pd_err_set(err, -EINVAL,
			   "option --compute: 'cycles' of blocks between "
			   "branches are not compared");
		pd_err_hint(err, "'perfpair report -b -s symbol_from,"
				 "symbol_to,cycles' shows those of a file");
		return -EINVAL;
	}
	return rpt_option_word("--compute", words, arg, &args->table.compute,
			       err);
}

static int parse_measure(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "share", RPT_MEASURE_SHARE },
		{ "wall", RPT_MEASURE_WALL },
		{ "cpu", RPT_MEASURE_CPU },
		{ "count", RPT_MEASURE_COUNT },
		/* of other numbers: shares, unless the runs did the same */
		{ "latency", RPT_MEASURE_SHARE },
		{ "elapsed", RPT_MEASURE_SHARE },
		{ NULL, 0 },
	};
	struct rpt_diff_args *args = conf;
	struct rpt_report_switch_args *switches = &args->report.switches;
	bool is_elapsed = !strcmp(arg, "elapsed");

	(void)unset;
	switches->latency = is_elapsed || !strcmp(arg, "latency");
	switches->waits = switches->off_cpu = is_elapsed;
	args->is_measure_given = !switches->latency;
	return rpt_option_word("--measure", words, arg, &args->table.measure,
			       err);
}

static int parse_per(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct rpt_diff_args *args = conf;
	const char *sep = strchr(arg, '=');
	char *end = NULL;

	(void)unset;
	args->table.measure = RPT_MEASURE_UNIT;
	args->is_measure_given = true;
	if (sep && sep > arg && (size_t)(sep - arg) < sizeof(args->unit)) {
		memcpy(args->unit, arg, (size_t)(sep - arg));
		args->unit[sep - arg] = '\0';
		args->units[0] = strtod(sep + 1, &end);
		if (end != sep + 1 && *end == ':') {
			args->units[1] = strtod(end + 1, &end);
			if (!*end && isfinite(args->units[0]) &&
			    isfinite(args->units[1]) && args->units[0] > 0.0 &&
			    args->units[1] > 0.0)
				return 0;
		}
	}
	return pd_err_set(err, -EINVAL,
			  "option --per: '%s' is not NAME=OLD:NEW, such as "
			  "requests=120000:118500",
			  arg);
}

static int parse_format(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "text", RPT_DIFF_TEXT },
		{ "json", RPT_DIFF_JSON },
		{ "csv", RPT_DIFF_CSV },
		{ "folded", RPT_DIFF_FOLDED },
		{ "html", RPT_DIFF_HTML },
		{ "markdown", RPT_DIFF_MARKDOWN },
		{ NULL, 0 },
	};
	struct rpt_diff_args *args = conf;
	int rc = rpt_option_word("--format", words, arg, &args->format, err);

	(void)unset;
	args->call_paths |= args->format == RPT_DIFF_FOLDED;
	return rc;
}

static int parse_limit(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_diff_args *args = conf;
	double pct = 0.0;
	int rc = rpt_option_percent("--percent-limit", arg, &pct, err);

	(void)unset;
	args->table.row_limit = pct / 100.0;
	return rc;
}

#define ARGS(field) offsetof(struct rpt_diff_args, field)

static const struct sup_opt opts[] = {
	RPT_OPT_TEXT('s', "sort", ARGS(report.columns.sort), "KEY[,KEY...]",
		     "sort by these keys, all of which 'perfpair report "
		     "--help' lists (dso,symbol)"),
	RPT_OPT_CALL('c', "compute", "delta|delta-abs|ratio|wdiff:W1,W2",
		     "choose how a change is computed and sorted (delta-abs)",
		     parse_compute),
	RPT_OPT_U32("order", ARGS(table.order), "NR",
		    "sort by the change of file NR; 0: by the baseline (1)"),
	RPT_OPT_FLAG('p', "period", ARGS(show_period), 0,
		     "show the sums of the periods"),
	RPT_OPT_FLAG('F', "formula", ARGS(show_formula), 0,
		     "show how each change is computed"),
	RPT_OPT_FLAG('b', "baseline-only", ARGS(table.baseline_only), 0,
		     "show only rows that the baseline has"),
	RPT_OPT_FLAG(0, "children", ARGS(children), SUP_OPT_NEGATABLE,
		     "add the samples of callees to their callers"),
	RPT_OPT_FLAG('g', "call-graph", ARGS(call_paths), 0,
		     "compare call paths: show functions below their callers, "
		     "each with all that it called"),
	RPT_OPT_CALL(0, "percent-limit", "PERCENT",
		     "hide rows below PERCENT of all on all sides, unless "
		     "their change is significant (0; with -g 0.5)",
		     parse_limit),
	RPT_OPT_FLAG(0, "significant", ARGS(table.only_significant), 0,
		     "only show rows that changed by more than chance; needs "
		     "several runs on each side"),
	RPT_OPT_CALL(0, "measure", "share|wall|cpu|count|latency|elapsed",
		     "compare shares of all samples, events per second of "
		     "wall or CPU time, or what a run cost (count if each run "
		     "is of one command with the same arguments, from start "
		     "to end; else share); parts of the elapsed time instead "
		     "of CPU time (latency), with what was waited for while "
		     "nothing ran (elapsed, record --off-cpu -g)",
		     parse_measure),
	RPT_OPT_CALL(0, "per", "NAME=OLD:NEW",
		     "compare events per unit of work: the old side did OLD "
		     "units, the new side NEW",
		     parse_per),
	RPT_OPT_FLAG(0, "interval", ARGS(table.intervals), SUP_OPT_NEGATABLE,
		     "show 95 % intervals and, if sides have several runs, "
		     "mark significant changes (on); off: perf's table"),
	RPT_OPTS_GATE(ARGS(gate),
		      "exit with 4 if all or a row surely became dearer by "
		      "more than PERCENT, or a new row has more than that of "
		      "all; with 0 if that surely is not so; else with 5; "
		      "needs several runs on each side"),
	RPT_OPT_CALL(0, "format", "text|json|csv|folded|html|markdown",
		     "choose the form of the output (text); folded: call "
		     "paths with old and new samples, for differential flame "
		     "graphs; html: a page to look at; markdown: what changed, "
		     "for a merge request",
		     parse_format),
	RPT_OPT_OUTPUT_FILE(0, ARGS(report.out.path)),
	RPT_OPT_TEXT('o', NULL, ARGS(order_or_path), "FILE|NR",
		     "--output FILE; of --format text, if it is a number: "
		     "--order NR, as in perf"),
	RPT_OPTS_LOOK(ARGS(report.out.look)),
	RPT_OPT_PAGE_SIZE(ARGS(report.out.page_len)),
	RPT_OPT_TEXT('t', "field-separator", ARGS(separator), "TEXT",
		     "separate columns by TEXT instead of blanks"),
	RPT_OPTS_FILTER(ARGS(report.filter), 'C', 'd', 'S', 0,
			"; a colon separates the times of one file from those "
			"of the next"),
	RPT_OPT_PERCENTAGE(ARGS(report.rows.is_relative)),
	RPT_OPT_KALLSYMS(ARGS(report.symbols.kallsyms)),
	RPT_OPT_SYMFS(ARGS(report.symbols.symfs)),
	RPT_OPT_CARRIED(ARGS(report.symbols.carried)),
	RPT_OPT_BOUNDS(ARGS(report.symbols.with_bounds)),
	RPT_OPT_MAX_RATIO(ARGS(report.max_ratio)),
	RPT_OPT_JOBS(ARGS(report.jobs)),
	RPT_OPT_FORCE(ARGS(report.ignored.is_forced)),
	RPT_OPT_FLAG('q', "quiet", ARGS(is_quiet), 0, "print rows only"),
	{ 0 },
};

static const struct sup_absent absent[] = {
	{ "dump-raw-trace", "'perfpair report -D FILE' dumps a recording" },
	{ "D", "'perfpair report -D FILE' dumps a recording" },
	{ "modules", "symbols of modules are always shown" },
	{ "m", "symbols of modules are always shown" },
	{ "verbose", "'perfpair report -v FILE' shows addresses, and where "
		     "names come from" },
	{ "v", "'perfpair report -v FILE' shows addresses, and where names "
	       "come from" },
	{ "cycles-hist", "cycles of blocks are not compared: 'perfpair report "
			 "-b -s symbol_from,symbol_to,cycles' of each file" },
	{ "stream", "streams of branches are not compared; -g compares call "
		    "paths" },
	{ 0 },
};

static int take_order(void *args, const char *value)
{
	uint64_t nr;

	if (sup_parse_u64(value, &nr) || nr > UINT32_MAX)
		return -EINVAL;
	((struct rpt_diff_args *)args)->table.order = (uint32_t)nr;
	return 0;
}

static int take_compute(void *args, const char *value)
{
	struct pd_err err = PD_ERR_INIT;

	return parse_compute(args, value, false, &err);
}

const struct rpt_perf_key rpt_diff_keys[] = {
	{ "diff.order", take_order },
	{ "diff.compute", take_compute },
	{ 0 },
};

const struct sup_command rpt_diff_command = {
	.name = "perfpair diff",
	.usage = "[OPTION]... [OLD] NEW...\n"
		 "       perfpair diff [OPTION]... --old OLD... --new NEW...",
	.summary = "Compare recordings and show which changes are more than "
		   "chance.\n--old and --new take several runs each, at "
		   "least three to be of use: what differs from run to run "
		   "then decides. With one run on a side, no row is marked.",
	.opts = opts,
	.absent = absent,
};

/* Move the files behind --old and --new from argv to args->paths, the old ones
 * first; leave all other words. */
static void take_sides(struct rpt_diff_args *args, int *argc, char **argv)
{
	size_t *nrs[] = { &args->old_nr, &args->new_nr };
	int word_nr = 1;

	for (int side = 0; side < 2; side++) {
		int at = -1; /* the side of argv[i], -1: none */

		for (int i = 1; i < *argc; i++) {
			if (!strcmp(argv[i], "--old") ||
			    !strcmp(argv[i], "--new")) {
				at = argv[i][2] == 'n';
			} else if (at < 0 || argv[i][0] == '-') {
				at = -1;
				if (side == 1)
					argv[word_nr++] = argv[i];
			} else if (at == side) {
				args->paths[args->path_nr++] = argv[i];
				++*nrs[side];
			}
		}
	}
	*argc = word_nr;
}

/* Return whether all files are parts of one recording, and so of one run, whose
 * scatter is known. */
static bool is_one_recording(const struct rpt_diff_args *args)
{
	for (size_t i = 1; i < args->path_nr; i++)
		if (strcmp(args->paths[i], args->paths[0]) != 0)
			return false;
	return true;
}

static int set_replicates(struct rpt_diff_args *args, int operand_nr,
			  struct pd_err *err)
{
	if (!args->old_nr || !args->new_nr || operand_nr)
		return pd_err_set(err, -EINVAL,
				  "--old and --new go together, and all files "
				  "stand behind one of them");
	args->side_nr = 2;
	args->run_nrs[0] = args->old_nr;
	args->run_nrs[1] = args->new_nr;
	args->table.is_between = args->old_nr > 1 && args->new_nr > 1;
	return 0;
}

/* Compare perf.data.old with perf.data, or with the one file that is named, or
 * the first file with each other one. */
static void set_files(struct rpt_diff_args *args, int nr, char **words)
{
	size_t at = 0;

	if (nr < 2)
		args->paths[at++] = RPT_OLD_FILE;
	if (!nr)
		args->paths[at++] = RPT_DEFAULT_FILE;
	for (int i = 0; i < nr; i++)
		args->paths[at++] = words[i];
	args->path_nr = at;
	args->side_nr = at;
	for (size_t s = 0; s < at; s++)
		args->run_nrs[s] = 1;
}

static int check_paths(const struct rpt_diff_args *args, struct pd_err *err)
{
	const char *name =
		args->format == RPT_DIFF_FOLDED ? "--format folded" : "-g";

	if (args->report.filter.dsos || args->report.filter.symbols)
		return pd_err_set(err, -EINVAL,
				  "%s does not go with --dsos and --symbols: a "
				  "path has many of them",
				  name);
	if (args->children || !args->table.intervals)
		return pd_err_set(err, -EINVAL,
				  "%s goes neither with --children nor with "
				  "--no-interval",
				  name);
	if (args->report.columns.sort != default_sort)
		return pd_err_set(err, -EINVAL,
				  "%s does not go with --sort: rows are call "
				  "paths",
				  name);
	return 0;
}

static int check(const struct rpt_diff_args *args, struct pd_err *err)
{
	const struct rpt_diff_table_conf *table = &args->table;
	bool is_text = args->format == RPT_DIFF_TEXT;
	const struct {
		bool is_wrong;
		const char *why;
	} rules[] = {
		{ args->format == RPT_DIFF_FOLDED && args->side_nr != 2,
		  "--format folded is for an old and a new side" },
		{ !is_text && !table->intervals, "--no-interval is for text" },
		{ !is_text && (args->separator || args->show_formula),
		  "--field-separator and --formula are for text" },
		{ table->row_limit >= 0.0 && !table->intervals,
		  "--percent-limit needs the intervals" },
		{ table->row_limit >= 0.0 && args->format == RPT_DIFF_HTML &&
			  !args->call_paths,
		  "--percent-limit is for tables: text, json and csv" },
		{ table->only_significant && !table->is_tested,
		  "--significant needs two runs or more on each side (--old A "
		  "B C --new D E F): one run does not tell a change from "
		  "chance" },
		{ table->only_significant && (args->format == RPT_DIFF_FOLDED ||
					      args->format == RPT_DIFF_HTML),
		  "--significant is for tables: text, json and csv" },
		{ table->measure == RPT_MEASURE_UNIT && args->side_nr != 2,
		  "--per is for an old and a new side" },
		{ table->measure != RPT_MEASURE_SHARE && !table->intervals,
		  "--no-interval is perf's table, which is one of shares" },
		{ args->gate.limit_pct >= 0.0 && !table->intervals,
		  "--fail-above needs the intervals" },
		{ args->gate.limit_pct >= 0.0 && !table->is_tested,
		  "--fail-above needs two runs or more on each side (--old A B "
		  "C --new D E F): one run does not tell a change from "
		  "chance" },
	};
	int rc = args->call_paths ? check_paths(args, err) : 0;

	if (!rc && table->order >= args->side_nr)
		rc = pd_err_set(err, -EINVAL,
				"option --order: there are files 0 to %zu",
				args->side_nr - 1);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]) && !rc; i++)
		if (rules[i].is_wrong)
			rc = pd_err_set(err, -EINVAL, "%s", rules[i].why);
	return rc;
}

/* -o is perf's --order in what perf prints, and names a file elsewhere. */
static void set_order_or_path(struct rpt_diff_args *args)
{
	const char *word = args->order_or_path;
	uint64_t order;

	if (!word)
		return;
	if (args->format != RPT_DIFF_TEXT || sup_parse_u64(word, &order))
		args->report.out.path = word;
	else
		args->table.order =
			order < UINT32_MAX ? (uint32_t)order : UINT32_MAX;
}

int rpt_diff_args_parse(struct rpt_diff_args *args, enum rpt_diff_format format,
			int argc, char **argv, struct pd_err *err)
{
	int first;
	int rc;

	*args = (struct rpt_diff_args){
		.table = { .compute = RPT_COMPUTE_DELTA_ABS,
			   .intervals = true,
			   .order = 1,
			   .row_limit = -1.0 },
		.format = format,
		.gate = RPT_GATE_NONE,
	};
	args->report = rpt_report_args_default;
	/* functions without a name are matched by diff_run.h */
	args->report.names.raw_addresses = true;
	args->report.columns.sort = default_sort;
	/* compare samples, not the branches in them */
	args->report.branches.is_given = true;
	args->paths = rpt_alloc_zeroed((size_t)argc + 2, sizeof(*args->paths));
	args->run_nrs =
		rpt_alloc_zeroed((size_t)argc + 2, sizeof(*args->run_nrs));
	take_sides(args, &argc, argv);
	if (format == RPT_DIFF_TEXT)
		rpt_perf_config_take(rpt_diff_keys, args, argc, argv);
	rc = sup_options_parse(&rpt_diff_command, args, argc, argv, &first,
			       err);
	if (rc)
		return rc;
	set_order_or_path(args);
	if (args->old_nr || args->new_nr)
		rc = set_replicates(args, argc - first, err);
	else
		set_files(args, argc - first, argv + first);
	args->table.is_tested =
		args->table.intervals &&
		(args->table.is_between || is_one_recording(args));
	if (!rc)
		rc = check(args, err);
	if (!rc)
		rc = rpt_symbol_files_check(&args->report.symbols, err);
	if (args->table.row_limit < 0.0)
		args->table.row_limit = args->call_paths ? PATH_LIMIT : 0.0;
	return rc;
}

void rpt_diff_args_release(struct rpt_diff_args *args)
{
	free(args->paths);
	free(args->run_nrs);
	*args = (struct rpt_diff_args){ 0 };
}
