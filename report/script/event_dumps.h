/* event_dumps.h: script --per-event-dump: a file for each event's lines.
 */
#ifndef RPT_EVENT_DUMPS_H
#define RPT_EVENT_DUMPS_H

#include "format/err.h"

#include <stdio.h>

struct rpt_event_dumps;

/* Opens PREFIX.NAME.dump for each name; these must outlive the dumps.  0 or why
 * one could not be opened. */
int rpt_event_dumps_new(struct rpt_event_dumps **ret, const char *prefix,
			char *const *names, size_t nr, struct pd_err *err);
void rpt_event_dumps_free(struct rpt_event_dumps *dumps);

/* The file of event idx, for one sample more. */
FILE *rpt_event_dumps_choose(struct rpt_event_dumps *dumps, size_t idx);

/* Closes all and says on report, as perf does, what each got.  0 or -errno. */
int rpt_event_dumps_close(struct rpt_event_dumps *dumps, FILE *report);

#endif
