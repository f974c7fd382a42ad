/* file_rotation.h: a recording in several files, each of them complete.
 *
 * A file ends at the end of a round: it gets what the rings held then, the next
 * one what follows.  The next one must know all tasks and maps of that time.
 * So /proc is read before, while the old file goes on, and the kernel's records
 * of tasks since that reading began are written to both:
 *
 *	reading /proc       |---------|
 *	records stored      |------------|
 *	new file                         |-- reading, stored records, ...
 *
 * If a file ends by its length, the reading begins earlier, by how fast the
 * file grows; if files follow each other within a second, one reading serves
 * both, with the records stored since.
 *
 * With --sideband=sampled, -a and if nothing was lost the recorder knows what
 * runs by the kernel's records (running_tasks.h): /proc is read now and then.
 *
 * A thread of its own reads /proc, and its records are written in pieces, so
 * that the rings are drained meanwhile.
 *
 * A finished file must be renamed before the next one can be created.  So one
 * struct rec_file is reused, with sums over the finished files.
 */
#ifndef REC_FILE_ROTATION_H
#define REC_FILE_ROTATION_H

#include "format/base/buf.h"
#include "record/rotation/file_growth.h"
#include "record/rotation/rotated_files.h"
#include "record/rotation/slice_command.h"
#include "record/recording/file.h"
#include "record/snapshot/snapshot.h"
#include "record/targets/task_set.h"

#include <pthread.h>

/* A reading of /proc by a thread. */
struct rec_capture {
	struct rec_snapshot_conf conf; /* conf.tids is owned */
	struct pd_buf state;
	int rc;
	int done_fd; /* eventfd(2) */
	pthread_t thread;
	bool is_running;
	bool is_done;	   /* ready for the next file */
	uint64_t begin_ns; /* when it began, or what ran was read before */
	uint64_t took_ns;  /* of the last reading; 0: none yet */
};

/* Sums over all files. */
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
	uint64_t begin_ns; /* of the current file */
	uint64_t tail_len; /* of the last file, after its records; 0: none */
	struct rec_file_growth growth; /* if length ends the file */
	struct rec_capture capture;
	bool is_storing;      /* records are stored now */
	struct pd_buf stored; /* in the order in which they were drained */
	struct pd_buf others; /* all records of no task: of the kernel, of BPF
			       * programs, of control groups */
	uint64_t machine;     /* its modules and CPUs when they were read */
	bool is_blind;	      /* some CPUs are not recorded */
	struct rec_task_set tasks;
	struct rec_rotated_files files;
	struct rec_slice_command *slices; /* borrowed */
	/* Of the finished files; losses of all, with is_on. */
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

/* Return when the file ends by time, UINT64_MAX if never. */
uint64_t rec_file_rotation_due_ns(const struct rec_file_rotation *rotation);

/* Called after each drain: take the next step for a file that is due. */
int rec_file_rotation_step(struct rec_file_rotation *rotation,
			   struct pd_err *err);

/* Called at the end of the last file: write the records of overwritten rings
 * and, with is_tail, what runs now. */
int rec_file_rotation_tail(struct rec_file_rotation *rotation,
			   struct pd_err *err);

/* Drain all, and write and close the last file. */
int rec_file_rotation_end_file(struct rec_file_rotation *rotation,
			       struct pd_err *err);

#endif
