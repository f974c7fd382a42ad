/* task_set.h: the threads that a recording follows and that live: those that
 * were named, and their children as the kernel's records name them.
 *
 * For whoever must say later whose maps matter; a recording of whole CPUs needs
 * none.  Rings are drained one after the other, so that an end may come before
 * its beginning: such a thread stays in the set and is not found in /proc.
 */
#ifndef REC_TASK_SET_H
#define REC_TASK_SET_H

#include "format/record.h"

#include <stddef.h>
#include <sys/types.h>

struct rec_task_set {
	pid_t *tids; /* owned, ascending */
	size_t nr;
	size_t cap;
};

/* -ENOMEM */
int rec_task_set_add(struct rec_task_set *set, pid_t tid);
void rec_task_set_remove(struct rec_task_set *set, pid_t tid);
/* Take a FORK or EXIT record; others change nothing. -ENOMEM. */
int rec_task_set_note(struct rec_task_set *set, const struct pd_record *record);
/* Add the other threads and the children of those in the set, and so on, as
 * procfs ("/proc") lists them.  -ENOMEM. */
int rec_task_set_add_children(struct rec_task_set *set, const char *procfs);
/* Drop those that are not in procfs ("/proc") any more. */
void rec_task_set_prune(struct rec_task_set *set, const char *procfs);
void rec_task_set_release(struct rec_task_set *set);

#endif
