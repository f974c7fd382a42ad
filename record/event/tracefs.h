/* tracefs.h: find the kernel's tracepoints and their ids.
 *
 *	ROOT/events/SYS/NAME/id
 *
 * Source: Documentation/trace/events.rst, perf_event_open(2).
 */
#ifndef REC_TRACEFS_H
#define REC_TRACEFS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Find the tracefs root of this machine, "/sys/kernel/tracing" or below
 * debugfs; mounts tracefs if nothing is mounted and we are allowed to.  *ret is
 * owned by the caller (free()).  Return -ENOENT if there is none and it could
 * not be mounted, -EACCES if we may not read it; the hint says what helps. */
int rec_tracefs_find(char **ret, struct pd_err *err);

/* Read the id of one tracepoint.  Return -ENOENT if there is none, or -EACCES.
 */
int rec_tracefs_id(const char *root, const char *sys, const char *name,
		   uint64_t *ret_id, struct pd_err *err);

/* Called per tracepoint; a return value other than 0 ends the walk and is
 * returned by it. */
typedef int rec_tracefs_visit(void *ctx, const char *sys, const char *name);

/* Visit the tracepoints whose system and name match the globs (* ? []), in the
 * order of the directory, as perf does. */
int rec_tracefs_walk(const char *root, const char *sys_glob,
		     const char *name_glob, rec_tracefs_visit *visit, void *ctx,
		     struct pd_err *err);

#endif
