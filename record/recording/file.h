/* file.h: one recording file: its contents and its state.
 *
 *	rec_file_open()
 *	rec_file_start()	header, ids, attrs, what already runs
 *	... frames by drain_schedule.h
 *	rec_file_end()		losses, feature sections, trailer, last header
 *	rec_output_close()
 *
 * A recording writes one file after the other (file_rotation.h), all under the
 * same name, so there is one at a time.
 */
#ifndef REC_FILE_H
#define REC_FILE_H

#include "record/recording/loss_table.h"
#include "record/recording/slice_mark.h"
#include "record/ring/sink.h"

struct rec_session;
struct rec_drain_schedule;

struct rec_file {
	struct rec_output out;
	struct rec_sink sink; /* appends frames to out, counts and indexes */
	struct rec_loss_table losses;
	struct rec_output_room room; /* make NULL: a full disk ends it */
	struct rec_slice_mark mark;  /* of each file, with has_mark */
	bool has_mark;
};

/* Open the output path, as rec_output_open() does, once there is room for it.
 */
int rec_file_open(struct rec_file *file, const char *path, struct pd_err *err);

/* Write the file's start, and what already runs: the records in state or, if
 * that is NULL, the current contents of /proc. */
int rec_file_start(struct rec_file *file, const struct rec_session *session,
		   struct rec_drain_schedule *schedule,
		   const struct pd_buf *state, struct pd_err *err);

/* Write the file's end; all rings must be drained. */
int rec_file_end(struct rec_file *file, struct rec_session *session,
		 struct rec_drain_schedule *schedule, struct pd_err *err);

/* Write the start of out: header, ids, attrs, formats of tracepoints; records:
 * the beginning of the data section. */
int rec_file_write_header(struct rec_output *out,
			  const struct rec_session *session,
			  const struct pd_buf *records, struct pd_err *err);

/* Append a buffer of whole records. */
int rec_file_append(struct rec_file *file, const struct pd_buf *records);

/* Return rc; if the output failed, *err becomes its error, else "WHAT: rc". */
int rec_file_error(const struct rec_file *file, int rc, const char *what,
		   struct pd_err *err);

void rec_file_release(struct rec_file *file);

#endif
