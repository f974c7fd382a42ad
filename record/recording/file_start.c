/* file_start.c: write everything that precedes the first sample. */
#include "record/recording/drain_schedule.h"
#include "record/recording/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/records/record_body.h"
#include "format/records/sample.h"
#include "record/base/read_file.h"
#include "record/describe/event_sections.h"
#include "record/recording/file_features.h"
#include "record/recording/metadata_records.h"
#include "record/snapshot/snapshot.h"

/* Write the formats of tracepoints before the data, since stock perf cannot
 * open a file of tracepoints without them, even if its recorder was killed. */
static int write_formats(struct rec_output *out,
			 const struct rec_session *session,
			 struct pd_buf *prefix, struct pd_file_header *header,
			 struct pd_err *err)
{
	size_t start = prefix->len;
	int rc = rec_event_formats_write(prefix, &session->args->events,
					 session->args->env.tracefs, err);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	out->formats.off = PD_FILE_HEADER_LEN + start;
	out->formats.len = prefix->len - start;
	pd_file_header_add(header, PD_FEATURE_TRACING_DATA);
	pd_buf_zero(prefix, (size_t)-prefix->len % 8);
	return 0;
}

int rec_file_write_header(struct rec_output *out,
			  const struct rec_session *session,
			  const struct pd_buf *records, struct pd_err *err)
{
	struct pd_file_header header = {
		.version = 2,
		.attr_entry_len =
			rec_file_attr_len(&session->args->events) + 16,
	};
	struct pd_buf prefix = PD_BUF_INIT;
	int rc = 0;

	out->sync = session->args->sync;
	rec_attrs_write(&prefix, &session->args->events, &session->open,
			&header.attrs);
	if (!out->is_pipe)
		rc = write_formats(out, session, &prefix, &header, err);
	if (out->compressed.len)
		pd_file_header_add(&header, PD_FEATURE_COMPRESSED);
	if (!rc)
		rc = rec_output_start(out, &header, &prefix, records);
	pd_buf_release(&prefix);
	return rc;
}

/* Write the start in one piece with the header: if we are killed, the file is
 * readable or empty. */
static int write_start(struct rec_file *file, const struct rec_session *session,
		       struct pd_err *err)
{
	struct pd_buf b = PD_BUF_INIT;
	int rc = 0;

	if (file->out.is_pipe) {
		rec_attr_records_write(&b, &session->args->events,
				       &session->open);
		rc = rec_pipe_features_write(file, session, &b, err);
	} else if (session->args->level) {
		/* It is first, so that a file whose recorder was killed can be
		 * decompressed: FORMAT.md "Checkpoints". */
		file->out.compressed =
			rec_compressed_feature_write(file, session, &b);
	}
	rec_metadata_records_write(&b, session);
	if (!rc)
		rc = rec_file_write_header(&file->out, session, &b, err);
	pd_buf_release(&b);
	return rc;
}

static int emit(void *ctx, const void *records, size_t len)
{
	struct rec_drain_schedule *schedule = ctx;

	/* Spill the kernel's records of tasks: rec_session_follow(). */
	rec_schedule_relieve(schedule);
	return rec_drain_records(&schedule->drain, records, len, NULL);
}

static bool wants_kernel(const struct rec_event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (!events->events[i].attr.sys.exclude_kernel &&
		    !rec_event_is_dummy(&events->events[i]))
			return true;
	return false;
}

/* Warn that kernel samples will have no function names. */
static void warn_of_no_names(const struct rec_session *session)
{
	uint64_t level = 0;

	if (!session->say || !wants_kernel(&session->args->events))
		return;
	(void)!rec_read_u64("/proc", "sys/kernel/kptr_restrict", &level);
	fprintf(session->say,
		"[ perfpair-record: the kernel's functions will have no names: "
		"/proc/kallsyms shows no addresses "
		"(kernel.kptr_restrict is %" PRIu64 ") ]\n",
		level);
	if (level > 1)
		fprintf(session->say,
			"[ perfpair-record: set kernel.kptr_restrict to 1, and "
			"record as root or with CAP_SYSLOG ]\n");
	else
		fprintf(session->say,
			"[ perfpair-record: CAP_SYSLOG shows them (setcap "
			"cap_perfmon,cap_syslog+ep perfpair-record; docker run "
			"--cap-add SYSLOG) ]\n");
}

static int write_snapshot(const struct rec_session *session,
			  struct rec_drain_schedule *schedule,
			  struct pd_err *err)
{
	const struct rec_target *target = &session->target;
	struct rec_snapshot_stats stats = { 0 };
	struct rec_snapshot_conf conf;
	pid_t *tids = calloc(target->thread_nr, sizeof(*tids));
	int rc;

	if (!tids)
		return pd_err_set(err, -ENOMEM, "out of memory");
	rec_session_snapshot_conf(session, &conf);
	for (size_t i = 0; i < target->thread_nr; i++)
		tids[i] = target->threads[i].tid;
	conf.tids = target->system_wide ? NULL : tids;
	conf.tid_nr = target->system_wide ? 0 : target->thread_nr;
	/* A command before its exec maps nothing relevant. */
	if (session->args->attr.target == REC_TARGET_COMMAND)
		conf.synth &= (unsigned)REC_SYNTH_CGROUP;
	rc = rec_snapshot(&conf, emit, schedule, &stats, err);
	if (!rc && stats.kernel_hidden)
		warn_of_no_names(session);
	if (!rc && session->args->workload)
		rc = rec_snapshot_workload(&conf, session->workload.pid,
					   "perf-exec", emit, schedule);
	free(tids);
	return rc;
}

static int write_what_runs(const struct rec_session *session,
			   struct rec_drain_schedule *schedule,
			   const struct pd_buf *state, struct pd_err *err)
{
	int rc;

	/* An overwritten ring loses the beginning of tasks that end, so its
	 * file has what runs at the start too. */
	if (session->is_tail && !session->args->attr.overwrite)
		return 0;
	if (!state)
		return write_snapshot(session, schedule, err);
	/* perf needs everything of time 0 before the first marker. */
	schedule->holds_markers = true;
	rc = rec_schedule_write(schedule, state, err);
	schedule->holds_markers = false;
	return rc;
}

static int write_finished_init(struct rec_file *file)
{
	struct pd_buf b = PD_BUF_INIT;
	int rc;

	pd_record_end(&b, pd_record_begin(&b, PD_RECORD_FINISHED_INIT, 0));
	rc = rec_file_append(file, &b);
	pd_buf_release(&b);
	return rc;
}

int rec_file_start(struct rec_file *file, const struct rec_session *session,
		   struct rec_drain_schedule *schedule,
		   const struct pd_buf *state, struct pd_err *err)
{
	int rc = write_start(file, session, err);

	if (!rc)
		rc = write_what_runs(session, schedule, state, err);
	if (!rc)
		rc = rec_drain_flush(&schedule->drain);
	if (!rc)
		rc = write_finished_init(file);
	if (!rc)
		rc = rec_sink_checkpoint(&file->sink);
	return rc ? rec_file_error(file, rc, "the file's start", err) : 0;
}
