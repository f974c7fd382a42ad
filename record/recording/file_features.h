/* file_features.h: the feature sections of a recording, by table.
 *
 * What the machine is comes from host_facts.h, what was recorded from session
 * and file.  FORMAT.md "Feature sections".
 */
#ifndef REC_FILE_FEATURES_H
#define REC_FILE_FEATURES_H

#include "record/recording/file.h"
#include "record/recording/session.h"

/* Append feature table and payloads for a table at the end of the file, and set
 * the bits of what is there: all or nothing.  TRACING_DATA has its payload at
 * file->out.formats already. */
int rec_features_write(const struct rec_file *file, struct rec_session *session,
		       struct pd_buf *b, uint64_t *features,
		       struct pd_err *err);

/* Append the payload of TRACING_DATA; -ENOENT if there is no tracepoint. */
int rec_tracing_feature_write(const struct rec_session *session,
			      struct pd_buf *b, struct pd_err *err);

/* Pipe mode: append the features that are known at the start, as
 * HEADER_FEATURE records, and the formats of tracepoints. */
int rec_pipe_features_write(const struct rec_file *file,
			    const struct rec_session *session, struct pd_buf *b,
			    struct pd_err *err);

/* Append the records of BUILD_ID, which are those of a pipe as well. */
void rec_build_ids_write(struct rec_session *session, struct pd_buf *b);

/* Append the HEADER_FEATURE record of COMPRESSED; failures latch in b. */
void rec_compressed_feature_write(const struct rec_file *file,
				  const struct rec_session *session,
				  struct pd_buf *b);

#endif
