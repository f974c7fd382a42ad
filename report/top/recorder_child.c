#include "report/top/recorder_child.h"

#include "report/cli/recorder_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The shell's: the command was not found, or a signal ended it. */
#define EXIT_NOT_FOUND 127
#define EXIT_SIGNAL    128

static void run(char **words, int out_fd, int err_fd, bool has_no_input)
{
	int null_fd = open("/dev/null", O_RDONLY);
	int error;

	if (has_no_input && null_fd >= 0)
		dup2(null_fd, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(err_fd, STDERR_FILENO);
	/* main ignores it, for its own writes */
	signal(SIGXFSZ, SIG_DFL);
	error = -rpt_recorder_exec(words);
	dprintf(STDERR_FILENO, "perfpair: %s: %s\n", RPT_RECORDER_NAME,
		error == ENOENT ? "it is neither beside perfpair nor in PATH"
				: strerror(error));
	_exit(EXIT_NOT_FOUND);
}

int rpt_recorder_child_start(struct rpt_recorder_child *ret, char **words,
			     bool has_no_input, struct pd_err *err)
{
	int out[2] = { -1, -1 }, printed[2] = { -1, -1 };
	int rc = 0;

	*ret = (struct rpt_recorder_child){ .out_fd = -1, .err_fd = -1 };
	if (pipe2(out, O_CLOEXEC) || pipe2(printed, O_CLOEXEC)) {
		rc = -errno;
		goto out;
	}
	/* a burst of samples does not make the recorder wait */
	fcntl(out[0], F_SETPIPE_SZ, 1 << 20);
	ret->pid = fork();
	if (ret->pid < 0) {
		rc = -errno;
		ret->pid = 0;
		goto out;
	}
	if (!ret->pid)
		run(words, out[1], printed[1], has_no_input);
	ret->out_fd = out[0];
	ret->err_fd = printed[0];
	out[0] = printed[0] = -1;
out:
	for (int i = 0; i < 2; i++) {
		if (out[i] >= 0)
			close(out[i]);
		if (printed[i] >= 0)
			close(printed[i]);
	}
	return rc ? pd_err_set(err, rc, "%s: %s", RPT_RECORDER_NAME,
			       strerror(-rc))
		  : 0;
}

void rpt_recorder_child_hear(struct rpt_recorder_child *child)
{
	char buf[RPT_RECORDER_TAIL_LEN];
	ssize_t n = read(child->err_fd, buf, sizeof(buf));
	size_t len, keep;

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		close(child->err_fd);
		child->err_fd = -1;
		return;
	}
	len = (size_t)n;
	keep = sizeof(child->tail) - len;
	if (child->tail_len > keep) {
		memmove(child->tail, child->tail + child->tail_len - keep,
			keep);
		child->tail_len = keep;
	}
	memcpy(child->tail + child->tail_len, buf, len);
	child->tail_len += len;
}

int rpt_recorder_child_end(struct rpt_recorder_child *child, int signal_nr)
{
	int status = 0;

	if (signal_nr && child->pid)
		kill(child->pid, signal_nr);
	if (child->out_fd >= 0)
		close(child->out_fd);
	child->out_fd = -1;
	/* a command that goes on may have stderr for as long as it likes */
	if (child->pid)
		while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
			;
	if (child->err_fd >= 0) {
		fcntl(child->err_fd, F_SETFL, O_NONBLOCK);
		while (child->err_fd >= 0 && errno != EAGAIN)
			rpt_recorder_child_hear(child);
	}
	if (child->err_fd >= 0)
		close(child->err_fd);
	child->err_fd = -1;
	child->pid = 0;
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
