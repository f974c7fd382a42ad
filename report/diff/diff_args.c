#include "report/diff/diff_args.h"
#include "report/cli/command_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half a percent of all. */
#define PATH_LIMIT 0.005

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
	int value = 0;
	int rc;

	(void)unset;
	if (!strncmp(arg, "wdiff", 5)) {
		args->table.compute = RPT_COMPUTE_WDIFF;
		return parse_weights(args, arg + 5 + (arg[5] == ':'), err);
	}
	rc = rpt_option_word("--compute", words, arg, &value, err);
	if (!rc)
		args->table.compute = (enum rpt_compute)value;
	return rc;
}

static int parse_measure(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "share", RPT_MEASURE_SHARE },
		{ "wall", RPT_MEASURE_WALL },
		{ "cpu", RPT_MEASURE_CPU },
		{ "count", RPT_MEASURE_COUNT },
		{ NULL, 0 },
	};
	struct rpt_diff_args *args = conf;
	int value = 0;
	int rc;

	(void)unset;
	rc = rpt_option_word("--measure", words, arg, &value, err);
	if (!rc)
		args->table.measure = (enum rpt_measure)value;
	args->is_measure_asked = true;
	return rc;
}

static bool is_unit_count(double nr)
{
	return isfinite(nr) && nr > 0.0;
}

static int parse_per(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct rpt_diff_args *args = conf;
	const char *sep = strchr(arg, '=');
	char *end = NULL;

	(void)unset;
	args->table.measure = RPT_MEASURE_UNIT;
	args->is_measure_asked = true;
	if (sep && sep > arg && (size_t)(sep - arg) < sizeof(args->unit)) {
		memcpy(args->unit, arg, (size_t)(sep - arg));
		args->unit[sep - arg] = '\0';
		args->units[0] = strtod(sep + 1, &end);
		if (end != sep + 1 && *end == ':') {
			args->units[1] = strtod(end + 1, &end);
			if (!*end && is_unit_count(args->units[0]) &&
			    is_unit_count(args->units[1]))
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
		{ NULL, 0 },
	};
	struct rpt_diff_args *args = conf;
	int value = 0;
	int rc;

	(void)unset;
	rc = rpt_option_word("--format", words, arg, &value, err);
	if (!rc)
		args->format = (enum rpt_diff_format)value;
	args->call_paths |= args->format == RPT_DIFF_FOLDED;
	return rc;
}

static int parse_fail_above(void *conf, const char *arg, bool unset,
			    struct pd_err *err)
{
	struct rpt_diff_args *args = conf;
	int rc = rpt_option_percent("--fail-above", arg, &args->fail_above_pct,
				    err);

	(void)unset;
	return rc;
}

static int parse_order(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_diff_args *args = conf;
	uint64_t value;

	(void)unset;
	if (sup_parse_u64(arg, &value))
		return pd_err_set(err, -EINVAL,
				  "option --order: '%s' is no number", arg);
	args->table.order = value;
	return 0;
}

static int parse_limit(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_diff_args *args = conf;
	double pct = 0.0;
	int rc = rpt_option_percent("--percent-limit", arg, &pct, err);

	(void)unset;
	args->table.path_limit = pct / 100.0;
	return rc;
}

static int parse_percentage(void *conf, const char *arg, bool unset,
			    struct pd_err *err)
{
	struct rpt_diff_args *args = conf;

	(void)unset;
	return rpt_percentage_parse(arg, &args->report.is_relative, err);
}

#define ARGS(field) offsetof(struct rpt_diff_args, field)

static const struct sup_opt opts[] = {
	{ .short_name = 's',
	  .long_name = "sort",
	  .kind = SUP_STRING,
	  .off = ARGS(report.sort),
	  .metavar = "KEY[,KEY...]",
	  .help = "rows by pid, comm, dso, symbol, cpu (dso,symbol)" },
	{ .short_name = 'c',
	  .long_name = "compute",
	  .kind = SUP_CALL,
	  .call = parse_compute,
	  .metavar = "delta|delta-abs|ratio|wdiff:W1,W2",
	  .help = "what is shown of a change, and sorts (delta-abs)" },
	{ .short_name = 'o',
	  .long_name = "order",
	  .kind = SUP_CALL,
	  .call = parse_order,
	  .metavar = "NR",
	  .help = "sort by the change of this file; 0: by the baseline (1)" },
	{ .short_name = 'p',
	  .long_name = "period",
	  .kind = SUP_FLAG,
	  .off = ARGS(show_period),
	  .help = "columns with the sums of the periods" },
	{ .short_name = 'F',
	  .long_name = "formula",
	  .kind = SUP_FLAG,
	  .off = ARGS(show_formula),
	  .help = "a column that says how the change is computed" },
	{ .short_name = 'b',
	  .long_name = "baseline-only",
	  .kind = SUP_FLAG,
	  .off = ARGS(table.baseline_only),
	  .help = "only rows that the baseline has" },
	{ .long_name = "children",
	  .kind = SUP_FLAG,
	  .off = ARGS(children),
	  .flags = SUP_OPT_NEGATABLE,
	  .help = "count callees for their callers too: inclusive cost" },
	{ .short_name = 'g',
	  .long_name = "call-graph",
	  .kind = SUP_FLAG,
	  .off = ARGS(call_paths),
	  .help = "rows are call paths: functions below their callers, with all "
		  "that they called" },
	{ .long_name = "percent-limit",
	  .kind = SUP_CALL,
	  .call = parse_limit,
	  .metavar = "PERCENT",
	  .help = "with -g: leave out paths below it on all sides, unless "
		  "their change is significant (0.5)" },
	{ .long_name = "measure",
	  .kind = SUP_CALL,
	  .call = parse_measure,
	  .metavar = "share|wall|cpu|count",
	  .help = "compare shares of all, events per second of wall or CPU "
		  "time, or counts: what a run cost (count if each is of "
		  "one command with the same arguments, from start to end; "
		  "else share)" },
	{ .long_name = "per",
	  .kind = SUP_CALL,
	  .call = parse_per,
	  .metavar = "NAME=OLD:NEW",
	  .help = "compare events per unit of work, of which the sides did so "
		  "much" },
	{ .long_name = "interval",
	  .kind = SUP_FLAG,
	  .off = ARGS(table.intervals),
	  .flags = SUP_OPT_NEGATABLE,
	  .help = "95 % intervals, and marks of significance where sides have "
		  "several runs (on); without, perf's table" },
	{ .long_name = "fail-above",
	  .kind = SUP_CALL,
	  .call = parse_fail_above,
	  .metavar = "PERCENT",
	  .help = "exit 4 if a row became significantly dearer by more than "
		  "this, or a new one has more of all; needs several runs a "
		  "side" },
	{ .long_name = "format",
	  .kind = SUP_CALL,
	  .call = parse_format,
	  .metavar = "text|json|csv|folded",
	  .help = "form of the output (text); folded: call paths with old and "
		  "new samples, for differential flame graphs" },
	{ .short_name = 't',
	  .long_name = "field-separator",
	  .kind = SUP_STRING,
	  .off = ARGS(separator),
	  .metavar = "TEXT",
	  .help = "between columns, instead of two blanks" },
	RPT_OPTS_FILTER(ARGS(report.filter), 'C', 'd', 'S', 0,
			"; a colon between those of one file and the next"),
	{ .long_name = "percentage",
	  .kind = SUP_CALL,
	  .call = parse_percentage,
	  .metavar = "absolute|relative",
	  .help = "percent of all, or of what passes the filters (absolute)" },
	RPT_OPT_KALLSYMS(ARGS(report.kallsyms)),
	RPT_OPT_SYMFS(ARGS(report.symfs)),
	RPT_OPT_MAX_RATIO(ARGS(report.max_ratio)),
	RPT_OPT_JOBS(ARGS(report.jobs)),
	RPT_OPT_FORCE(ARGS(report.is_forced)),
	{ .short_name = 'q',
	  .long_name = "quiet",
	  .kind = SUP_FLAG,
	  .off = ARGS(is_quiet),
	  .help = "rows only" },
	{ 0 },
};

const struct sup_command rpt_diff_command = {
	.name = "perfpair diff",
	.usage = "[OPTION]... [OLD] NEW...\n"
		 "       perfpair diff [OPTION]... --old OLD... --new NEW...",
	.summary = "What changed between recordings, and whether it is more "
		   "than chance.\n--old and --new take several runs each, "
		   "three at least to be of use: what differs\nfrom run to "
		   "run then decides.  With one on a side, nothing is marked.",
	.opts = opts,
};

/* Takes "--old A B" and "--new C D" out of argv: the files go to args->paths,
 * the rest of the words stays for the table. */
static int take_sides(struct rpt_diff_args *args, int *argc, char **argv,
		      struct pd_err *err)
{
	const char **files[2];
	size_t nrs[2] = { 0, 0 };
	int side = -1;
	int kept = 1;

	files[0] = calloc((size_t)*argc + 2, sizeof(char *));
	files[1] = calloc((size_t)*argc + 2, sizeof(char *));
	if (!files[0] || !files[1]) {
		free(files[0]);
		free(files[1]);
		return pd_err_set(err, -ENOMEM, "out of memory");
	}
	for (int i = 1; i < *argc; i++) {
		if (!strcmp(argv[i], "--old"))
			side = 0;
		else if (!strcmp(argv[i], "--new"))
			side = 1;
		else if (side >= 0 && argv[i][0] != '-')
			files[side][nrs[side]++] = argv[i];
		else {
			side = -1;
			argv[kept++] = argv[i];
		}
	}
	*argc = kept;
	args->old_nr = nrs[0];
	args->new_nr = nrs[1];
	for (size_t i = 0; i < nrs[1]; i++)
		files[0][nrs[0] + i] = files[1][i];
	free(files[1]);
	args->paths = files[0];
	args->path_nr = nrs[0] + nrs[1];
	return 0;
}

/* Parts of one recording: the same run on the same host, whose scatter is
 * seen. */
static bool is_one_recording(const struct rpt_diff_args *args)
{
	for (size_t i = 1; i < args->path_nr; i++) {
		if (strcmp(args->paths[i], args->paths[0]) != 0)
			return false;
	}
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

/* perf.data.old and perf.data; perf.data.old and the one; all in turn. */
static int set_files(struct rpt_diff_args *args, int nr, char **words)
{
	size_t at = 0;

	if (nr < 2)
		args->paths[at++] = "perf.data.old";
	if (!nr)
		args->paths[at++] = "perf.data";
	for (int i = 0; i < nr; i++)
		args->paths[at++] = words[i];
	args->path_nr = at;
	args->side_nr = at;
	for (size_t s = 0; s < at; s++)
		args->run_nrs[s] = 1;
	return 0;
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
	if (args->report.sort != default_sort)
		return pd_err_set(err, -EINVAL,
				  "%s does not go with --sort: rows are call "
				  "paths",
				  name);
	return 0;
}

static int check_format(const struct rpt_diff_args *args, struct pd_err *err)
{
	if (args->format == RPT_DIFF_TEXT)
		return 0;
	if (args->format == RPT_DIFF_FOLDED && args->side_nr != 2)
		return pd_err_set(
			err, -EINVAL,
			"--format folded is for an old and a new side");
	if (!args->table.intervals)
		return pd_err_set(err, -EINVAL, "--no-interval is for text");
	if (args->separator || args->show_formula)
		return pd_err_set(err, -EINVAL,
				  "--field-separator and --formula are for "
				  "text");
	return 0;
}

static int check(const struct rpt_diff_args *args, struct pd_err *err)
{
	int rc = args->call_paths ? check_paths(args, err) : 0;

	if (!rc)
		rc = check_format(args, err);
	if (rc)
		return rc;
	if (args->table.path_limit >= 0.0 && !args->call_paths)
		return pd_err_set(err, -EINVAL,
				  "--percent-limit is for call paths (-g)");
	if (args->table.order >= args->side_nr)
		return pd_err_set(err, -EINVAL,
				  "option --order: there are files 0 to %zu",
				  args->side_nr - 1);
	if (args->table.measure == RPT_MEASURE_UNIT && args->side_nr != 2)
		return pd_err_set(err, -EINVAL,
				  "--per is for an old and a new side");
	if (args->table.measure != RPT_MEASURE_SHARE && !args->table.intervals)
		return pd_err_set(err, -EINVAL,
				  "--no-interval is perf's table, which is one "
				  "of shares");
	if (args->fail_above_pct >= 0.0 && !args->table.intervals)
		return pd_err_set(err, -EINVAL,
				  "--fail-above needs the intervals");
	if (args->fail_above_pct >= 0.0 && !args->table.is_tested)
		return pd_err_set(err, -EINVAL,
				  "--fail-above needs two runs or more on each "
				  "side (--old A B C --new D E F): from one, "
				  "nobody can tell a change from chance");
	return 0;
}

int rpt_diff_args_parse(struct rpt_diff_args *args, int argc, char **argv,
			struct pd_err *err)
{
	int first;
	int rc;

	*args = (struct rpt_diff_args){
		.table = { .compute = RPT_COMPUTE_DELTA_ABS,
			   .intervals = true,
			   .order = 1,
			   .path_limit = -1.0 },
		.fail_above_pct = -1.0,
	};
	args->report = rpt_report_args_default;
	args->report.sort = default_sort;
	/* What a CPU's branches say is not compared: its samples are. */
	args->report.is_branch_given = true;
	rc = take_sides(args, &argc, argv, err);
	if (rc)
		return rc;
	args->run_nrs = calloc((size_t)argc + 2, sizeof(*args->run_nrs));
	if (!args->run_nrs)
		return pd_err_set(err, -ENOMEM, "out of memory");
	rc = sup_options_parse(&rpt_diff_command, args, argc, argv, &first,
			       err);
	if (rc)
		return rc;
	rc = args->old_nr || args->new_nr
		     ? set_replicates(args, argc - first, err)
		     : set_files(args, argc - first, argv + first);
	args->table.is_tested =
		args->table.intervals &&
		(args->table.is_between || is_one_recording(args));
	if (!rc)
		rc = check(args, err);
	if (args->table.path_limit < 0.0)
		args->table.path_limit = PATH_LIMIT;
	return rc;
}

void rpt_diff_args_release(struct rpt_diff_args *args)
{
	free(args->paths);
	free(args->run_nrs);
	*args = (struct rpt_diff_args){ 0 };
}
