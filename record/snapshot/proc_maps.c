#include "record/snapshot/proc_maps.h"

#include "record/base/runtime.h"

#include <sys/ioctl.h>
#include <sys/mman.h>

/* The ioctl that asks /proc/PID/maps for one mapping, from Linux 6.11 on; older
 * kernels return -ENOTTY, and older headers do not have it.  Source: Linux
 * v6.11 include/uapi/linux/fs.h, struct procmap_query, and
 * Documentation/filesystems/proc.rst. */
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
	uint64_t vma_start; /* output from here on */
	uint64_t vma_end;
	uint64_t vma_flags;
	uint64_t vma_page_len;
	uint64_t vma_offset;
	uint64_t ino;
	uint32_t maj;
	uint32_t min;
	uint32_t name_len; /* in: capacity, 0: not wanted; out: with the NUL */
	uint32_t build_id_len; /* in: capacity, 0: not wanted; out: 0 if it
				* has none */
	uint64_t name_addr;
	uint64_t build_id_addr;
};

_Static_assert(sizeof(struct rec_procmap_query) == 104,
	       "struct procmap_query of Linux 6.11");

#define REC_PROCMAP_QUERY _IOWR('f', 17, struct rec_procmap_query)

/* Parse "rwxp". */
static bool parse_perms(struct rec_text_scan *line, struct rec_map *ret)
{
	const char *p = line->at;

	if (rec_text_scan_left(line) < 4)
		return false;
	ret->prot = (p[0] == 'r' ? PROT_READ : 0u) |
		    (p[1] == 'w' ? PROT_WRITE : 0u) |
		    (p[2] == 'x' ? PROT_EXEC : 0u);
	ret->flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	line->at += 4;
	return p[3] == 's' || p[3] == 'p';
}

static bool scan_hex32(struct rec_text_scan *s, uint32_t *ret)
{
	uint64_t v;

	if (!rec_text_scan_hex(s, &v) || v > UINT32_MAX)
		return false;
	*ret = (uint32_t)v;
	return true;
}

bool rec_map_parse(struct rec_text_scan line, struct rec_map *ret)
{
	bool ok;

	*ret = (struct rec_map){ 0 };
	ok = rec_text_scan_hex(&line, &ret->start) &&
	     rec_text_scan_char(&line, '-') &&
	     rec_text_scan_hex(&line, &ret->end) &&
	     rec_text_scan_char(&line, ' ') && parse_perms(&line, ret) &&
	     rec_text_scan_char(&line, ' ') &&
	     rec_text_scan_hex(&line, &ret->pgoff) &&
	     rec_text_scan_char(&line, ' ') && scan_hex32(&line, &ret->maj) &&
	     rec_text_scan_char(&line, ':') && scan_hex32(&line, &ret->min) &&
	     rec_text_scan_char(&line, ' ') &&
	     rec_text_scan_dec(&line, &ret->ino) && rec_text_scan_blanks(&line);
	if (!ok || ret->end <= ret->start)
		return false;
	ret->name.ptr = line.at;
	ret->name.len = rec_text_scan_left(&line);
	return true;
}

/* Convert the kernel's struct.  Anonymous mappings have an empty name; the
 * kernel's name length includes the NUL. */
static void fill_map(const struct rec_procmap_query *q, const char *name,
		     struct rec_map *ret)
{
	*ret = (struct rec_map){
		.start = q->vma_start,
		.end = q->vma_end,
		.pgoff = q->vma_offset,
		.maj = q->maj,
		.min = q->min,
		.ino = q->ino,
		.name = { name, q->name_len ? q->name_len - 1 : 0 },
	};
	ret->prot = (q->vma_flags & REC_PROCMAP_READABLE ? PROT_READ : 0u) |
		    (q->vma_flags & REC_PROCMAP_WRITABLE ? PROT_WRITE : 0u) |
		    (q->vma_flags & REC_PROCMAP_EXECUTABLE ? PROT_EXEC : 0u);
	ret->flags =
		q->vma_flags & REC_PROCMAP_SHARED ? MAP_SHARED : MAP_PRIVATE;
}

int rec_map_query(int maps_fd, uint64_t addr, char *name, size_t name_cap,
		  struct rec_map *ret)
{
	struct rec_procmap_query q = {
		.query_len = sizeof(q),
		.query_flags =
			REC_PROCMAP_EXECUTABLE | REC_PROCMAP_COVERING_OR_NEXT,
		.query_addr = addr,
		.name_len = (uint32_t)name_cap,
		.name_addr = (uint64_t)(uintptr_t)name,
	};

	if (rec_ioctl(maps_fd, REC_PROCMAP_QUERY, &q) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (q.vma_end <= addr || q.name_len > name_cap)
		return -EINVAL;
	fill_map(&q, name, ret);
	return 1;
}

size_t rec_map_query_build_id(int maps_fd, uint64_t addr,
			      uint8_t id[PD_BUILD_ID_LEN_MAX])
{
	struct rec_procmap_query q = {
		.query_len = sizeof(q),
		.query_addr = addr,
		.build_id_len = PD_BUILD_ID_LEN_MAX,
		.build_id_addr = (uint64_t)(uintptr_t)id,
	};

	if (rec_ioctl(maps_fd, REC_PROCMAP_QUERY, &q) < 0 ||
	    q.build_id_len > PD_BUILD_ID_LEN_MAX)
		return 0;
	return q.build_id_len;
}
