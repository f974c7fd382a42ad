/* file_features.h: the feature sections of a recording, by table.
 *
 * The machine's features come from host_facts.h, the others from session and
 * file.  FORMAT.md "Feature sections".
 */
#ifndef REC_FILE_FEATURES_H
#define REC_FILE_FEATURES_H

#include "record/recording/file.h"
#include "record/recording/session.h"

/* Append feature table and payloads for a table at the end of the file, and set
 * the bits of those included: all or nothing.  The payload of TRACING_DATA is
 * at file->out.formats already. */
int rec_features_write(const struct rec_file *file, struct rec_session *session,
		       struct pd_buf *b, uint64_t *features,
		       struct pd_err *err);

/* Pipe mode: append the features that are known at the start as HEADER_FEATURE
 * records, and the formats of tracepoints. */
int rec_pipe_features_write(const struct rec_file *file,
			    const struct rec_session *session, struct pd_buf *b,
			    struct pd_err *err);

/* Append the payload of a feature that the options alone decide.  Return 0,
 * -ENOENT if the recording has none, or -ENOSYS if it is not such a feature. */
int rec_options_feature_write(const struct rec_session *session, unsigned bit,
			      struct pd_buf *b);
/* Append the payload of SAMPLE_TIME, or return -ENOENT without a time. */
int rec_sample_time_write(const struct rec_counts *counts, struct pd_buf *b);

/* Append the records of BUILD_ID, which are the same in a pipe. */
void rec_build_ids_write(struct rec_session *session, struct pd_buf *b);

/* Append a record with a feature that checkpoints have: COMPRESSED, and on
 * big-endian machines HOSTNAME (FORMAT.md "Checkpoints").  Failures latch in b.
 * Return where in b its payload is; len 0: nothing was appended. */
struct pd_section rec_early_feature_write(const struct rec_file *file,
					  const struct rec_session *session,
					  unsigned bit, struct pd_buf *b);

#endif
