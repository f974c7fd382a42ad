/* trigger.h: events that are not recorded but end the file: each of their
 * samples is --switch-output-event's signal to begin the next one.
 *
 * As with perf they are opened on all CPUs, whoever is recorded.
 */
#ifndef REC_TRIGGER_H
#define REC_TRIGGER_H

#include "record/targets/event_open.h"
#include "record/ring/ring_set.h"

struct rec_trigger {
	struct rec_target target;
	struct rec_open_set open;
	struct rec_ring_set rings;
};

/* Open the events of list, which are changed into what is opened: a sample
 * for each, unless their terms say otherwise. */
int rec_trigger_open(struct rec_trigger *ret, struct rec_event_list *list,
		     struct pd_err *err);

/* Return whether one of them occurred since.  Nothing but their samples, and
 * what is said of lost ones, comes into these rings. */
bool rec_trigger_take(struct rec_trigger *trigger);

void rec_trigger_close(struct rec_trigger *trigger);

#endif
