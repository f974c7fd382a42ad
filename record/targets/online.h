/* online.h: notice CPUs that go offline or come online while recording.
 *
 * The kernel silently ends the events of a CPU that goes offline and does not
 * restore them (seen on Linux 6.1 and 6.18), except those that follow a task;
 * CPUs go offline while the machine sleeps (suspend to RAM), too.  No event is
 * open on a CPU that comes online.
 *
 * Opening them again needs CAP_PERFMON, which is dropped once all events are
 * open (privileges.h).  So a recorder that can start itself again (reload.h)
 * does that; others report once that the file lacks what runs there, like perf.
 */
#ifndef REC_ONLINE_H
#define REC_ONLINE_H

#include "record/targets/target.h"

#include <stdio.h>

struct rec_online {
	const struct rec_target *target; /* borrowed */
	const char *sysfs;		 /* "/sys" */
	bool wants_new;			 /* all CPUs are recorded, not a list */
	bool is_reload;			 /* what changes begins a recording */
	bool *is_reported;		 /* owned, by CPU */
	bool has_slept;			 /* CPUs may have lost their events */
	int64_t asleep_ns; /* slept since boot, at the last look */
	uint64_t due_ns;   /* when to check again */
};

/* Return 0, or -ENOMEM. */
int rec_online_init(struct rec_online *online, const struct rec_target *target,
		    const char *sysfs, bool wants_new);
void rec_online_release(struct rec_online *online);

/* Report to out, if it is not NULL, what has changed since the last call, and
 * return true if something has.  If the list of CPUs cannot be read, nothing
 * is. */
bool rec_online_look(struct rec_online *online, FILE *out);

#endif
