#include "report/events/event_match.h"

#include "format/file/layout.h"
#include "report/events/event_name.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE	  UINT32_MAX
#define TEXT_LEN  4096
#define NO_TEXT	  0 /* number of "" */
#define MODIFIERS "ukhpPGHSDIWebR"

/* Bits of rpt_event_ident.excluded. */
enum {
	EXCLUDED_USER = 1,
	EXCLUDED_KERNEL = 2,
	EXCLUDED_HOST = 4,
	EXCLUDED_GUEST = 8,
	EXCLUDED_HV = 16,
	EXCLUDED_MODES = EXCLUDED_USER | EXCLUDED_KERNEL | EXCLUDED_HOST,
	EXCLUDED_ALL = 31,
};

unsigned rpt_event_modes(const struct pd_attr *attr)
{
	return (attr->flags & PD_ATTR_EXCLUDE_USER ? 0 : RPT_MODE_USER) |
	       (attr->flags & PD_ATTR_EXCLUDE_KERNEL ? 0 : RPT_MODE_KERNEL);
}

bool rpt_event_modes_have(unsigned modes, unsigned cpumode)
{
	switch (cpumode) {
	case PD_CPUMODE_UNKNOWN:
		return true;
	case PD_CPUMODE_USER:
	case PD_CPUMODE_GUEST_USER:
		return modes & RPT_MODE_USER;
	default:
		return modes & RPT_MODE_KERNEL;
	}
}

static uint32_t excluded_of(uint64_t flags)
{
	static const struct {
		uint64_t flag;
		uint32_t bit;
	} bits[] = {
		{ PD_ATTR_EXCLUDE_USER, EXCLUDED_USER },
		{ PD_ATTR_EXCLUDE_KERNEL, EXCLUDED_KERNEL },
		{ PD_ATTR_EXCLUDE_HOST, EXCLUDED_HOST },
		{ PD_ATTR_EXCLUDE_GUEST, EXCLUDED_GUEST },
		{ PD_ATTR_EXCLUDE_HV, EXCLUDED_HV },
	};
	uint32_t ret = 0;

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		ret |= flags & bits[i].flag ? bits[i].bit : 0;
	return ret;
}

/* Split "cpu_core/cycles/u" into the PMU and "cycles", "cycles:u" into no PMU
 * and "cycles".  Terms between the slashes that are no name stay as they are.
 */
static void split_name(const char *name, char pmu[TEXT_LEN],
		       char stem[TEXT_LEN])
{
	const char *first = strchr(name, '/');
	const char *last = first ? strrchr(name, '/') : NULL;
	const char *colon = strrchr(name, ':');
	int len = (int)strnlen(name, TEXT_LEN - 1);

	pmu[0] = '\0';
	if (last > first && !memchr(first, '=', (size_t)(last - first)) &&
	    !last[1 + strspn(last + 1, MODIFIERS)]) {
		snprintf(pmu, TEXT_LEN, "%.*s", (int)(first - name), name);
		name = first + 1;
		len = (int)(last - name);
	} else if (last > first) {
		len = (int)(last + 1 - name);
	} else if (colon > name && colon[1] &&
		   !colon[1 + strspn(colon + 1, MODIFIERS)]) {
		len = (int)(colon - name);
	}
	snprintf(stem, TEXT_LEN, "%.*s", len, name);
}

/* Copy a name like "sched:sched_switch:u" up to its second colon. */
static void tracepoint_stem(const char *name, char stem[TEXT_LEN])
{
	const char *colon = strchr(name, ':');
	size_t len = colon ? (size_t)(colon - name) + 1 : 0;

	len += strcspn(name + len, ":");
	snprintf(stem, TEXT_LEN, "%.*s", (int)strnlen(name, len), name);
}

/* Find the function of names like "probe_spin:main_1" and "probe:main". */
static void probe_function(const char *stem, char function[TEXT_LEN])
{
	const char *colon = strchr(stem, ':');
	bool is_user = !strncmp(stem, "probe_", 6);
	size_t len = colon ? strlen(colon) : 0;
	size_t end = len;

	function[0] = '\0';
	if (!colon || (!is_user && strncmp(stem, "probe:", 6) != 0))
		return;
	while (end && isdigit((unsigned char)colon[end - 1]))
		end--;
	if (end > 2 && end < len && colon[end - 1] == '_')
		len = end - 1;
	snprintf(function, TEXT_LEN, "%s%.*s", is_user ? "user" : "kernel",
		 (int)len, colon);
}

/* Return attr.config without the PMU's type, which stands in its upper half on
 * machines with several kinds of CPUs. */
static uint64_t general_config(const struct pd_attr *attr)
{
	return attr->type == PD_TYPE_HARDWARE || attr->type == PD_TYPE_HW_CACHE
		       ? (uint32_t)attr->config
		       : attr->config;
}

static void write_kind(const struct pd_attr *attr, const char *stem,
		       char kind[TEXT_LEN])
{
	bool is_name_all = attr->type == PD_TYPE_TRACEPOINT ||
			   attr->type > PD_TYPE_BREAKPOINT;

	if (*stem && is_name_all) /* numbers are the host's own */
		snprintf(kind, TEXT_LEN, "%s", stem);
	else
		snprintf(kind, TEXT_LEN,
			 "%" PRIu32 ";%" PRIx64 ";%" PRIx64 ";%" PRIx64
			 ";%" PRIx32,
			 attr->type, general_config(attr), attr->config1,
			 attr->config2,
			 attr->type == PD_TYPE_BREAKPOINT ? attr->bp_type : 0);
}

static uint32_t number_of_text(struct rpt_event_match *match, const char *text)
{
	return (uint32_t)rpt_intern(&match->texts, text, strlen(text));
}

static struct rpt_event_ident identify(struct rpt_event_match *match,
				       const struct pd_event *event)
{
	const struct pd_attr *attr = &event->attr;
	char buf[RPT_EVENT_NAME_LEN];
	char pmu[TEXT_LEN] = "", stem[TEXT_LEN] = "";
	char kind[TEXT_LEN], function[TEXT_LEN] = "";
	uint32_t excluded = excluded_of(attr->flags);

	if (event->name && attr->type == PD_TYPE_TRACEPOINT) {
		tracepoint_stem(event->name, stem);
		probe_function(stem, function);
	} else if (event->name && attr->type != PD_TYPE_BREAKPOINT) {
		split_name(event->name, pmu, stem);
	}
	write_kind(attr, stem, kind);
	if (!strcmp(pmu, "cpu")) /* the only one there is */
		pmu[0] = '\0';
	if (!*pmu && general_config(attr) != attr->config)
		snprintf(pmu, sizeof(pmu), "%" PRIu64, attr->config >> 32);
	number_of_text(match, ""); /* NO_TEXT, if it is the first event */
	return (struct rpt_event_ident){
		.name = number_of_text(match, rpt_event_name(event, buf)),
		.kind = number_of_text(match, kind),
		.stem = number_of_text(match, stem),
		.pmu = number_of_text(match, pmu),
		.probe = number_of_text(match, function),
		.excluded = excluded,
		.lacking = excluded,
	};
}

enum level_by { BY_NAME, BY_KIND, BY_STEM, BY_PROBE };

/* Fields that must be equal at a level. */
struct level {
	enum level_by by;
	bool same_pmu;
	uint32_t excluded;
	bool is_loose; /* such events cannot be added up */
};

static const struct level levels[] = {
	{ BY_NAME, false, 0, false },
	{ BY_KIND, true, EXCLUDED_ALL, false },
	{ BY_STEM, true, EXCLUDED_ALL, false },
	{ BY_KIND, true, EXCLUDED_MODES, false },
	{ BY_STEM, true, EXCLUDED_MODES, false },
	{ BY_KIND, false, EXCLUDED_MODES, true },
	{ BY_STEM, false, EXCLUDED_MODES, true },
	{ BY_KIND, false, 0, true },
	{ BY_STEM, false, 0, true },
	{ BY_PROBE, false, 0, true },
};

/* Without padding, since it is hashed. */
struct level_key {
	uint32_t text;
	uint32_t pmu;
	uint32_t excluded;
};

/* Make the key of an event at a level.  Return false if it has none there. */
static bool key_at(const struct level *level,
		   const struct rpt_event_ident *ident, struct level_key *ret)
{
	const uint32_t texts[] = {
		[BY_NAME] = ident->name,
		[BY_KIND] = ident->kind,
		[BY_STEM] = ident->stem,
		[BY_PROBE] = ident->probe,
	};

	*ret = (struct level_key){
		.text = texts[level->by],
		.pmu = level->same_pmu ? ident->pmu : 0,
		.excluded = ident->excluded & level->excluded,
	};
	return ret->text != NO_TEXT;
}

/* Return true if there is code that all have counted. */
static bool have_common_code(const struct rpt_event_ident *item,
			     const struct rpt_event_ident *event)
{
	uint32_t modes = EXCLUDED_USER | EXCLUDED_KERNEL;

	return ((item->lacking | event->excluded) & modes) != modes ||
	       !((item->lacking ^ event->excluded) & modes);
}

/* One recording's events looked for among those before. */
struct search {
	struct rpt_event_match *match;
	struct rpt_event_ident *idents; /* of the new ones; owned */
	uint32_t *numbers;		/* NONE: not found yet */
	size_t nr;
	bool *is_taken; /* by item; owned */
	/* For the current level: */
	struct rpt_intern keys;
	uint32_t *first; /* by key: the first item that is free; owned */
	uint32_t *next;	 /* by item; owned */
};

static void search_release(struct search *s)
{
	rpt_intern_release(&s->keys);
	free(s->idents);
	free(s->is_taken);
	free(s->first);
	free(s->next);
}

static void search_init(struct search *s, const struct pd_event_set *set)
{
	size_t known_nr = s->match->nr;

	s->nr = set->nr;
	s->idents = rpt_alloc_zeroed(set->nr, sizeof(*s->idents));
	s->is_taken = rpt_alloc_zeroed(known_nr, sizeof(*s->is_taken));
	s->first = rpt_alloc_zeroed(known_nr, sizeof(*s->first));
	s->next = rpt_alloc_zeroed(known_nr, sizeof(*s->next));
	for (size_t i = 0; i < set->nr; i++) {
		s->numbers[i] = NONE;
		s->idents[i] = identify(s->match, &set->events[i]);
	}
}

/* List the items that are free, in their order, by key. */
static void list_items(struct search *s, const struct level *level)
{
	rpt_intern_release(&s->keys);
	for (uint32_t i = s->match->nr; i-- > 0;) {
		struct level_key key;
		uint32_t known_nr = s->keys.nr;
		int64_t idx;

		if (s->is_taken[i] || !key_at(level, &s->match->items[i], &key))
			continue;
		idx = rpt_intern(&s->keys, &key, sizeof(key));
		s->next[i] = idx < known_nr ? s->first[idx] : NONE;
		s->first[idx] = i;
	}
}

static void find_item(struct search *s, const struct level *level, size_t event)
{
	const struct rpt_event_ident *ident = &s->idents[event];
	struct level_key key;
	int64_t idx;
	uint32_t *at;

	if (s->numbers[event] != NONE || !key_at(level, ident, &key))
		return;
	idx = rpt_intern_find(&s->keys, &key, sizeof(key));
	if (idx < 0)
		return;
	for (at = &s->first[idx]; *at != NONE; at = &s->next[*at]) {
		if (have_common_code(&s->match->items[*at], ident))
			break;
	}
	if (*at == NONE)
		return;
	s->match->items[*at].lacking |= ident->excluded;
	s->numbers[event] = *at;
	s->is_taken[*at] = true;
	*at = s->next[*at];
}

static void find_items(struct search *s)
{
	for (size_t l = 0; l < sizeof(levels) / sizeof(levels[0]); l++) {
		if (s->match->is_strict && levels[l].is_loose)
			continue;
		list_items(s, &levels[l]);
		for (size_t i = 0; i < s->nr; i++)
			find_item(s, &levels[l], i);
	}
}

/* Add the events that were not found. */
static void add_rest(struct search *s)
{
	struct rpt_event_match *match = s->match;

	for (size_t i = 0; i < s->nr; i++) {
		if (s->numbers[i] != NONE)
			continue;
		match->items = rpt_grow(match->items, &match->cap, match->nr,
					sizeof(*match->items));
		match->items[match->nr] = s->idents[i];
		s->numbers[i] = match->nr++;
	}
}

void rpt_event_match_add(struct rpt_event_match *match,
			 const struct pd_event_set *set, uint32_t *numbers)
{
	struct search s = { .match = match, .numbers = numbers };

	search_init(&s, set);
	if (match->nr)
		find_items(&s);
	add_rest(&s);
	search_release(&s);
}

void rpt_event_match_release(struct rpt_event_match *match)
{
	rpt_intern_release(&match->texts);
	free(match->items);
	*match = (struct rpt_event_match){ .nr = 0 };
}
