/* perfpair ab: runs two commands in turn, records each run, and ends when it is
 * known whether one costs more (paired_looks.h). */
#include "report/commands/commands.h"
#include "report/commands/outputs.h"
#include "report/base/memory.h"
#include "report/base/temp_file.h"
#include "report/cli/command_options.h"
#include "report/cli/recorder_program.h"
#include "report/cli/recording_input.h"
#include "report/input/file_source.h"
#include "report/stats/paired_looks.h"

#include "format/file/trailer.h"
#include "format/support/message.h"
#include "format/support/safe_text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#define OLD   0
#define NEW   1
#define SIDES 2

#define PAD_LEN_MAX   4096 /* bytes of environment, other ones in each run */
#define LOG_LEN_MAX   4096 /* shown of what a failed run printed */
#define SELF_PAIRS    5
#define EXIT_NO_START 127

enum ab_measure { AB_CPU, AB_WALL, AB_MEASURES };

static const char *const side_names[] = { "old", "new" };
static const char *const measure_names[] = { "CPU time", "wall time" };

struct ab_args {
	const char *commands[SIDES];
	const char *folder;
	const char *frequency;
	bool call_graph;
	bool is_self;
	uint32_t pair_max;
	uint64_t seed;
	double fail_above_pct; /* negative: not given */
	unsigned measure;
	char **record; /* owned; more words of the recorder's, record_nr */
	size_t record_nr;
};

struct ab {
	const struct ab_args *args;
	wordexp_t words[SIDES];
	uint64_t random;
	int log_fd; /* what the run prints */
	uint32_t pair_nr;
	double logs[AB_MEASURES][RPT_PAIRS_MAX];
	struct rpt_paired_change change; /* by the last look, or interrupted */
	enum rpt_paired_verdict verdict;
};

/* The cost of a run, in seconds. */
struct ab_cost {
	double by[AB_MEASURES];
};

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal_nr)
{
	(void)signal_nr;
	is_interrupted = 1;
}

/* xorshift64* (Vigna, ACM Trans. Math. Softw. 42(4), 2016). */
static uint64_t draw(struct ab *ab)
{
	ab->random ^= ab->random >> 12;
	ab->random ^= ab->random << 25;
	ab->random ^= ab->random >> 27;
	return ab->random * UINT64_C(0x2545f4914f6cdd1d) >> 33;
}

static char *path_of(const struct ab *ab, const char *name, uint32_t nr)
{
	char *path;

	if (asprintf(&path, "%s/%s-%02u.data", ab->args->folder, name, nr) < 0)
		abort();
	return path;
}

/* Become the recorder of a run.  Where a program's stack begins depends on the
 * length of its environment, and its speed on that: a length by chance in each
 * run makes this scatter instead of a difference (Mytkowicz and others, ASPLOS
 * 2009). */
static void become_recorder(const struct ab *ab, char **words, size_t pad_len)
{
	char pad[PAD_LEN_MAX + 1];
	int null_fd = open("/dev/null", O_RDONLY);
	int error;

	memset(pad, 'x', pad_len);
	pad[pad_len] = '\0';
	setenv("PERFPAIR_AB_PAD", pad, 1);
	if (null_fd >= 0)
		dup2(null_fd, STDIN_FILENO);
	dup2(ab->log_fd, STDOUT_FILENO);
	dup2(ab->log_fd, STDERR_FILENO);
	signal(SIGXFSZ, SIG_DFL); /* main ignores it, for its own writes */
	error = -rpt_recorder_exec(words);
	dprintf(STDERR_FILENO, "%s: %s\n", RPT_RECORDER_NAME,
		error == ENOENT ? "it is neither beside perfpair nor in PATH"
				: strerror(error));
	_exit(EXIT_NO_START);
}

/* Return the words that record a side's command to path; the caller frees
 * them. */
static char **recorder_words(const struct ab *ab, int side, char *path)
{
	static char to[] = "-o", end[] = "--", freq[] = "-F", graph[] = "-g";
	const struct ab_args *args = ab->args;
	const wordexp_t *command = &ab->words[side];
	char **words = rpt_alloc_zeroed(args->record_nr + command->we_wordc + 9,
					sizeof(*words));
	size_t nr = 1;

	if (args->frequency) {
		words[nr++] = freq;
		words[nr++] = (char *)(uintptr_t)args->frequency;
	}
	if (args->call_graph)
		words[nr++] = graph;
	for (size_t i = 0; i < args->record_nr; i++)
		words[nr++] = args->record[i];
	words[nr++] = to;
	words[nr++] = path;
	words[nr++] = end;
	for (size_t i = 0; i < command->we_wordc; i++)
		words[nr++] = command->we_wordv[i];
	return words;
}

/* Show the end of what a run printed. */
static void show_log(const struct ab *ab)
{
	char text[LOG_LEN_MAX + 1];
	off_t len = lseek(ab->log_fd, 0, SEEK_END);
	off_t from = len > LOG_LEN_MAX ? len - LOG_LEN_MAX : 0;
	ssize_t got = pread(ab->log_fd, text, LOG_LEN_MAX, from);

	text[got > 0 ? got : 0] = '\0';
	for (char *line = text, *stop; *line; line = stop) {
		stop = line + strcspn(line, "\n");
		if (*stop)
			*stop++ = '\0';
		fputs("  ", stderr);
		sup_put_safe_text(stderr, line);
		fputc('\n', stderr);
	}
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Set the cost of a run: the times of the recorder and of all that it waited
 * for, less its own, which the recording has.  Its last moments, in which it
 * closes the file, count for the command, on both sides alike. */
static int cost_of(const char *path, const struct rusage *usage,
		   struct ab_cost *ret, struct pd_err *err)
{
	const struct pd_trailer *trailer;
	struct pd_reader *reader = NULL;
	struct rpt_file_source source;
	int rc = rpt_file_source_open(&source, path, err);

	if (rc)
		return rc;
	rc = rpt_file_source_reader(&source, NULL, &reader, err);
	trailer = rc ? NULL : pd_reader_trailer(reader);
	if (trailer) {
		ret->by[AB_CPU] = seconds(usage->ru_utime) +
				  seconds(usage->ru_stime) -
				  (double)(trailer->cost.user_ns +
					   trailer->cost.system_ns) /
					  1e9;
		ret->by[AB_WALL] = (double)trailer->cost.recorded_ns / 1e9;
		if (ret->by[AB_CPU] <= 0.0 || ret->by[AB_WALL] <= 0.0)
			rc = pd_err_set(err, -ENODATA,
					"the command took no time that could "
					"be measured");
	} else if (!rc) {
		rc = pd_err_set(err, -ENODATA, "it was not written to its end");
	}
	pd_reader_close(reader);
	rpt_file_source_close(&source);
	return rc;
}

/* Run the recorder and wait for it; return its status, as wait4() has it. */
static int run_recorder(struct ab *ab, char **words, struct rusage *usage)
{
	size_t pad_len = draw(ab) % PAD_LEN_MAX;
	int status = EXIT_NO_START << 8;
	pid_t pid;

	if (ftruncate(ab->log_fd, 0) || lseek(ab->log_fd, 0, SEEK_SET))
		return status;
	fflush(NULL);
	pid = fork();
	if (!pid)
		become_recorder(ab, words, pad_len);
	while (pid > 0 && wait4(pid, &status, 0, usage) < 0 && errno == EINTR)
		if (is_interrupted)
			kill(pid, SIGINT);
	return status;
}

/* Run a side once and record it to path.  Return 0 or a negative errno, with
 * what was wrong on stderr; -EINTR if the user has had enough. */
static int run_once(struct ab *ab, int side, char *path, struct ab_cost *ret)
{
	char **words = recorder_words(ab, side, path);
	struct pd_err err = PD_ERR_INIT;
	struct rusage usage = { .ru_minflt = 0 };
	int status, rc;

	if (is_interrupted) {
		free(words);
		return -EINTR;
	}
	status = run_recorder(ab, words, &usage);
	free(words);
	if (is_interrupted)
		return -EINTR;
	if (status) {
		sup_message("'%s' ended with %s %d; what it printed:",
			    ab->args->commands[side],
			    WIFSIGNALED(status) ? "signal" : "exit status",
			    WIFSIGNALED(status) ? WTERMSIG(status)
						: WEXITSTATUS(status));
		show_log(ab);
		return -ECHILD;
	}
	rc = cost_of(path, &usage, ret, &err);
	if (rc)
		sup_message_err(path, &err);
	return rc;
}

/* Run both sides in random order, with is_self the old one twice, and add the
 * pair.  is_kept: the recordings stay. */
static int run_pair(struct ab *ab, bool is_self, bool is_kept)
{
	int first = (int)(draw(ab) & 1), rc = 0;
	char *paths[SIDES];
	struct ab_cost costs[SIDES];

	for (int side = 0; side < SIDES; side++)
		paths[side] =
			path_of(ab, is_kept ? side_names[side] : "warm-up",
				ab->pair_nr + 1);
	for (int i = 0; i < SIDES && !rc; i++) {
		int side = i ^ first;

		rc = run_once(ab, is_self ? OLD : side, paths[side],
			      &costs[side]);
		if (!is_kept)
			unlink(paths[side]);
	}
	for (int m = 0; m < AB_MEASURES && !rc; m++)
		ab->logs[m][ab->pair_nr] =
			log(costs[NEW].by[m] / costs[OLD].by[m]);
	for (int side = 0; side < SIDES; side++) {
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
	const double *logs = ab->logs[ab->args->measure];
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
	       pct_of(rpt_paired_visible(logs, SELF_PAIRS, ab->args->pair_max)),
	       ab->args->pair_max);
	if (rpt_paired_verdict(&change, 0.0) != RPT_PAIRED_UNDECIDED)
		printf("that is more than chance, as one such trial in twenty "
		       "is: if it comes again, runs are not independent\n");
	return 0;
}

/* Look at the pairs if it is time to.  Return whether the experiment ends. */
static bool look(struct ab *ab, const struct rpt_looks *looks)
{
	double limit_pct = ab->args->fail_above_pct;
	const double *logs = ab->logs[ab->args->measure];

	for (uint32_t i = 0; i < looks->nr; i++) {
		if (looks->pairs[i] != ab->pair_nr)
			continue;
		ab->change =
			rpt_paired_change(logs, ab->pair_nr, looks->levels[i]);
		ab->verdict = rpt_paired_verdict(
			&ab->change,
			limit_pct > 0.0 ? log1p(limit_pct / 100.0) : 0.0);
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
	struct rpt_looks looks = rpt_looks_plan(ab->args->pair_max);
	int rc = run_pair(ab, false, false); /* to warm up */

	ab->pair_nr = 0;
	if (!rc && ab->args->is_self)
		rc = run_self(ab);
	while (!rc) {
		rc = run_pair(ab, false, true);
		if (!rc && look(ab, &looks))
			break;
	}
	if (rc == -EINTR && ab->pair_nr) /* between two looks nothing is said */
		ab->change = rpt_paired_change(ab->logs[ab->args->measure],
					       ab->pair_nr,
					       looks.levels[looks.nr - 1]);
	return rc;
}

static void print_undecided(const struct ab *ab)
{
	const double *logs = ab->logs[ab->args->measure];
	uint32_t nr = ab->pair_nr;
	uint32_t needed = 0;

	if (nr >= RPT_PAIRS_MIN)
		needed = rpt_paired_needed(logs, nr, fabs(ab->change.center));
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
	unsigned other = !ab->args->measure;
	struct rpt_paired_change change =
		rpt_paired_change(ab->logs[other], ab->pair_nr, RPT_LOOKS_RATE);

	printf("%s%s after %u pair%s: ", is_interrupted ? "interrupted, " : "",
	       verdicts[ab->verdict], ab->pair_nr, ab->pair_nr == 1 ? "" : "s");
	print_change(&ab->change, stdout);
	printf(" %s", measure_names[ab->args->measure]);
	if (ab->verdict == RPT_PAIRED_UNDECIDED)
		print_undecided(ab);
	printf("\n%s of these runs: ", measure_names[other]);
	print_change(&change, stdout);
	printf("\nseed %llu; to look again: perfpair diff --measure count "
	       "--old %s/old-*.data --new %s/new-*.data\n\n",
	       (unsigned long long)ab->args->seed, ab->args->folder,
	       ab->args->folder);
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
	for (size_t side = 0; side < SIDES; side++) {
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
	if (mkdir(ab->args->folder, 0777) && errno != EEXIST) {
		sup_message("%s: %s", ab->args->folder, strerror(errno));
		return -errno;
	}
	for (uint32_t nr = 1; nr <= RPT_PAIRS_MAX; nr++) {
		for (int side = 0; side < SIDES; side++) {
			char *path = path_of(ab, side_names[side], nr);

			unlink(path);
			free(path);
		}
	}
	return 0;
}

static int experiment(struct ab *ab)
{
	int exit_code = RPT_EXIT_OK, rc;

	ab->log_fd = rpt_temp_file_open();
	if (ab->log_fd < 0) {
		sup_message("no temporary file: %s", strerror(errno));
		return RPT_EXIT_FAILED;
	}
	rc = folder_prepare(ab);
	if (!rc)
		rc = run_pairs(ab);
	close(ab->log_fd);
	if (rc == -EINTR && !ab->pair_nr)
		sup_message("interrupted before a pair was finished");
	if (rc && (rc != -EINTR || !ab->pair_nr))
		return RPT_EXIT_FAILED;
	print_result(ab);
	/* of programs without a function in common there are no rows */
	if (ab->verdict != RPT_PAIRED_UNDECIDED &&
	    show_rows(ab) == RPT_EXIT_DAMAGED)
		exit_code = RPT_EXIT_DAMAGED;
	if (ab->verdict == RPT_PAIRED_MORE && ab->args->fail_above_pct >= 0.0)
		return RPT_EXIT_REGRESSION;
	return rc ? RPT_EXIT_FAILED : exit_code;
}

static int parse_event(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	static char option[] = "-e";
	struct ab_args *args = conf;

	(void)unset;
	(void)err;
	args->record[args->record_nr++] = option;
	args->record[args->record_nr++] = (char *)(uintptr_t)arg;
	return 0;
}

static int parse_fail_above(void *conf, const char *arg, bool unset,
			    struct pd_err *err)
{
	struct ab_args *args = conf;

	(void)unset;
	return rpt_option_percent("--fail-above", arg, &args->fail_above_pct,
				  err);
}

static int parse_measure(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "cpu", AB_CPU },
		{ "wall", AB_WALL },
		{ NULL, 0 },
	};
	struct ab_args *args = conf;

	(void)unset;
	return rpt_option_word("--measure", words, arg, &args->measure, err);
}

#define ARGS(field) offsetof(struct ab_args, field)

static const struct sup_opt opts[] = {
	RPT_OPT_TEXT(0, "old", ARGS(commands[OLD]), "COMMAND",
		     "run this command as the old side: words as in a shell, "
		     "without redirections (\"sh -c '...'\" has them)"),
	RPT_OPT_TEXT(0, "new", ARGS(commands[NEW]), "COMMAND",
		     "run this command as the new side"),
	RPT_OPT_U32("pairs", ARGS(pair_max), "NR",
		    "end after NR pairs of runs, decided or not: 3 to 200 "
		    "(20)"),
	RPT_OPT_CALL(0, "measure", "cpu|wall",
		     "decide by CPU time, of the command and all that it "
		     "waited for, or by wall time (cpu)",
		     parse_measure),
	RPT_OPT_CALL(0, "fail-above", "PERCENT",
		     "decide whether it is dearer by more than PERCENT or "
		     "not, and exit with 4 if it is",
		     parse_fail_above),
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

static int check(struct ab_args *args, int argc, char **argv, int first,
		 struct pd_err *err)
{
	if (first < argc && argv[first][0] != '-')
		return pd_err_set(err, -EINVAL,
				  "what is '%s'? A command is one word: --old "
				  "'./a 1' --new './b 1'",
				  argv[first]);
	if (!args->commands[OLD] || !args->commands[NEW])
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
	for (int side = 0; side < SIDES; side++) {
		const char *command = ab->args->commands[side];

		if (wordexp(command, &ab->words[side], WRDE_NOCMD) ||
		    !ab->words[side].we_wordc) {
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
	struct ab_args args = { .folder = "perfpair-ab",
				.pair_max = 20,
				.fail_above_pct = -1.0 };
	struct ab *ab = rpt_alloc_zeroed(1, sizeof(*ab));
	const struct sigaction on_interrupt = { .sa_handler = interrupt };
	struct pd_err err = PD_ERR_INIT;
	int first, exit_code, rc;

	args.record =
		rpt_alloc_zeroed(2 * (size_t)argc + 2, sizeof(*args.record));
	rc = sup_options_parse(&rpt_ab_command, &args, argc, argv, &first,
			       &err);
	if (!rc)
		rc = check(&args, argc, argv, first, &err);
	ab->args = &args;
	ab->random = args.seed;
	if (!rc)
		rc = split(ab, &err);
	if (rpt_options_are_good(rc, &rpt_ab_command, &err, &exit_code)) {
		sigaction(SIGINT, &on_interrupt, NULL);
		sigaction(SIGTERM, &on_interrupt, NULL);
		exit_code = experiment(ab);
	}
	for (int side = 0; side < SIDES; side++)
		wordfree(&ab->words[side]);
	free(args.record);
	free(ab);
	return exit_code;
}
