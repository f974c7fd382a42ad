/* trace_field.h: reads numbers in the raw data of tracepoints; and finds the
 * fields of tracepoints that a sort key names, and their values: "next_pid",
 * "sched:sched_switch.next_pid", "sched_switch.*", "trace_fields", each also
 * with "/raw" behind it.  Fields that all tracepoints have ("common_pid") are
 * found only by name.
 */
#ifndef RPT_TRACE_FIELD_H
#define RPT_TRACE_FIELD_H

#include "format/records/event_set.h"
#include "format/records/sample.h"
#include "report/events/tracepoint.h"

struct tep_format_field;

/* The place of a number of 1, 2, 4 or 8 bytes in raw data.  A zeroed struct is
 * none. */
struct rpt_raw_number {
	uint32_t off;
	uint32_t len;
	bool is_signed;
};

/* Find a number among the fields of an event.  Return false if there is none.
 */
bool rpt_raw_number_find(struct rpt_raw_number *ret,
			 const struct tep_event *event, const char *name);
/* Read a number to *ret; a signed one is widened.  Return false if it is none
 * or lies behind the raw data's end. */
bool rpt_raw_number_read(const struct rpt_raw_number *number,
			 const struct rpt_tracepoints *tracepoints,
			 const struct pd_sample *sample, uint64_t *ret);

/* One field of one event.  A zeroed struct is no field. */
struct rpt_trace_field {
	uint32_t event_idx;
	bool is_raw; /* show its number, not the text that its format makes */
	const struct tep_format_field *field; /* of the tracepoints */
};

/* Find the fields that a key names, in the order of the events and of their
 * formats.  Return how many there are, of which ret has up to max. */
size_t rpt_trace_fields_find(const struct rpt_tracepoints *tracepoints,
			     const struct pd_event_set *events,
			     struct pd_str key, struct rpt_trace_field *ret,
			     size_t max);

/* Return the field's name in its format. */
const char *rpt_trace_field_name(const struct rpt_trace_field *field);

/* Return whether the field is a number alone, and its place in the raw data. */
bool rpt_trace_field_number(const struct rpt_trace_field *field,
			    struct rpt_raw_number *ret);

/* Write the key of this field alone to buf: "sched:sched_switch.next_pid/raw",
 * cut to len bytes with its NUL. */
void rpt_trace_field_key(const struct rpt_trace_field *field, char *buf,
			 size_t len);

/* Return how wide perf makes the field's column for a record with the text
 * whole.  bytes are the field's own if perf compares them, else its ptr is
 * NULL. */
uint32_t rpt_trace_field_width(const struct rpt_trace_field *field,
			       const char *whole, struct pd_str bytes);

/* Return the field's bytes in the raw data, by which rows differ; NULL, 0 if
 * they are not inside of it. */
struct pd_str rpt_trace_field_bytes(const struct rpt_tracepoints *tracepoints,
				    const struct rpt_trace_field *field,
				    struct pd_str raw);

/* Return the field's text, which the caller frees: what stands behind "name="
 * in whole, the text of the record, or else its number. */
char *rpt_trace_field_text(struct rpt_tracepoints *tracepoints,
			   const struct rpt_trace_field *field,
			   struct pd_str raw, const char *whole);

#endif
