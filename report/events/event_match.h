/* event_match.h: finds which events of several recordings are the same.
 *
 * Events are the same by what they count, whatever they are called: "cycles:u"
 * and "cycles:ppp", "cpu-clock" and "cpu-clock:ppp".  A recording's events are
 * matched with those of the recordings before it, level by level, at each the
 * first with the first and the second with the second:
 *
 *	by name		letter for letter
 *	by kind		type and config (breakpoints: address, length, accesses;
 *			tracepoints: their names, for ids are a host's own), or
 *			names without modifiers and "cpu/.../"
 *	    of the same PMU and the same modes, guests' included; of the same
 *	    PMU and modes; of the same modes; of modes in common
 *	by probe	of probes the function: perf probe numbers those of one
 *			name, and calls them after the program's file
 *
 * A mode is user or kernel code of a host, as attr.exclude_* have it.
 */
#ifndef RPT_EVENT_MATCH_H
#define RPT_EVENT_MATCH_H

#include "format/records/event_set.h"
#include "report/base/intern.h"

enum {
	RPT_MODE_USER = 1,
	RPT_MODE_KERNEL = 2,
	RPT_MODE_BOTH = 3,
};

/* The unit of an event.  Texts are numbers in rpt_event_match.texts. */
struct rpt_event_ident {
	uint32_t name;
	uint32_t kind;
	uint32_t stem;	   /* the name without modifiers; 0: it has none */
	uint32_t pmu;	   /* "" if it is not known */
	uint32_t probe;	   /* 0: it is none */
	uint32_t excluded; /* EXCLUDED_* of event_match.c */
	uint32_t lacking;  /* those that any recording so far excluded */
};

struct rpt_event_match {
	struct rpt_intern texts;
	struct rpt_event_ident *items; /* owned; as in the first recording that
					* has it */
	uint32_t nr;
	uint32_t cap;
	/* Match only events of the same PMU and modes, as their counts will be
	 * added up, not only shown beside each other. */
	bool is_strict;
};

/* Add the events of one more recording.  numbers[i], of set->nr, becomes the
 * item that event i is; an event that matches none becomes a new item.  A
 * zeroed match is empty. */
void rpt_event_match_add(struct rpt_event_match *match,
			 const struct pd_event_set *set, uint32_t *numbers);
/* Free all items. */
void rpt_event_match_release(struct rpt_event_match *match);

/* Return the name of an item, as its first recording has it. */
static inline const char *rpt_event_match_name(const struct rpt_event_match *m,
					       uint32_t number)
{
	return rpt_intern_key(&m->texts, m->items[number].name);
}

/* Return the modes of a host that an event counts, RPT_MODE_*. */
unsigned rpt_event_modes(const struct pd_attr *attr);
/* Return true if samples of a cpumode, PD_CPUMODE_*, are among them. */
bool rpt_event_modes_have(unsigned modes, unsigned cpumode);

#endif
