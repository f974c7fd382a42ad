/* event_switch.h: --switch-on, --switch-off: samples between two events.
 *
 * What lies between an "off" and the next "on" does not exist, nor what lies
 * before the first "on" if --switch-on is given.  Samples are counted in no
 * order, so the switching ones are found first.
 */
#ifndef RPT_EVENT_SWITCH_H
#define RPT_EVENT_SWITCH_H

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
	bool is_of_on; /* of the event that switches on */
	bool is_on;    /* from there; once settled */
};

/* A zeroed struct shows all samples. */
struct rpt_event_switch {
	bool is_asked;
	bool starts_off;
	bool show;
	bool is_one_event;	      /* each of its samples switches */
	struct rpt_event_flip *flips; /* owned; in the order of time */
	uint32_t nr;
	uint32_t cap;
};

/* Find the switching samples: read the whole file once, if args name an event.
 * As in perf, samples outside of times do not switch.  Return 0, -EINVAL if
 * there is no such event, or -EFBIG if more samples switch than
 * pd_reader_kept_limit() has room for. */
int rpt_event_switch_find(struct rpt_event_switch *sw,
			  const struct rpt_event_switch_args *args,
			  const struct rpt_time_ranges *times,
			  struct pd_reader *reader, struct pd_err *err);
void rpt_event_switch_release(struct rpt_event_switch *sw);

/* The same by parts: add a switching sample, in any order ... */
void rpt_event_switch_add(struct rpt_event_switch *sw,
			  struct rpt_timestamp when, bool is_of_on);
/* ... then sort them once, and drop those that change nothing. */
void rpt_event_switch_settle(struct rpt_event_switch *sw);

/* Return true if a sample of that time lies where samples are shown. */
bool rpt_event_switch_passes(const struct rpt_event_switch *sw,
			     struct rpt_timestamp when);

#endif
