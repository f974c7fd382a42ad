/* control_fd.h: where control commands come from and are answered: --control.
 *
 *	fd:N[,M]		descriptors that this program inherited
 *	fifo:PATH[,PATH]	named pipes that exist
 *
 * A command is a line.  As with perf 6.1, each one that is known is answered
 * with the five bytes "ack\n\0" once it is done.
 */
#ifndef REC_CONTROL_FD_H
#define REC_CONTROL_FD_H

#include "format/err.h"

#include <stdbool.h>
#include <stddef.h>

struct rec_control_fd {
	int fd;	    /* -1: none */
	int ack_fd; /* -1: nobody wants answers */
	bool is_ours;
};

#define REC_CONTROL_FD_INIT                          \
	{                                            \
		.fd = -1, .ack_fd = -1, .is_ours = 0 \
	}

/* -EINVAL: neither form, or a descriptor that is not open; else the error of
 * open(2). */
int rec_control_fd_open(struct rec_control_fd *ret, const char *spec,
			struct pd_err *err);

/* The next line without its newline; what came without one is taken as a
 * line.  1: line is filled; 0: nothing is there now; -EPIPE: nothing will ever
 * come again.  A line that is longer than len - 1 is cut. */
int rec_control_fd_read(const struct rec_control_fd *control, char *line,
			size_t len);

/* Answer the command that was read last.  If nobody reads the answers the
 * error is that of write(2). */
int rec_control_fd_ack(const struct rec_control_fd *control);

void rec_control_fd_close(struct rec_control_fd *control);

#endif
