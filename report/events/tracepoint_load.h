/* tracepoint_load.h: the tracepoint formats of a recording, and the names of
 * its events out of them. */
#ifndef RPT_TRACEPOINT_LOAD_H
#define RPT_TRACEPOINT_LOAD_H

#include "format/reader.h"
#include "report/events/tracepoint.h"

/* Reads the formats, if the file has any, to *ret (else NULL) and names the
 * events that have no name after them.  Formats that cannot be read cost what
 * they are for, not more: they count in damage.  0 or -ENOMEM. */
int rpt_tracepoints_load(struct rpt_tracepoints **ret, struct pd_reader *reader,
			 struct pd_damage *damage);

#endif
