#include "record/rotation/slice_command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/support/message.h"
#include "record/base/runtime.h"

#define NS_PER_MS UINT64_C(1000000)

static const uint64_t grace_ns = 2000000000; /* from SIGTERM to SIGKILL */

/* The command's environment and arguments. */
struct runner {
	const char *text;
	uint64_t limit_ns;
	int fd;	      /* names; -1: no more will come */
	int child_fd; /* signalfd(2) */
	char *waiting[REC_SLICES_WAITING_MAX]; /* a ring */
	uint32_t first, nr;
	pid_t pid; /* of the command; 0: none runs */
	char *path;
	uint64_t due_ns; /* of the next signal */
	uint32_t signals_sent;
	uint32_t failed_nr, killed_nr, skipped_nr;
};

static void exec_command(const char *text, const char *path)
{
	int in = open("/dev/null", O_RDONLY);
	sigset_t none;

	if (in >= 0)
		dup2(in, STDIN_FILENO);
	setsid();
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", "-c", text, "sh", path, (char *)NULL);
	_exit(127);
}

static void run_next(struct runner *r)
{
	r->path = r->waiting[r->first];
	r->first = (r->first + 1) % REC_SLICES_WAITING_MAX;
	r->nr--;
	r->pid = fork();
	if (!r->pid)
		exec_command(r->text, r->path);
	r->signals_sent = 0;
	r->due_ns = rec_now_ns() + r->limit_ns;
	if (r->pid > 0)
		return;
	r->pid = 0;
	r->failed_nr++;
	free(r->path);
}

static void add(struct runner *r, char *path)
{
	if (!path) {
		r->skipped_nr++;
		return;
	}
	if (r->nr == REC_SLICES_WAITING_MAX) {
		free(r->waiting[r->first]);
		r->first = (r->first + 1) % REC_SLICES_WAITING_MAX;
		r->nr--;
		r->skipped_nr++;
	}
	r->waiting[(r->first + r->nr++) % REC_SLICES_WAITING_MAX] = path;
}

static void take_name(struct runner *r)
{
	char path[PATH_MAX];
	ssize_t len = recv(r->fd, path, sizeof(path) - 1, MSG_DONTWAIT);

	if (len > 0) {
		add(r, strndup(path, (size_t)len));
	} else if (!len || (errno != EAGAIN && errno != EINTR)) {
		close(r->fd);
		r->fd = -1;
	}
}

static void take_child(struct runner *r)
{
	struct signalfd_siginfo info;
	siginfo_t end = { 0 };
	int status = 0;

	(void)!read(r->child_fd, &info, sizeof(info));
	if (!r->pid ||
	    waitid(P_PID, (id_t)r->pid, &end, WEXITED | WNOHANG | WNOWAIT) ||
	    !end.si_pid)
		return;
	/* End the processes that the command left in its group, or they would
	 * add up, as long as nobody else can have that number. */
	kill(-r->pid, SIGKILL);
	waitpid(r->pid, &status, 0);
	if (r->signals_sent) {
		r->killed_nr++;
	} else if (status) {
		r->failed_nr++;
		sup_message("--on-slice: the command failed for %s", r->path);
	}
	free(r->path);
	r->pid = 0;
}

/* The command took too long. */
static void end_command(struct runner *r)
{
	kill(-r->pid, r->signals_sent ? SIGKILL : SIGTERM);
	if (!r->signals_sent)
		sup_message("--on-slice: the command took too long for %s",
			    r->path);
	r->signals_sent++;
	r->due_ns = rec_now_ns() + grace_ns;
}

static int wait_ms(const struct runner *r)
{
	uint64_t now_ns = rec_now_ns();

	if (!r->pid) /* else a fork failed */
		return r->fd >= 0 && !r->nr ? -1 : 0;
	if (r->due_ns <= now_ns)
		return 0;
	return r->due_ns - now_ns > INT_MAX * NS_PER_MS
		       ? INT_MAX
		       : (int)((r->due_ns - now_ns) / NS_PER_MS) + 1;
}

static void run_all(struct runner *r)
{
	while (r->fd >= 0 || r->nr || r->pid) {
		struct pollfd fds[] = { { .fd = r->child_fd, .events = POLLIN },
					{ .fd = r->fd, .events = POLLIN } };

		if (!r->pid && r->nr)
			run_next(r);
		if (poll(fds, 2, wait_ms(r)) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			take_child(r);
		if (fds[1].revents)
			take_name(r);
		if (r->pid && rec_now_ns() >= r->due_ns)
			end_command(r);
	}
	if (r->failed_nr || r->killed_nr || r->skipped_nr)
		sup_message("--on-slice: %" PRIu32 " commands failed, %" PRIu32
			    " took too long; %" PRIu32
			    " files were left out, since others waited",
			    r->failed_nr, r->killed_nr, r->skipped_nr);
}

/* Give up what the recorder was started with and commands have no use for. */
static void leave_recorder(int keep_fd)
{
	setsid(); /* the terminal's signals are the recorder's */
	prctl(PR_SET_NAME, "on-slice");
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	syscall(SYS_close_range, STDERR_FILENO + 1, keep_fd - 1, 0);
	syscall(SYS_close_range, keep_fd + 1, ~0U, 0);
}

static void runner_main(const char *text, uint64_t limit_ns, int fd)
{
	static struct runner r;
	sigset_t child;

	r = (struct runner){ .text = text, .limit_ns = limit_ns, .fd = fd };
	leave_recorder(fd);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
	r.child_fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r.child_fd < 0)
		_exit(1);
	run_all(&r);
	_exit(0);
}

int rec_slice_command_start(struct rec_slice_command *slices, const char *text,
			    uint64_t limit_ns, struct pd_err *err)
{
	int fds[2];

	*slices = (struct rec_slice_command){ .limit_ns = limit_ns };
	if (!text)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return pd_err_set(err, -errno, "--on-slice: %s",
				  strerror(errno));
	slices->pid = fork();
	if (!slices->pid) {
		close(fds[0]);
		runner_main(text, limit_ns, fds[1]);
	}
	close(fds[1]);
	if (slices->pid < 0) {
		slices->pid = 0;
		close(fds[0]);
		return pd_err_set(err, -errno, "--on-slice: %s",
				  strerror(errno));
	}
	slices->fd = fds[0];
	return 0;
}

void rec_slice_command_add(struct rec_slice_command *slices, const char *path)
{
	size_t len = strlen(path);

	if (slices->pid && send(slices->fd, path, len,
				MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)len)
		slices->lost_nr++;
}

void rec_slice_command_reap_others(const struct rec_slice_command *slices)
{
	siginfo_t end = { 0 };

	while (!waitid(P_ALL, 0, &end, WEXITED | WNOHANG | WNOWAIT) &&
	       end.si_pid && end.si_pid != slices->pid) {
		(void)!waitpid(end.si_pid, NULL, WNOHANG);
		end.si_pid = 0;
	}
}

/* Return whether what is waited for still runs. */
static bool runs(const struct rec_slice_command *slices)
{
	pid_t pid;

	do
		pid = waitpid(slices->is_of_all ? -1 : slices->pid, NULL,
			      WNOHANG);
	while (pid > 0 && slices->is_of_all);
	return !pid;
}

uint32_t rec_slice_command_end(struct rec_slice_command *slices,
			       bool (*may_wait)(void *ctx), void *ctx)
{
	const struct timespec step = { .tv_nsec = 100000000 };
	uint64_t end_ns = rec_now_ns() + slices->limit_ns + grace_ns;

	if (!slices->pid && !slices->is_of_all)
		return 0;
	if (slices->pid)
		close(slices->fd);
	while (runs(slices) && may_wait(ctx) && rec_now_ns() < end_ns)
		nanosleep(&step, NULL);
	slices->pid = 0;
	return slices->lost_nr;
}
