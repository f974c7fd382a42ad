#include "record/service/reload_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/base/runtime.h"

enum {
	SAID_LEN_MAX = 1024,
	LOOK_MS = 10,
	CLOSE_MS = 100,
	EXIT_NOT_FOUND = 127, /* a shell's; not one of this program's */
};

/* The process that tries, and its trial. */
struct trier {
	char **argv;
	uint64_t limit_ns;
	int fd;	      /* to the recorder */
	bool is_left; /* by the recorder */
	pid_t pid;    /* of the trial */
	int said_fd;  /* its stderr; -1: closed */
	char said[SAID_LEN_MAX];
	size_t said_len;
};

/* Return argv with two options more, right behind the file's name, so that they
 * are not taken for operands; only errors are said.  The caller frees. */
static char **dry_argv(const struct rec_args *args)
{
	static char dry_run[] = "--dry-run", quiet[] = "-q";
	size_t nr = (size_t)args->argc;
	size_t head_nr = args->config == args->argv[2] ? 3 : 2;
	char **ret = calloc(nr + 3, sizeof(*ret));

	if (!ret)
		return NULL;
	memcpy(ret, args->argv, head_nr * sizeof(*ret));
	ret[head_nr] = dry_run;
	ret[head_nr + 1] = quiet;
	memcpy(ret + head_nr + 2, args->argv + head_nr,
	       (nr - head_nr) * sizeof(*ret));
	return ret;
}

__attribute__((noreturn)) static void exec_trial(char **argv, int said_fd)
{
	int oom_fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	sigset_t none;

	if (oom_fd >= 0)
		(void)!write(oom_fd, "1000", 4);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(said_fd, STDERR_FILENO) >= 0)
		execvp(argv[0], argv);
	_exit(EXIT_NOT_FOUND);
}

static int start_trial(struct trier *t)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	t->pid = fork();
	if (!t->pid)
		exec_trial(t->argv, fds[1]);
	close(fds[1]);
	/* A process that a trial leaves running may hold the other end open. */
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	t->said_fd = fds[0];
	t->said_len = 0;
	return t->pid < 0 ? -errno : 0;
}

static void stop_listening(struct trier *t)
{
	if (t->said_fd >= 0)
		close(t->said_fd);
	t->said_fd = -1;
}

/* Keep the beginning of what it says, and read the rest, so that it does not
 * wait for us. */
static void listen_to_trial(struct trier *t)
{
	char text[SAID_LEN_MAX];
	ssize_t len = read(t->said_fd, text, sizeof(text));
	size_t room = sizeof(t->said) - 1 - t->said_len;

	if (len <= 0) {
		stop_listening(t);
		return;
	}
	if ((size_t)len < room)
		room = (size_t)len;
	memcpy(t->said + t->said_len, text, room);
	t->said_len += room;
}

/* Wait for what happens next, or a moment: a trial may close its stderr and go
 * on. */
static void look(struct trier *t)
{
	struct pollfd fds[] = { { .fd = t->said_fd, .events = POLLIN },
				{ .fd = t->fd } };

	(void)poll(fds, 2, LOOK_MS);
	if (fds[0].revents)
		listen_to_trial(t);
	t->is_left = fds[1].revents != 0;
}

/* Return the next line of what was said, without the program's name; NULL:
 * there is none. */
static const char *next_line(char **said)
{
	size_t len = strlen(rec_command.name);
	const char *line = strsep(said, "\n");

	if (!line || !*line)
		return NULL;
	if (!strncmp(line, rec_command.name, len) &&
	    !strncmp(line + len, ": ", 2))
		line += len + 2;
	return line;
}

/* Set err to the first line that was said, with the second one as its hint. */
static void quote(struct trier *t, struct pd_err *err)
{
	char *said = t->said;
	const char *line;

	while (t->said_fd >= 0)
		listen_to_trial(t);
	t->said[t->said_len] = '\0';
	line = next_line(&said);
	if (!line)
		return;
	pd_err_set(err, -ECANCELED, "%s", line);
	line = next_line(&said);
	if (line)
		pd_err_hint(err, "%s", line);
}

/* Set err unless the options can be used. */
static void judge(struct trier *t, int status, struct pd_err *err)
{
	if (WIFSIGNALED(status)) {
		pd_err_set(err, -ECANCELED,
			   "signal %d ended the process that tried the options",
			   WTERMSIG(status));
		return;
	}
	if (!WEXITSTATUS(status))
		return;
	if (WEXITSTATUS(status) == EXIT_NOT_FOUND)
		pd_err_set(err, -ECANCELED,
			   "the program cannot be executed again");
	quote(t, err);
	pd_err_set(err, -ECANCELED,
		   "the process that tried the options ended with %d",
		   WEXITSTATUS(status));
}

/* Tell what came out; a trial that had to be killed is reaped after that. */
static void try_options(struct trier *t)
{
	uint64_t end_ns = rec_now_ns() + t->limit_ns;
	struct pd_err err = PD_ERR_INIT;
	int status = 0, rc = start_trial(t);
	bool has_ended = false;

	if (rc)
		pd_err_set(&err, rc, "trying the options: %s", strerror(-rc));
	while (!rc && !has_ended && !t->is_left && rec_now_ns() < end_ns) {
		look(t);
		has_ended = waitpid(t->pid, &status, WNOHANG) == t->pid;
	}
	if (has_ended)
		judge(t, status, &err);
	else if (!rc)
		pd_err_set(&err, -ECANCELED,
			   "trying the options took too long");
	stop_listening(t);
	if (!rc && !has_ended)
		kill(t->pid, SIGKILL);
	(void)!send(t->fd, &err, sizeof(err), MSG_NOSIGNAL);
	if (!rc && !has_ended)
		waitpid(t->pid, NULL, 0);
}

__attribute__((noreturn)) static void trier_main(char **argv, uint64_t limit_ns,
						 int fd)
{
	static struct trier t;
	sigset_t all;
	char go;

	t = (struct trier){
		.argv = argv, .limit_ns = limit_ns, .fd = fd, .said_fd = -1
	};
	prctl(PR_SET_NAME, "reload-trial");
	/* A SIGHUP to all processes of the service is the recorder's. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	while (!t.is_left && recv(fd, &go, sizeof(go), 0) == sizeof(go))
		try_options(&t);
	_exit(0);
}

int rec_reload_trial_open(struct rec_reload_trial *ret,
			  const struct rec_args *args, uint64_t limit_ns,
			  struct pd_err *err)
{
	char **argv = dry_argv(args);
	int fds[2], rc = 0;
	pid_t pid;

	*ret = (struct rec_reload_trial){ .fd = -1 };
	if (!argv)
		return pd_err_set(err, -ENOMEM, "out of memory");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds)) {
		rc = pd_err_set(err, -errno, "--config: %s", strerror(errno));
		goto out;
	}
	pid = fork();
	if (!pid) {
		close(fds[0]);
		trier_main(argv, limit_ns, fds[1]);
	}
	if (pid < 0) {
		rc = pd_err_set(err, -errno, "--config: %s", strerror(errno));
		close(fds[0]);
	} else {
		*ret = (struct rec_reload_trial){ .fd = fds[0], .pid = pid };
	}
	close(fds[1]);
out:
	free(argv);
	return rc;
}

void rec_reload_trial_start(struct rec_reload_trial *trial)
{
	/* If that process is gone, the answer is its end. */
	(void)!send(trial->fd, "t", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	trial->runs = true;
}

int rec_reload_trial_poll(struct rec_reload_trial *trial, struct pd_err *err)
{
	struct pd_err answer;
	ssize_t len = recv(trial->fd, &answer, sizeof(answer), MSG_DONTWAIT);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return 1;
	trial->runs = false;
	if (len == (ssize_t)sizeof(answer)) {
		*err = answer;
		return answer.code ? -ECANCELED : 0;
	}
	pd_err_set(err, -ECANCELED, "the process that tries options is gone");
	pd_err_hint(err, "restart the service");
	return -ECANCELED;
}

void rec_reload_trial_close(struct rec_reload_trial *trial)
{
	if (trial->fd < 0)
		return;
	close(trial->fd);
	for (int i = 0; i < CLOSE_MS && !waitpid(trial->pid, NULL, WNOHANG);
	     i++)
		usleep(1000);
	*trial = (struct rec_reload_trial){ .fd = -1 };
}
