/* file_rotation.h: a recording over several files, each whole by itself.
 *
 * A file ends at the end of a round: what the rings held then is in it, what
 * comes after goes to the next one.  So that the next one knows all tasks and
 * maps of that time, what /proc says is read before, while the old file goes
 * on, and whatever the kernel says of tasks since that reading began is written
 * to both:
 *
 *	reading /proc       |---------|
 *	records kept        |------------|
 *	                                 ^ the old file ends, the new one
 *					   begins: what was read, what was
 *					   kept, samples
 *
 * If a file ends by its length, the reading begins before it is that long, by
 * how fast it grows; if one file follows the other within a second, the same
 * reading serves both, with what was kept since.
 *
 * The reading is done by a thread of its own, so that the rings are drained
 * meanwhile.  Writing it is broken into pieces for the same reason.
 *
 * A finished file has to give up its name before the next one can have it, so
 * that there is one struct rec_file, which is used again, and sums of those
 * that are done.
 */
#ifndef REC_FILE_ROTATION_H
#define REC_FILE_ROTATION_H

#include "format/buf.h"
#include "record/control/file_growth.h"
#include "record/control/rotated_files.h"
#include "record/recording/file.h"
#include "record/snapshot/snapshot.h"
#include "record/targets/task_set.h"

#include <pthread.h>

/* What /proc says, read by a thread. */
struct rec_capture {
	struct rec_snapshot_conf conf; /* conf.tids is owned */
	struct pd_buf state;
	int rc;
	int done_fd; /* eventfd(2) */
	pthread_t thread;
	bool is_running;
	bool is_done;	   /* and waits for the next file */
	uint64_t begin_ns; /* when it began */
	uint64_t took_ns;  /* the last one; 0: there was none */
};

/* Sums over files. */
struct rec_file_sums {
	struct rec_counts counts;
	uint64_t len;
	uint64_t late_len; /* plain text that was packed at level 1 */
	struct rec_loss_table losses;
};

struct rec_file_rotation {
	struct rec_session *session; /* borrowed, as the next two */
	struct rec_file *file;
	struct rec_drain_schedule *schedule;
	bool is_on;	   /* there may be a next file */
	uint64_t begin_ns; /* of the file that is written */
	uint64_t tail_len; /* of the last file, behind its records; 0: none */
	struct rec_file_growth growth; /* if its length ends the file */
	struct rec_capture capture;
	bool is_kept;	    /* records are kept now */
	struct pd_buf kept; /* in the order in which they were drained */
	struct rec_task_set tasks;
	struct rec_rotated_files files;
	/* Of the files that are done; losses of all, with is_on. */
	struct rec_file_sums done;
};

int rec_file_rotation_init(struct rec_file_rotation *rotation,
			   struct rec_session *session, struct rec_file *file,
			   struct rec_drain_schedule *schedule,
			   struct pd_err *err);
void rec_file_rotation_release(struct rec_file_rotation *rotation);

/* Return the types (PD_BIT) of records that rec_file_rotation_see() wants. */
uint64_t rec_file_rotation_watched(void);
void rec_file_rotation_see(struct rec_file_rotation *rotation,
			   const struct pd_record *record, bool is_new);

/* Return when time ends the file, UINT64_MAX if never. */
uint64_t rec_file_rotation_due_ns(const struct rec_file_rotation *rotation);

/* After each drain: do what is to be done next for a file that is due. */
int rec_file_rotation_step(struct rec_file_rotation *rotation,
			   struct pd_err *err);

/* At the end of the last file: write what the rings that are overwritten hold,
 * and with is_tail what runs now. */
int rec_file_rotation_tail(struct rec_file_rotation *rotation,
			   struct pd_err *err);

/* Drain all, and write and close the last file. */
int rec_file_rotation_end_file(struct rec_file_rotation *rotation,
			       struct pd_err *err);

#endif
