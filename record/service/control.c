#include "record/service/control.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

int rec_control_open(struct rec_control *control, struct pd_err *err)
{
	struct sigaction hangup;
	sigset_t *set = &control->set;

	memset(control, 0, sizeof(*control));
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	/* nohup(1) ignores it; if blocked, it would still be received. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
	/* Signals that do not end perf either: SIGUSR2 starts another file or
	 * takes a snapshot, SIGUSR1 prints what recording costs. */
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGUSR2);
	sigaddset(set, SIGIO); /* a sample: rec_open_set_signal() */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* past its size limit: like a full disk */
	sigprocmask(SIG_BLOCK, set, &control->old_set);
	control->fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (control->fd >= 0)
		return 0;
	return pd_err_set(err, -errno, "signalfd: %s", strerror(errno));
}

void rec_control_read(struct rec_control *control)
{
	const struct timespec at_once = { 0, 0 };
	int nr;

	/* Unlike read(2) this cannot fail and make the recording endless. */
	while ((nr = sigtimedwait(&control->set, NULL, &at_once)) > 0) {
		if (nr == SIGCHLD)
			control->child_ended = true;
		else if (nr == SIGUSR2)
			control->snapshot_asked = true;
		else if (nr == SIGUSR1)
			control->cost_asked = true;
		else if (nr == SIGIO)
			control->sample_came = true;
		else if (nr == SIGHUP && control->is_reload)
			control->reload_asked = true;
		else if (!control->stop_signal)
			control->stop_signal = nr;
	}
}

void rec_control_close(struct rec_control *control)
{
	if (control->fd < 0)
		return;
	rec_control_read(control);
	close(control->fd);
	control->fd = -1;
	sigprocmask(SIG_SETMASK, &control->old_set, NULL);
}

void rec_control_keep_blocked(struct rec_control *control)
{
	control->old_set = control->set;
}

void rec_control_die_of(int signal_nr)
{
	sigset_t set;

	signal(signal_nr, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_nr);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_nr);
}
