/* left_slices.h: adopt what recorders left that were killed.
 *
 *	rec_left_slices_take()	before FILE is opened: a file at its place that
 *				nobody writes and that has our mark
 *				(slice_mark.h) becomes FILE.STAMP.left, by its
 *				last write
 *	rec_left_slices_start()	once the recording goes on
 *	rec_left_slices_end()	before the commands of --on-slice are waited for
 *
 * A thread of the lowest priority (SCHED_IDLE, ioprio idle), which takes a
 * twentieth of a CPU at most, makes each FILE.STAMP.left a finished one in its
 * place (left_file.h) and gives it its name; then it is a slice as others are,
 * for --on-slice and limits.  If the recorder is killed or stopped meanwhile,
 * the next one goes on.
 *
 * Only with --switch-output, and only a regular file with one name that is this
 * user's and that no one else may write to: what others put there is renamed to
 * FILE.old as ever, and not read.  Where files cannot be locked, nobody knows
 * if its recorder is dead, and nothing is adopted.
 */
#ifndef REC_LEFT_SLICES_H
#define REC_LEFT_SLICES_H

#include "format/base/err.h"
#include "record/rotation/rotated_files.h"

#include <stdbool.h>

struct rec_session;
struct rec_slice_command;
struct rec_adoption;

struct rec_left_slices {
	struct rec_adoption *adoption; /* the thread's, too; NULL: none runs */
};

/* If this fails, the file is not taken. */
void rec_left_slices_take(const struct rec_session *session);

/* Start the thread, before capabilities are dropped.  slices and files, whose
 * limits count, are borrowed until rec_left_slices_end(). */
void rec_left_slices_start(struct rec_left_slices *left,
			   const struct rec_session *session,
			   const struct rec_rotated_files *files,
			   struct rec_slice_command *slices);

/* Wait until all are adopted, at most that long.  A thread that is not done is
 * left alone: what it has begun, the next recorder ends. */
void rec_left_slices_end(struct rec_left_slices *left, uint64_t wait_ns);

#endif
