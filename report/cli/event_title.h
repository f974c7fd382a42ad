/* event_title.h: what a table calls its event, or its group of events. */
#ifndef RPT_EVENT_TITLE_H
#define RPT_EVENT_TITLE_H

#include "format/event_set.h"

/* "cycles:u", or "anon group { a, b }" where member_nr is that of a group, or
 * "a, b" where it is not; to be freed.  NULL: out of memory. */
char *rpt_event_title(const struct pd_event_set *events, size_t lead,
		      size_t member_nr);

#endif
