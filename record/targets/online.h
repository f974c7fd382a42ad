/* online.h: report CPUs that go offline or come online while recording.
 *
 * The kernel silently ends the events of a CPU that goes offline and does not
 * restore them (seen on Linux 6.18), except those that follow a task.  No event
 * is open on a CPU that comes online.  Both are reported once, because the file
 * lacks what runs there.
 *
 * Like perf, the recorder does not open them again: this needs CAP_PERFMON,
 * which is dropped once all events are open (privileges.h), and a recorder that
 * runs for weeks must not hold it for a CPU that may come.
 */
#ifndef REC_ONLINE_H
#define REC_ONLINE_H

#include "record/targets/target.h"

#include <stdio.h>

struct rec_online {
	const struct rec_target *target; /* borrowed */
	const char *sysfs;		 /* "/sys" */
	bool wants_new;			 /* all CPUs are recorded, not a list */
	bool *is_reported;		 /* owned, by CPU */
	uint64_t due_ns;		 /* when to check again */
};

/* Return 0, or -ENOMEM. */
int rec_online_init(struct rec_online *online, const struct rec_target *target,
		    const char *sysfs, bool wants_new);
void rec_online_release(struct rec_online *online);

/* Report what has changed since the last call.  If the list of CPUs cannot be
 * read, nothing is reported. */
void rec_online_look(struct rec_online *online, FILE *out);

#endif
