/* file_features.h: the feature sections of a recording, by table.
 *
 * What the machine is comes from host_facts.h; what was recorded from struct
 * rec_recording.  FORMAT.md "Feature sections".
 */
#ifndef REC_FILE_FEATURES_H
#define REC_FILE_FEATURES_H

#include "record/recording/recording.h"

/* Appends feature table and payloads for a table that begins at table_off of
 * the file, and sets the bits of what is there: all or nothing.  TRACING_DATA
 * has its payload at rec->out.formats already. */
int rec_features_write(struct rec_recording *rec, struct pd_buf *b,
		       uint64_t table_off, uint64_t *features,
		       struct pd_err *err);

/* The payload of TRACING_DATA; -ENOENT where there is no tracepoint. */
int rec_tracing_feature_write(struct rec_recording *rec, struct pd_buf *b,
			      struct pd_err *err);

/* Pipe mode: the features that are known at the start, as HEADER_FEATURE
 * records, and the formats of tracepoints. */
int rec_pipe_features_write(struct rec_recording *rec, struct pd_buf *b,
			    struct pd_err *err);

/* The records of BUILD_ID, which are those of a pipe as well; -ENOENT where
 * there are none. */
int rec_build_ids_write(struct rec_recording *rec, struct pd_buf *b,
			struct pd_err *err);

/* The HEADER_FEATURE record of COMPRESSED. */
void rec_compressed_feature_write(struct rec_recording *rec, struct pd_buf *b);

#endif
