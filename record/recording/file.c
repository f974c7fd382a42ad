#include "record/recording/file.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "format/records/record_body.h"
#include "format/records/sample.h"
#include "record/base/read_file.h"
#include "record/base/runtime.h"
#include "record/describe/event_sections.h"
#include "record/recording/drain_schedule.h"
#include "record/recording/file_features.h"
#include "record/recording/metadata_records.h"
#include "record/recording/self_usage.h"
#include "record/recording/session.h"
#include "record/recording/slice_mark.h"
#include "record/snapshot/snapshot.h"

int rec_file_open(struct rec_file *file, const char *path, struct pd_err *err)
{
	const struct rec_output_room *room = &file->room;
	struct pd_err why = PD_ERR_INIT;
	int rc = rec_output_open(&file->out, path, &why);

	while ((rc == -ENOSPC || rc == -EDQUOT) && room->make &&
	       room->make(room->ctx, 0)) {
		rec_output_release(&file->out);
		why = (struct pd_err)PD_ERR_INIT;
		rc = rec_output_open(&file->out, path, &why);
	}
	file->out.room = room->make ? room : NULL;
	if (rc && err && !err->code)
		*err = why;
	return rc;
}

/* Write everything that precedes the first sample. */

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
	if (rec_output_has_table(out) && out->hostname.len)
		pd_file_header_add(&header, PD_FEATURE_HOSTNAME);
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
		/* This record is first, so that a file whose recorder was
		 * killed can be decompressed: FORMAT.md "Checkpoints". */
		file->out.compressed = rec_early_feature_write(
			file, session, PD_FEATURE_COMPRESSED, &b);
	}
	if (file->has_mark)
		rec_slice_mark_write(&b, &file->mark);
	/* A reader of the other byte order takes the bits that were written for
	 * damage if HOSTNAME is not among them.  Few are big-endian. */
	if (REC_IS_BIG_ENDIAN && !file->out.is_pipe)
		file->out.hostname = rec_early_feature_write(
			file, session, PD_FEATURE_HOSTNAME, &b);
	rec_metadata_records_write(&b, session);
	if (!rc)
		rc = rec_file_write_header(&file->out, session, &b, err);
	pd_buf_release(&b);
	return rc;
}

static int emit(void *ctx, const void *records, size_t len)
{
	struct rec_drain_schedule *schedule = ctx;

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

/* Write losses, features and the last header. */

int rec_file_error(const struct rec_file *file, int rc, const char *what,
		   struct pd_err *err)
{
	/* The first error says more. */
	if (file->out.err.code && err && !err->code)
		*err = file->out.err;
	else if (what)
		pd_err_set(err, rc, "%s: %s", what, strerror(-rc));
	return rc;
}

int rec_file_append(struct rec_file *file, const struct pd_buf *records)
{
	struct iovec part = { records->data, records->len };

	if (pd_buf_status(records))
		return pd_buf_status(records);
	return records->len ? rec_output_append_loose(&file->out, &part, 1) : 0;
}

void rec_file_release(struct rec_file *file)
{
	rec_sink_release(&file->sink);
	rec_output_release(&file->out);
	rec_loss_table_release(&file->losses);
}

/* Read each event's losses from the kernel; write a record for each loss. */
static int write_losses(struct rec_file *file,
			const struct rec_drain_schedule *schedule)
{
	const struct rec_loss_source source = rec_schedule_losses(schedule);
	struct pd_buf b = PD_BUF_INIT;
	int rc;

	rec_loss_table_end(&file->losses, &source, file->sink.counts.time_hi_ns,
			   &b);
	rc = rec_file_append(file, &b);
	pd_buf_release(&b);
	return rc;
}

/* Return true if a task that inherited an event still runs: the command started
 * it and did not wait for it. */
static bool is_any_left(const struct rec_open_set *open)
{
	for (size_t i = 0; i < open->nr; i++) {
		struct pollfd fd = { .fd = open->fds[i].fd };

		if (open->fds[i].tid != -1 &&
		    (poll(&fd, 1, 0) != 1 || !(fd.revents & POLLHUP)))
			return true;
	}
	return false;
}

/* Compute the trailer's flag (trailer.h) of a whole command: false if it still
 * ran at the end, began late or failed, if others inherited its events, or if
 * the file takes no more samples. */
static uint32_t whole_command(const struct rec_file *file,
			      const struct rec_session *session)
{
	const struct rec_args *args = session->args;
	const struct rec_workload *w = &session->workload;

	if (!args->workload || args->attr.target != REC_TARGET_COMMAND ||
	    args->attr.no_inherit || args->attr.overwrite || args->control ||
	    args->delay.is_given || args->switch_output.is_on ||
	    session->workload_end != REC_WORKLOAD_BY_ITSELF ||
	    session->is_stopped || session->control.stop_signal || !w->reaped ||
	    !WIFEXITED(w->wait_status) || WEXITSTATUS(w->wait_status) ||
	    is_any_left(&session->open) || !rec_sink_sample_room(&file->sink))
		return 0;
	return (uint32_t)(args->workload - args->argv) + 1;
}

/* Fill in the trailer, except its checksums, which are in sums. */
static void make_trailer(struct rec_file *file,
			 const struct rec_session *session,
			 const struct rec_drain_schedule *schedule,
			 struct pd_file_sums *sums, struct pd_trailer *ret)
{
	*ret = (struct pd_trailer){
		.losses = file->losses.rows,
		.loss_nr = file->losses.nr,
		.rates = session->budget.rates,
		.rate_nr = session->budget.rate_nr,
		.whole_command = whole_command(file, session),
		.has_sums = true,
		.sums = sums->items,
		.sum_nr = sums->nr,
	};

	/* not modified */
	ret->frames = (struct pd_trailer_frame *)(uintptr_t)rec_frame_index_all(
		&file->sink.index, &ret->frame_nr);
	rec_self_usage_read(session, file, schedule, &ret->cost);
	ret->start.wall_ns = rec_wall_ns() - ret->cost.recorded_ns;
	ret->start.mono_ns = session->started_ns;
	rec_boot_id_read(ret->start.boot_id);
	if (schedule->held) {
		struct rec_held_left left;

		rec_held_tasks_left(schedule->held, &left);
		ret->left_task_nr = left.task_nr;
		ret->left_record_nr = left.record_nr;
	}
	/* Without an index the records of the sums are unknown. */
	if (ret->frames)
		ret->rest_hash = pd_hash_get(file->out.rest);
}

static bool is_regular(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* Names are looked up by what the file says; if it cannot be read, nobody else
 * can read it, either.  Devices keep nothing. */
static int name_failure(const struct rec_file *file,
			const struct rec_session *session, int rc,
			const struct pd_err *why, struct pd_err *err)
{
	if ((rc == -EBADMSG || rc == -ENODATA) && is_regular(file->out.fd)) {
		pd_err_set(err, rc,
			   "%s: what was written cannot be read back: %s",
			   file->out.path, strerror(-rc));
		pd_err_hint(err,
			    "'perfpair check %s' says where; this is a defect "
			    "of the recorder or of the disk",
			    file->out.path);
		return rc;
	}
	if (session->say)
		fprintf(session->say,
			"[ perfpair-record: no names are carried: %s ]\n",
			why->text);
	return 0;
}

/* Append the names that the file carries, and a trailer with them instead of
 * old_trailer, which ends the file.  Without them the file is still complete.
 * Return 0, or the error of a file that cannot be read back. */
static int carry_names(struct rec_file *file, struct rec_session *session,
		       const struct rec_drain_schedule *schedule,
		       struct pd_file_sums *sums, struct pd_str old_trailer,
		       struct pd_err *err)
{
	struct pd_carried_sections sections;
	bool gives_up = rec_budget_gives_up_names(&session->budget);
	uint64_t len = file->out.len;
	struct pd_buf b = PD_BUF_INIT;
	struct pd_err why = PD_ERR_INIT;
	struct pd_trailer trailer;
	int rc;

	if (!session->carry.is_on || gives_up)
		return 0;
	rc = rec_carry_collect(&session->carry, file->out.fd, len, &b,
			       &sections, &why);
	if (rc) {
		rc = name_failure(file, session, rc, &why, err);
	} else {
		pd_file_sums_add(sums, PD_PART_OLD_TRAILER,
				 len - old_trailer.len, old_trailer.ptr,
				 old_trailer.len);
		make_trailer(file, session, schedule, sums, &trailer);
		trailer.sections = sections.items;
		trailer.section_nr = sections.nr;
		pd_trailer_write(&b, &trailer);
		rec_output_append_end(&file->out, &b);
	}
	pd_buf_release(&b);
	return rc;
}

static int write_tail(struct rec_file *file, struct rec_session *session,
		      const struct rec_drain_schedule *schedule,
		      struct pd_err *err)
{
	uint64_t features[PD_FEATURE_BITS / 64] = { 0 };
	struct pd_buf tail = PD_BUF_INIT;
	struct pd_file_sums sums;
	struct pd_trailer trailer;
	size_t trailer_off;
	int rc = rec_sink_checkpoint(&file->sink);

	if (rc || file->out.is_cut)
		return rc;
	rc = rec_features_write(file, session, &tail, features, err);
	/* Without that end perf reads the file as after a kill; with half of
	 * it, perf cannot read it. */
	rec_output_sum(&file->out, features, &tail, &sums);
	if (session->carry.is_on && rec_budget_gives_up_names(&session->budget))
		rec_budget_note_names(&session->budget,
				      rec_schedule_newest_ns(schedule));
	make_trailer(file, session, schedule, &sums, &trailer);
	trailer_off = tail.len;
	pd_trailer_write(&tail, &trailer);
	if (!rc)
		rc = pd_buf_status(&tail);
	if (!rc) {
		rc = rec_output_finish(&file->out, features, &tail);
	} else {
		pd_err_set(err, rc, "the file's end: %s", strerror(-rc));
		pd_err_hint(err, "what was recorded is in the file and can be "
				 "read; what describes the machine is not");
	}
	if (!rc)
		rc = carry_names(
			file, session, schedule, &sums,
			(struct pd_str){ (const char *)tail.data + trailer_off,
					 tail.len - trailer_off },
			err);
	pd_buf_release(&tail);
	return rc;
}

/* A pipe has no sections: append the build-ids as records. */
static int write_pipe_build_ids(struct rec_file *file,
				struct rec_session *session)
{
	struct pd_buf b = PD_BUF_INIT;
	int rc;

	rec_build_ids_write(session, &b);
	rc = rec_file_append(file, &b);
	pd_buf_release(&b);
	return rc;
}

int rec_file_end(struct rec_file *file, struct rec_session *session,
		 struct rec_drain_schedule *schedule, struct pd_err *err)
{
	int flushed = rec_drain_flush(&schedule->drain);
	int rc = write_losses(file, schedule);

	if (!rc)
		rc = flushed;
	if (!rc)
		rc = file->out.is_pipe
			     ? write_pipe_build_ids(file, session)
			     : write_tail(file, session, schedule, err);
	rec_sink_end(&file->sink);
	return rc ? rec_file_error(file, rc, "the file's end", err) : 0;
}
