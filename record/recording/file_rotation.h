/* file_rotation.h: a recording over several files, each whole by itself.
 *
 * A file ends at the end of a round: what the rings held then is in it, what
 * comes after goes to the next one.  So that the next one knows all tasks and
 * maps of that moment, what /proc says is read before, while the old file goes
 * on, and whatever the kernel told since that reading began is written to both:
 *
 *	reading /proc       |---------|
 *	records kept        |------------|
 *	                                 ^ the old file ends, the new one
 * begins: what was read, what was kept, samples
 *
 * Where a file ends by its length, the reading begins before it is that long,
 * by how fast it grows; and where one file follows the other within a second
 * the same reading serves both, with what was kept since.
 *
 * The reading is done by a thread of its own, so that the rings are drained
 * meanwhile.  Writing it is broken into pieces for the same reason.
 */
#ifndef REC_FILE_ROTATION_H
#define REC_FILE_ROTATION_H

#include "format/buf.h"
#include "record/control/file_growth.h"
#include "record/recording/loss_table.h"
#include "record/recording/metadata_records.h"
#include "record/control/rotated_files.h"
#include "record/snapshot/snapshot.h"
#include "record/targets/task_set.h"

#include <pthread.h>
#include <stdbool.h>

/* What the thread reads into. */
struct rec_capture {
	struct rec_snapshot_conf conf; /* conf.tids is owned */
	struct pd_buf state;
	int code;
	int done_fd; /* eventfd(2) */
	pthread_t thread;
	bool is_running;
	bool is_done;	   /* and waits for the next file */
	uint64_t begin_ns; /* when it began */
	uint64_t took_ns;  /* the last one; 0: there was none */
};

struct rec_file_rotation {
	bool is_on;	   /* there may be a next file */
	bool is_wanted;	   /* somebody asked for it */
	bool is_telling;   /* the new file does not know everything yet */
	unsigned ack_nr;   /* control commands to answer when it is done */
	uint64_t begin_ns; /* of the file that is written */
	uint64_t tail_len; /* of the last file, behind its records; 0: none */
	struct rec_file_growth
		growth; /* of that file, where its length ends it */
	struct rec_capture capture;
	bool is_kept;	    /* records are kept now */
	struct pd_buf kept; /* in the order in which they were drained */
	struct rec_task_set tasks;
	struct rec_rotated_files files;
	/* Of the files that are done. */
	uint64_t sample_nr;
	uint64_t plain_len;
	uint64_t late_len;
	uint64_t len;
	uint64_t throttle_nr;
	uint64_t cut_nr;
	uint64_t dropped_nr;
	struct rec_loss_table losses; /* with is_on */
};

struct rec_recording;

int rec_file_rotation_init(struct rec_recording *rec, struct pd_err *err);
void rec_file_rotation_release(struct rec_recording *rec);
/* Which records rec_file_rotation_see() must be shown. */
uint64_t rec_file_rotation_watched(void);
void rec_file_rotation_see(struct rec_recording *rec,
			   const struct pd_record *record, bool is_new);
/* When time ends the file; UINT64_MAX: never. */
uint64_t rec_file_rotation_due_ns(const struct rec_recording *rec);
/* After each drain: does what is to be done next for a file that is due. */
int rec_file_rotation_step(struct rec_recording *rec, struct pd_err *err);
/* Into the new file: what the reading found, and what came since. */
int rec_file_rotation_tell_state(struct rec_recording *rec, struct pd_err *err);
/* At the end of the last file: what the rings that are overwritten hold, and
 * with is_tail what runs now. */
int rec_file_rotation_tail(struct rec_recording *rec, struct pd_err *err);
/* What the finished file lost, for the summary of all. */
void rec_file_rotation_add_losses(struct rec_recording *rec);
/* Gives the finished file its name. */
int rec_file_rotation_rename(struct rec_recording *rec, struct pd_err *err);

#endif
