/* workload.h: start the command to record, but exec only once all is open.
 *
 *	rec_workload_fork()    the child exists, has a pid, waits on a pipe
 *	... events are opened on it ...
 *	rec_workload_start()   it execs; fails if exec fails
 *	rec_workload_poll()    true once it has ended
 */
#ifndef REC_WORKLOAD_H
#define REC_WORKLOAD_H

#include "format/base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct rec_workload {
	pid_t pid;     /* 0: none */
	int go_fd;     /* a byte lets the child exec; its end makes it leave */
	int failed_fd; /* yields the errno of exec, or its end on success */
	bool started;
	bool reaped;
	int wait_status; /* of wait(2), if reaped */
};

#define REC_WORKLOAD_INIT                    \
	{                                    \
		.go_fd = -1, .failed_fd = -1 \
	}

/* argv ends in NULL and is borrowed until started.  The child resets signals
 * that are blocked or handled here. to_stderr: its stdout goes to stderr,
 * because the recording goes to stdout. */
int rec_workload_fork(struct rec_workload *w, char *const argv[],
		      bool to_stderr, struct pd_err *err);

/* Let the child exec and wait until it has.  Return 0, or -errno of exec; name
 * is what err calls it. */
int rec_workload_start(struct rec_workload *w, const char *name,
		       struct pd_err *err);

/* Return true if it has ended; does not wait. */
bool rec_workload_poll(struct rec_workload *w);

/* End a command that still runs with SIGTERM (one that was not started ends by
 * itself), wait for it, and close the pipes. */
void rec_workload_finish(struct rec_workload *w);

#endif
