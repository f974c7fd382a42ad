#include "report/event_title.h"

#include <stdio.h>
#include <stdlib.h>

static const char *name_of(const struct pd_event *event)
{
	return event->name ? event->name : "unknown";
}

char *rpt_event_title(const struct pd_event_set *events, size_t lead,
		      size_t member_nr)
{
	const struct pd_event *event = &events->events[lead];
	char *title = NULL;
	size_t len;
	FILE *out = open_memstream(&title, &len);

	if (!out)
		return NULL;
	if (member_nr <= 1) {
		fputs(name_of(event), out);
	} else {
		fprintf(out, "%s { ",
			event->group_name ? event->group_name : "anon group");
		for (size_t i = 0; i < member_nr; i++)
			fprintf(out, "%s%s", i ? ", " : "", name_of(event + i));
		fputs(" }", out);
	}
	if (fclose(out)) {
		free(title);
		return NULL;
	}
	return title;
}
