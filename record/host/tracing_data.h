/* tracing_data.h: the formats of tracepoints, for the file.
 *
 * Feature TRACING_DATA (FORMAT.md "Feature sections") is a blob in the format
 * of trace-cmd's trace.dat, version 0.6: header page and event, the formats of
 * the used events by system, printk formats, saved command lines. kallsyms is
 * empty, as in perf's files.
 *
 * Source: trace-cmd.dat.v6(5); the bytes that perf 6.1 wrote.
 */
#ifndef REC_TRACING_DATA_H
#define REC_TRACING_DATA_H

#include "format/base/buf.h"
#include "format/base/err.h"

struct rec_tracepoint {
	const char *system; /* "sched" */
	const char *name;   /* "sched_switch" */
};

/* Append the blob for these tracepoints (in any order, duplicates allowed) to
 * b. tracefs_root: "/sys/kernel/tracing" or wherever it is mounted.  On -ENOENT
 * and other errors err names the file that could not be read. */
int rec_tracing_data_write(struct pd_buf *b, const char *tracefs_root,
			   const struct rec_tracepoint *points, size_t nr,
			   struct pd_err *err);

#endif
