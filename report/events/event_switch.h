/* event_switch.h: --switch-on, --switch-off: samples between two events.
 *
 * What lies between an "off" and the next "on" does not exist, nor what lies
 * before the first "on" where one is asked for.  Samples are counted in no
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
	struct rpt_when when;
	bool is_of_on; /* of the event that switches on */
	bool is_on;    /* from there; once settled */
};

/* A zeroed struct lets everything pass. */
struct rpt_event_switch {
	bool is_asked;
	bool starts_off;
	bool show;
	bool is_one_event;	      /* each of its samples switches */
	struct rpt_event_flip *flips; /* owned; in the order of time */
	size_t nr;
	size_t cap;
};

/* Reads the whole file once, if something is asked for.  As in perf, samples of
 * other times do not switch.  -EINVAL: there is no such event.  -EFBIG: more
 * samples switch than pd_reader_kept_limit() has room for. */
int rpt_event_switch_find(struct rpt_event_switch *sw,
			  const struct rpt_event_switch_args *args,
			  const struct rpt_time_ranges *times,
			  struct pd_reader *reader, struct pd_err *err);
void rpt_event_switch_release(struct rpt_event_switch *sw);

/* Or by parts: add in any order, then settle once. */
int rpt_event_switch_add(struct rpt_event_switch *sw, struct rpt_when when,
			 bool is_of_on);
void rpt_event_switch_settle(struct rpt_event_switch *sw);

bool rpt_event_switch_passes(const struct rpt_event_switch *sw,
			     struct rpt_when when);

#endif
