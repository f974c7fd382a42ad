#include "record/recording/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/file/layout.h"
#include "record/base/runtime.h"
#include "record/targets/privileges.h"

/* The options of a reload are refused if trying them takes longer. */
static const uint64_t trial_limit_ns = 30000000000;

static void see_record(void *ctx, const struct pd_record *record, bool is_new)
{
	struct rec_recording *rec = ctx;
	bool is_map = record->type == PD_RECORD_MMAP ||
		      record->type == PD_RECORD_MMAP2;

	if (is_map && rec->session.build_ids.is_on)
		rec_build_id_reader_see(&rec->session.build_ids, record);
	if (rec->session.carry.is_on &&
	    (record->type == PD_RECORD_MMAP2 || record->type == PD_RECORD_EXIT))
		rec_carry_see(&rec->session.carry, record, is_new);
	if (rec->rotation.is_on)
		rec_file_rotation_see(&rec->rotation, record, is_new);
}

/* Return the least trailer length of maps.  They come from the kernel and from
 * the snapshot, with the trailers of the first event; the shorter length fits
 * both, since a path ends at its NUL. */
static size_t map_id_len(const struct rec_session *session)
{
	size_t id_len = rec_session_id_len(session);
	struct rec_shape shape;

	rec_shape_init(&shape, &session->args->events);
	return shape.id_len < id_len ? shape.id_len : id_len;
}

/* Read build-ids here if the kernel does not put them into MMAP2 records. */
static int start_build_ids(struct rec_session *session, struct pd_err *err)
{
	const struct rec_args *args = session->args;
	int rc;

	if (args->no_buildid ||
	    (!args->buildid_all && args->attr.buildid_mmap &&
	     !session->open.dropped_build_id))
		return 0;
	rc = rec_build_id_reader_start(&session->build_ids,
				       map_id_len(session));
	return rc ? pd_err_set(err, rc, "reading build-ids: %s", strerror(-rc))
		  : 0;
}

static void relieve(void *ctx)
{
	rec_schedule_relieve(ctx);
}

/* If names cannot be carried, warn and record without them. */
static void start_carry(struct rec_recording *rec, bool has_place)
{
	struct rec_session *session = &rec->session;
	const struct rec_args *args = session->args;
	const struct rec_carry_conf conf = {
		.what = args->carry,
		.time_ns = args->carry_ns,
		.len_max = args->carry_len,
		.hang_ns = UINT64_C(10000000000),
		.id_len = map_id_len(session),
		.maps_come_last = session->is_tail,
		.is_rotated = args->switch_output.is_on,
		.relieve = relieve,
		.ctx = &rec->schedule,
	};
	int rc = !args->carry || !has_place
			 ? 0
			 : rec_carry_start(&session->carry, &conf);

	if (rc && session->say)
		fprintf(session->say,
			"[ perfpair-record: no names are carried: %s ]\n",
			strerror(-rc));
}

/* Start the file's sink, and set who sees the records written to it. */
static int start_drain(struct rec_recording *rec, struct pd_err *err)
{
	int rc = rec_sink_init(&rec->file.sink, &rec->file.out);

	if (!rc)
		rc = rec_loss_table_init(&rec->file.losses,
					 rec->session.open.nr);
	if (rc)
		return pd_err_set(err, rc, "%s", strerror(-rc));
	rc = start_build_ids(&rec->session, err);
	if (rc)
		return rc;
	start_carry(rec, !rec->file.out.is_pipe || rec->names.is_on);
	rec->watch = (struct rec_side_watch){ .see = see_record, .ctx = rec };
	if (rec->session.build_ids.is_on)
		rec->watch.types |=
			PD_BIT(PD_RECORD_MMAP) | PD_BIT(PD_RECORD_MMAP2);
	if (rec->session.carry.is_on)
		rec->watch.types |=
			PD_BIT(PD_RECORD_MMAP2) | PD_BIT(PD_RECORD_EXIT);
	if (rec->rotation.is_on)
		rec->watch.types |= rec_file_rotation_watched();
	return rec_schedule_start(&rec->schedule, &rec->watch, err);
}

int rec_recording_init(struct rec_recording *rec, struct rec_args *args,
		       rec_note_fn *note, struct pd_err *err)
{
	bool is_reload;
	int rc = 0;

	memset(rec, 0, sizeof(*rec));
	rec->file.out.fd = rec->epoll_fd = rec->trial.fd = -1;
	rec_start_state_note(&rec->start);
	rec_service_open(&rec->service);
	is_reload =
		!args->dry_run && rec_reload_is_possible(args, &rec->service);
	if (is_reload)
		rc = rec_reload_trial_open(&rec->trial, args, trial_limit_ns,
					   err);
	if (!rc)
		rc = rec_slice_command_start(
			&rec->slices, args->dry_run ? NULL : args->on_slice,
			args->on_slice_ns, err);
	if (!rc)
		rc = rec_session_init(&rec->session, args, note, err);
	if (!rc)
		rc = rec_schedule_init(&rec->schedule, &rec->session,
				       &rec->file, err);
	if (!rc)
		rc = rec_file_rotation_init(&rec->rotation, &rec->session,
					    &rec->file, &rec->schedule, err);
	rec->rotation.slices = &rec->slices;
	rec->session.control.is_reload = rec->slices.is_of_all = is_reload;
	if (!rc && args->switch_events.nr)
		rc = rec_trigger_open(&rec->trigger, &args->switch_events, err);
	return rc;
}

/* Set the priority of this thread and those that it starts from now on; the
 * command was forked before. */
static int set_priority(struct rec_recording *rec, struct pd_err *err)
{
	const struct rec_args *args = rec->session.args;
	struct sched_param param = { .sched_priority = (int)args->priority };

	if (!args->priority)
		rec_ask_short_slices();
	if (!args->priority && !args->no_boost)
		rec_boost_init(&rec->schedule.boost, args->cpu_limit_pct);
	if (!args->priority || !sched_setscheduler(0, SCHED_FIFO, &param))
		return 0;
	pd_err_set(err, -errno, "real-time priority %u: %s", args->priority,
		   strerror(errno));
	pd_err_hint(err, "-r needs CAP_SYS_NICE, or a limit as ulimit -r sets "
			 "it");
	return err->code;
}

/* Keep the capabilities that are still needed: to end a command that runs as
 * another user, to rename files, and to read /proc for another file.  The
 * thread that reads build-ids keeps its own. */
static void drop_privileges(const struct rec_recording *rec)
{
	const uint64_t for_rotation =
		PD_BIT(CAP_DAC_OVERRIDE) | PD_BIT(CAP_SYS_PTRACE) |
		PD_BIT(CAP_DAC_READ_SEARCH) | PD_BIT(CAP_SYSLOG) |
		PD_BIT(CAP_PERFMON) | PD_BIT(CAP_BPF) | PD_BIT(CAP_SYS_ADMIN);
	uint64_t keep = 0;

	if (rec->session.args->workload)
		keep |= PD_BIT(CAP_KILL);
	if (rec->schedule.boost.needs_capability)
		keep |= PD_BIT(CAP_SYS_NICE);
	if (rec->rotation.files.paths)
		keep |= PD_BIT(CAP_DAC_OVERRIDE);
	if (rec->rotation.is_on || rec->session.is_tail)
		keep |= for_rotation;
	if (rec->session.control.is_reload) /* it opens events again */
		keep |= for_rotation | PD_BIT(CAP_SYS_NICE) |
			PD_BIT(CAP_SYS_RESOURCE) | PD_BIT(CAP_IPC_LOCK) |
			PD_BIT(CAP_CHECKPOINT_RESTORE);
	/* If this fails, recording still works. */
	(void)!rec_privileges_drop(keep);
}

/* Warn about pid namespaces: the kernel records pids of our own one. */
static void say_namespace(const struct rec_recording *rec)
{
	const ino_t first_ns = 0xEFFFFFFC; /* PROC_PID_INIT_INO */
	struct stat st;

	if (!rec->session.say || !rec->session.target.system_wide ||
	    stat("/proc/self/ns/pid", &st) || st.st_ino == first_ns)
		return;
	fprintf(rec->session.say,
		"[ perfpair-record: in a pid namespace: processes outside it "
		"are all pid 0 here, without name and maps; record on the host "
		"(docker run --pid=host) to tell them apart ]\n");
}

/* Print the line that callers in the background wait for; a command is started
 * by us anyway. */
static void say_ready(const struct rec_recording *rec)
{
	const struct rec_args *args = rec->session.args;

	if (rec->session.say && !args->delay.is_given &&
	    (!args->workload || args->verbose_nr))
		fprintf(rec->session.say,
			"[ perfpair-record: recording, %.3f s after the start "
			"]\n",
			(double)(rec->session.started_ns -
				 rec->session.begin_ns) /
				1e9);
}

int rec_recording_check(struct rec_recording *rec, struct pd_err *err)
{
	const struct rec_args *args = rec->session.args;
	int rc = rec_output_check(&rec->file.out, args->output, err);

	if (!rc && args->carry_file)
		rc = rec_piped_names_check(args->carry_file, &rec->file.out,
					   err);
	if (!rc)
		rc = start_drain(rec, err);
	if (!rc)
		rc = rec_recording_watch(rec, err);
	if (!rc)
		rc = set_priority(rec, err);
	return rc;
}

int rec_recording_start(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_session *session = &rec->session;
	const struct rec_args *args = session->args;
	int rc = rec_output_open(&rec->file.out, args->output, err);

	if (!rc && args->carry_file)
		rc = rec_piped_names_open(&rec->names, args->carry_file,
					  &rec->file.out, err);
	if (!rc)
		rc = rec_piped_names_start(&rec->names, session, err);
	if (!rc)
		rc = start_drain(rec, err);
	if (!rc)
		rc = rec_recording_watch(rec, err);
	if (!rc)
		rc = rec_session_follow(session, err);
	if (!rc)
		rc = rec_file_start(&rec->file, session, &rec->schedule, NULL,
				    err);
	rec_carry_begin(&session->carry, rec_output_read_fd(&rec->file.out));
	if (!rc)
		rc = set_priority(rec, err);
	if (!rc)
		rc = rec_session_start(session, err);
	if (!rc)
		rc = rec_trigger_start(&rec->trigger, err);
	session->started_ns = rec_now_ns();
	rec->schedule.flushed_ns = rec->schedule.drained_ns =
		rec->rotation.begin_ns = session->started_ns;
	rec_limits_begin(rec);
	if (!rc && (rec_cpu_limit_init(&session->cpu_limit, args->cpu_limit_pct,
				       session->started_ns, rec_own_cpu_ns()) ||
		    rec_online_init(&rec->online, &session->target, "/sys",
				    !args->target.cpu_list)))
		rc = pd_err_set(err, -ENOMEM, "out of memory");
	if (rc)
		return rc;
	say_namespace(rec);
	say_ready(rec);
	rec_service_say(&rec->service, "READY=1\nSTATUS=recording");
	if (args->workload)
		rc = rec_workload_start(&session->workload,
					session->args->workload[0], err);
	if (!rc)
		drop_privileges(rec);
	return rc;
}

/* True if a program with another user was executed: the kernel then ends all
 * events that follow the task. */
static bool is_of_another_user(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &st) && st.st_uid != geteuid();
}

/* all_ended: the tasks that events follow have ended. */
static void end_workload(struct rec_session *session, bool all_ended)
{
	struct rec_workload *workload = &session->workload;
	bool is_running = !rec_workload_poll(workload);

	/* A task that is just ending loses its events first. */
	for (int i = 0; i < 20 && is_running && all_ended; i++) {
		usleep(1000);
		is_running = !rec_workload_poll(workload);
	}
	if (is_running && !all_ended)
		session->workload_end = REC_WORKLOAD_ENDED;
	else if (is_running && workload->pid &&
		 session->args->attr.target == REC_TARGET_COMMAND &&
		 is_of_another_user(workload->pid))
		session->workload_end = REC_WORKLOAD_LOST;
	rec_workload_finish(workload);
}

/* While commands of --on-slice still run. */
struct slices_wait {
	struct rec_session *session;
	bool is_told;
};

/* Return false once the user stops it again. */
static bool may_wait(void *ctx)
{
	struct slices_wait *wait = ctx;
	struct rec_control *control = &wait->session->control;
	int stop_signal;
	bool is_again;

	if (wait->session->is_reloading)
		return false; /* they go on beside what follows */
	if (!wait->is_told && wait->session->say)
		fputs("[ perfpair-record: waiting for the commands of "
		      "--on-slice; a signal ends this ]\n",
		      wait->session->say);
	wait->is_told = true;
	stop_signal = control->stop_signal;
	control->stop_signal = 0;
	rec_control_read(control);
	is_again = control->stop_signal != 0;
	control->stop_signal = stop_signal;
	return !is_again;
}

static void end_slices(struct rec_recording *rec)
{
	struct slices_wait wait = { .session = &rec->session };
	uint32_t lost_nr = rec_slice_command_end(&rec->slices, may_wait, &wait);

	if (lost_nr && rec->session.say)
		fprintf(rec->session.say,
			"[ perfpair-record: --on-slice: %" PRIu32
			" files were left out ]\n",
			lost_nr);
}

/* A stop that came behind a reload goes before it. */
static void end_reload_if_stopped(struct rec_recording *rec)
{
	struct rec_session *session = &rec->session;

	if (!session->is_reloading)
		return;
	rec_control_read(&session->control);
	if (!session->control.stop_signal)
		return;
	session->is_reloading = false;
	rec_service_say(&rec->service, "STOPPING=1");
}

int rec_recording_finish(struct rec_recording *rec, struct pd_err *err)
{
	int rc, ended;

	rec_service_say(&rec->service, rec->session.is_reloading
					       ? "RELOADING=1\nSTATUS=reloading"
					       : "STOPPING=1");
	rec_open_set_enable(&rec->session.open, false, NULL);
	rec_boost_end(&rec->schedule.boost); /* nothing is recorded any more */
	end_workload(&rec->session, rec->task_nr && !rec->live_nr);
	rc = rec_file_rotation_tail(&rec->rotation, err);
	ended = rec_file_rotation_end_file(&rec->rotation, err);
	if (!rc)
		rc = ended;
	ended = rec_piped_names_end(&rec->names, &rec->file, &rec->session,
				    err);
	end_reload_if_stopped(rec);
	rec_reload_trial_close(&rec->trial);
	end_slices(rec);
	return rc ? rc : ended;
}

void rec_recording_release(struct rec_recording *rec)
{
	rec_file_rotation_release(&rec->rotation);
	rec_trigger_close(&rec->trigger);
	rec_schedule_release(&rec->schedule);
	rec_file_release(&rec->file);
	rec_piped_names_release(&rec->names);
	rec_session_release(&rec->session);
	rec_online_release(&rec->online);
	rec_service_close(&rec->service);
	if (rec->epoll_fd >= 0)
		close(rec->epoll_fd);
}
