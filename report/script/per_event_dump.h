/* per_event_dump.h: script --per-event-dump: a file for each event's lines.
 */
#ifndef RPT_PER_EVENT_DUMP_H
#define RPT_PER_EVENT_DUMP_H

#include "format/err.h"

#include <stdio.h>

struct rpt_per_event_dump;

/* Opens PREFIX.NAME.dump for each name; these must outlive the dumps.  0 or why
 * one could not be opened. */
int rpt_per_event_dump_new(struct rpt_per_event_dump **ret, const char *prefix,
			   char *const *names, size_t nr, struct pd_err *err);
void rpt_per_event_dump_free(struct rpt_per_event_dump *dumps);

/* The file of event idx, for one sample more. */
FILE *rpt_per_event_dump_choose(struct rpt_per_event_dump *dumps, size_t idx);

/* Closes all and says on report, as perf does, what each got.  0 or -errno. */
int rpt_per_event_dump_close(struct rpt_per_event_dump *dumps, FILE *report);

#endif
