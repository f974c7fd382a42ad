/* event_name.h: what to call an event of a recording.
 *
 * The file's own name where it has one, else one made up from the attr as perf
 * does: "cycles:u", "L1-dcache-loads", "raw 0x1c2", "mem:0x1000:rw".
 */
#ifndef RPT_EVENT_NAME_H
#define RPT_EVENT_NAME_H

#include "format/event_set.h"

#define RPT_EVENT_NAME_LEN 128

/* The name; buf (RPT_EVENT_NAME_LEN bytes) is used where it is made up. */
const char *rpt_event_name(const struct pd_event *event, char *buf);

#endif
