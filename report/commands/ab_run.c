#include "report/commands/ab_run.h"

#include "report/base/memory.h"
#include "report/cli/recorder_program.h"
#include "report/input/file_source.h"

#include "format/file/trailer.h"
#include "format/support/message.h"
#include "format/support/safe_text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAD_LEN_MAX   4096 /* bytes of environment, other ones in each run */
#define LOG_LEN_MAX   4096 /* shown of what a failed run printed */
#define EXIT_NO_START 127

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal_nr)
{
	(void)signal_nr;
	is_interrupted = 1;
}

void rpt_ab_catch_interrupts(void)
{
	const struct sigaction on_interrupt = { .sa_handler = interrupt };

	sigaction(SIGINT, &on_interrupt, NULL);
	sigaction(SIGTERM, &on_interrupt, NULL);
}

bool rpt_ab_is_interrupted(void)
{
	return is_interrupted;
}

/* xorshift64* (Vigna, ACM Trans. Math. Softw. 42(4), 2016). */
uint64_t rpt_ab_draw(struct rpt_ab_runs *runs)
{
	runs->random ^= runs->random >> 12;
	runs->random ^= runs->random << 25;
	runs->random ^= runs->random >> 27;
	return runs->random * UINT64_C(0x2545f4914f6cdd1d) >> 33;
}

/* Become the recorder of a run.  Where a program's stack begins depends on the
 * length of its environment, and its speed on that: a length by chance in each
 * run makes this scatter instead of a difference (Mytkowicz and others, ASPLOS
 * 2009). */
static void become_recorder(const struct rpt_ab_runs *runs, char **words,
			    size_t pad_len)
{
	char pad[PAD_LEN_MAX + 1];
	int null_fd = open("/dev/null", O_RDONLY);
	int error;

	memset(pad, 'x', pad_len);
	pad[pad_len] = '\0';
	setenv("PERFPAIR_AB_PAD", pad, 1);
	if (null_fd >= 0)
		dup2(null_fd, STDIN_FILENO);
	dup2(runs->log_fd, STDOUT_FILENO);
	dup2(runs->log_fd, STDERR_FILENO);
	signal(SIGXFSZ, SIG_DFL); /* main ignores it, for its own writes */
	error = -rpt_recorder_exec(words);
	dprintf(STDERR_FILENO, "%s: %s\n", RPT_RECORDER_NAME,
		error == ENOENT ? "it is neither beside perfpair nor in PATH"
				: strerror(error));
	_exit(EXIT_NO_START);
}

/* Return the words that record a side's command to path; the caller frees
 * them. */
static char **recorder_words(const struct rpt_ab_runs *runs, int side,
			     char *path)
{
	static char to[] = "-o", end[] = "--", freq[] = "-F", graph[] = "-g";
	const struct rpt_ab_args *args = runs->args;
	const wordexp_t *command = &runs->words[side];
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
static void show_log(const struct rpt_ab_runs *runs)
{
	char text[LOG_LEN_MAX + 1];
	off_t len = lseek(runs->log_fd, 0, SEEK_END);
	off_t from = len > LOG_LEN_MAX ? len - LOG_LEN_MAX : 0;
	ssize_t got = pread(runs->log_fd, text, LOG_LEN_MAX, from);

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
		   struct rpt_ab_cost *ret, struct pd_err *err)
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
		ret->by[RPT_AB_CPU] = seconds(usage->ru_utime) +
				      seconds(usage->ru_stime) -
				      (double)(trailer->cost.user_ns +
					       trailer->cost.system_ns) /
					      1e9;
		ret->by[RPT_AB_WALL] = (double)trailer->cost.recorded_ns / 1e9;
		if (ret->by[RPT_AB_CPU] <= 0.0 || ret->by[RPT_AB_WALL] <= 0.0)
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
static int run_recorder(struct rpt_ab_runs *runs, char **words,
			struct rusage *usage)
{
	size_t pad_len = rpt_ab_draw(runs) % PAD_LEN_MAX;
	int status = EXIT_NO_START << 8;
	pid_t pid;

	if (ftruncate(runs->log_fd, 0) || lseek(runs->log_fd, 0, SEEK_SET))
		return status;
	fflush(NULL);
	pid = fork();
	if (!pid)
		become_recorder(runs, words, pad_len);
	while (pid > 0 && wait4(pid, &status, 0, usage) < 0 && errno == EINTR)
		if (is_interrupted)
			kill(pid, SIGINT);
	return status;
}

int rpt_ab_run_once(struct rpt_ab_runs *runs, int side, char *path,
		    struct rpt_ab_cost *ret)
{
	char **words = recorder_words(runs, side, path);
	struct pd_err err = PD_ERR_INIT;
	struct rusage usage = { .ru_minflt = 0 };
	int status, rc;

	if (is_interrupted) {
		free(words);
		return -EINTR;
	}
	status = run_recorder(runs, words, &usage);
	free(words);
	if (is_interrupted)
		return -EINTR;
	if (status) {
		sup_message("'%s' ended with %s %d; what it printed:",
			    runs->args->commands[side],
			    WIFSIGNALED(status) ? "signal" : "exit status",
			    WIFSIGNALED(status) ? WTERMSIG(status)
						: WEXITSTATUS(status));
		show_log(runs);
		return -ECHILD;
	}
	rc = cost_of(path, &usage, ret, &err);
	if (rc)
		sup_message_err(path, &err);
	return rc;
}
