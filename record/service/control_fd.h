/* control_fd.h: read and acknowledge control commands: --control.
 *
 *	fd:N[,M]		descriptors that this program inherited
 *	fifo:PATH[,PATH]	named pipes that exist
 *
 * A command is a line.  As in perf 6.1, each known command is acknowledged with
 * the five bytes "ack\n\0" once it is done.  One that is not known is answered
 * by "nak\n\0", while perf leaves whoever waits without an answer.
 */
#ifndef REC_CONTROL_FD_H
#define REC_CONTROL_FD_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct rec_control_fd {
	int fd;	    /* -1: none */
	int ack_fd; /* -1: no acknowledgement */
	bool is_ours;
};

#define REC_CONTROL_FD_INIT                          \
	{                                            \
		.fd = -1, .ack_fd = -1, .is_ours = 0 \
	}

/* Return -EINVAL for neither form or a descriptor that is not open, or the
 * error of open(2). */
int rec_control_fd_open(struct rec_control_fd *ret, const char *spec,
			struct pd_err *err);

/* Return what rec_control_fd_open() would, as far as that can be told without
 * opening a pipe, at which others may wait. */
int rec_control_fd_check(const char *spec, struct pd_err *err);

/* Read the next line without its newline; bytes without one are taken as a
 * line.  Return 1 with line filled, 0 if nothing is there now, -EPIPE if
 * nothing can come again.  A line longer than len - 1 is cut. */
int rec_control_fd_read(const struct rec_control_fd *control, char *line,
			size_t len);

/* Acknowledge the last command, or say that there is no such one.  Return 0, or
 * the error of write(2). */
int rec_control_fd_ack(const struct rec_control_fd *control, bool is_known);

void rec_control_fd_close(struct rec_control_fd *control);

#endif
