/* merged_events.h: the events of several recordings, matched by what they
 * count (event_match.h).
 *
 * The events of the first recording come first; the second "cycles" of another
 * is the second "cycles" of the first.  Events that no recording before has are
 * appended.
 */
#ifndef RPT_MERGED_EVENTS_H
#define RPT_MERGED_EVENTS_H

#include "format/records/event_set.h"
#include "report/events/event_match.h"

#include <stdbool.h>

struct rpt_merged_event {
	uint32_t input; /* the first recording that has it ... */
	uint32_t idx;	/* ... and the number of the event there */
};

struct rpt_merged_events {
	struct rpt_merged_event *items; /* owned */
	uint32_t nr;
	struct rpt_event_match match;	  /* numbers are the same */
	const struct pd_event_set **sets; /* by input; owned, not the sets */
	uint32_t **numbers;		  /* by input, then event; owned */
	uint32_t input_nr;
};

/* Add a recording, whose events must outlive merged.  A zeroed merged is empty.
 */
void rpt_merged_events_add(struct rpt_merged_events *merged,
			   const struct pd_event_set *events);
void rpt_merged_events_release(struct rpt_merged_events *merged);

/* Return how many events from number on are shown in one table: the members of
 * a group that lie side by side as in their own recording, else 1. */
uint32_t rpt_merged_events_group(const struct rpt_merged_events *merged,
				 uint32_t number);

#endif
