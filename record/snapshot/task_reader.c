#include "record/snapshot/task_reader.h"

#include "record/base/read_file.h"
#include "record/base/text_scan.h"
#include "record/snapshot/mapped_build_id.h"
#include "record/snapshot/snapshot_put.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The MMAP2 records of one process. */

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

/* Append an MMAP2 per executable mapping (with want_data_maps: per readable
 * one); nothing if the maps may not be read. */
static void task_read_maps(struct rec_task_reader *r, pid_t pid,
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

enum {
	STAT_LEN_MAX = 4096,
	FLAG_KTHREAD = 0x00200000, /* proc_pid_stat(5), flags: PF_KTHREAD */
};

struct task_stat {
	struct pd_str comm;
	uint32_t ppid;
	uint64_t flags;
	uint64_t thread_nr;
};

/* Parse "12 (name) S 1 ..."; the name may contain anything, even a ")". */
static bool parse_stat(struct rec_text_scan s, struct task_stat *ret)
{
	const char *open = memchr(s.at, '(', rec_text_scan_left(&s));
	const char *close = memrchr(s.at, ')', rec_text_scan_left(&s));
	struct rec_text_scan word;
	bool ok;

	if (!open || !close || close < open)
		return false;
	ret->comm.ptr = open + 1;
	ret->comm.len = (size_t)(close - open) - 1;
	s.at = close + 1;
	ok = rec_text_scan_word(&s, &word) && /* state */
	     rec_text_scan_blanks(&s) && rec_text_scan_dec32(&s, &ret->ppid);
	for (unsigned field = 5; ok && field < 9; field++)
		ok = rec_text_scan_word(&s, &word);
	ok = ok && rec_text_scan_blanks(&s) &&
	     rec_text_scan_dec(&s, &ret->flags);
	for (unsigned field = 10; ok && field < 20; field++)
		ok = rec_text_scan_word(&s, &word);
	return ok && rec_text_scan_blanks(&s) &&
	       rec_text_scan_dec(&s, &ret->thread_nr);
}

static bool read_stat(struct rec_task_reader *r, pid_t pid,
		      struct task_stat *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/stat", (int)pid);
	return rec_read_once(r->world->proc_fd, path, STAT_LEN_MAX, &r->text) ==
		       0 &&
	       parse_stat(rec_text_scan_buf(&r->text), ret);
}

/* Read the name of a thread, without the newline. */
static bool read_comm(struct rec_task_reader *r, pid_t pid, pid_t tid,
		      struct pd_str *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/task/%d/comm", (int)pid, (int)tid);
	if (rec_read_once(r->world->proc_fd, path, 256, &r->text) != 0 ||
	    r->text.len == 0)
		return false;
	ret->ptr = (const char *)r->text.data;
	ret->len = r->text.len;
	if (ret->ptr[ret->len - 1] == '\n')
		ret->len--;
	return true;
}

void rec_task_put_namespaces(const struct rec_task_world *world, pid_t pid,
			     pid_t tid, struct pd_buf *out)
{
	static const char *const names[REC_NAMESPACE_NR] = {
		"net", "uts", "ipc", "pid", "user", "mnt", "cgroup",
	};
	uint64_t links[2 * REC_NAMESPACE_NR] = { 0 };

	for (unsigned i = 0; i < REC_NAMESPACE_NR; i++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "%d/ns/%s", (int)tid, names[i]);
		if (fstatat(world->proc_fd, path, &st, 0) != 0)
			continue;
		links[2 * i] = st.st_dev;
		links[2 * i + 1] = st.st_ino;
	}
	rec_put_namespaces(out, world->conf->id_len, (uint32_t)pid,
			   (uint32_t)tid, links);
}

static void put_task(struct rec_task_reader *r, pid_t pid, pid_t tid,
		     struct pd_str comm, struct pd_buf *out)
{
	const struct rec_snapshot_conf *conf = r->world->conf;

	if (conf->want_namespaces)
		rec_task_put_namespaces(r->world, pid, tid, out);
	rec_put_comm(out, conf->id_len, (uint32_t)pid, (uint32_t)tid, comm);
	r->stats.task_nr++;
}

static void read_other_thread(struct rec_task_reader *r, pid_t pid, pid_t tid,
			      struct pd_buf *out)
{
	const struct pd_task task = {
		.pid = (uint32_t)pid,
		.ppid = (uint32_t)pid,
		.tid = (uint32_t)tid,
		.ptid = (uint32_t)pid,
	};
	struct pd_str comm;

	if (!read_comm(r, pid, tid, &comm)) {
		r->stats.gone_nr++;
		return;
	}
	rec_put_fork(out, r->world->conf->id_len, &task);
	put_task(r, pid, tid, comm, out);
}

static void read_other_threads(struct rec_task_reader *r, pid_t pid,
			       struct pd_buf *out)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/task", (int)pid);
	if (rec_pid_dir_read(r->world->proc_fd, path, &r->threads) != 0)
		return;
	for (size_t i = 0; i < r->threads.nr; i++)
		if (r->threads.pids[i] != pid)
			read_other_thread(r, pid, r->threads.pids[i], out);
}

static bool wants_maps(const struct rec_task_reader *r,
		       const struct task_stat *st)
{
	return (r->world->conf->synth & REC_SYNTH_MMAP) &&
	       !(st->flags & FLAG_KTHREAD);
}

void rec_task_read_process(struct rec_task_reader *r, pid_t pid,
			   struct pd_buf *out)
{
	struct task_stat st;
	struct pd_task task = { .pid = (uint32_t)pid, .tid = (uint32_t)pid };

	if (!read_stat(r, pid, &st)) {
		r->stats.gone_nr++;
		return;
	}
	task.ppid = st.ppid;
	task.ptid = st.ppid;
	rec_put_fork(out, r->world->conf->id_len, &task);
	put_task(r, pid, pid, st.comm, out);
	if (wants_maps(r, &st))
		task_read_maps(r, pid, out);
	if (st.thread_nr > 1)
		read_other_threads(r, pid, out);
}

/* Return the process of a thread by "Tgid:" of its status; 0: gone. */
static pid_t process_of(struct rec_task_reader *r, pid_t tid)
{
	char path[32];
	struct rec_text_scan all;
	struct rec_text_scan line;
	uint32_t pid;

	snprintf(path, sizeof(path), "%d/status", (int)tid);
	if (rec_read_once(r->world->proc_fd, path, 2 * STAT_LEN_MAX,
			  &r->text) != 0)
		return 0;
	all = rec_text_scan_buf(&r->text);
	while (rec_text_scan_line(&all, &line))
		if (rec_text_scan_text(&line, "Tgid:") &&
		    rec_text_scan_blanks(&line) &&
		    rec_text_scan_dec32(&line, &pid))
			return (pid_t)pid;
	return 0;
}

void rec_task_read_thread(struct rec_task_reader *r, pid_t tid, pid_t *ret_pid,
			  struct pd_buf *out)
{
	const struct rec_snapshot_conf *conf = r->world->conf;
	struct task_stat st;
	struct pd_str comm;

	*ret_pid = process_of(r, tid);
	if (*ret_pid == 0 || !read_comm(r, *ret_pid, tid, &comm)) {
		r->stats.gone_nr++;
		return;
	}
	rec_put_comm(out, conf->id_len, (uint32_t)*ret_pid, (uint32_t)tid,
		     comm);
	if (conf->want_namespaces)
		rec_task_put_namespaces(r->world, *ret_pid, tid, out);
	r->stats.task_nr++;
	if (tid == *ret_pid && read_stat(r, tid, &st) && wants_maps(r, &st))
		task_read_maps(r, tid, out);
}

void rec_task_reader_init(struct rec_task_reader *ret,
			  const struct rec_task_world *world)
{
	memset(ret, 0, sizeof(*ret));
	ret->world = world;
}

void rec_task_reader_release(struct rec_task_reader *r)
{
	if (!r)
		return;
	rec_build_id_cache_release(&r->build_ids);
	pd_buf_release(&r->text);
	rec_pid_list_release(&r->threads);
}

/* Find the vsyscall page in our own maps. */
static void find_gate(struct rec_task_world *w)
{
	struct pd_buf text = PD_BUF_INIT;
	struct rec_text_scan all;
	struct rec_text_scan line;

	if (rec_read_file(w->proc_fd, "self/maps", 16 << 20, &text) != 0)
		goto out;
	all = rec_text_scan_buf(&text);
	while (rec_text_scan_line(&all, &line))
		if (rec_map_parse(line, &w->gate) &&
		    pd_str_eq(w->gate.name, "[vsyscall]")) {
			strcpy(w->gate_name, "[vsyscall]");
			w->gate.name.ptr = w->gate_name;
			w->has_gate = true;
			break;
		}
out:
	pd_buf_release(&text);
}

/* Find the mount point in "hugetlbfs /dev/hugepages hugetlbfs rw ..." */
static void find_hugetlbfs(struct rec_task_world *w)
{
	struct pd_buf text = PD_BUF_INIT;
	struct rec_text_scan all;
	struct rec_text_scan line;

	if (rec_read_file(w->proc_fd, "mounts", 16 << 20, &text) != 0)
		goto out;
	all = rec_text_scan_buf(&text);
	while (rec_text_scan_line(&all, &line)) {
		struct rec_text_scan dev;
		struct rec_text_scan dir;
		struct rec_text_scan type;

		if (rec_text_scan_word(&line, &dev) &&
		    rec_text_scan_word(&line, &dir) &&
		    rec_text_scan_word(&line, &type) &&
		    rec_text_scan_is(&type, "hugetlbfs") &&
		    rec_text_scan_left(&dir) < sizeof(w->hugetlbfs)) {
			memcpy(w->hugetlbfs, dir.at, rec_text_scan_left(&dir));
			break;
		}
	}
out:
	pd_buf_release(&text);
}

int rec_task_world_init(struct rec_task_world *ret,
			const struct rec_snapshot_conf *conf,
			struct pd_err *err)
{
	memset(ret, 0, sizeof(*ret));
	ret->conf = conf;
	ret->proc_fd =
		open(conf->roots.proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->proc_fd < 0)
		return pd_err_set(err, -errno, "%s: %s", conf->roots.proc,
				  strerror(errno));
	if (conf->synth & REC_SYNTH_MMAP) {
		find_gate(ret);
		find_hugetlbfs(ret);
	}
	return 0;
}

void rec_task_world_release(struct rec_task_world *w)
{
	if (w && w->proc_fd >= 0)
		close(w->proc_fd);
}

void rec_pid_list_release(struct rec_pid_list *list)
{
	if (!list)
		return;
	free(list->pids);
	*list = (struct rec_pid_list)REC_PID_LIST_INIT;
}

static int append(struct rec_pid_list *list, pid_t pid)
{
	if (list->nr == list->cap) {
		const size_t cap = list->cap ? list->cap * 2 : 256;
		pid_t *more = reallocarray(list->pids, cap, sizeof(*more));

		if (!more)
			return -ENOMEM;
		list->pids = more;
		list->cap = cap;
	}
	list->pids[list->nr++] = pid;
	return 0;
}

static int append_name(struct rec_pid_list *list, const char *name)
{
	struct rec_text_scan s = { name, name + strlen(name) };
	uint64_t v;

	if (!rec_text_scan_dec(&s, &v) || s.at != s.end || v == 0 ||
	    v > INT_MAX)
		return 0;
	return append(list, (pid_t)v);
}

static int append_entries(struct rec_pid_list *list, const char *buf,
			  size_t len)
{
	size_t at = 0;
	int rc = 0;

	while (at < len && !rc) {
		const struct dirent *d =
			(const struct dirent *)(const void *)(buf + at);

		rc = append_name(list, d->d_name);
		at += d->d_reclen;
	}
	return rc;
}

int rec_pid_dir_read(int dirfd, const char *path, struct rec_pid_list *list)
{
	_Alignas(struct dirent) char buf[32 * 1024];
	const int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;
	int rc = 0;

	list->nr = 0;
	if (fd < 0)
		return -errno;
	while (!rc && (n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) != 0)
		rc = n < 0 ? -errno : append_entries(list, buf, (size_t)n);
	close(fd);
	return rc;
}
