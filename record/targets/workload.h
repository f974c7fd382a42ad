/* workload.h: the command to record, held back until all is open.
 *
 *	rec_workload_fork()    the child exists, has a pid, waits on a pipe
 *	... events are opened on it ...
 *	rec_workload_start()   it execs; where exec fails, so does this
 *	rec_workload_poll()    its exit status, once it is there
 */
#ifndef REC_WORKLOAD_H
#define REC_WORKLOAD_H

#include "format/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct rec_workload {
	pid_t pid;     /* 0: none */
	int go_fd;     /* a byte lets the child exec; its end makes it leave */
	int failed_fd; /* yields exec's errno, or the end where it went well */
	bool started;
	bool reaped;
	int wait_status; /* of wait(2), if reaped */
};

#define REC_WORKLOAD_INIT                    \
	{                                    \
		.go_fd = -1, .failed_fd = -1 \
	}

/* argv is NULL terminated and borrowed until started. signals that are
 * blocked or handled here are the child's own again.  to_stderr: its stdout
 * goes to stderr, because the recording goes to stdout. */
int rec_workload_fork(struct rec_workload *w, char *const argv[],
		      bool to_stderr, struct pd_err *err);

/* Let it exec and waits until it did. The negative errno of exec. */
int rec_workload_start(struct rec_workload *w, struct pd_err *err);

/* True when it has ended; does not wait. */
bool rec_workload_poll(struct rec_workload *w);

/* End a command that still runs with SIGTERM (one that never started leaves
 * by itself), waits for it, and closes the pipes. */
void rec_workload_finish(struct rec_workload *w);

#endif
