#include "report/events/tracepoint_load.h"

#include <string.h>

static bool is_nameless(const struct pd_event *event)
{
	return !event->name && event->attr.type == PD_TYPE_TRACEPOINT;
}

/* Name the events that have no name after their formats. */
static void name_events(const struct rpt_tracepoints *tps,
			struct pd_reader *reader)
{
	const struct pd_event_set *set = pd_reader_events(reader);
	char name[256];

	for (size_t i = 0; i < set->nr; i++) {
		struct pd_str text = { name, 0 };

		if (!is_nameless(&set->events[i]) ||
		    !rpt_tracepoint_name(tps, set->events[i].attr.config, name,
					 sizeof(name)))
			continue;
		text.len = strlen(name);
		pd_reader_name_event(reader, i, text);
	}
}

void rpt_tracepoints_load(struct rpt_tracepoints **ret,
			  struct pd_reader *reader, struct pd_damage *damage)
{
	struct pd_damage found = { .skipped_nr = 1 };
	struct pd_cursor c;

	*ret = NULL;
	if (!pd_reader_feature(reader, PD_FEATURE_TRACING_DATA, &c))
		return;
	if (rpt_tracepoints_new(ret, &c, &found.first))
		pd_damage_merge(damage, &found);
	name_events(*ret, reader);
}
