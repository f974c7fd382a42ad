#include "record/snapshot/snapshot.h"

#include "record/snapshot/kernel_map.h"
#include "record/snapshot/snapshot_put.h"
#include "record/snapshot/task_walk.h"
#include "record/targets/cgroup.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PID_OF_KERNEL UINT32_MAX /* -1 */

struct put_ctx {
	const struct rec_snapshot_conf *conf;
	struct pd_buf *out;
};

/* Append a map, and a record of its file's build-id if that is wanted and
 * known.  MMAP2 would have room for it, but some of perf's commands read no
 * MMAP2 of the kernel: sched and lock of 6.1, sched of 6.12. */
static void put_kernel_map(const struct put_ctx *ctx,
			   const struct pd_mmap *mmap, struct pd_str file,
			   const struct rec_build_id *id)
{
	const struct pd_body body = { .type = PD_RECORD_MMAP, .u.mmap = *mmap };
	struct pd_body named = { .type = PD_RECORD_HEADER_BUILD_ID };
	struct pd_header_build_id *to = &named.u.header_build_id;

	rec_put_body(ctx->out, ctx->conf->id_len, PD_CPUMODE_KERNEL, &body);
	if (!ctx->conf->build_id || !id->len)
		return;
	to->pid = -1;
	to->build_id_len = id->len;
	memcpy(to->build_id, id->bytes, id->len);
	to->filename = file;
	rec_put_body(ctx->out, 0, PD_CPUMODE_KERNEL | PD_MISC_BUILD_ID_SIZE,
		     &named);
}

static int put_module(void *arg, const struct rec_module *module,
		      const char *path, const struct rec_build_id *id)
{
	const struct pd_mmap mmap = {
		.pid = PID_OF_KERNEL,
		.addr = module->start,
		.map_len = module->end - module->start,
		.filename = { path, strlen(path) },
	};

	put_kernel_map(arg, &mmap, mmap.filename, id);
	return 0;
}

/* Append the kernel's own map and one per module.  If the machine hides its
 * addresses there are none, and stats->kernel_hidden is set. */
static void put_kernel_maps(const struct rec_snapshot_conf *conf,
			    struct rec_snapshot_stats *stats,
			    struct pd_buf *out)
{
	struct put_ctx ctx = { .conf = conf, .out = out };
	struct rec_kernel_map map = { .start = 0 };
	struct pd_mmap mmap = { .pid = PID_OF_KERNEL };
	static const char kernel[] = "[kernel.kallsyms]";
	const struct pd_str file = { kernel, sizeof(kernel) - 1 };
	char name[64];
	int rc;

	rc = rec_kernel_map_read(&conf->roots, &map);
	stats->kernel_hidden = rc == -EACCES || rc == -EPERM;
	if (rc)
		return;
	snprintf(name, sizeof(name), "%s%s", kernel, map.symbol);
	mmap.addr = map.start;
	mmap.map_len = map.end - map.start;
	mmap.pgoff = map.start;
	mmap.filename = (struct pd_str){ name, strlen(name) };
	put_kernel_map(&ctx, &mmap, file, &map.build_id);
	rec_modules_walk(&conf->roots, put_module, &ctx);
}

enum {
	HANDLE_TYPE_KERNFS = 0xfe, /* Linux include/linux/exportfs.h */
};

struct put {
	const struct rec_snapshot_conf *conf;
	struct pd_buf *out;
};

/* Read the id that samples carry (PERF_SAMPLE_CGROUP) from the file handle; on
 * 64 bit machines the inode number is the same. */
static bool group_id(int fd, uint64_t *ret)
{
	struct {
		struct file_handle handle;
		uint64_t id;
	} h = { .handle.handle_bytes = sizeof(uint64_t) };
	struct stat st;
	int mount_id;

	if (name_to_handle_at(fd, "", &h.handle, &mount_id, AT_EMPTY_PATH) ==
		    0 &&
	    h.handle.handle_type == HANDLE_TYPE_KERNFS) {
		memcpy(ret, h.handle.f_handle, sizeof(*ret));
		return true;
	}
	if (fstat(fd, &st) != 0)
		return false;
	*ret = st.st_ino;
	return true;
}

static void put_group(void *ctx, int fd, const char *path)
{
	struct pd_body body = { .type = PD_RECORD_CGROUP };
	const struct put *put = ctx;

	if (!group_id(fd, &body.u.cgroup.cgroup_id))
		return;
	body.u.cgroup.path = (struct pd_str){ path, strlen(path) };
	if (!*path)
		body.u.cgroup.path = (struct pd_str){ "/", 1 };
	rec_put_body(put->out, put->conf->id_len, 0, &body);
}

/* Append a CGROUP per control group of the hierarchy that perf events belong
 * to: perf_event's of cgroup v1, else v2's. */
static void put_cgroups(const struct rec_snapshot_conf *conf,
			struct pd_buf *out)
{
	struct put put = { conf, out };

	/* If none are mounted, nothing is written. */
	(void)!rec_cgroup_walk(conf->roots.proc, put_group, &put);
}

static bool add_synth_word(struct rec_text_scan word, unsigned *mask)
{
	static const struct {
		const char *name;
		unsigned bits;
	} words[] = {
		{ "no", REC_SYNTH_NO },
		{ "all", REC_SYNTH_ALL },
		{ "task", REC_SYNTH_TASK },
		{ "mmap", REC_SYNTH_TASK | REC_SYNTH_MMAP },
		{ "cgroup", REC_SYNTH_CGROUP },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (rec_text_scan_is(&word, words[i].name)) {
			*mask |= words[i].bits;
			return true;
		}
	return false;
}

int rec_synth_parse(const char *text, unsigned *ret, struct pd_err *err)
{
	struct rec_text_scan all = { text, text + strlen(text) };
	struct rec_text_scan word;
	unsigned mask = 0;
	bool ok = true;

	while (ok && rec_text_scan_until(&all, ',', &word))
		ok = add_synth_word(word, &mask);
	if (!ok || !add_synth_word(all, &mask)) {
		pd_err_set(err, -EINVAL, "--synth: '%s' is not known", text);
		pd_err_hint(err, "no, all, or a list of task, mmap, cgroup");
		return -EINVAL;
	}
	*ret = mask;
	return 0;
}

/* Write the records that precede the tasks. */
static int emit_kernel(const struct rec_snapshot_conf *conf, rec_emit_fn *emit,
		       void *ctx, struct rec_snapshot_stats *stats)
{
	struct pd_buf out = PD_BUF_INIT;
	int rc;

	if (conf->want_kernel)
		put_kernel_maps(conf, stats, &out);
	if (conf->want_bpf)
		rec_put_bpf_programs(conf, &out);
	if (conf->want_cgroups && (conf->synth & REC_SYNTH_CGROUP))
		put_cgroups(conf, &out);
	rc = pd_buf_status(&out);
	if (!rc && out.len)
		rc = emit(ctx, out.data, out.len);
	pd_buf_release(&out);
	return rc;
}

static int emit_all_tasks(const struct rec_task_world *world, rec_emit_fn *emit,
			  void *ctx, struct rec_snapshot_stats *stats,
			  struct pd_err *err)
{
	struct rec_task_walk walk = { .world = NULL };
	int rc;

	rc = rec_task_walk_start(&walk, world, err);
	if (!rc)
		rc = emit_kernel(world->conf, emit, ctx, stats);
	if (!rc)
		rc = rec_task_walk_emit(&walk, emit, ctx);
	rec_task_walk_end(&walk);
	stats->task_nr = walk.stats.task_nr;
	stats->map_nr = walk.stats.map_nr;
	stats->gone_nr = walk.stats.gone_nr;
	stats->denied_nr = walk.stats.denied_nr;
	return rc;
}

static int compare_pids(const void *va, const void *vb)
{
	const pid_t a = *(const pid_t *)va;
	const pid_t b = *(const pid_t *)vb;

	return (a > b) - (a < b);
}

/* Append the given threads; after the first thread of a process whose leader
 * was not given, also the leader with the process's maps. */
static void put_given_tasks(struct rec_task_reader *reader,
			    const struct rec_snapshot_conf *conf,
			    pid_t *leaders, struct pd_buf *out)
{
	size_t leader_nr = conf->tid_nr;

	memcpy(leaders, conf->tids, conf->tid_nr * sizeof(*leaders));
	qsort(leaders, leader_nr, sizeof(*leaders), compare_pids);
	for (size_t i = 0; i < conf->tid_nr; i++) {
		pid_t pid;
		pid_t same;

		rec_task_read_thread(reader, conf->tids[i], &pid, out);
		if (pid == 0 || bsearch(&pid, leaders, leader_nr, sizeof(pid),
					compare_pids))
			continue;
		rec_task_read_thread(reader, pid, &same, out);
		leaders[leader_nr++] = pid;
		qsort(leaders, leader_nr, sizeof(*leaders), compare_pids);
	}
}

static int emit_given_tasks(const struct rec_task_world *world,
			    rec_emit_fn *emit, void *ctx,
			    struct rec_snapshot_stats *stats,
			    struct pd_err *err)
{
	const struct rec_snapshot_conf *conf = world->conf;
	pid_t *leaders = calloc(conf->tid_nr, 2 * sizeof(*leaders));
	struct rec_task_reader reader;
	struct pd_buf out = PD_BUF_INIT;
	int rc;

	if (!leaders)
		return pd_err_set(err, -ENOMEM, "out of memory");
	rec_task_reader_init(&reader, world);
	rc = emit_kernel(conf, emit, ctx, stats);
	if (rc)
		goto out;
	put_given_tasks(&reader, conf, leaders, &out);
	rc = pd_buf_status(&out);
	if (!rc && out.len)
		rc = emit(ctx, out.data, out.len);
	reader.stats.kernel_hidden = stats->kernel_hidden;
	*stats = reader.stats;
out:
	pd_buf_release(&out);
	rec_task_reader_release(&reader);
	free(leaders);
	return rc;
}

int rec_snapshot(const struct rec_snapshot_conf *conf, rec_emit_fn *emit,
		 void *ctx, struct rec_snapshot_stats *stats,
		 struct pd_err *err)
{
	struct rec_snapshot_stats unused;
	struct rec_task_world world;
	int rc;

	if (!stats)
		stats = &unused;
	*stats = (struct rec_snapshot_stats){ 0 };
	if (!(conf->synth & (REC_SYNTH_TASK | REC_SYNTH_MMAP)))
		return emit_kernel(conf, emit, ctx, stats);
	rc = rec_task_world_init(&world, conf, err);
	if (rc)
		return rc;
	rc = conf->tid_nr ? emit_given_tasks(&world, emit, ctx, stats, err)
			  : emit_all_tasks(&world, emit, ctx, stats, err);
	rec_task_world_release(&world);
	return rc;
}

int rec_snapshot_workload(const struct rec_snapshot_conf *conf, pid_t pid,
			  const char *comm, rec_emit_fn *emit, void *ctx)
{
	const struct pd_str name = { comm, strlen(comm) };
	struct pd_buf out = PD_BUF_INIT;
	struct rec_task_world world;
	int rc;

	rec_put_comm(&out, conf->id_len, (uint32_t)pid, (uint32_t)pid, name);
	if (conf->want_namespaces &&
	    rec_task_world_init(&world, conf, NULL) == 0) {
		rec_task_put_namespaces(&world, pid, pid, &out);
		rec_task_world_release(&world);
	}
	rc = pd_buf_status(&out);
	if (!rc)
		rc = emit(ctx, out.data, out.len);
	pd_buf_release(&out);
	return rc;
}
