#include "record/snapshot/snapshot.h"

#include "record/snapshot/snapshot_put.h"
#include "record/snapshot/task_walk.h"

#include <stdlib.h>

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
		rec_put_kernel_maps(conf, stats, &out);
	if (conf->want_bpf)
		rec_put_bpf_programs(conf, &out);
	if (conf->want_cgroups && (conf->synth & REC_SYNTH_CGROUP))
		rec_put_cgroups(conf, &out);
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
