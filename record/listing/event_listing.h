/* event_listing.h: lists the events that -e takes, as perf list names them.
 *
 * Hardware and cache events are tried, since a machine has some of them;
 * software events, those of PMUs and tracepoints are all that the kernel has.
 */
#ifndef REC_EVENT_LISTING_H
#define REC_EVENT_LISTING_H

#include "record/event/event_spec.h"

#include <stdio.h>

/* Print a line for each event whose name fits pattern: a glob, or a part of the
 * name; "hw", "sw", "cache", "pmu" or "tracepoint" for all of that kind; NULL
 * for all.  Return 0, or -ENOENT if no event fits; note is set if the
 * tracepoints cannot be read. */
int rec_event_listing_print(const struct rec_event_env *env,
			    const char *pattern, FILE *out,
			    struct pd_err *note);

#endif
