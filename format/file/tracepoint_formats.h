/* tracepoint_formats.h: reads and writes the payload of TRACING_DATA, part by
 * part: the layouts of the raw data of tracepoints.  FORMAT.md "Tracing data".
 *
 *	pd_trace_head_read(&c, &head);		version, machine
 *	pd_trace_formats_init(&it, &c);
 *	while ((rc = pd_trace_formats_next(&it, &format)) > 0)
 *		...				those of ftrace come first
 *	pd_trace_tail_read(&c, &head, &tail);	texts that formats point to
 *
 * All strings point into the payload.  The cursor keeps the first failure; what
 * was read before it is valid.
 */
#ifndef PD_TRACEPOINT_FORMATS_H
#define PD_TRACEPOINT_FORMATS_H

#include "format/base/buf.h"
#include "format/base/cursor.h"

struct pd_trace_head {
	struct pd_str version; /* "0.6" */
	bool is_big;
	uint8_t long_len; /* bytes of a long */
	uint32_t page_len;
	struct pd_str page;  /* the fields of a page of the ring buffer */
	struct pd_str event; /* the description of an entry of it */
};

struct pd_trace_format {
	struct pd_str system; /* "sched"; "ftrace" for the first list */
	struct pd_str text;   /* that of tracefs */
};

struct pd_trace_formats {
	struct pd_cursor *c;
	struct pd_str system;
	uint32_t format_nr; /* how many of this system are left */
	uint32_t system_nr; /* how many follow; UINT32_MAX: not read yet */
};

struct pd_trace_tail {
	struct pd_str printk; /* "0xADDRESS : "text"" lines */
	struct pd_str comms;  /* saved command lines; from version 0.6 on */
};

/* Read the head and set the cursor to the byte order that it says.  Return 0,
 * -EBADMSG or -ENODATA. */
int pd_trace_head_read(struct pd_cursor *c, struct pd_trace_head *ret);
void pd_trace_head_write(struct pd_buf *b, const struct pd_trace_head *head);

void pd_trace_formats_init(struct pd_trace_formats *it, struct pd_cursor *c);
/* Return 1 and the next format, 0 behind the last one, or -ENODATA. */
int pd_trace_formats_next(struct pd_trace_formats *it,
			  struct pd_trace_format *ret);

int pd_trace_tail_read(struct pd_cursor *c, const struct pd_trace_head *head,
		       struct pd_trace_tail *ret);
void pd_trace_tail_write(struct pd_buf *b, const struct pd_trace_tail *tail);

/* Append a u64 length and the text: so formats are written. */
void pd_trace_text_write(struct pd_buf *b, struct pd_str text);

#endif
