/* file_rotation.c: the end of one file and the start of the next. */
#include "record/recording/file_rotation.h"

#include "record/base/runtime.h"
#include "record/recording/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "format/layout.h"

/* So much of the state is written before the rings get a look. */
enum { PIECE_LEN = 256 * 1024, HEADER_LEN = 8, RECORD_LEN_OFF = 6 };

/* What is kept beside a reading that was made too early; then it is made anew.
 */
enum { KEPT_LEN_MAX = 4 * 1024 * 1024 };

/* A reading serves all files that begin within that time. */
static const uint64_t fresh_ns = 1000000000;

/* A reading takes that much longer than the one before, at most. */
static const uint64_t slack_ns = 20000000;

static const uint64_t kept_types =
	PD_BIT(PD_RECORD_MMAP) | PD_BIT(PD_RECORD_MMAP2) |
	PD_BIT(PD_RECORD_COMM) | PD_BIT(PD_RECORD_FORK) |
	PD_BIT(PD_RECORD_EXIT) | PD_BIT(PD_RECORD_NAMESPACES) |
	PD_BIT(PD_RECORD_KSYMBOL) | PD_BIT(PD_RECORD_BPF_EVENT) |
	PD_BIT(PD_RECORD_CGROUP) | PD_BIT(PD_RECORD_TEXT_POKE);

uint64_t rec_file_rotation_watched(void)
{
	return kept_types;
}

void rec_file_rotation_see(struct rec_recording *rec,
			   const struct pd_record *record, bool is_new)
{
	struct rec_file_rotation *s = &rec->slices;

	if (!(kept_types & PD_BIT(record->type)))
		return;
	if (s->is_kept && is_new)
		pd_buf_bytes(&s->kept, record->data, record->len);
	/* Out of memory costs a later file the maps of that thread. */
	if (!rec->target.system_wide)
		(void)!rec_task_set_note(&s->tasks, record);
}

static int note_targets(struct rec_recording *rec)
{
	int code = 0;

	if (rec->target.system_wide)
		return 0;
	for (size_t i = 0; i < rec->target.thread_nr && !code; i++)
		code = rec_task_set_add(&rec->slices.tasks,
					rec->target.threads[i].tid);
	return code;
}

int rec_file_rotation_init(struct rec_recording *rec, struct pd_err *err)
{
	const struct rec_args *args = rec->args;
	struct rec_file_rotation *s = &rec->slices;
	int code = 0;

	s->is_on = args->switch_output.is_on;
	if (rec->is_tail && !s->is_on)
		code = note_targets(rec);
	if (code)
		return pd_err_set(err, code, "out of memory");
	if (!s->is_on && !args->timestamp_filename)
		return 0;
	if (rec->out.is_pipe) {
		pd_err_set(err, -EINVAL,
			   "a pipe has neither a next file nor a "
			   "name with a time");
		pd_err_hint(err, "give a file with -o");
		return -EINVAL;
	}
	code = rec_rotated_files_init(&s->files, args->switch_max_files);
	s->files.folder_max_nr = args->max_files;
	if (!code && s->is_on)
		code = note_targets(rec);
	if (!code && s->is_on)
		code = rec_loss_table_init(&s->losses, 0);
	s->capture.done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!code && s->capture.done_fd < 0)
		code = -errno;
	return code ? pd_err_set(err, code, "%s", strerror(-code)) : 0;
}

/* The reading of /proc. */

static int append(void *ctx, const void *records, size_t len)
{
	struct rec_capture *capture = ctx;

	pd_buf_bytes(&capture->state, records, len);
	return pd_buf_status(&capture->state);
}

static void *capture_main(void *arg)
{
	struct rec_capture *capture = arg;
	uint64_t one = 1;

	capture->code =
		rec_snapshot(&capture->conf, append, capture, NULL, NULL);
	(void)!write(capture->done_fd, &one, sizeof(one));
	return NULL;
}

/* Those that live of the threads that are followed.  Of rings that are
 * overwritten nobody has heard of forks: their children are looked up. */
static int give_tasks(struct rec_recording *rec, struct rec_snapshot_conf *conf)
{
	struct rec_task_set *tasks = &rec->slices.tasks;
	pid_t *tids;

	if (rec->target.system_wide)
		return 0;
	if (rec->flight.set.nr &&
	    rec_task_set_add_children(tasks, conf->roots.proc))
		return -ENOMEM;
	rec_task_set_prune(tasks, conf->roots.proc);
	if (!tasks->nr)
		conf->synth &= (unsigned)REC_SYNTH_CGROUP;
	tids = calloc(tasks->nr + 1, sizeof(*tids));
	if (!tids)
		return -ENOMEM;
	memcpy(tids, tasks->tids, tasks->nr * sizeof(*tids));
	conf->tids = tids;
	conf->tid_nr = tasks->nr;
	return 0;
}

static void forget_capture(struct rec_capture *capture)
{
	free((void *)(uintptr_t)capture->conf.tids);
	capture->conf.tids = NULL;
	capture->is_done = false;
	pd_buf_release(&capture->state);
}

/* What to read, and from now on what to keep. */
static int prepare_capture(struct rec_recording *rec)
{
	struct rec_file_rotation *s = &rec->slices;
	int code;

	rec_file_snapshot_conf(rec, &s->capture.conf);
	pthread_mutex_lock(&rec->sink.lock);
	code = give_tasks(rec, &s->capture.conf);
	s->is_kept = !rec->is_tail;
	pthread_mutex_unlock(&rec->sink.lock);
	return code;
}

/* At the end of all, without a thread. */
static int read_state(struct rec_recording *rec)
{
	struct rec_capture *capture = &rec->slices.capture;
	int code = prepare_capture(rec);

	if (!code)
		code = rec_snapshot(&capture->conf, append, capture, NULL,
				    NULL);
	return code;
}

static int begin_capture(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_capture *capture = &rec->slices.capture;
	int code = prepare_capture(rec);

	if (!code)
		code = rec_thread_start(&capture->thread, "read-proc",
					capture_main, capture);
	capture->is_running = !code;
	capture->begin_ns = rec_now_ns();
	if (code)
		forget_capture(capture);
	return code ? pd_err_set(err, code, "reading what runs: %s",
				 strerror(-code))
		    : 0;
}

/* Whether the reading has ended; 0, or its failure. */
static int end_capture(struct rec_capture *capture, struct pd_err *err)
{
	uint64_t nr;

	if (!capture->is_running ||
	    read(capture->done_fd, &nr, sizeof(nr)) != sizeof(nr))
		return 0;
	pthread_join(capture->thread, NULL);
	capture->is_running = false;
	capture->is_done = true;
	capture->took_ns = rec_now_ns() - capture->begin_ns;
	if (capture->code)
		pd_err_set(err, capture->code, "reading what runs: %s",
			   strerror(-capture->code));
	return capture->code;
}

/* Where whole records of about PIECE_LEN bytes end. */
static size_t piece_end(const struct pd_buf *b, size_t at)
{
	size_t start = at;

	while (at < b->len && at - start < PIECE_LEN) {
		uint16_t len;

		memcpy(&len, b->data + at + RECORD_LEN_OFF, sizeof(len));
		at += len >= HEADER_LEN ? len : HEADER_LEN;
	}
	return at;
}

static int tell(struct rec_recording *rec, const struct pd_buf *b,
		struct pd_err *err)
{
	size_t at = 0;
	int code = pd_buf_status(b);

	while (!code && at < b->len) {
		size_t end = piece_end(b, at);

		code = rec_drain_records(&rec->drain, b->data + at, end - at,
					 err);
		if (!code)
			code = rec_recording_pump(rec, err);
		at = end;
	}
	return code;
}

/* For perf, everything of time 0 is there before the first marker, whatever
 * stands between. */
int rec_file_rotation_tell_state(struct rec_recording *rec, struct pd_err *err)
{
	int code = tell(rec, &rec->slices.capture.state, err);

	/* Nobody else writes any more. */
	if (!code)
		code = rec_recording_drain(rec, false, err);
	return code ? code : rec_drain_flush(&rec->drain);
}

static int take_ring(void *ctx, const void *records, size_t len)
{
	struct rec_recording *rec = ctx;

	return rec_drain_taken(&rec->drain, records, len);
}

int rec_file_rotation_tail(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_capture *capture = &rec->slices.capture;
	int code;

	if (!rec->is_tail)
		return 0;
	code = rec_overwrite_rings_take(&rec->flight, take_ring, rec);
	/* A reading that still goes on is as good as one of now. */
	if (capture->is_running)
		pthread_join(capture->thread, NULL);
	else if (!code)
		code = read_state(rec);
	capture->is_running = false;
	if (!code)
		code = rec_file_rotation_tell_state(rec, err);
	return code ? pd_err_set(err, code, "what runs at the end: %s",
				 strerror(-code))
		    : 0;
}

/* The old file. */

void rec_file_rotation_add_losses(struct rec_recording *rec)
{
	for (size_t i = 0; rec->slices.is_on && i < rec->losses.nr; i++)
		rec_loss_table_add(&rec->slices.losses, &rec->losses.rows[i]);
}

static void add_up(struct rec_recording *rec)
{
	struct rec_file_rotation *s = &rec->slices;

	s->sample_nr += rec->sink.counts.sample_nr;
	s->plain_len += rec->sink.counts.plain_len;
	s->late_len += rec->sink.late_len;
	s->len += rec->out.len;
	s->throttle_nr += rec->sink.counts.throttle_nr;
	s->cut_nr += rec->losses.cut_nr;
	s->dropped_nr += rec->losses.dropped_nr;
	rec_file_rotation_add_losses(rec);
}

/* What cannot be removed is somebody else's: the recording goes on. */
static void bound_folder(struct rec_recording *rec, const char *newest)
{
	int code = rec_rotated_files_bound(&rec->slices.files, rec->out.path,
					   newest);

	if (code && rec->say)
		fprintf(rec->say,
			"[ perfpair-record: --max-files %" PRIu32
			": an old file stays: %s ]\n",
			rec->args->max_files, strerror(-code));
}

int rec_file_rotation_rename(struct rec_recording *rec, struct pd_err *err)
{
	const char *name = NULL;
	struct timespec now;
	int code;

	if (!rec->slices.files.paths)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	code = rec_rotated_files_add(&rec->slices.files, rec->out.path, &now,
				     &name, err);
	if (!code && rec->say)
		fprintf(rec->say, "[ perfpair-record: Dump %s ]\n", name);
	if (!code)
		bound_folder(rec, name);
	return code;
}

static int end_file(struct rec_recording *rec, struct pd_err *err)
{
	int code = rec_recording_drain(rec, true, err);
	uint64_t data_len = rec->out.len;
	int ended = rec_file_end(rec, err);

	rec->slices.tail_len = rec->out.len - data_len;
	rec_rounds_relieve(rec);
	if (!code)
		code = ended;
	ended = rec_output_close(&rec->out, err);
	if (!code)
		code = ended;
	if (!code)
		code = rec_file_rotation_rename(rec, err);
	add_up(rec);
	return code;
}

static void forget_state(struct rec_recording *rec)
{
	struct rec_file_rotation *s = &rec->slices;

	pthread_mutex_lock(&rec->sink.lock);
	s->is_kept = false;
	pd_buf_release(&s->kept);
	pthread_mutex_unlock(&rec->sink.lock);
	forget_capture(&s->capture);
}

/* The old file has all up to now, and what was read knows it too. */
static int take_kept(struct rec_recording *rec)
{
	struct rec_file_rotation *s = &rec->slices;
	int code;

	pthread_mutex_lock(&rec->sink.lock);
	code = pd_buf_status(&s->kept);
	pd_buf_bytes(&s->capture.state, s->kept.data, s->kept.len);
	pd_buf_release(&s->kept);
	pthread_mutex_unlock(&rec->sink.lock);
	return code ? code : pd_buf_status(&s->capture.state);
}

static bool is_old(const struct rec_capture *capture)
{
	return rec_now_ns() - capture->begin_ns > fresh_ns;
}

static void forget_file(struct rec_recording *rec)
{
	rec_output_release(&rec->out);
	if (rec->want_maps)
		rec_build_id_reader_restart(&rec->build_ids);
	rec_loss_table_restart(&rec->losses);
}

static int next_file(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_file_rotation *s = &rec->slices;
	int code = rec->is_tail ? rec_file_rotation_tell_state(rec, err) : 0;
	int ended = end_file(rec, err);

	if (!code)
		code = ended;
	s->is_wanted = false;
	if (code)
		return code;
	code = take_kept(rec);
	forget_file(rec);
	if (code)
		return pd_err_set(err, code, "out of memory for what runs");
	s->is_telling = true;
	code = rec_output_open(&rec->out, rec->args->output, err);
	if (!code && rec_sink_restart(&rec->sink))
		code = pd_err_set(err, -ENOMEM, "out of memory");
	if (!code)
		code = rec_file_start(rec, err);
	s->is_telling = false;
	if (rec->is_tail || is_old(&s->capture))
		forget_state(rec);
	s->begin_ns = rec_now_ns();
	for (; s->ack_nr && !code; s->ack_nr--)
		(void)!rec_control_fd_ack(&rec->commands);
	return code;
}

static int output_error(const struct rec_recording *rec, int code,
			struct pd_err *err)
{
	if (rec->out.err.code)
		*err = rec->out.err;
	return pd_err_set(err, code, "%s", strerror(-code));
}

/* With all that is to be written yet, which is a guess where it is to be
 * packed, or its stack copies cut: when that is done it is looked at again. */
static bool is_long(struct rec_recording *rec, uint64_t limit_len)
{
	if (rec->slices.tail_len < limit_len / 2)
		limit_len -= rec->slices.tail_len;
	if (rec_rounds_expect_len(rec) < limit_len)
		return false;
	/* An error is told by who drains next. */
	if ((rec->args->level || rec->rounds.kinds.has_stacks) &&
	    rec_sink_file_len(&rec->sink) < limit_len &&
	    rec_recording_drain(rec, true, NULL))
		return false;
	return rec_rounds_expect_len(rec) >= limit_len;
}

static bool is_due(struct rec_recording *rec, uint64_t now_ns)
{
	const struct rec_switch_output_spec *spec = &rec->args->switch_output;

	return (spec->len && is_long(rec, spec->len)) ||
	       (spec->interval_ns &&
		now_ns - rec->slices.begin_ns >= spec->interval_ns);
}

/* It will be as long as it may be before a reading that begins now is done.
 * What is told at the end of a file is read then. */
static bool is_soon(struct rec_recording *rec, uint64_t now_ns)
{
	struct rec_file_rotation *s = &rec->slices;
	uint64_t limit_len = rec->args->switch_output.len;

	if (!limit_len || rec->is_tail)
		return false;
	rec_file_growth_see(&s->growth, rec_rounds_expect_len(rec), now_ns);
	return rec_file_growth_reaches(&s->growth, limit_len,
				       2 * s->capture.took_ns + slack_ns);
}

/* The file grew more slowly from then on, or too much has changed since. */
static bool is_stale(struct rec_recording *rec, bool soon)
{
	struct rec_file_rotation *s = &rec->slices;
	bool is_much;

	if (!s->capture.is_done)
		return false;
	pthread_mutex_lock(&rec->sink.lock);
	is_much = s->kept.len > KEPT_LEN_MAX;
	pthread_mutex_unlock(&rec->sink.lock);
	return is_much || (!soon && is_old(&s->capture));
}

uint64_t rec_file_rotation_due_ns(const struct rec_recording *rec)
{
	uint64_t interval_ns = rec->args->switch_output.interval_ns;

	if (!interval_ns || rec->slices.is_wanted)
		return UINT64_MAX;
	return rec->slices.begin_ns + interval_ns;
}

static int read_what_runs(struct rec_recording *rec, struct pd_err *err)
{
	int code = rec_overwrite_rings_take(&rec->flight, take_ring, rec);

	return code ? output_error(rec, code, err) : begin_capture(rec, err);
}

int rec_file_rotation_step(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_file_rotation *s = &rec->slices;
	uint64_t now_ns = rec_now_ns();
	bool soon;
	int code;

	if (!s->is_on)
		return 0;
	soon = is_soon(rec, now_ns);
	s->is_wanted = s->is_wanted || is_due(rec, now_ns);
	code = end_capture(&s->capture, err);
	if (!code && s->is_wanted && s->capture.is_done)
		return next_file(rec, err);
	if (!code && is_stale(rec, soon))
		forget_state(rec);
	if (code || s->capture.is_running || s->capture.is_done)
		return code;
	return soon || s->is_wanted ? read_what_runs(rec, err) : 0;
}

void rec_file_rotation_release(struct rec_recording *rec)
{
	struct rec_file_rotation *s = &rec->slices;

	if (s->capture.is_running)
		pthread_join(s->capture.thread, NULL);
	s->capture.is_running = false;
	forget_capture(&s->capture);
	pd_buf_release(&s->kept);
	rec_task_set_release(&s->tasks);
	rec_rotated_files_release(&s->files);
	rec_loss_table_release(&s->losses);
	if (s->capture.done_fd > 0)
		close(s->capture.done_fd);
	s->capture.done_fd = 0;
}
