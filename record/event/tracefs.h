/* tracefs.h: the kernel's tracepoints: where they are, and their ids.
 *
 *	ROOT/events/SYS/NAME/id
 *
 * Source: Documentation/trace/events.rst, perf_event_open(2).
 */
#ifndef REC_TRACEFS_H
#define REC_TRACEFS_H

#include "format/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tracefs root of this machine, "/sys/kernel/tracing" or below debugfs;
 * mounts tracefs there if nothing is mounted and we are allowed to.  *ret is
 * owned by the caller (free()).  -ENOENT: none, and it could not be mounted;
 * -EACCES: there, but not readable for us; the hint says what helps. */
int rec_tracefs_find(char **ret, struct pd_err *err);

/* The id of one tracepoint.  -ENOENT: no such, -EACCES. */
int rec_tracefs_id(const char *root, const char *sys, const char *name,
		   uint64_t *ret_id, struct pd_err *err);

/* Called per tracepoint; another value than 0 ends the walk and is returned. */
typedef int rec_tracefs_visit(void *ctx, const char *sys, const char *name);

/* Walk over the tracepoints whose system and name match the globs (* ? []).
 * Order is that of the directory, as perf's. */
int rec_tracefs_walk(const char *root, const char *sys_glob,
		     const char *name_glob, rec_tracefs_visit *visit, void *ctx,
		     struct pd_err *err);

#endif
