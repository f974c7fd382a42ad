/* task_maps.c: the MMAP2 records of one process. */
#include "record/snapshot/task_reader.h"

#include "record/base/read_file.h"
#include "record/snapshot/mapped_build_id.h"
#include "record/snapshot/snapshot_put.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	NAME_LEN_MAX = 4095,
	MAPS_LEN_MAX = 256 << 20,
};

/* A mapping above it: the process has 64 bit addresses. */
#define LONG_MODE_ADDR (UINT64_C(1) << 32)

static bool is_wanted(const struct rec_task_reader *r, const struct rec_map *m)
{
	return (m->prot & PROT_EXEC) ||
	       (r->world->conf->want_data_maps && (m->prot & PROT_READ));
}

static bool is_hugetlb(const struct rec_task_reader *r, const struct rec_map *m)
{
	const size_t len = strlen(r->world->hugetlbfs);

	return len && m->name.len > len &&
	       !memcmp(m->name.ptr, r->world->hugetlbfs, len) &&
	       m->name.ptr[len] == '/';
}

/* Ask the kernel for the build-id (maps_fd: for PROCMAP_QUERY; -1: the kernel
 * lacks it); if it has none, or if the process has ended meanwhile, read it
 * from the file. */
static void read_id(const struct rec_task_reader *r, pid_t pid, int maps_fd,
		    const struct rec_map *m, struct rec_build_id *ret)
{
	char path[NAME_LEN_MAX + 1];
	const struct rec_mapped mapped = { .pid = pid,
					   .start = m->start,
					   .end = m->end,
					   .ino = m->ino,
					   .maj = m->maj,
					   .min = m->min,
					   .path = path };

	if (maps_fd >= 0)
		ret->len = (uint8_t)rec_map_query_build_id(maps_fd, m->start,
							   ret->bytes);
	if (maps_fd >= 0 && ret->len)
		return;
	snprintf(path, sizeof(path), "%.*s", (int)m->name.len, m->name.ptr);
	if (!rec_mapped_build_id(r->world->proc_fd, &mapped, ret))
		ret->len = REC_BUILD_ID_UNKNOWN;
}

static const struct rec_build_id *build_id_of(struct rec_task_reader *r,
					      pid_t pid, int maps_fd,
					      const struct rec_map *m)
{
	struct rec_build_id *id;

	if (!r->world->conf->build_id || m->ino == 0 || m->name.len == 0 ||
	    m->name.ptr[0] != '/')
		return NULL;
	id = rec_build_id_cache_get(&r->build_ids, m->maj, m->min, m->ino, 0);
	if (!id)
		return NULL;
	if (id->len == REC_BUILD_ID_UNKNOWN)
		read_id(r, pid, maps_fd, m, id);
	return id->len && id->len != REC_BUILD_ID_UNKNOWN ? id : NULL;
}

static void put_map(struct rec_task_reader *r, pid_t pid, int maps_fd,
		    const struct rec_map *m, struct pd_buf *out)
{
	struct pd_body body = { .type = PD_RECORD_MMAP2 };
	struct pd_mmap *mmap2 = &body.u.mmap;
	const struct rec_build_id *id = NULL;
	uint16_t misc = PD_CPUMODE_USER;

	if (!is_wanted(r, m) || m->name.len > NAME_LEN_MAX)
		return;
	*mmap2 = (struct pd_mmap){
		.pid = (uint32_t)pid,
		.tid = (uint32_t)pid,
		.addr = m->start,
		.map_len = m->end - m->start,
		.pgoff = m->pgoff,
		.filename = m->name,
		.maj = m->maj,
		.min = m->min,
		.ino = m->ino,
		.prot = m->prot,
		.flags = m->flags,
	};
	if (!(m->prot & PROT_EXEC))
		misc |= PD_MISC_MMAP_DATA;
	if (is_hugetlb(r, m))
		mmap2->flags |= MAP_HUGETLB;
	else
		id = build_id_of(r, pid, maps_fd, m);
	if (m->name.len == 0 || mmap2->flags & MAP_HUGETLB)
		mmap2->filename = (struct pd_str){ "//anon", 6 };
	if (id) {
		misc |= PD_MISC_MMAP_BUILD_ID;
		mmap2->build_id_len = id->len;
		memcpy(mmap2->build_id, id->bytes, id->len);
	}
	rec_put_body(out, r->world->conf->id_len, misc, &body);
	r->stats.map_nr++;
}

/* Return 0, or the kernel's error; then nothing was appended. */
static int query_maps(struct rec_task_reader *r, pid_t pid, int fd,
		      struct pd_buf *out)
{
	const size_t out_len = out->len;
	const size_t map_nr = r->stats.map_nr;
	struct rec_map m = { 0 };
	int rc;

	while ((rc = rec_map_query(fd, m.end, r->name, sizeof(r->name), &m)) ==
	       1)
		put_map(r, pid, fd, &m, out);
	if (rc == 0) {
		if (r->world->has_gate && m.end > LONG_MODE_ADDR)
			put_map(r, pid, fd, &r->world->gate, out);
		return 0;
	}
	if (rc == -ENOTTY)
		r->no_query = true;
	if (rc != -ESRCH) {
		out->len = out_len;
		r->stats.map_nr = map_nr;
	}
	return rc == -ESRCH ? 0 : rc;
}

static void parse_maps(struct rec_task_reader *r, pid_t pid, int fd,
		       struct pd_buf *out)
{
	struct rec_text_scan all;
	struct rec_text_scan line;
	struct rec_map m;

	if (rec_read_fd(fd, MAPS_LEN_MAX, &r->text) != 0)
		return;
	all = rec_text_scan_buf(&r->text);
	while (rec_text_scan_line(&all, &line))
		if (rec_map_parse(line, &m))
			put_map(r, pid, -1, &m, out);
}

void rec_task_read_maps(struct rec_task_reader *r, pid_t pid,
			struct pd_buf *out)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "%d/maps", (int)pid);
	fd = openat(r->world->proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		if (errno == EACCES || errno == EPERM)
			r->stats.denied_nr++;
		return;
	}
	/* If data maps are wanted, nearly all of the text is. */
	if (r->no_query || r->world->conf->want_data_maps ||
	    query_maps(r, pid, fd, out) != 0)
		parse_maps(r, pid, fd, out);
	close(fd);
}
