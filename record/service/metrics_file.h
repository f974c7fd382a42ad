/* metrics_file.h: a small text file that is replaced as a whole, by a thread of
 * its own, so that nobody waits for its disk.
 *
 *	rec_metrics_file_check()	--dry-run
 *	rec_metrics_file_open()		the first text, written at once
 *	rec_metrics_file_put()		a newer one
 *	rec_metrics_file_close()	the last one
 *
 * A reader sees one text or the next (new_file.h); a link or a device is not
 * replaced.  Everybody may read it, whatever the umask says: its readers are
 * other users.  The thread lives as long as it writes.
 */
#ifndef REC_METRICS_FILE_H
#define REC_METRICS_FILE_H

#include "format/base/buf.h"

#include <pthread.h>

enum rec_metrics_phase {
	REC_METRICS_IDLE,
	REC_METRICS_WRITES,
	REC_METRICS_DONE, /* the thread can be joined */
};

struct rec_metrics_file {
	const char *path; /* borrowed; NULL: there is none */
	pthread_t thread;
	int phase;	    /* atomic; enum rec_metrics_phase */
	struct pd_buf text; /* the thread's while it writes */
	struct pd_err err;  /* the same: of the first failure */
};

/* Return 0 if the file could be written, or a negative errno, with err set. */
int rec_metrics_file_check(const char *path, struct pd_err *err);
/* Write a first text, and return the same. */
int rec_metrics_file_open(struct rec_metrics_file *file, const char *path,
			  const struct pd_buf *text, struct pd_err *err);

/* Return true if the last text is written, or could not be.  err is set if one
 * could not. */
bool rec_metrics_file_is_ready(struct rec_metrics_file *file,
			       struct pd_err *err);

/* Begin to write; the file is ready.  *text is taken. */
void rec_metrics_file_put(struct rec_metrics_file *file, struct pd_buf *text);

/* Wait a second at most for what is being written. */
void rec_metrics_file_close(struct rec_metrics_file *file);

#endif
