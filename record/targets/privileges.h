/* privileges.h: what this process is still allowed once its events are open.
 *
 * By capget(2) and capset(2) themselves: a capability that is dropped is gone
 * for this thread and for those that it starts; a command that was forked
 * before keeps its own.
 */
#ifndef REC_PRIVILEGES_H
#define REC_PRIVILEGES_H

#include <stdint.h>

/* Drop all capabilities whose bit (1 << CAP_*) is not in keep.  0, also where
 * there was none to drop; a negative errno. */
int rec_privileges_drop(uint64_t keep);

#endif
