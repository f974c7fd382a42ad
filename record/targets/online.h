/* online.h: CPUs that go or come while they are recorded.
 *
 * The kernel ends the events of a CPU that goes offline, without a word, and
 * they do not come back with it (seen on Linux 6.18); events that follow a task
 * go on.  Of a CPU that comes no event was opened.  Either is said once: what
 * runs there is missing in the file.
 *
 * They are not opened anew, as perf does not either: opening events of a whole
 * CPU needs CAP_PERFMON, which is given up once all are open (privileges.h),
 * and a recorder that runs for weeks is not to hold it for a CPU that may come.
 */
#ifndef REC_ONLINE_H
#define REC_ONLINE_H

#include "record/targets/target.h"

#include <stdio.h>

struct rec_online {
	const struct rec_target *target; /* borrowed */
	const char *sysfs;		 /* "/sys" */
	bool wants_new;	 /* all CPUs are to be recorded, not a list */
	bool *is_said;	 /* owned, by CPU: that it went or came */
	uint64_t due_ns; /* when to look again */
};

/* -ENOMEM. */
int rec_online_init(struct rec_online *online, const struct rec_target *target,
		    const char *sysfs, bool wants_new);
void rec_online_release(struct rec_online *online);

/* Say what has changed since the last time.  A list that cannot be read
 * changes nothing. */
void rec_online_look(struct rec_online *online, FILE *say);

#endif
