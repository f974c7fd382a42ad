/* control.h: signals that end or switch a recording.
 *
 * Signals are blocked and read from a descriptor, so that nothing interrupts
 * draining.  Call rec_control_open() before any thread is started: threads
 * inherit the mask.
 */
#ifndef REC_CONTROL_H
#define REC_CONTROL_H

#include "format/base/err.h"

#include <signal.h>
#include <stdint.h>

struct rec_control {
	int fd; /* signalfd(2), to poll */
	sigset_t set;
	sigset_t old_set;    /* the previous mask */
	int stop_signal;     /* the SIGINT, SIGTERM, ... received; 0: none */
	bool child_ended;    /* SIGCHLD was received */
	bool is_reload;	     /* SIGHUP does not end the recording, but asks
			      * for a reload */
	bool reload_asked;   /* it was received */
	bool snapshot_asked; /* SIGUSR2 was received */
	bool cost_asked;     /* SIGUSR1 was received */
	bool sample_came;    /* SIGIO was received */
};

int rec_control_open(struct rec_control *control, struct pd_err *err);

/* Read the pending signals, without waiting. */
void rec_control_read(struct rec_control *control);

/* Restore the signal mask. */
void rec_control_close(struct rec_control *control);

/* Let rec_control_close() leave signals blocked, for the program that this
 * process becomes: it opens a control of its own, and sees what came
 * meanwhile. */
void rec_control_keep_blocked(struct rec_control *control);

/* End this program by the signal, as a shell expects of an interrupted program;
 * returns only if that does not end it. */
void rec_control_die_of(int signal_nr);

#endif
