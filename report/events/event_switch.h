/* event_switch.h: --switch-on, --switch-off: samples between two events.
 *
 * Samples between an "off" event and the next "on" event are not shown, nor
 * are those before the first "on" if --switch-on is given.  Whoever meets the
 * samples in the order of time asks rpt_event_switch_next().  The counting
 * threads do not: for them the switching samples are found first.
 */
#ifndef RPT_EVENT_SWITCH_H
#define RPT_EVENT_SWITCH_H

#include "format/records/event_set.h"
#include "report/events/time_range.h"
#include "report/timeline/timeline.h"

struct rpt_event_switch_args {
	const char *on; /* names of events; NULL: none */
	const char *off;
	bool show; /* the switching samples too */
};

/* A sample that switches. */
struct rpt_event_flip {
	struct rpt_timestamp when;
	const struct pd_event *event;
	bool is_on; /* from there; set by rpt_event_switch_sort() */
};

/* A zeroed struct shows all samples. */
struct rpt_event_switch {
	const struct pd_event *on;    /* switches on; NULL: on from the start */
	const struct pd_event *off;   /* may be the same */
	bool show;		      /* the switching samples too */
	bool is_on;		      /* after the last sample that was taken */
	struct rpt_event_flip *flips; /* owned; in the order of time */
	uint32_t nr;
	uint32_t cap;
};

/* Begin with the events that args name, if any.  Return 0, or -ENODATA if the
 * file has no such event. */
int rpt_event_switch_init(struct rpt_event_switch *sw,
			  const struct rpt_event_switch_args *args,
			  const struct pd_event_set *events,
			  struct pd_err *err);

static inline bool rpt_event_switch_is_asked(const struct rpt_event_switch *sw)
{
	return sw->on || sw->off;
}

/* Take the next sample in the order of time, which is of that event.  Return
 * true if it is shown. */
bool rpt_event_switch_next(struct rpt_event_switch *sw,
			   const struct pd_event *event);

/* Initialise sw and find the switching samples: read the whole file once, if
 * args name an event.  As in perf, samples outside of times do not switch.
 * Return 0, -ENODATA as above, or -EFBIG if more samples switch than
 * pd_reader_memory_limit() has room for. */
int rpt_event_switch_find(struct rpt_event_switch *sw,
			  const struct rpt_event_switch_args *args,
			  const struct rpt_time_ranges *times,
			  struct pd_reader *reader, struct pd_err *err);
void rpt_event_switch_release(struct rpt_event_switch *sw);

/* The same by parts: add a switching sample, in any order ... */
void rpt_event_switch_add(struct rpt_event_switch *sw,
			  struct rpt_timestamp when,
			  const struct pd_event *event);
/* ... then sort them once, and drop those that change nothing. */
void rpt_event_switch_sort(struct rpt_event_switch *sw);

/* Return true if a sample of that time lies where samples are shown. */
bool rpt_event_switch_passes(const struct rpt_event_switch *sw,
			     struct rpt_timestamp when);

#endif
