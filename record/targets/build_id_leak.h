/* build_id_leak.h: whether asking the kernel for build-ids harms others.
 *
 * With attr.build_id the kernel puts a file's build-id into an MMAP2 record
 * where its device and inode stand otherwise, and marks it by a bit of misc.
 * Linux 5.12 to 6.18 at least (kernel/events/core.c, perf_event_mmap_output())
 * write one header for all who listen and do not take that bit away again: the
 * next listener, which did not ask, has the bit over a device and an inode.
 * perf 6.1 takes the device's number for the length of a build-id then and
 * dies of it; newer ones have wrong ids.
 *
 * So it is tried once at the start: three events on this thread alone, of
 * which the middle one asks, and one mapping.  Nobody else is harmed by that:
 * the file is in memory, of device 0, and is mapped as data, which few listen
 * to; who does reads a build-id of length 0.
 */
#ifndef REC_BUILD_ID_LEAK_H
#define REC_BUILD_ID_LEAK_H

#include <stdbool.h>

/* Whether attr.build_id is to be left alone: it marks records of others, or
 * that could not be found out.  Takes some 50 us of CPU; the first event of a
 * host that has none open waits some 5 ms for the kernel, which the events of
 * a command do anyway. */
bool rec_build_id_leaks(void);

#endif
