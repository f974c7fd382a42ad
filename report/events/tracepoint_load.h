/* tracepoint_load.h: the tracepoint formats of a recording, and the names of
 * its events out of them. */
#ifndef RPT_TRACEPOINT_LOAD_H
#define RPT_TRACEPOINT_LOAD_H

#include "format/reader.h"
#include "report/events/tracepoint.h"

/* Read the formats to *ret, NULL if the file has none, and name the events that
 * have no name after them.  Formats that cannot be read are added to damage. */
void rpt_tracepoints_load(struct rpt_tracepoints **ret,
			  struct pd_reader *reader, struct pd_damage *damage);

#endif
