/* procmap_query.h: the ioctl that asks /proc/PID/maps for one mapping.
 *
 * Linux 6.11 and later; older kernels answer -ENOTTY.  Distribution headers of
 * our time do not have it yet.  Source: Linux v6.11
 * include/uapi/linux/fs.h, struct procmap_query, and
 * Documentation/filesystems/proc.rst.
 */
#ifndef REC_PROCMAP_QUERY_H
#define REC_PROCMAP_QUERY_H

#include <stdint.h>
#include <sys/ioctl.h>

enum {
	REC_PROCMAP_READABLE = 0x01,
	REC_PROCMAP_WRITABLE = 0x02,
	REC_PROCMAP_EXECUTABLE = 0x04,
	REC_PROCMAP_SHARED = 0x08,
	REC_PROCMAP_COVERING_OR_NEXT = 0x10,
};

struct rec_procmap_query {
	uint64_t query_len; /* of this struct */
	uint64_t query_flags;
	uint64_t query_addr;
	uint64_t vma_start; /* from here on: the answer */
	uint64_t vma_end;
	uint64_t vma_flags;
	uint64_t vma_page_len;
	uint64_t vma_offset;
	uint64_t ino;
	uint32_t maj;
	uint32_t min;
	uint32_t name_len;     /* in: room, 0 for none; out: with the NUL */
	uint32_t build_id_len; /* in: room, 0 for none; out: 0 if it has none */
	uint64_t name_addr;
	uint64_t build_id_addr;
};

_Static_assert(sizeof(struct rec_procmap_query) == 104,
	       "struct procmap_query of Linux 6.11");

#define REC_PROCMAP_QUERY _IOWR('f', 17, struct rec_procmap_query)

#endif
