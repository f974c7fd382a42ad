/* running_tasks.h: what runs at the end of a file, synthesized for the next one
 * out of the records that held_tasks.h keeps, so that /proc need not be read.
 *
 * A task is told by its last name, and a process by the maps since its last
 * exec, or by those of the parents whose program it runs, as they were when it
 * began; of maps in one place by the last one.
 */
#ifndef REC_RUNNING_TASKS_H
#define REC_RUNNING_TASKS_H

#include "record/ring/held_tasks.h"

/* While nobody drains, append what runs, and what may still be sampled: FORK
 * NAMESPACES COMM MMAP2..., EXIT of each task, as if it had been read from
 * /proc.  Only records that are not before old_ns keep their time; those that
 * are not drained yet must all be newer.  Return 0, -ENOMEM, or -ENODATA if
 * /proc has to be read; held does not know what runs then, until its restart.
 */
int rec_running_tasks_synthesize(struct rec_held_tasks *held, uint64_t old_ns,
				 struct pd_buf *ret);

#endif
