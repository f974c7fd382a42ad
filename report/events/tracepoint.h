/* tracepoint.h: prints tracepoint records by the formats in the file.
 *
 * The recorder stores the kernel's format files (TRACING_DATA); libtraceevent
 * reads them and prints a record's raw bytes by them.  FORMAT.md "Feature
 * sections", TRACING_DATA.
 */
#ifndef RPT_TRACEPOINT_H
#define RPT_TRACEPOINT_H

#include "format/reader/reader.h"
#include "report/base/text_out.h"
#include "report/timeline/map_range.h"

#include <stdbool.h>
#include <stddef.h>

struct rpt_tracepoints;

/* Read the formats of payload, the TRACING_DATA section.  Return 0, -EBADMSG or
 * -ENODATA; *ret has the formats that could be read on failure, too. */
int rpt_tracepoints_new(struct rpt_tracepoints **ret, struct pd_cursor *payload,
			struct pd_err *err);
/* Read the formats of a recording to *ret, NULL if it has none, and name the
 * events that have no name after them.  Formats that cannot be read are added
 * to damage. */
void rpt_tracepoints_load(struct rpt_tracepoints **ret,
			  struct pd_reader *reader, struct pd_damage *damage);
/* Safe on NULL. */
void rpt_tracepoints_free(struct rpt_tracepoints *tps);

/* Write the name of a tracepoint, "sched:sched_switch", to buf.  config is
 * attr.config.  Return false if there is no format for it. */
bool rpt_tracepoint_name(const struct rpt_tracepoints *tps, uint64_t config,
			 char *buf, size_t len);

/* Return the name of its field idx, not counting the fields that all
 * tracepoints have; NULL if it has no more, or no format. */
const char *rpt_tracepoint_field(const struct rpt_tracepoints *tps,
				 uint64_t config, size_t idx);

/* Return libtraceevent's handle; this and what follows is for trace_field.c. */
struct tep_handle;
struct tep_event;
struct tep_handle *rpt_tracepoint_tep(const struct rpt_tracepoints *tps);
/* Return libtraceevent's event, or NULL if there is no format for it. */
const struct tep_event *rpt_tracepoint_event(const struct rpt_tracepoints *tps,
					     uint64_t config);
/* Copy raw data, and put zeros behind it as far as any field of the event can
 * point.  Return the copy, valid until the next call; NULL if fields point
 * further. */
const uint8_t *rpt_tracepoint_room(struct rpt_tracepoints *tps,
				   struct tep_event *event, const uint8_t *raw,
				   size_t raw_len);

/* Append one field of such a copy to out; print numbers as perf 6.1 does. */
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
	/* Names functions that a format shows ("%pS"); NULL: show addresses. */
	const struct rpt_kernel_symbols *kernel;
};

/* Print all further records field by field, as numbers (--raw-trace). */
void rpt_tracepoints_show_raw(struct rpt_tracepoints *tps);
bool rpt_tracepoints_are_raw(const struct rpt_tracepoints *tps);

/* Append the text of a record; nothing if there is no format for it. */
void rpt_tracepoint_print(struct rpt_tracepoints *tps,
			  const struct rpt_tracepoint_record *rec,
			  struct rpt_text *out);

/* Checks a tracepoint's format and a record before libtraceevent 1.7 reads
 * them, since it trusts both.
 *
 * The library ends the program if __print_flags() or __print_symbolic() names a
 * field that the format does not have, or if a format ends inside of a field;
 * it reads as many elements as an argument of __print_hex(), __print_array() or
 * [] says; and it divides by 0. */

struct tep_event;

/* Return how many of the len bytes of text (with a NUL behind them)
 * libtraceevent may read: all; or those up to the arguments of "print fmt:", so
 * that it prints the fields one by one; or none. */
size_t rpt_tracepoint_validate(const char *text, size_t len);

#endif
