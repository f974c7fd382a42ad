/* trigger.h: --switch-output-event: events that are not recorded; each of their
 * samples ends the file and begins the next one.
 *
 * As in perf they are opened on all CPUs, whatever the target.
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

/* Open the events of list, changing their attrs: a sample for each event,
 * unless their terms say otherwise. */
int rec_trigger_open(struct rec_trigger *ret, struct rec_event_list *list,
		     struct pd_err *err);

/* Enable them, from when on they end files. */
int rec_trigger_start(const struct rec_trigger *trigger, struct pd_err *err);

/* Return true if one of them occurred since the last call.  These rings have
 * only their samples, and records of lost ones. */
bool rec_trigger_take(struct rec_trigger *trigger);

void rec_trigger_close(struct rec_trigger *trigger);

#endif
