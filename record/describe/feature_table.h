/* feature_table.h: feature sections as a file has them, by a table behind the
 * data, and as a pipe has them, in records.
 * FORMAT.md "Feature sections".
 */
#ifndef REC_FEATURE_TABLE_H
#define REC_FEATURE_TABLE_H

#include "format/base/buf.h"
#include "format/file/file_header.h"
#include "record/host/host_facts.h"

#include <stdbool.h>

/* The length of HEADER_FEATURE without its payload. */
enum { REC_FEATURE_RECORD_LEN = 16 };

/* Append the table of the features that exist, which will be at table_off of
 * the file, then their payloads, and set their bits in features.  sections, by
 * bit, are those of payloads; an off of UINT64_MAX: the feature is not there.
 * has_formats: the payload of TRACING_DATA stands in the file already, where
 * its section says. */
void rec_feature_table_write(struct pd_buf *b, uint64_t table_off,
			     const struct pd_section *sections,
			     const struct pd_buf *payloads, bool has_formats,
			     uint64_t *features);

/* Append the payload of one feature.  Return 0, -ENOENT if there is none, or
 * another negative errno. */
typedef int rec_feature_put_fn(void *ctx, const struct rec_host_facts *facts,
			       unsigned bit, struct pd_buf *b);

/* Append the payloads of all features, and set sections, by bit; facts may be
 * NULL: they are read. */
int rec_features_collect(const struct rec_host_facts *facts,
			 rec_feature_put_fn *put, void *ctx,
			 struct pd_buf *payloads, struct pd_section *sections,
			 struct pd_err *err);

/* Return false for the features that perf 6.1 leaves out of pipes; BRANCH_STACK
 * and the like are read from the attrs there. */
bool rec_feature_is_for_pipe(unsigned bit);
/* Append a HEADER_FEATURE record, which is not padded: a payload is read by its
 * length.  Nothing is appended if it is too long for a record. */
void rec_feature_record_write(struct pd_buf *b, unsigned bit,
			      const struct pd_buf *payload);
/* Append what ends the features of a pipe. */
void rec_features_end_write(struct pd_buf *b);

#endif
