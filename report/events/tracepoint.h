/* tracepoint.h: tracepoint records as text, by the formats in the file.
 *
 * The recorder stores the kernel's format files (TRACING_DATA); libtraceevent
 * reads them and prints a record's raw bytes by them.  FORMAT.md "Feature
 * sections", TRACING_DATA.
 */
#ifndef RPT_TRACEPOINT_H
#define RPT_TRACEPOINT_H

#include "format/cursor.h"
#include "report/timeline/map_range.h"
#include "report/base/text_out.h"

struct rpt_tracepoints;

/* payload: the TRACING_DATA section.  -EBADMSG, -ENODATA, -ENOMEM. */
int rpt_tracepoints_new(struct rpt_tracepoints **ret, struct pd_cursor *payload,
			struct pd_err *err);
void rpt_tracepoints_free(struct rpt_tracepoints *tps);

/* "sched:sched_switch" by attr.config; false: no format tells. */
bool rpt_tracepoint_name(const struct rpt_tracepoints *tps, uint64_t config,
			 char *buf, size_t len);

/* The name of its idx-th field, the common ones of all left out; NULL: there
 * are no more, or no format tells. */
const char *rpt_tracepoint_field(const struct rpt_tracepoints *tps,
				 uint64_t config, size_t idx);

/* For trace_field.c: libtraceevent's own; event NULL: no format tells.  room is
 * a copy of raw data with zeros behind it as far as any field of the event can
 * point, good until the next call; NULL: the event's fields point further. */
struct tep_handle;
struct tep_event;
struct tep_handle *rpt_tracepoint_tep(const struct rpt_tracepoints *tps);
const struct tep_event *rpt_tracepoint_event(const struct rpt_tracepoints *tps,
					     uint64_t config);
const uint8_t *rpt_tracepoint_room(struct rpt_tracepoints *tps,
				   struct tep_event *event, const uint8_t *raw,
				   size_t raw_len);

/* Appends one field of such a room, numbers as perf 6.1 prints them. */
struct tep_format_field;
struct trace_seq;
void rpt_tracepoint_put_field(const struct rpt_tracepoints *tps,
			      const struct tep_format_field *field,
			      const uint8_t *room, struct trace_seq *out);

struct rpt_tracepoint_record {
	const uint8_t *raw;
	uint32_t raw_len;
	uint32_t cpu;
	uint64_t config; /* attr.config: the format's number */
	/* Who names the functions that a format shows ("%pS"), NULL: nobody,
	 * and their addresses are shown. */
	const struct rpt_kernel_symbols *kernel;
};

/* From here on records are shown field by field, as numbers, whatever their
 * formats make of these (--raw-trace). */
void rpt_tracepoints_show_raw(struct rpt_tracepoints *tps);
bool rpt_tracepoints_are_raw(const struct rpt_tracepoints *tps);

/* Appends the fields; nothing where no format is known. */
void rpt_tracepoint_print(struct rpt_tracepoints *tps,
			  const struct rpt_tracepoint_record *rec,
			  struct rpt_text *out);

#endif
