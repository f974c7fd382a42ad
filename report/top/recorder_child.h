/* recorder_child.h: the recorder that perfpair top starts, which writes its
 * recording to a pipe.
 *
 * What it prints on stderr, and what the recorded command prints, does not go
 * to the terminal, where it would disturb the screen: the last few KiB of it
 * are kept.
 */
#ifndef RPT_RECORDER_CHILD_H
#define RPT_RECORDER_CHILD_H

#include "format/base/err.h"

#include <stdbool.h>
#include <sys/types.h>

#define RPT_RECORDER_TAIL_LEN 4096u

struct rpt_recorder_child {
	pid_t pid;  /* 0: none was started, or it was waited for */
	int out_fd; /* the recording; -1 */
	int err_fd; /* what is printed; -1: it is closed */
	char tail[RPT_RECORDER_TAIL_LEN]; /* the last of it */
	size_t tail_len;
};

/* Start the recorder with these words (recorder_program.h).  With has_no_input
 * its stdin is /dev/null.  Return 0 or a negative errno. */
int rpt_recorder_child_start(struct rpt_recorder_child *ret, char **words,
			     bool has_no_input, struct pd_err *err);

/* Read what it has printed; err_fd is readable. */
void rpt_recorder_child_hear(struct rpt_recorder_child *child);

/* End it (by signal_nr, unless that is 0), wait for it, and close the pipes.
 * Return its exit code, as a shell would. */
int rpt_recorder_child_end(struct rpt_recorder_child *child, int signal_nr);

#endif
