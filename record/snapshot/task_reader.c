#include "record/snapshot/task_reader.h"

#include "record/base/read_file.h"
#include "record/snapshot/snapshot_put.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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
		rec_task_read_maps(r, pid, out);
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
		rec_task_read_maps(r, tid, out);
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
