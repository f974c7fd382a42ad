/* file_rotation.c: the end of one file and the start of the next. */
#include "record/recording/file_rotation.h"

#include "record/base/read_file.h"
#include "record/base/runtime.h"
#include "record/recording/drain_schedule.h"
#include "record/recording/session.h"
#include "record/ring/running_tasks.h"
#include "record/snapshot/kernel_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "format/base/hash.h"
#include "format/file/layout.h"
#include "format/support/message.h"

/* If more is stored since a reading that was too early, or since the last one
 * of records of no task, /proc is read again. */
enum { STORED_LEN_MAX = 4 * 1024 * 1024, OTHERS_LEN_MAX = 1024 * 1024 };

/* Tasks and maps are known for so long: the kernel tells nothing of mappings
 * that are moved or removed. */
static const uint64_t known_ns = UINT64_C(600000000000);

/* A reading is used for all files that begin within this time. */
static const uint64_t fresh_ns = 1000000000;

/* A reading takes at most this much longer than the previous one. */
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

static bool is_of_no_task(const struct pd_record *record)
{
	return !rec_held_type(record->type) ||
	       (uint32_t)pd_record_word(record, PD_RECORD_HEADER_LEN) ==
		       UINT32_MAX;
}

void rec_file_rotation_see(struct rec_file_rotation *r,
			   const struct pd_record *record, bool is_new)
{
	if (record->type != PD_RECORD_HEADER_BUILD_ID &&
	    !(kept_types & PD_BIT(record->type)))
		return;
	if (r->is_storing && is_new)
		pd_buf_bytes(&r->stored, record->data, record->len);
	if (r->schedule->held && rec_session_sees_all(r->session) &&
	    is_of_no_task(record) && r->others.len <= OTHERS_LEN_MAX)
		pd_buf_bytes(&r->others, record->data, record->len);
	/* If memory is short, a later file lacks the maps of that thread. */
	if (!r->session->target.system_wide)
		(void)!rec_task_set_note(&r->tasks, record);
}

/* Return a number that changes with the kernel's modules and the CPUs that are
 * there. */
static uint64_t hash_machine(void)
{
	int fd = open("/proc/modules", O_RDONLY | O_CLOEXEC);
	uint64_t ret = rec_modules_hash(fd);
	char cpus[1024] = "";

	if (fd >= 0)
		close(fd);
	(void)!rec_read_line("/sys/devices/system/cpu", "online", cpus,
			     sizeof(cpus));
	return ret ^ pd_hash_of(cpus, strlen(cpus));
}

/* Note that what runs is about to be read. */
static void note_reading(struct rec_file_rotation *r)
{
	r->machine = hash_machine();
	r->capture.begin_ns = rec_now_ns();
}

static int add_targets(struct rec_file_rotation *r)
{
	const struct rec_target *target = &r->session->target;
	int rc = 0;

	if (target->system_wide)
		return 0;
	for (size_t i = 0; i < target->thread_nr && !rc; i++)
		rc = rec_task_set_add(&r->tasks, target->threads[i].tid);
	return rc;
}

int rec_file_rotation_init(struct rec_file_rotation *r,
			   struct rec_session *session, struct rec_file *file,
			   struct rec_drain_schedule *schedule,
			   struct pd_err *err)
{
	const struct rec_args *args = session->args;
	int rc = 0;

	*r = (struct rec_file_rotation){
		.session = session,
		.file = file,
		.schedule = schedule,
		.is_on = args->switch_output.is_on,
		.capture.done_fd = -1,
	};
	if (args->attr.to_pipe && (r->is_on || args->timestamp_filename)) {
		pd_err_set(err, -EINVAL,
			   "a pipe has neither a next file nor a name with a "
			   "time");
		pd_err_hint(err, "give a file with -o");
		return -EINVAL;
	}
	if (r->is_on || session->is_tail)
		rc = add_targets(r);
	if (!rc && (r->is_on || args->timestamp_filename))
		rc = rec_rotated_files_init(&r->files, args->switch_max_files);
	r->files.folder_max_nr = args->max_files;
	r->files.folder_max_len = args->max_files_len;
	r->files.folder_max_age_ns = args->max_files_age_ns;
	r->files.keep_free = (struct rec_keep_free){ args->keep_free_len,
						     args->keep_free_pct };
	if (!rc && r->is_on)
		rc = rec_loss_table_init(&r->done.losses, 0);
	if (!rc && r->is_on) {
		r->capture.done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		rc = r->capture.done_fd < 0 ? -errno : 0;
		note_reading(r);
	}
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

/* Read /proc. */

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

	capture->rc = rec_snapshot(&capture->conf, append, capture, NULL, NULL);
	(void)!write(capture->done_fd, &one, sizeof(one));
	return NULL;
}

/* Set the live threads that are followed.  Forks in overwritten rings were not
 * seen: children are looked up. */
static int set_tids(struct rec_file_rotation *r, struct rec_snapshot_conf *conf)
{
	pid_t *tids;

	if (r->session->target.system_wide)
		return 0;
	if (r->session->overwrite_rings.set.nr &&
	    rec_task_set_add_children(&r->tasks, conf->roots.proc))
		return -ENOMEM;
	rec_task_set_prune(&r->tasks, conf->roots.proc);
	if (!r->tasks.nr)
		conf->synth &= (unsigned)REC_SYNTH_CGROUP;
	tids = calloc(r->tasks.nr + 1, sizeof(*tids));
	if (!tids)
		return -ENOMEM;
	memcpy(tids, r->tasks.tids, r->tasks.nr * sizeof(*tids));
	conf->tids = tids;
	conf->tid_nr = r->tasks.nr;
	return 0;
}

static void drop_capture(struct rec_capture *capture)
{
	free((void *)(uintptr_t)capture->conf.tids);
	capture->conf.tids = NULL;
	capture->is_done = false;
	pd_buf_release(&capture->state);
}

/* Return whether what runs is known without reading /proc. */
static bool knows_what_runs(struct rec_file_rotation *r)
{
	struct rec_held_tasks *held = r->schedule->held;
	bool has_others;

	if (r->is_blind || !held || !rec_held_tasks_knows_all(held) ||
	    rec_now_ns() - r->capture.begin_ns > known_ns)
		return false;
	pthread_mutex_lock(&r->file->sink.lock);
	has_others = r->others.len <= OTHERS_LEN_MAX;
	pthread_mutex_unlock(&r->file->sink.lock);
	return has_others && hash_machine() == r->machine;
}

/* Choose what to read, and store records from now on. */
static int prepare_capture(struct rec_file_rotation *r)
{
	int rc;

	rec_session_snapshot_conf(r->session, &r->capture.conf);
	pthread_mutex_lock(&r->file->sink.lock);
	rc = set_tids(r, &r->capture.conf);
	r->is_storing = !r->session->is_tail;
	pthread_mutex_unlock(&r->file->sink.lock);
	return rc;
}

static int begin_capture(struct rec_file_rotation *r, struct pd_err *err)
{
	struct rec_capture *capture = &r->capture;
	int rc = prepare_capture(r);

	note_reading(r);
	if (!rc)
		rc = rec_thread_start(&capture->thread, "read-proc",
				      capture_main, capture);
	capture->is_running = !rc;
	if (rc)
		drop_capture(capture);
	return rc ? pd_err_set(err, rc, "reading what runs: %s", strerror(-rc))
		  : 0;
}

/* Check if the reading has ended.  Return 0, or its failure. */
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
	if (capture->rc)
		pd_err_set(err, capture->rc, "reading what runs: %s",
			   strerror(-capture->rc));
	return capture->rc;
}

static bool is_old(const struct rec_capture *capture)
{
	return rec_now_ns() - capture->begin_ns > fresh_ns;
}

static int take_ring(void *ctx, const void *records, size_t len)
{
	return rec_drain_taken(ctx, records, len);
}

static int take_overwrite_rings(struct rec_file_rotation *r)
{
	return rec_overwrite_rings_take(&r->session->overwrite_rings,
					&r->schedule->layouts, take_ring,
					&r->schedule->drain);
}

int rec_file_rotation_tail(struct rec_file_rotation *r, struct pd_err *err)
{
	struct rec_capture *capture = &r->capture;
	int rc;

	if (!r->session->is_tail)
		return 0;
	rc = take_overwrite_rings(r);
	/* A reading that still runs is as good as a new one. */
	if (capture->is_running)
		pthread_join(capture->thread, NULL);
	else if (!rc)
		rc = prepare_capture(r);
	if (!capture->is_running && !rc)
		rc = rec_snapshot(&capture->conf, append, capture, NULL, NULL);
	capture->is_running = false;
	if (!rc)
		rc = rec_schedule_write(r->schedule, &capture->state, err);
	return rc ? pd_err_set(err, rc, "what runs at the end: %s",
			       strerror(-rc))
		  : 0;
}

/* End the old file. */

/* If a file cannot be removed, it is somebody else's: the recording goes on. */
static void bound_folder(struct rec_file_rotation *r, const char *newest)
{
	int rc;

	rec_io_begin();
	rc = rec_rotated_files_bound(&r->files, r->file->out.path, newest);
	rec_io_end();
	if (rc && r->session->say)
		fprintf(r->session->say,
			"[ perfpair-record: an old file stays: %s "
			"]\n",
			strerror(-rc));
}

/* Rename the finished file. */
static int rename_file(struct rec_file_rotation *r, struct pd_err *err)
{
	const char *name = NULL;
	struct timespec now;
	int rc;

	if (!r->files.paths)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	rec_io_begin();
	rc = rec_rotated_files_add(&r->files, r->file->out.path, &now, &name,
				   err);
	rec_io_end();
	if (!rc && r->session->say)
		fprintf(r->session->say, "[ perfpair-record: Dump %s ]\n",
			name);
	if (!rc) {
		rec_slice_command_add(r->slices, name);
		bound_folder(r, name);
	}
	return rc;
}

/* Drain all, write the file's end and close it. */
static int close_file(struct rec_file_rotation *r, struct pd_err *err)
{
	struct rec_output *out = &r->file->out;
	int rc = rec_schedule_drain(r->schedule, true, err);
	uint64_t data_len = out->len;
	int ended = rec_file_end(r->file, r->session, r->schedule, err);

	r->tail_len = out->len - data_len;
	if (r->is_on)
		rec_loss_table_move(&r->done.losses, &r->file->losses);
	if (out->is_cut) {
		sup_message("%s: ends early on a full disk: %" PRIu64
			    " samples are lost",
			    out->path, r->file->sink.cut_nr);
		/* Nobody keeps it open if it is removed. */
		rec_carry_begin(&r->session->carry, -1);
	}
	if (!rc)
		rc = ended;
	ended = rec_output_close(out, err);
	return rc ? rc : ended;
}

int rec_file_rotation_end_file(struct rec_file_rotation *r, struct pd_err *err)
{
	int rc = close_file(r, err);
	int named = rename_file(r, err);

	return rc ? rc : named;
}

static void add_to_sums(struct rec_file_rotation *r)
{
	struct rec_file_sums *sums = &r->done;

	rec_counts_add(&sums->counts, &r->file->sink.counts);
	sums->len += r->file->out.len;
	sums->late_len += r->file->sink.late_len;
	sums->losses.cut_nr += r->file->losses.cut_nr;
	sums->losses.dropped_nr += r->file->losses.dropped_nr;
}

static void drop_state(struct rec_file_rotation *r)
{
	pthread_mutex_lock(&r->file->sink.lock);
	r->is_storing = false;
	pd_buf_release(&r->stored);
	pthread_mutex_unlock(&r->file->sink.lock);
	drop_capture(&r->capture);
}

/* Append the stored records to the reading: the old file has them already. */
static int append_stored(struct rec_file_rotation *r)
{
	int rc;

	pthread_mutex_lock(&r->file->sink.lock);
	rc = pd_buf_status(&r->stored);
	pd_buf_bytes(&r->capture.state, r->stored.data, r->stored.len);
	pd_buf_release(&r->stored);
	pd_buf_release(&r->others); /* the reading has them */
	pthread_mutex_unlock(&r->file->sink.lock);
	return rc ? rc : pd_buf_status(&r->capture.state);
}

/* Take what is known.  If that was lost in the last moment, what runs is read
 * while the rings wait. */
static int recall_what_runs(struct rec_file_rotation *r)
{
	struct pd_buf *state = &r->capture.state;
	int rc;

	pthread_mutex_lock(&r->file->sink.lock);
	*state = r->others;
	r->others = (struct pd_buf)PD_BUF_INIT;
	pthread_mutex_unlock(&r->file->sink.lock);
	rc = rec_running_tasks_synthesize(r->schedule->held,
					  r->schedule->round_ns[0], state);
	if (rc != -ENODATA)
		return rc;
	pd_buf_reset(state);
	rec_session_snapshot_conf(r->session, &r->capture.conf);
	note_reading(r);
	return rec_snapshot(&r->capture.conf, append, &r->capture, NULL, NULL);
}

static int open_next_file(struct rec_file_rotation *r, struct pd_err *err)
{
	int rc;

	rec_output_release(&r->file->out);
	if (r->session->build_ids.is_on)
		rec_build_id_reader_restart(&r->session->build_ids);
	rec_loss_table_restart(&r->file->losses);
	rec_schedule_next_file(r->schedule);
	rec_budget_next_file(&r->session->budget);
	rc = rec_file_open(r->file, r->session->args->output, err);
	if (!rc && rec_sink_restart(&r->file->sink))
		rc = pd_err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = rec_file_start(r->file, r->session, r->schedule,
				    &r->capture.state, err);
	rec_carry_begin(&r->session->carry,
			rec_budget_gives_up_names(&r->session->budget)
				? -1
				: rec_output_read_fd(&r->file->out));
	r->begin_ns = rec_now_ns();
	return rc;
}

static int next_file(struct rec_file_rotation *r, struct pd_err *err)
{
	struct rec_session *session = r->session;
	int rc = session->is_tail ? rec_schedule_write(r->schedule,
						       &r->capture.state, err)
				  : 0;
	int ended = close_file(r, err);
	bool is_read;

	/* the slices that follow may be whole */
	if (!rc && (ended == -EBADMSG || ended == -ENODATA)) {
		sup_message_err(NULL, err);
		*err = (struct pd_err)PD_ERR_INIT;
		ended = 0;
	}
	if (!rc)
		rc = ended;
	if (!rc)
		rc = rename_file(r, err);
	add_to_sums(r);
	session->wants_next_file = false;
	if (rc)
		return rc;
	is_read = r->capture.is_done;
	rc = is_read ? append_stored(r) : recall_what_runs(r);
	if (rc)
		return pd_err_set(err, rc, "what runs: %s", strerror(-rc));
	rc = open_next_file(r, err);
	if (session->is_tail || !is_read || is_old(&r->capture))
		drop_state(r);
	for (; session->ack_nr && !rc; session->ack_nr--)
		(void)!rec_control_fd_ack(&session->commands, true);
	return rc;
}

/* When a file ends. */

static bool is_due(const struct rec_file_rotation *r, uint64_t now_ns)
{
	const struct rec_switch_output_spec *spec =
		&r->session->args->switch_output;
	uint64_t limit_len = spec->len;

	if (r->tail_len < limit_len / 2)
		limit_len -= r->tail_len;
	return (limit_len && rec_schedule_reaches(r->schedule, limit_len)) ||
	       (spec->interval_ns && now_ns - r->begin_ns >= spec->interval_ns);
}

/* Return true if the file will reach its limit before a reading that begins now
 * is done.  What belongs at a file's end is read in that time, too. */
static bool is_soon(struct rec_file_rotation *r, uint64_t now_ns)
{
	uint64_t limit_len = r->session->args->switch_output.len;

	if (!limit_len || r->session->is_tail)
		return false;
	rec_file_growth_see(&r->growth, rec_schedule_expect_len(r->schedule),
			    now_ns);
	return rec_file_growth_reaches(&r->growth, limit_len,
				       2 * r->capture.took_ns + slack_ns) &&
	       !knows_what_runs(r);
}

/* True if the file grew more slowly since, or too much has changed. */
static bool is_stale(struct rec_file_rotation *r, bool soon)
{
	bool is_much;

	if (!r->capture.is_done)
		return false;
	pthread_mutex_lock(&r->file->sink.lock);
	is_much = r->stored.len > STORED_LEN_MAX;
	pthread_mutex_unlock(&r->file->sink.lock);
	return is_much || (!soon && is_old(&r->capture));
}

uint64_t rec_file_rotation_due_ns(const struct rec_file_rotation *r)
{
	uint64_t interval_ns = r->session->args->switch_output.interval_ns;

	if (!interval_ns || r->session->wants_next_file)
		return UINT64_MAX;
	return r->begin_ns + interval_ns;
}

static int read_what_runs(struct rec_file_rotation *r, struct pd_err *err)
{
	int rc = take_overwrite_rings(r);

	if (!rc)
		return begin_capture(r, err);
	rec_file_error(r->file, rc, NULL, err);
	return pd_err_set(err, rc, "%s", strerror(-rc));
}

int rec_file_rotation_step(struct rec_file_rotation *r, struct pd_err *err)
{
	uint64_t now_ns = rec_now_ns();
	bool *is_wanted = &r->session->wants_next_file;
	bool soon;
	int rc;

	if (!r->is_on)
		return 0;
	soon = is_soon(r, now_ns);
	*is_wanted = *is_wanted || is_due(r, now_ns);
	rc = end_capture(&r->capture, err);
	if (!rc && *is_wanted &&
	    (r->capture.is_done ||
	     (!r->capture.is_running && knows_what_runs(r))))
		return next_file(r, err);
	if (!rc && is_stale(r, soon))
		drop_state(r);
	if (rc || r->capture.is_running || r->capture.is_done)
		return rc;
	return soon || *is_wanted ? read_what_runs(r, err) : 0;
}

void rec_file_rotation_release(struct rec_file_rotation *r)
{
	if (!r->session)
		return;
	if (r->capture.is_running)
		pthread_join(r->capture.thread, NULL);
	r->capture.is_running = false;
	drop_capture(&r->capture);
	pd_buf_release(&r->stored);
	pd_buf_release(&r->others);
	rec_task_set_release(&r->tasks);
	rec_rotated_files_release(&r->files);
	rec_loss_table_release(&r->done.losses);
	if (r->capture.done_fd >= 0)
		close(r->capture.done_fd);
	r->capture.done_fd = -1;
}
