/* privileges.h: drop capabilities once the events are open.
 *
 * A dropped capability is gone for this thread and for those that it starts; a
 * command that was forked before keeps its own.  The system calls are used
 * directly: capget(2) and capset(2).
 */
#ifndef REC_PRIVILEGES_H
#define REC_PRIVILEGES_H

#include <stdint.h>

/* Drop all capabilities whose bit (1 << CAP_*) is not in keep.  Return 0, also
 * if there was none to drop, or a negative errno. */
int rec_privileges_drop(uint64_t keep);

/* Drop all but those to read files of other processes, and those in also.  If
 * that fails, nothing is lost but caution. */
void rec_privileges_keep_reading(uint64_t also);

#endif
