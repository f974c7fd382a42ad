#include "record/targets/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Run in the child only; exec closes both pipes. */
__attribute__((noreturn)) static void child(char *const argv[], int go_fd,
					    int failed_fd, bool to_stderr)
{
	sigset_t none;
	char go;
	int rc;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	/* The name for samples between fork and exec; perf uses the same. */
	prctl(PR_SET_NAME, "perf-exec");
	if (read(go_fd, &go, 1) != 1)
		_exit(0);
	if (to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	rc = errno;
	if (write(failed_fd, &rc, sizeof(rc)) != sizeof(rc))
		_exit(126);
	_exit(127);
}

int rec_workload_fork(struct rec_workload *w, char *const argv[],
		      bool to_stderr, struct pd_err *err)
{
	int go[2] = { -1, -1 }, failed[2] = { -1, -1 };
	int rc;

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		goto fail;
	w->pid = fork();
	if (w->pid < 0)
		goto fail;
	if (!w->pid) {
		/* Otherwise the child would hold its own pipe open. */
		close(go[1]);
		close(failed[0]);
		child(argv, go[0], failed[1], to_stderr);
	}
	close(go[0]);
	close(failed[1]);
	w->go_fd = go[1];
	w->failed_fd = failed[0];
	return 0;
fail:
	rc = -errno;
	for (int i = 0; i < 2; i++) {
		close_fd(&go[i]);
		close_fd(&failed[i]);
	}
	w->pid = 0;
	pd_err_set(err, rc, "cannot start '%s': %s", argv[0], strerror(-rc));
	pd_err_hint(err, rc == -EMFILE ? "raise the limit of open files "
					 "(ulimit -n)"
				       : "this user may run too many "
					 "processes (ulimit -u)");
	return rc;
}

/* Say what was meant by a word that is no command: the value of an option that
 * takes none, or of one that was not typed. */
static void hint_at(const char *name, struct pd_err *err)
{
	size_t digits_nr = strspn(name, "0123456789");

	if (!strncmp(name, "dwarf", 5) || !strcmp(name, "lbr") ||
	    !strcmp(name, "fp"))
		pd_err_hint(err, "-g takes no value: --call-graph %s", name);
	else if (name[0] == '-')
		pd_err_hint(err, "options stand in front of --");
	else if (digits_nr && !name[digits_nr])
		pd_err_hint(err,
			    "-p %s records a process, --duration %ss so long",
			    name, name);
	else if (digits_nr && !strcmp(name + digits_nr, "s"))
		pd_err_hint(err, "--duration %s records so long", name);
	else
		pd_err_hint(err,
			    "nothing was recorded; check its name and path");
}

int rec_workload_start(struct rec_workload *w, const char *name,
		       struct pd_err *err)
{
	int failed = 0;
	ssize_t n;

	w->started = true;
	n = write(w->go_fd, "g", 1);
	failed = n == 1 ? 0 : errno;
	close_fd(&w->go_fd);
	if (failed == EPIPE)
		return pd_err_set(err, -EPIPE, "the command is gone");
	if (failed)
		return pd_err_set(err, -failed, "starting the command: %s",
				  strerror(failed));
	do {
		n = read(w->failed_fd, &failed, sizeof(failed));
	} while (n < 0 && errno == EINTR);
	close_fd(&w->failed_fd);
	if (n != (ssize_t)sizeof(failed))
		return 0;
	pd_err_set(err, -failed, "cannot run '%s': %s", name, strerror(failed));
	hint_at(name, err);
	return -failed;
}

bool rec_workload_poll(struct rec_workload *w)
{
	if (w->pid && !w->reaped)
		w->reaped = waitpid(w->pid, &w->wait_status, WNOHANG) == w->pid;
	return w->reaped;
}

void rec_workload_finish(struct rec_workload *w)
{
	close_fd(&w->go_fd);
	close_fd(&w->failed_fd);
	if (!w->pid || w->reaped)
		return;
	if (w->started)
		kill(w->pid, SIGTERM);
	while (waitpid(w->pid, &w->wait_status, 0) < 0 && errno == EINTR)
		;
	w->reaped = true;
}
