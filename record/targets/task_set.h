/* task_set.h: the live threads that a recording follows: those that were named,
 * and their children according to the kernel's records.
 *
 * It tells file rotation whose maps the next file needs; a recording of whole
 * CPUs has none.  Rings are drained one after the other, so the end of a thread
 * may be seen before its beginning: such a thread stays in the set and is not
 * found in /proc.
 */
#ifndef REC_TASK_SET_H
#define REC_TASK_SET_H

#include "format/records/record.h"

#include <stddef.h>
#include <sys/types.h>

struct rec_task_set {
	pid_t *tids; /* owned, ascending */
	size_t nr;
	size_t cap;
};

/* Return 0, or -ENOMEM. */
int rec_task_set_add(struct rec_task_set *set, pid_t tid);
/* Add or remove the thread of a FORK or EXIT record; other records change
 * nothing.  Return 0, or -ENOMEM. */
int rec_task_set_note(struct rec_task_set *set, const struct pd_record *record);
/* Add the other threads and the children of those in the set, and so on, as
 * procfs ("/proc") lists them.  Return 0, or -ENOMEM. */
int rec_task_set_add_children(struct rec_task_set *set, const char *procfs);
/* Remove the threads that are no longer in procfs ("/proc"). */
void rec_task_set_prune(struct rec_task_set *set, const char *procfs);
void rec_task_set_release(struct rec_task_set *set);

#endif
