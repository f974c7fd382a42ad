/* feature_table.h: the table of feature sections behind the data.
 * FORMAT.md "Feature sections".
 */
#ifndef REC_FEATURE_TABLE_H
#define REC_FEATURE_TABLE_H

#include "format/buf.h"
#include "format/file_header.h"

#include <stdbool.h>

/* Append the table of the features that exist, which will be at table_off of
 * the file, then their payloads, and set their bits in features.  sections, by
 * bit, are those of payloads; an off of UINT64_MAX: the feature is not there.
 * has_formats: the payload of TRACING_DATA stands in the file already, where
 * its section says. */
void rec_feature_table_write(struct pd_buf *b, uint64_t table_off,
			     const struct pd_section *sections,
			     const struct pd_buf *payloads, bool has_formats,
			     uint64_t *features);

#endif
