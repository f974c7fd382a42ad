/* event_name.h: names an event of a recording: by the file's name for it, or,
 * if it has none, by its attr as perf does: "cycles:u", "L1-dcache-loads", "raw
 * 0x1c2", "mem:0x1000:rw".
 */
#ifndef RPT_EVENT_NAME_H
#define RPT_EVENT_NAME_H

#include "format/records/event_set.h"

#define RPT_EVENT_NAME_LEN 128

/* Return the name.  It may be in buf, of RPT_EVENT_NAME_LEN bytes. */
const char *rpt_event_name(const struct pd_event *event, char *buf);

/* Return "cycles:u"; of several events "anon group { a, b }" if they are a
 * whole group, else "a, b".  The caller frees it. */
char *rpt_events_title(const struct pd_event_set *events, size_t lead,
		       size_t member_nr);

#endif
