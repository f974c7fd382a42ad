/* event_sections.h: what a file says of its events outside of records: attrs,
 * ids, names, groups, formats.  FORMAT.md "Attributes", "Feature sections".
 *
 * A recording and the counts of perfpair stat record are described by the same
 * code.
 */
#ifndef REC_EVENT_SECTIONS_H
#define REC_EVENT_SECTIONS_H

#include "format/base/buf.h"
#include "format/file/file_header.h"
#include "record/targets/event_open.h"

/* Return the attr length of a file with these events: that of the longest. */
uint32_t rec_file_attr_len(const struct rec_event_list *events);

/* Append [ids of event 0..n][attr, ids section of event 0..n], which stand
 * right behind the header of a file; *ret_attrs is the section of the second
 * part. */
void rec_attrs_write(struct pd_buf *b, const struct rec_event_list *events,
		     const struct rec_open_set *open,
		     struct pd_section *ret_attrs);
/* Append the same as HEADER_ATTR records, for a pipe. */
void rec_attr_records_write(struct pd_buf *b,
			    const struct rec_event_list *events,
			    const struct rec_open_set *open);

/* Append the payload of a feature.  Return 0, -ENOENT if there is nothing to
 * say, or -ENOMEM; failures of b are latched there. */
int rec_event_desc_write(struct pd_buf *b, const struct rec_event_list *list,
			 const struct rec_open_set *open);
int rec_group_desc_write(struct pd_buf *b, const struct rec_event_list *list);
/* argv[0] becomes the path of this program. */
int rec_cmdline_write(struct pd_buf *b, int argc, char *const *argv);
/* TRACING_DATA: the formats of the list's tracepoints.  On other errors err
 * names the file that could not be read. */
int rec_event_formats_write(struct pd_buf *b, const struct rec_event_list *list,
			    const char *tracefs, struct pd_err *err);
/* Append that payload as the record of a pipe; nothing without tracepoints. */
int rec_formats_record_write(struct pd_buf *b,
			     const struct rec_event_list *list,
			     const char *tracefs, struct pd_err *err);

#endif
