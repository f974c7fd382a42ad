/* event_title.h: the title of a table: its event, or group of events. */
#ifndef RPT_EVENT_TITLE_H
#define RPT_EVENT_TITLE_H

#include "format/event_set.h"

/* Return "cycles:u"; of several events "anon group { a, b }" if they are a
 * whole group, else "a, b".  The caller frees it. */
char *rpt_event_title(const struct pd_event_set *events, size_t lead,
		      size_t member_nr);

#endif
