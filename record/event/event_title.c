#include "record/event/event_title.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "cpu-clock:u" to "cpu-clock/cgroup=web/u": what follows the last colon, if
 * these are modifiers, stays behind all terms. */
static int set_title(struct rec_event *event)
{
	const char *colon = strrchr(event->name, ':');
	const char *rest = colon ? colon + 1 : "";
	int name_len;

	/* the first colon of a tracepoint is not of modifiers */
	if (!*rest || rest[strspn(rest, "ukhpPGHSDIWeb")] ||
	    (event->attr.sys.type == PERF_TYPE_TRACEPOINT &&
	     colon == strchr(event->name, ':')))
		rest = "";
	name_len = (int)(strlen(event->name) - strlen(rest)) - !!*rest;
	free(event->title);
	event->title = NULL;
	if (event->cgroup &&
	    asprintf(&event->title, "%.*s/cgroup=%s/%s", name_len, event->name,
		     event->cgroup, rest) < 0) {
		event->title = NULL;
		return -ENOMEM;
	}
	return 0;
}

int rec_event_set_titles(struct rec_event_list *list)
{
	int rc = 0;

	for (size_t i = 0; i < list->nr && !rc; i++)
		rc = set_title(&list->events[i]);
	return rc;
}
