/* event_title.h: what a file calls an event: its name and, if it counts one
 * control group alone, that: "cpu-clock/cgroup=web/u".
 */
#ifndef REC_EVENT_TITLE_H
#define REC_EVENT_TITLE_H

#include "record/event/event_spec.h"

/* Make the titles once names are final.  Return 0 or -ENOMEM. */
int rec_event_set_titles(struct rec_event_list *list);

/* Return the title; the name if none was made. */
static inline const char *rec_event_title(const struct rec_event *event)
{
	return event->title ? event->title : event->name;
}

#endif
