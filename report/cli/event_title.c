#include "report/cli/event_title.h"

#include "report/events/event_name.h"

#include <stdio.h>
#include <string.h>

/* perf's recorder gives every group without a name this one. */
#define NO_NAME "{anon_group}"

static const char *group_name_of(const struct pd_event *event)
{
	if (!event->group_name || !strcmp(event->group_name, NO_NAME))
		return "anon group";
	return event->group_name;
}

char *rpt_event_title(const struct pd_event_set *events, size_t lead,
		      size_t member_nr)
{
	const struct pd_event *event = &events->events[lead];
	char *title = NULL;
	bool is_group = member_nr > 1 && event->member_nr == member_nr;
	char name[RPT_EVENT_NAME_LEN];
	size_t len;
	FILE *out = open_memstream(&title, &len);

	if (is_group)
		fprintf(out, "%s { ", group_name_of(event));
	for (size_t i = 0; i < member_nr; i++)
		fprintf(out, "%s%s", i ? ", " : "",
			rpt_event_name(event + i, name));
	if (is_group)
		fputs(" }", out);
	fclose(out);
	return title;
}
