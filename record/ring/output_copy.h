/* output_copy.h: what was written to a pipe, to be read back: a file without a
 * name, which is gone when the recorder ends, however it ends.
 *
 * It has a limit.  What does not fit, or cannot be written, is left out with
 * all that follows: the pipe does not depend on it.
 */
#ifndef REC_OUTPUT_COPY_H
#define REC_OUTPUT_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

struct rec_output_copy {
	int fd;
	uint64_t len; /* atomic: of the whole pieces that are in it */
	uint64_t len_max;
	bool is_cut; /* pieces are missing */
};

/* Make one in the folder dir_fd.  Return 0 or a negative errno. */
int rec_output_copy_open(struct rec_output_copy *copy, int dir_fd,
			 uint64_t len_max);
/* Append all parts, or none from now on; at most IOV_MAX parts. */
void rec_output_copy_add(struct rec_output_copy *copy,
			 const struct iovec *parts, int part_nr);
/* Safe on a zeroed struct. */
void rec_output_copy_close(struct rec_output_copy *copy);

#endif
