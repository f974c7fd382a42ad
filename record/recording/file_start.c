/* file_start.c: everything that stands in the file before the first sample. */
#include "record/recording/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/record_body.h"
#include "format/sample.h"
#include "record/recording/file_features.h"
#include "record/base/read_file.h"
#include "record/snapshot/snapshot.h"

uint32_t rec_file_attr_len(const struct rec_event_list *events)
{
	uint32_t len = 0;

	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.sys.size > len)
			len = events->events[i].attr.sys.size;
	return len;
}

static void write_attr(struct pd_buf *b, const struct rec_event *event,
		       uint32_t len)
{
	struct pd_attr attr;

	rec_attr_to_pd(&event->attr, &attr);
	attr.attr_len = len;
	pd_attr_write(b, &attr);
}

/* [ids of event 0..n][attr, ids section of event 0..n], FORMAT.md
 * "Attributes"; *ret_attrs is where the second part lies in the file. */
static void write_prefix(const struct rec_recording *rec, struct pd_buf *b,
			 struct pd_section *ret_attrs)
{
	const struct rec_open_set *open = &rec->open;
	uint32_t len = rec_file_attr_len(&rec->args->events);

	for (size_t i = 0; i < open->nr; i++)
		pd_buf_u64(b, open->fds[i].id);
	ret_attrs->off = PD_FILE_HEADER_LEN + b->len;
	for (size_t i = 0; i < open->event_nr; i++) {
		write_attr(b, &rec->args->events.events[i], len);
		pd_buf_u64(b, PD_FILE_HEADER_LEN + 8 * open->first[i]);
		pd_buf_u64(b, 8 * (open->first[i + 1] - open->first[i]));
	}
	ret_attrs->len = PD_FILE_HEADER_LEN + b->len - ret_attrs->off;
}

/* The formats of tracepoints stand in front of the data, since stock perf does
 * not open a file of tracepoints without them, be it that of a recorder that
 * was killed. */
static int write_formats(struct rec_recording *rec, struct pd_buf *prefix,
			 struct pd_file_header *header, struct pd_err *err)
{
	size_t start = prefix->len;
	int code = rec_tracing_feature_write(rec, prefix, err);

	if (code == -ENOENT)
		return 0;
	if (code)
		return code;
	rec->out.formats.off = PD_FILE_HEADER_LEN + start;
	rec->out.formats.len = prefix->len - start;
	pd_file_header_add(header, PD_FEATURE_TRACING_DATA);
	pd_buf_zero(prefix, (size_t)-prefix->len % 8);
	return 0;
}

/* records: what the data section begins with. */
static int write_header(struct rec_recording *rec, const struct pd_buf *records,
			struct pd_err *err)
{
	struct pd_file_header header = {
		.version = 2,
		.attr_entry_len = rec_file_attr_len(&rec->args->events) + 16,
	};
	struct pd_buf prefix = PD_BUF_INIT;
	int code = 0;

	rec->out.sync = rec->args->sync;
	write_prefix(rec, &prefix, &header.attrs);
	if (!rec->out.is_pipe)
		code = write_formats(rec, &prefix, &header, err);
	if (!code)
		code = rec_output_start(&rec->out, &header, &prefix, records);
	pd_buf_release(&prefix);
	return code;
}

/* Pipe mode: the attrs as records. */
static void write_pipe_attrs(const struct rec_recording *rec, struct pd_buf *b)
{
	uint32_t len = rec_file_attr_len(&rec->args->events);

	for (size_t i = 0; i < rec->open.event_nr; i++) {
		size_t start = pd_record_begin(b, PD_RECORD_HEADER_ATTR, 0);

		write_attr(b, &rec->args->events.events[i], len);
		for (size_t k = rec->open.first[i]; k < rec->open.first[i + 1];
		     k++)
			pd_buf_u64(b, rec->open.fds[k].id);
		pd_record_end(b, start);
	}
}

static const struct perf_event_mmap_page *
any_page(const struct rec_recording *rec)
{
	if (rec->rings.nr)
		return rec->rings.rings[0].control;
	return rec->flight.set.nr ? rec->flight.set.rings[0].control : NULL;
}

/* With the header in one piece: whoever kills us leaves a file that can be
 * read, or an empty one. */
static int write_start(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_side_conf conf = { .events = &rec->args->events,
				      .open = &rec->open,
				      .rings = &rec->rings,
				      .target = &rec->target,
				      .page = any_page(rec),
				      .is_pipe = rec->out.is_pipe };
	struct pd_buf b = PD_BUF_INIT;
	int code = 0;

	if (rec->out.is_pipe) {
		write_pipe_attrs(rec, &b);
		code = rec_pipe_features_write(rec, &b, err);
	} else if (rec->args->level) {
		/* First of all, so that a file whose recorder was killed can
		 * be decompressed: FORMAT.md "Checkpoints". */
		rec_compressed_feature_write(rec, &b);
	}
	rec_metadata_records_write(&b, &conf);
	if (!code)
		code = write_header(rec, &b, err);
	pd_buf_release(&b);
	return code;
}

static int emit(void *ctx, const void *records, size_t len)
{
	struct rec_recording *rec = ctx;

	/* What the kernel tells of tasks meanwhile, rec_switch_follow(). */
	rec_rounds_relieve(rec);
	return rec_drain_records(&rec->drain, records, len, NULL);
}

size_t rec_file_id_len(const struct rec_event_list *events)
{
	struct pd_sample_layout layout;
	struct pd_attr attr;

	rec_attr_to_pd(&events->events[0].attr, &attr);
	pd_sample_layout_init(&layout, &attr);
	return layout.id_len;
}

/* Beside -d, stack copies want them: a reader that unwinds finds the unwind
 * tables of a file by the map that they lie in. */
static bool wants_data_maps(const struct rec_event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.sys.mmap_data)
			return true;
	return false;
}

void rec_file_snapshot_conf(const struct rec_recording *rec,
			    struct rec_snapshot_conf *ret)
{
	const struct rec_args *args = rec->args;

	*ret = (struct rec_snapshot_conf){
		.roots = REC_SYSROOTS_REAL,
		.synth = args->synth,
		.id_len = rec_file_id_len(&args->events),
		.build_id = !args->no_buildid,
		.want_kernel = !args->attr.all_user,
		.want_bpf = !args->attr.no_bpf_event,
		.want_namespaces = args->attr.namespaces,
		.want_cgroups = args->attr.all_cgroups,
		.want_data_maps = wants_data_maps(&args->events),
	};
}

static bool wants_kernel(const struct rec_event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (!events->events[i].attr.sys.exclude_kernel &&
		    !rec_event_is_dummy(&events->events[i]))
			return true;
	return false;
}

/* Samples of the kernel come, and nobody will ever know of which function. */
static void say_no_names(const struct rec_recording *rec)
{
	uint64_t level = 0;

	if (!rec->say || !wants_kernel(&rec->args->events))
		return;
	(void)!rec_read_u64("/proc", "sys/kernel/kptr_restrict", &level);
	fprintf(rec->say,
		"[ perfpair-record: the kernel's functions will have no names: "
		"/proc/kallsyms shows no addresses "
		"(kernel.kptr_restrict is %" PRIu64 ") ]\n",
		level);
	if (level > 1)
		fprintf(rec->say,
			"[ perfpair-record: set kernel.kptr_restrict to 1, and "
			"record as root or with CAP_SYSLOG ]\n");
	else
		fprintf(rec->say,
			"[ perfpair-record: CAP_SYSLOG shows them (setcap "
			"cap_perfmon,cap_syslog+ep perfpair-record; docker run "
			"--cap-add SYSLOG) ]\n");
}

static int snapshot(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_snapshot_stats stats = { 0 };
	struct rec_snapshot_conf conf;
	pid_t *tids = calloc(rec->target.thread_nr, sizeof(*tids));
	int code;

	if (!tids)
		return pd_err_set(err, -ENOMEM, "out of memory");
	rec_file_snapshot_conf(rec, &conf);
	for (size_t i = 0; i < rec->target.thread_nr; i++)
		tids[i] = rec->target.threads[i].tid;
	conf.tids = rec->target.system_wide ? NULL : tids;
	conf.tid_nr = rec->target.system_wide ? 0 : rec->target.thread_nr;
	/* A command that has not started maps nothing that matters. */
	if (rec->args->attr.target == REC_TARGET_COMMAND)
		conf.synth &= (unsigned)REC_SYNTH_CGROUP;
	code = rec_snapshot(&conf, emit, rec, &stats, err);
	if (!code && stats.kernel_hidden)
		say_no_names(rec);
	if (!code && rec->args->workload)
		code = rec_snapshot_workload(&conf, rec->workload.pid,
					     "perf-exec", emit, rec);
	free(tids);
	return code;
}

static int write_finished_init(struct rec_recording *rec)
{
	struct pd_buf b = PD_BUF_INIT;
	int code;

	pd_record_end(&b, pd_record_begin(&b, PD_RECORD_FINISHED_INIT, 0));
	code = rec_append_records(rec, &b);
	pd_buf_release(&b);
	return code;
}

static int tell_what_runs(struct rec_recording *rec, struct pd_err *err)
{
	/* A ring that is overwritten forgets how those that ended began: what
	 * runs is told at the start too. */
	if (rec->is_tail && !rec->args->attr.overwrite)
		return 0;
	return rec->slices.is_telling ? rec_file_rotation_tell_state(rec, err)
				      : snapshot(rec, err);
}

int rec_file_start(struct rec_recording *rec, struct pd_err *err)
{
	int code = write_start(rec, err);

	if (!code)
		code = tell_what_runs(rec, err);
	if (!code)
		code = rec_drain_flush(&rec->drain);
	if (!code)
		code = write_finished_init(rec);
	if (!code)
		code = rec_output_checkpoint(&rec->out);
	if (code && rec->out.err.code && err && !err->code)
		*err = rec->out.err;
	return code ? pd_err_set(err, code, "the file's start: %s",
				 strerror(-code))
		    : 0;
}
