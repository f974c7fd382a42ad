/* memory_limit.h: how much memory the control groups of this process allow.
 *
 * A group that exceeds its limit has a process killed, the largest one, which
 * may be another than the one that asked for the memory.  The limits of all
 * parents count, too, as far as they are visible here: a container sees its own
 * group as the root.
 *
 * Read are memory.max and memory.high of cgroup v2, beyond which the kernel
 * lets the group's processes wait, and memory.limit_in_bytes of v1.  What a
 * group uses is counted without the pages of files, which the kernel takes back
 * (memory.current or memory.usage_in_bytes, less active_file and inactive_file
 * of memory.stat).
 *
 * A limit of this process's own (--budget memory=) counts in the same way, with
 * what it has in memory but pages of files (statm of /proc/self).
 *
 * Source: Linux Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/
 * memory.rst; cgroups(7) /proc/PID/cgroup, proc(5) /proc/PID/mountinfo.
 */
#ifndef REC_MEMORY_LIMIT_H
#define REC_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct rec_memory_limit {
	uint64_t len;	   /* the lowest limit; UINT64_MAX: none */
	uint64_t room_len; /* the least that one leaves now; UINT64_MAX */
	bool is_own;	   /* the process's own limit leaves that */
};

/* Set the process's own limit, before others read it; 0: none. */
void rec_memory_limit_set_own(uint64_t len);

/* Return the bytes of this process that are in memory, 0 if that cannot be
 * read, and how many of these are pages of files.  procfs: "/proc". */
uint64_t rec_own_memory(const char *procfs, uint64_t *ret_file_len);

/* procfs: "/proc".  What cannot be read is no limit. */
void rec_memory_limit_read(struct rec_memory_limit *ret, const char *procfs);

#endif
