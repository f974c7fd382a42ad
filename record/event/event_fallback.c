/* event_fallback.c: what to try when the kernel refuses an event. */
#include "record/event/event_spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRECISE_MAX = 3 };

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
