/* control.h: what ends or switches a recording from outside: signals, clock.
 *
 * Signals are blocked and read from a descriptor, so that nothing interrupts
 * the drain.  Open it before any thread is started: threads inherit the mask.
 */
#ifndef REC_CONTROL_H
#define REC_CONTROL_H

#include "format/err.h"

#include <signal.h>
#include <stdint.h>

struct rec_control {
	int fd; /* signalfd(2): to wait for any of these */
	sigset_t set;
	sigset_t old_set;    /* the mask before */
	int stop_signal;     /* SIGINT, SIGTERM, ... that came; 0: none */
	bool child_ended;    /* a SIGCHLD came */
	bool snapshot_asked; /* a SIGUSR2 came */
	bool cost_asked;     /* a SIGUSR1 came */
};

int rec_control_open(struct rec_control *control, struct pd_err *err);

/* Take what has come, without waiting. */
void rec_control_read(struct rec_control *control);

/* Give the signals back. */
void rec_control_close(struct rec_control *control);

/* End this program by the signal, as a shell expects it of an interrupted
 * program; returns only if that does not end it. */
void rec_control_die_of(int signal_nr);

#endif
