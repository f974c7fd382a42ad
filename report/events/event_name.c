#include "report/events/event_name.h"

#include "format/file/layout.h"
#include "format/support/safe_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

/* perf has no names for later ones, such as bpf-output. */
static const char *const software[] = {
	"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",
};

static const char *const caches[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

/* For "L1-dcache-loads" and "L1-dcache-load-misses". */
static const char *const ops[][2] = {
	{ "loads", "load" },
	{ "stores", "store" },
	{ "prefetches", "prefetch" },
};

static void name_cache(uint64_t config, char *buf)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff;
	uint64_t result = config >> 16 & 0xff;

	if (cache >= NR(caches))
		snprintf(buf, RPT_EVENT_NAME_LEN,
			 "unknown-ext-hardware-cache-type");
	else if (op >= NR(ops))
		snprintf(buf, RPT_EVENT_NAME_LEN,
			 "unknown-ext-hardware-cache-op");
	else if (result > 1)
		snprintf(buf, RPT_EVENT_NAME_LEN,
			 "unknown-ext-hardware-cache-result");
	else
		snprintf(buf, RPT_EVENT_NAME_LEN,
			 result ? "%s-%s-misses" : "%s-%s", caches[cache],
			 ops[op][result]);
}

static void name_breakpoint(const struct pd_attr *attr, char *buf)
{
	snprintf(buf, RPT_EVENT_NAME_LEN, "mem:0x%" PRIx64 ":%s%s%s",
		 attr->config1, attr->bp_type & 1 ? "r" : "",
		 attr->bp_type & 2 ? "w" : "", attr->bp_type & 4 ? "x" : "");
}

/* On machines with several kinds of CPUs, the upper half of config is the type
 * of the PMU; perf 6.1 calls each of them cpu. */
static void name_hardware(uint64_t config, char *buf)
{
	uint32_t event = (uint32_t)config;

	snprintf(buf, RPT_EVENT_NAME_LEN, config >> 32 ? "cpu/%s/" : "%s",
		 event < NR(hardware) ? hardware[event] : "unknown-hardware");
}

/* Write the name without modifiers.  Return false if it has none. */
static bool base_name(const struct pd_attr *attr, char *buf)
{
	switch (attr->type) {
	case PD_TYPE_HARDWARE:
		name_hardware(attr->config, buf);
		return true;
	case PD_TYPE_SOFTWARE:
		snprintf(buf, RPT_EVENT_NAME_LEN, "%s",
			 attr->config < NR(software) ? software[attr->config]
						     : "unknown-software");
		return true;
	case PD_TYPE_HW_CACHE:
		name_cache(attr->config, buf);
		return true;
	case PD_TYPE_RAW:
		snprintf(buf, RPT_EVENT_NAME_LEN, "raw 0x%" PRIx64,
			 attr->config);
		return true;
	case PD_TYPE_BREAKPOINT:
		name_breakpoint(attr, buf);
		return true;
	case PD_TYPE_TRACEPOINT:
		snprintf(buf, RPT_EVENT_NAME_LEN, "unknown tracepoint");
		return false;
	default:
		snprintf(buf, RPT_EVENT_NAME_LEN, "unknown attr type: %" PRIu32,
			 attr->type);
		return false;
	}
}

/* Append the modifiers.  k, u and h are the modes that are not excluded, p is
 * the precision.  perf 6.1 adds H or G if guests are excluded other than the
 * rest implies; perf 7.2 adds H if guests are excluded, G if the host is. */
static void add_modifiers(uint64_t flags, enum pd_perf perf, char *buf)
{
	char mods[12], *m = mods;
	bool guest_default = false;

	*m++ = ':';
	if (flags & (PD_ATTR_EXCLUDE_KERNEL | PD_ATTR_EXCLUDE_USER |
		     PD_ATTR_EXCLUDE_HV)) {
		if (!(flags & PD_ATTR_EXCLUDE_KERNEL))
			*m++ = 'k';
		if (!(flags & PD_ATTR_EXCLUDE_USER))
			*m++ = 'u';
		if (!(flags & PD_ATTR_EXCLUDE_HV))
			*m++ = 'h';
		guest_default = true;
	}
	for (uint64_t p = flags & PD_ATTR_PRECISE_IP_MASK; p;
	     p -= PD_BIT(PD_ATTR_PRECISE_IP_SHIFT)) {
		*m++ = 'p';
		guest_default = true;
	}
	if (perf == PD_PERF_7_2) {
		if (flags & PD_ATTR_EXCLUDE_GUEST)
			*m++ = 'H';
		if (flags & PD_ATTR_EXCLUDE_HOST)
			*m++ = 'G';
	} else if ((flags & PD_ATTR_EXCLUDE_HOST) ||
		   !(flags & PD_ATTR_EXCLUDE_GUEST) == !guest_default) {
		if (!(flags & PD_ATTR_EXCLUDE_HOST))
			*m++ = 'H';
		if (!(flags & PD_ATTR_EXCLUDE_GUEST))
			*m++ = 'G';
	}
	*m = '\0';
	if (m > mods + 1)
		strncat(buf, mods, RPT_EVENT_NAME_LEN - strlen(buf) - 1);
}

/* Return the name, or what fits into buf of it as it is safe to print. */
static const char *safe_name(const char *name, char *buf)
{
	struct pd_str left = { name, strlen(name) };
	char escape[SUP_SAFE_LEN];
	size_t len = 0;

	if (sup_is_safe(left, SUP_SAFE_NAME))
		return name;
	while (left.len && len < RPT_EVENT_NAME_LEN - 1) {
		struct pd_str part =
			sup_safe_next(&left, SUP_SAFE_NAME, escape);

		if (part.len > RPT_EVENT_NAME_LEN - 1 - len)
			part.len = RPT_EVENT_NAME_LEN - 1 - len;
		memcpy(buf + len, part.ptr, part.len);
		len += part.len;
	}
	buf[len] = '\0';
	return buf;
}

const char *rpt_event_name(const struct pd_event *event, char *buf)
{
	if (event->name)
		return safe_name(event->name, buf);
	if (base_name(&event->attr, buf))
		add_modifiers(event->attr.flags, event->needed_perf, buf);
	return buf;
}

/* perf's recorder gives every group without a name this one. */
#define NO_NAME "{anon_group}"

static const char *group_name_of(const struct pd_event *event)
{
	if (!event->group_name || !strcmp(event->group_name, NO_NAME))
		return "anon group";
	return event->group_name;
}

char *rpt_events_title(const struct pd_event_set *events, size_t lead,
		       size_t member_nr)
{
	const struct pd_event *event = &events->events[lead];
	char *title = NULL;
	bool is_group = member_nr > 1 && event->member_nr == member_nr;
	char name[RPT_EVENT_NAME_LEN];
	size_t len;
	FILE *out = open_memstream(&title, &len);

	if (is_group) {
		sup_put_safe_text(out, group_name_of(event));
		fputs(" { ", out);
	}
	for (size_t i = 0; i < member_nr; i++)
		fprintf(out, "%s%s", i ? ", " : "",
			rpt_event_name(event + i, name));
	if (is_group)
		fputs(" }", out);
	fclose(out);
	return title;
}
