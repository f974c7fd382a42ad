/* perfpair ab: runs two commands in turn, records each run, and ends when it is
 * known whether one costs more (paired_looks.h). */
#include "report/commands/ab_run.h"
#include "report/commands/commands.h"
#include "report/commands/outputs.h"
#include "report/base/memory.h"
#include "report/base/temp_file.h"
#include "report/cli/command_options.h"
#include "report/cli/recording_input.h"
#include "report/stats/paired_looks.h"

#include "format/support/message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#define SELF_PAIRS 5

static const char *const side_names[] = { "old", "new" };
static const char *const measure_names[] = { "CPU time", "wall time" };

struct ab {
	struct rpt_ab_runs runs;
	uint32_t pair_nr;
	double logs[RPT_AB_MEASURES][RPT_PAIRS_MAX];
	struct rpt_paired_change change; /* by the last look, or interrupted */
	enum rpt_paired_verdict verdict;
};

static char *path_of(const struct ab *ab, const char *name, uint32_t nr)
{
	char *path;

	if (asprintf(&path, "%s/%s-%02u.data", ab->runs.args->folder, name,
		     nr) < 0)
		abort();
	return path;
}

/* Run both sides in random order, with is_self the old one twice, and add the
 * pair.  is_kept: the recordings stay. */
static int run_pair(struct ab *ab, bool is_self, bool is_kept)
{
	int first = (int)(rpt_ab_draw(&ab->runs) & 1), rc = 0;
	char *paths[RPT_AB_SIDES];
	struct rpt_ab_cost costs[RPT_AB_SIDES];

	for (int side = 0; side < RPT_AB_SIDES; side++)
		paths[side] =
			path_of(ab, is_kept ? side_names[side] : "warm-up",
				ab->pair_nr + 1);
	for (int i = 0; i < RPT_AB_SIDES && !rc; i++) {
		int side = i ^ first;

		rc = rpt_ab_run_once(&ab->runs, is_self ? RPT_AB_OLD : side,
				     paths[side], &costs[side]);
		if (!is_kept)
			unlink(paths[side]);
	}
	for (int m = 0; m < RPT_AB_MEASURES && !rc; m++)
		ab->logs[m][ab->pair_nr] =
			log(costs[RPT_AB_NEW].by[m] / costs[RPT_AB_OLD].by[m]);
	for (int side = 0; side < RPT_AB_SIDES; side++) {
		if (rc) /* half a pair is none */
			unlink(paths[side]);
		free(paths[side]);
	}
	ab->pair_nr += !rc;
	return rc;
}

static double pct_of(double logarithm)
{
	return 100.0 * expm1(logarithm);
}

static void print_change(const struct rpt_paired_change *change, FILE *out)
{
	fprintf(out, "%+.1f %%", pct_of(change->center));
	if (!isnan(change->low))
		fprintf(out, " [%+.1f, %+.1f]", pct_of(change->low),
			pct_of(change->high));
}

/* Run the first side against itself and print what can be seen here. */
static int run_self(struct ab *ab)
{
	const double *logs = ab->logs[ab->runs.args->measure];
	struct rpt_paired_change change;
	int rc = 0;

	while (ab->pair_nr < SELF_PAIRS && !rc)
		rc = run_pair(ab, true, false);
	ab->pair_nr = 0; /* these are no pairs of both commands */
	if (rc)
		return rc;
	change = rpt_paired_change(logs, SELF_PAIRS, RPT_LOOKS_RATE);
	printf("old against itself, %d pairs: ", SELF_PAIRS);
	print_change(&change, stdout);
	printf("; a change of %.1f %% can be seen after %u pairs\n",
	       pct_of(rpt_paired_visible(logs, SELF_PAIRS,
					 ab->runs.args->pair_max)),
	       ab->runs.args->pair_max);
	if (rpt_paired_verdict(&change, 0.0) != RPT_PAIRED_UNDECIDED)
		printf("that is more than chance, as one such trial in twenty "
		       "is: if it comes again, runs are not independent\n");
	return 0;
}

/* Return the limit of --fail-above as a logarithm, 0 without one. */
static double limit_of(const struct ab *ab)
{
	return log1p(fmax(0.0, ab->runs.args->gate.limit_pct) / 100.0);
}

/* Look at the pairs if it is time to.  Return whether the experiment ends. */
static bool look(struct ab *ab, const struct rpt_looks *looks)
{
	const double *logs = ab->logs[ab->runs.args->measure];

	for (uint32_t i = 0; i < looks->nr; i++) {
		if (looks->pairs[i] != ab->pair_nr)
			continue;
		ab->change =
			rpt_paired_change(logs, ab->pair_nr, looks->levels[i]);
		ab->verdict = rpt_paired_verdict(&ab->change, limit_of(ab));
		if (ab->verdict != RPT_PAIRED_UNDECIDED || i + 1 == looks->nr)
			return true;
		fprintf(stderr, "after %u pairs: ", ab->pair_nr);
		print_change(&ab->change, stderr);
		fputs(", not decided yet\n", stderr);
	}
	return false;
}

static int run_pairs(struct ab *ab)
{
	struct rpt_looks looks = rpt_looks_plan(ab->runs.args->pair_max);
	int rc = run_pair(ab, false, false); /* to warm up */

	ab->pair_nr = 0;
	if (!rc && ab->runs.args->is_self)
		rc = run_self(ab);
	while (!rc) {
		rc = run_pair(ab, false, true);
		if (!rc && look(ab, &looks))
			break;
	}
	if (rc == -EINTR && ab->pair_nr) /* between two looks nothing is said */
		ab->change = rpt_paired_change(ab->logs[ab->runs.args->measure],
					       ab->pair_nr,
					       looks.levels[looks.nr - 1]);
	return rc;
}

/* Return how many pairs would decide, if the change is what it seems to be; 0:
 * nobody knows. */
static uint32_t pairs_needed(const struct ab *ab)
{
	if (ab->pair_nr < RPT_PAIRS_MIN)
		return 0;
	return rpt_paired_needed(ab->logs[ab->runs.args->measure], ab->pair_nr,
				 fabs(ab->change.center - limit_of(ab)));
}

static void print_undecided(const struct ab *ab)
{
	const double *logs = ab->logs[ab->runs.args->measure];
	uint32_t nr = ab->pair_nr, needed = pairs_needed(ab);

	if (needed > nr)
		printf("; if that is the change, about %u more would do "
		       "(--pairs %u)",
		       needed - nr, needed);
	else if (nr >= RPT_PAIRS_MIN)
		printf("; a change of %.1f %% would have been seen",
		       pct_of(rpt_paired_visible(logs, nr, nr)));
}

static void print_result(const struct ab *ab)
{
	static const char *const verdicts[] = {
		[RPT_PAIRED_UNDECIDED] = "undecided",
		[RPT_PAIRED_LESS] = "decided",
		[RPT_PAIRED_MORE] = "decided",
		[RPT_PAIRED_WITHIN] = "decided, not above the limit,",
	};
	unsigned other = !ab->runs.args->measure;
	struct rpt_paired_change change =
		rpt_paired_change(ab->logs[other], ab->pair_nr, RPT_LOOKS_RATE);

	printf("%s%s after %u pair%s: ",
	       rpt_ab_is_interrupted() ? "interrupted, " : "",
	       verdicts[ab->verdict], ab->pair_nr, ab->pair_nr == 1 ? "" : "s");
	print_change(&ab->change, stdout);
	printf(" %s", measure_names[ab->runs.args->measure]);
	if (ab->verdict == RPT_PAIRED_UNDECIDED &&
	    ab->runs.args->gate.limit_pct < 0.0)
		print_undecided(ab); /* a gate says it itself */
	printf("\n%s of these runs: ", measure_names[other]);
	print_change(&change, stdout);
	printf("\nseed %llu; to look again: perfpair diff --measure count "
	       "--old %s/old-*.data --new %s/new-*.data\n\n",
	       (unsigned long long)ab->runs.args->seed, ab->runs.args->folder,
	       ab->runs.args->folder);
}

/* Show by diff which rows carry the change.  Both commands are asked to do the
 * same work, whatever their arguments are: what a run cost is compared. */
static int show_rows(const struct ab *ab)
{
	static char *const words[] = { "diff", "--significant", "--measure",
				       "count" };
	static char *const sides[] = { "--old", "--new" };
	size_t nr = 0, file_nr = (size_t)ab->pair_nr;
	char **argv = rpt_alloc_zeroed(2 * file_nr + 7, sizeof(*argv));
	char **paths = rpt_alloc_zeroed(2 * file_nr, sizeof(*paths));
	struct rpt_diff_args args;
	struct pd_err err = PD_ERR_INIT;
	int exit_code = RPT_EXIT_FAILED;

	for (; nr < sizeof(words) / sizeof(words[0]); nr++)
		argv[nr] = words[nr];
	for (size_t side = 0; side < RPT_AB_SIDES; side++) {
		argv[nr++] = sides[side];
		for (uint32_t i = 0; i < ab->pair_nr; i++) {
			paths[side * file_nr + i] =
				path_of(ab, side_names[side], i + 1);
			argv[nr++] = paths[side * file_nr + i];
		}
	}
	if (rpt_options_are_good(rpt_diff_args_parse(&args, RPT_DIFF_TEXT,
						     (int)nr, argv, &err),
				 &rpt_diff_command, &err, &exit_code))
		exit_code = rpt_diff_run(&args);
	rpt_diff_args_release(&args);
	for (size_t i = 0; i < 2 * file_nr; i++)
		free(paths[i]);
	free(paths);
	free(argv);
	return exit_code;
}

/* Make the folder, and remove an earlier experiment's recordings from it. */
static int folder_prepare(const struct ab *ab)
{
	if (mkdir(ab->runs.args->folder, 0777) && errno != EEXIST) {
		sup_message("%s: %s", ab->runs.args->folder, strerror(errno));
		return -errno;
	}
	for (uint32_t nr = 1; nr <= RPT_PAIRS_MAX; nr++) {
		for (int side = 0; side < RPT_AB_SIDES; side++) {
			char *path = path_of(ab, side_names[side], nr);

			unlink(path);
			free(path);
		}
	}
	return 0;
}

/* Say what --fail-above has decided, and return its exit code. */
static int end_gate(const struct ab *ab)
{
	static const enum rpt_gate_answer answers[] = {
		[RPT_PAIRED_UNDECIDED] = RPT_GATE_UNDECIDED,
		[RPT_PAIRED_LESS] = RPT_GATE_NOT_WORSE,
		[RPT_PAIRED_MORE] = RPT_GATE_WORSE,
		[RPT_PAIRED_WITHIN] = RPT_GATE_NOT_WORSE,
	};
	uint32_t needed = pairs_needed(ab);
	bool is_known = ab->pair_nr >= RPT_PAIRS_MIN;
	const struct rpt_gate_finding finding = {
		.answer = answers[ab->verdict],
		.what = measure_names[ab->runs.args->measure],
		.pct = pct_of(ab->change.center),
		.low_pct = pct_of(ab->change.low),
		.high_pct = pct_of(ab->change.high),
		.more = needed > ab->pair_nr  ? needed - ab->pair_nr
			: !needed && is_known ? RPT_GATE_MANY
					      : 0,
		.is_paired = true,
	};
	struct rpt_gate_result result = RPT_GATE_RESULT_INIT;

	rpt_gate_note(&result, &finding);
	return rpt_gate_end(&ab->runs.args->gate, &result);
}

static int experiment(struct ab *ab)
{
	int exit_code = RPT_EXIT_OK, gate_code, rc;

	ab->runs.log_fd = rpt_temp_file_open();
	if (ab->runs.log_fd < 0) {
		sup_message("no temporary file: %s", strerror(errno));
		return RPT_EXIT_FAILED;
	}
	rc = folder_prepare(ab);
	if (!rc)
		rc = run_pairs(ab);
	close(ab->runs.log_fd);
	if (rc == -EINTR && !ab->pair_nr)
		sup_message("interrupted before a pair was finished");
	if (rc && (rc != -EINTR || !ab->pair_nr))
		return RPT_EXIT_FAILED;
	print_result(ab);
	/* of programs without a function in common there are no rows */
	if (ab->verdict != RPT_PAIRED_UNDECIDED &&
	    show_rows(ab) == RPT_EXIT_DAMAGED)
		exit_code = RPT_EXIT_DAMAGED;
	gate_code = end_gate(ab);
	if (rc && ab->verdict == RPT_PAIRED_UNDECIDED)
		return RPT_EXIT_FAILED;
	return gate_code ? gate_code : rc ? RPT_EXIT_FAILED : exit_code;
}

static int parse_event(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	static char option[] = "-e";
	struct rpt_ab_args *args = conf;

	(void)unset;
	(void)err;
	args->record[args->record_nr++] = option;
	args->record[args->record_nr++] = (char *)(uintptr_t)arg;
	return 0;
}

static int parse_measure(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "cpu", RPT_AB_CPU },
		{ "wall", RPT_AB_WALL },
		{ NULL, 0 },
	};
	struct rpt_ab_args *args = conf;

	(void)unset;
	return rpt_option_word("--measure", words, arg, &args->measure, err);
}

#define ARGS(field) offsetof(struct rpt_ab_args, field)

static const struct sup_opt opts[] = {
	RPT_OPT_TEXT(0, "old", ARGS(commands[RPT_AB_OLD]), "COMMAND",
		     "run this command as the old side: words as in a shell, "
		     "without redirections (\"sh -c '...'\" has them)"),
	RPT_OPT_TEXT(0, "new", ARGS(commands[RPT_AB_NEW]), "COMMAND",
		     "run this command as the new side"),
	RPT_OPT_U32("pairs", ARGS(pair_max), "NR",
		    "end after NR pairs of runs, decided or not: 3 to 200 "
		    "(20)"),
	RPT_OPT_CALL(0, "measure", "cpu|wall",
		     "decide by CPU time, of the command and all that it "
		     "waited for, or by wall time (cpu)",
		     parse_measure),
	RPT_OPTS_GATE(ARGS(gate),
		      "decide whether it is dearer by more than PERCENT or "
		      "not: exit with 4 if it is, with 5 if the pairs do not "
		      "tell"),
	RPT_OPT_FLAG(0, "self", ARGS(is_self), 0,
		     "first run the old command against itself, and say which "
		     "changes can be seen here"),
	RPT_OPT_TEXT('o', "output", ARGS(folder), "DIR",
		     "keep the recordings in this folder, old-01.data, "
		     "new-01.data ...; those of an earlier experiment are "
		     "removed (perfpair-ab)"),
	{ 0, "seed", SUP_U64, ARGS(seed), 0, "NR",
	  "draw the order of runs from this seed (a random one, which is "
	  "printed)",
	  NULL },
	RPT_OPT_TEXT('F', "freq", ARGS(frequency), "HZ",
		     "sample so often, as perfpair-record"),
	RPT_OPT_FLAG('g', "call-graph", ARGS(call_graph), 0,
		     "record call chains"),
	RPT_OPT_CALL('e', "event", "EVENT", "record these events", parse_event),
	{ 0 },
};

const struct sup_command rpt_ab_command = {
	.name = "perfpair ab",
	.usage = "[OPTION]... --old COMMAND --new COMMAND [-- "
		 "RECORD-OPTION...]",
	.summary = "Run two commands in turn until it is decided whether one "
		   "costs more, and show where.\nWhat stands behind -- goes "
		   "to perfpair-record.",
	.opts = opts,
};

static int check(struct rpt_ab_args *args, int argc, char **argv, int first,
		 struct pd_err *err)
{
	if (first < argc && argv[first][0] != '-')
		return pd_err_set(err, -EINVAL,
				  "what is '%s'? A command is one word: --old "
				  "'./a 1' --new './b 1'",
				  argv[first]);
	if (!args->commands[RPT_AB_OLD] || !args->commands[RPT_AB_NEW])
		return pd_err_set(err, -EINVAL, "--old and --new go together");
	if (args->pair_max < RPT_PAIRS_MIN || args->pair_max > RPT_PAIRS_MAX)
		return pd_err_set(err, -EINVAL,
				  "option --pairs: there are %d to %d",
				  RPT_PAIRS_MIN, RPT_PAIRS_MAX);
	for (; first < argc; first++)
		args->record[args->record_nr++] = argv[first];
	if (!args->seed && getrandom(&args->seed, 4, 0) != 4)
		args->seed = 1;
	args->seed += !args->seed;
	return 0;
}

/* Split the commands into words. */
static int split(struct ab *ab, struct pd_err *err)
{
	for (int side = 0; side < RPT_AB_SIDES; side++) {
		const char *command = ab->runs.args->commands[side];

		if (wordexp(command, &ab->runs.words[side], WRDE_NOCMD) ||
		    !ab->runs.words[side].we_wordc) {
			pd_err_set(err, -EINVAL,
				   "option --%s: '%s' is not the words of a "
				   "command",
				   side_names[side], command);
			pd_err_hint(err, "\"sh -c '...'\" takes all that a "
					 "shell takes");
			return -EINVAL;
		}
	}
	return 0;
}

int rpt_cmd_ab(int argc, char **argv)
{
	struct rpt_ab_args args = { .folder = "perfpair-ab",
				    .pair_max = 20,
				    .gate = RPT_GATE_NONE };
	struct ab *ab = rpt_alloc_zeroed(1, sizeof(*ab));
	struct pd_err err = PD_ERR_INIT;
	int first, exit_code, rc;

	args.record =
		rpt_alloc_zeroed(2 * (size_t)argc + 2, sizeof(*args.record));
	rc = sup_options_parse(&rpt_ab_command, &args, argc, argv, &first,
			       &err);
	if (!rc)
		rc = check(&args, argc, argv, first, &err);
	ab->runs.args = &args;
	ab->runs.random = args.seed;
	if (!rc)
		rc = split(ab, &err);
	if (rpt_options_are_good(rc, &rpt_ab_command, &err, &exit_code)) {
		rpt_ab_catch_interrupts();
		exit_code = experiment(ab);
	}
	for (int side = 0; side < RPT_AB_SIDES; side++)
		wordfree(&ab->runs.words[side]);
	free(args.record);
	free(ab);
	return exit_code;
}
