/* process_root.h: files of containers: below /proc/PID/root, as long as the
 * process lives that had them mapped.
 *
 * The number may be another process's by now: what is found has to be
 * recognized, by its build-id or inode.  A table of names has neither: only
 * that the number is a container's process is checked.
 */
#ifndef RPT_PROCESS_ROOT_H
#define RPT_PROCESS_ROOT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define RPT_PROCESS_ROOT_LEN 32

/* "/proc/12/root" */
void rpt_process_root(uint32_t pid, char ret[RPT_PROCESS_ROOT_LEN]);

/* Whether path is a file of that inode. */
bool rpt_has_inode(const char *path, uint64_t ino);

/* Where the process's table of names (perf_map.h) is inside its container: by
 * the number that it has there.  False: it is in none.  Not checked: that it is
 * the process that was recorded, which can have ended. */
bool rpt_process_perf_map(uint32_t pid, char path[PATH_MAX]);

#endif
