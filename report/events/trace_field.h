/* trace_field.h: fields of tracepoints as sort keys: "next_pid",
 * "sched:sched_switch.next_pid", "sched_switch.*", "trace_fields", each with
 * "/raw" behind it or not.  What all tracepoints have ("common_pid") is among
 * them where it is named.
 */
#ifndef RPT_TRACE_FIELD_H
#define RPT_TRACE_FIELD_H

#include "format/event_set.h"
#include "report/events/tracepoint.h"

struct tep_format_field;

/* One field of one event; zeros: no field at all. */
struct rpt_trace_field {
	uint32_t event_idx;
	bool is_raw; /* its number, not the text that the format makes of it */
	const struct tep_format_field *field; /* of the tracepoints */
};

/* The fields that a key names, in the order of events and of their formats, up
 * to max; returns how many there are. */
size_t rpt_trace_fields_find(const struct rpt_tracepoints *tracepoints,
			     const struct pd_event_set *events,
			     struct pd_str key, struct rpt_trace_field *ret,
			     size_t max);

const char *rpt_trace_field_name(const struct rpt_trace_field *field);

/* The key of this field alone: "sched:sched_switch.next_pid/raw"; cut to len
 * bytes with NUL. */
void rpt_trace_field_key(const struct rpt_trace_field *field, char *buf,
			 size_t len);

/* As wide as perf makes its column for a record of this whole text.  bytes: its
 * own, where perf comes to compare them; else ptr NULL. */
uint32_t rpt_trace_field_width(const struct rpt_trace_field *field,
			       const char *whole, struct pd_str bytes);

/* The field's own bytes in raw data: equal ones are one row.  NULL, 0: they are
 * not within. */
struct pd_str rpt_trace_field_bytes(const struct rpt_tracepoints *tracepoints,
				    const struct rpt_trace_field *field,
				    struct pd_str raw);

/* The field's text: what stands behind "name=" in the whole record's text, else
 * its number; to be freed, NULL: out of memory. */
char *rpt_trace_field_text(struct rpt_tracepoints *tracepoints,
			   const struct rpt_trace_field *field,
			   struct pd_str raw, const char *whole);

#endif
