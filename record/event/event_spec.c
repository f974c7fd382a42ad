/* event_spec.c: the list of events, except its syntax. */
#include "record/event/event_spec.h"

#include "record/event/event_names.h"
#include "record/event/event_pmu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRECISE_MAX = 3 };

void rec_event_list_init(struct rec_event_list *list)
{
	memset(list, 0, sizeof(*list));
}

static void event_release(struct rec_event *event)
{
	free(event->name);
	free(event->pmu_name);
	free(event->unit);
	free(event->cpus);
	free(event->filter);
	free(event->cgroup);
	free(event->title);
	free(event->group_name);
}

void rec_event_list_truncate(struct rec_event_list *list, size_t nr)
{
	while (list->nr > nr)
		event_release(&list->events[--list->nr]);
}

void rec_event_list_release(struct rec_event_list *list)
{
	if (!list)
		return;
	rec_event_list_truncate(list, 0);
	free(list->events);
	rec_event_list_init(list);
}

static int list_grow(struct rec_event_list *list)
{
	size_t cap = list->cap ? 2 * list->cap : 8;
	struct rec_event *events;

	if (list->nr < list->cap)
		return 0;
	events = realloc(list->events, cap * sizeof(*events));
	if (!events)
		return -ENOMEM;
	list->events = events;
	list->cap = cap;
	return 0;
}

struct rec_event *rec_event_append(struct rec_event_list *list,
				   const char *name)
{
	struct rec_event *event;

	if (list_grow(list))
		return NULL;
	event = &list->events[list->nr];
	memset(event, 0, sizeof(*event));
	rec_attr_init(&event->attr);
	event->name = strdup(name);
	event->group_name = strdup("");
	if (!event->name || !event->group_name) {
		event_release(event);
		return NULL;
	}
	event->attr.sys.exclude_guest = 1;
	event->scale = 1;
	event->leader_idx = list->nr++;
	event->member_nr = 1;
	return event;
}

/* Return "old && new", with each in brackets if there are two. */
static char *filter_join(const char *old, const char *more)
{
	char *joined;

	if (!old)
		return strdup(more);
	if (asprintf(&joined, "(%s) && (%s)", old, more) < 0)
		return NULL;
	return joined;
}

int rec_event_filter(struct rec_event_list *list, const char *filter,
		     struct pd_err *err)
{
	if (list->last_first >= list->nr) {
		pd_err_set(err, -EINVAL, "--filter without an event before it");
		pd_err_hint(err, "give -e SYS:NAME first, then --filter");
		return -EINVAL;
	}
	for (size_t i = list->last_first; i < list->nr; i++) {
		if (list->events[i].attr.sys.type == PERF_TYPE_TRACEPOINT)
			continue;
		pd_err_set(err, -EINVAL,
			   "a filter needs tracepoints, %s is none",
			   list->events[i].name);
		pd_err_hint(err, "put --filter behind the -e SYS:NAME that it "
				 "is for");
		return -EINVAL;
	}
	for (size_t i = list->last_first; i < list->nr; i++) {
		struct rec_event *event = &list->events[i];
		char *joined = filter_join(event->filter, filter);

		if (!joined)
			return pd_err_set(err, -ENOMEM, "out of memory");
		free(event->filter);
		event->filter = joined;
	}
	return 0;
}

int rec_event_exclude_pid(struct rec_event_list *list, uint64_t pid,
			  struct pd_err *err)
{
	char filter[64];

	snprintf(filter, sizeof(filter), "common_pid != %llu",
		 (unsigned long long)pid);
	return rec_event_filter(list, filter, err);
}

int rec_event_default(struct rec_event_list *list,
		      const struct rec_event_env *env, struct pd_err *err)
{
	static const struct rec_plain_event cycles = {
		"cycles", 6, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES
	};
	size_t first = list->nr;
	int nr = rec_plain_append(list, &cycles, ":P", env, err);

	if (nr < 0)
		return nr;
	for (size_t i = first; i < list->nr; i++) {
		struct rec_event *event = &list->events[i];

		event->attr.sys.precise_ip = PRECISE_MAX;
		event->attr.sys.exclude_guest = !env->cpu_is_amd;
		event->precise_max = true;
		event->is_default = true;
	}
	list->last_first = first;
	return 0;
}

/* Return "u", "ppp", "HG": the difference between the attr and a plain one.
 * With a level or precise_ip a guest counts as included by default, otherwise
 * as excluded. */
static void modifiers_of(const struct perf_event_attr *sys, char *buf,
			 size_t buf_len)
{
	bool has_level =
		sys->exclude_user || sys->exclude_kernel || sys->exclude_hv;
	bool default_exclude_guest = !has_level && !sys->precise_ip;
	bool show_guest = sys->exclude_host ||
			  sys->exclude_guest != default_exclude_guest;

	snprintf(buf, buf_len, "%s%s%s%.*s%s%s",
		 has_level && !sys->exclude_user ? "u" : "",
		 has_level && !sys->exclude_kernel ? "k" : "",
		 has_level && !sys->exclude_hv ? "h" : "", sys->precise_ip,
		 "ppp", show_guest && !sys->exclude_host ? "H" : "",
		 show_guest && !sys->exclude_guest ? "G" : "");
}

int rec_event_rename(struct rec_event *event)
{
	const struct perf_event_attr *sys = &event->attr.sys;
	const char *base = rec_event_name_of(sys->type, sys->config);
	char modifiers[16];
	char *name;

	if (!base)
		return -EINVAL;
	modifiers_of(sys, modifiers, sizeof(modifiers));
	if (asprintf(&name, "%s%s%s", base, modifiers[0] ? ":" : "",
		     modifiers) < 0)
		return -ENOMEM;
	free(event->name);
	event->name = name;
	return 0;
}

bool rec_event_is_dummy(const struct rec_event *event)
{
	return event->attr.sys.type == PERF_TYPE_SOFTWARE &&
	       event->attr.sys.config == PERF_COUNT_SW_DUMMY;
}
