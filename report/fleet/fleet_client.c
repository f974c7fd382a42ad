#include "report/fleet/fleet_client.h"

#include "report/base/memory.h"
#include "report/base/text_out.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_NOT_FOUND 127
#define READ_LEN       65536

static void run(char **words, int in_fd, int out_fd)
{
	dup2(in_fd, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(words[0], words);
	dprintf(STDERR_FILENO, "perfpair: %s: %s\n", words[0], strerror(errno));
	_exit(EXIT_NOT_FOUND);
}

/* Return a file in memory that holds the question, or a negative errno. */
static int question_file(const char *sql)
{
	int fd = memfd_create("question", MFD_CLOEXEC);
	size_t len = strlen(sql);

	if (fd < 0)
		return -errno;
	if (pwrite(fd, sql, len, 0) != (ssize_t)len) {
		close(fd);
		return -EIO;
	}
	return fd;
}

static int read_all(int fd, struct rpt_text_heap *heap)
{
	char *buf = rpt_alloc(READ_LEN);
	ssize_t n;

	while ((n = read(fd, buf, READ_LEN)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		rpt_text_heap_add(heap, buf, (size_t)n);
	}
	free(buf);
	rpt_text_heap_add(heap, "", 1);
	return n < 0 ? -errno : 0;
}

/* Wait for the client.  An answer counts only if the client says it is whole.
 */
static int end_client(pid_t pid, const char *name, struct pd_err *err)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return pd_err_set(err, -EIO, "%s: signal %d ended it", name,
				  WTERMSIG(status));
	if (WEXITSTATUS(status))
		return pd_err_set(err, -EIO, "%s: it failed, exit code %d",
				  name, WEXITSTATUS(status));
	return 0;
}

static int run_client(char **words, const char *sql, struct rpt_text_heap *heap,
		      struct pd_err *err)
{
	int out[2], rc = 0;
	int in_fd = question_file(sql);
	pid_t pid;

	if (in_fd < 0)
		return pd_err_set(err, in_fd, "%s: %s", words[0],
				  strerror(-in_fd));
	if (pipe2(out, O_CLOEXEC)) {
		rc = -errno;
		close(in_fd);
		return pd_err_set(err, rc, "%s: %s", words[0], strerror(-rc));
	}
	pid = fork();
	if (!pid)
		run(words, in_fd, out[1]);
	if (pid < 0)
		rc = pd_err_set(err, -errno, "%s: %s", words[0],
				strerror(errno));
	close(out[1]);
	close(in_fd);
	if (pid > 0) {
		rc = read_all(out[0], heap);
		if (rc)
			pd_err_set(err, rc, "%s: %s", words[0], strerror(-rc));
		if (!rc)
			rc = end_client(pid, words[0], err);
		else
			(void)end_client(pid, words[0], NULL);
	}
	close(out[0]);
	return rc;
}

int rpt_fleet_ask(struct rpt_fleet_answer *ret,
		  const struct rpt_fleet_args *args, char *sql,
		  size_t column_nr, struct pd_err *err)
{
	static char skip[] = "--skip_unavailable_shards=1";
	static char lines[][12] = { "-noheader", "-list", "-separator", "\t" };
	struct rpt_text_heap heap = { 0 };
	char **words = args->client;
	int nr = args->client_nr, rc;

	*ret = (struct rpt_fleet_answer){ .text = NULL };
	if (args->is_partial)
		words[nr++] = skip;
	for (size_t i = 0; i < 4 && args->engine == RPT_FLEET_DUCKDB; i++)
		words[nr++] = lines[i];
	words[nr] = NULL;
	rc = run_client(words, sql, &heap, err);
	free(sql);
	words[args->client_nr] = NULL;
	if (rc)
		free(heap.data);
	return rc ? rc
		  : rpt_fleet_answer_parse(ret, heap.data, column_nr, words[0],
					   err);
}

/* A field is a name in one line: what other programs have put there as a
 * control character is shown as '?'. */
static char unescaped(char c)
{
	return strchr("tnrbf0", c) ? '?' : c;
}

/* Unescape the field at text in its place, and end it by a NUL.  Return what is
 * behind it; *ret_end becomes the byte that ended it. */
static char *take_field(char *text, char *ret_end)
{
	char *to = text;

	while (*text && *text != '\t' && *text != '\n') {
		if (*text == '\\' && text[1])
			*to++ = unescaped(*++text);
		else
			*to++ = *text;
		text++;
	}
	*ret_end = *text;
	text += *text != '\0';
	*to = '\0';
	return text;
}

static int bad_answer(const char *name, struct pd_err *err)
{
	return pd_err_set(err, -EBADMSG,
			  "%s: its answer is not of the form asked for", name);
}

int rpt_fleet_answer_parse(struct rpt_fleet_answer *answer, char *text,
			   size_t column_nr, const char *name,
			   struct pd_err *err)
{
	uint32_t nr = 0, cap = 0;
	char *at = text;

	*answer = (struct rpt_fleet_answer){ .text = text,
					     .column_nr = column_nr };
	while (at && *at) {
		for (size_t c = 0; c < answer->column_nr; c++) {
			const char *field = at;
			char end;

			at = take_field(at, &end);
			if ((end == '\t') != (c + 1 < answer->column_nr))
				return bad_answer(name, err);
			answer->fields = rpt_grow(answer->fields, &cap, nr,
						  sizeof(*answer->fields));
			answer->fields[nr++] = field;
		}
		answer->row_nr++;
	}
	return 0;
}

void rpt_fleet_answer_release(struct rpt_fleet_answer *answer)
{
	free(answer->text);
	free(answer->fields);
	*answer = (struct rpt_fleet_answer){ 0 };
}

double rpt_fleet_number(const struct rpt_fleet_answer *answer, size_t row,
			size_t column)
{
	const char *text = rpt_fleet_field(answer, row, column);
	char *end;
	double v = strtod(text, &end);

	return end != text && !*end && isfinite(v) ? v : NAN;
}

double rpt_fleet_amount(const struct rpt_fleet_answer *answer, size_t row,
			size_t column)
{
	double v = rpt_fleet_number(answer, row, column);

	return v > 0.0 ? v : 0.0;
}

double rpt_fleet_sum(const struct rpt_fleet_answer *answer, size_t column)
{
	double sum = 0.0;

	for (size_t r = 0; r < answer->row_nr; r++)
		sum += rpt_fleet_amount(answer, r, column);
	return sum;
}
