/* The list of events, except its syntax. */
#include "record/event/event_spec.h"

#include "record/event/event_names.h"
#include "record/event/event_pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
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
	static const struct rec_plain_event cycles = { "cycles", 6,
						       PERF_TYPE_HARDWARE,
						       PERF_COUNT_HW_CPU_CYCLES,
						       REC_TOOL_NONE };
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

/* Fallbacks for an event that the kernel refuses. */

static bool is_cycles(const struct rec_event *event)
{
	const struct perf_event_attr *sys = &event->attr.sys;

	return sys->type == PERF_TYPE_HARDWARE &&
	       (uint32_t)sys->config == PERF_COUNT_HW_CPU_CYCLES;
}

static void set_note(struct pd_err *note, const char *text, const char *hint)
{
	if (!note)
		return;
	snprintf(note->text, sizeof(note->text), "%s", text);
	snprintf(note->hint, sizeof(note->hint), "%s", hint);
}

/* Use the software clock instead of cycles, with the same modifiers. */
static bool fall_to_clock(struct rec_event *event, struct pd_err *note)
{
	struct perf_event_attr *sys = &event->attr.sys;
	uint64_t config = sys->config;

	sys->type = PERF_TYPE_SOFTWARE;
	sys->config = PERF_COUNT_SW_CPU_CLOCK;
	if (event->precise_max)
		sys->precise_ip = PRECISE_MAX;
	if (rec_event_rename(event)) {
		sys->type = PERF_TYPE_HARDWARE;
		sys->config = config;
		return false;
	}
	set_note(note,
		 "no cycles counter here: recording cpu-clock instead of it",
		 "a timer samples where the CPUs spend their time; stalls and "
		 "code with interrupts off are not seen");
	return true;
}

/* Add a letter to the name's end, "cycles" -> "cycles:u". */
static char *name_with_u(const char *name)
{
	const char *sep = strrchr(name, '/') || strrchr(name, ':') ? "" : ":";
	char *more;

	if (asprintf(&more, "%s%su", name, sep) < 0)
		return NULL;
	return more;
}

/* Exclude the kernel: perf_event_paranoid is 2. */
static bool fall_to_user(struct rec_event *event, struct pd_err *note)
{
	struct perf_event_attr *sys = &event->attr.sys;
	char *name;

	if (sys->exclude_user ||
	    (sys->exclude_kernel && (sys->exclude_hv || event->is_tracking)) ||
	    sys->type == PERF_TYPE_TRACEPOINT)
		return false;
	name = name_with_u(event->name);
	if (!name)
		return false;
	free(event->name);
	event->name = name;
	sys->exclude_kernel = 1;
	sys->exclude_hv = 1;
	set_note(
		note,
		"kernel.perf_event_paranoid allows user space only: the kernel "
		"is left out",
		"run as root, or with CAP_PERFMON, or let root run: sysctl "
		"kernel.perf_event_paranoid=1");
	return true;
}

bool rec_event_fallback(struct rec_event *event, int rc, struct pd_err *note)
{
	struct perf_event_attr *sys = &event->attr.sys;

	if (rc == -EACCES)
		return fall_to_user(event, note);
	if (event->precise_max && sys->precise_ip > 0) {
		sys->precise_ip = (sys->precise_ip - 1) & PRECISE_MAX;
		return true;
	}
	if ((rc == -ENOENT || rc == -ENXIO || rc == -ENODEV) &&
	    is_cycles(event))
		return fall_to_clock(event, note);
	return false;
}

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
