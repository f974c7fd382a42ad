/* record_loop.c: wait, drain and flush until the recording ends. */
#include "record/recording/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "format/support/message.h"
#include "record/base/runtime.h"
#include "record/recording/self_usage.h"
#include "record/recording/summary.h"

enum {
	EVENT_NR = 64,
	CONTROL_IDX = -1,
	COMMANDS_IDX = -2,
	CAPTURE_IDX = -3,
	TRIGGER_IDX = -4,
	POOL_IDX = -5,
};

/* While options are tried, between looks for the answer. */
static const uint64_t trial_look_ns = 20000000;

static int watch_events(struct rec_recording *rec, int fd, int idx,
			uint32_t wanted)
{
	struct epoll_event event = { .events = wanted, .data = { .fd = idx } };

	return epoll_ctl(rec->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int watch_fd(struct rec_recording *rec, int fd, int idx)
{
	return watch_events(rec, fd, idx, EPOLLIN);
}

/* True for the first event of each CPU and thread, which shows the end of its
 * task, and for the rings' owners, which show records to drain. */
static bool is_watched(const struct rec_recording *rec, size_t idx)
{
	if (rec->session.open.fds[idx].event_idx == 0)
		return true;
	for (size_t i = 0; i < rec->session.rings.nr; i++)
		if (rec->session.rings.maps[i].fd ==
		    rec->session.open.fds[idx].fd)
			return true;
	return false;
}

int rec_recording_watch(struct rec_recording *rec, struct pd_err *err)
{
	int rc = 0;

	rec->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (rec->epoll_fd < 0)
		return pd_err_set(err, -errno, "epoll: %s", strerror(errno));
	rc = watch_fd(rec, rec->session.control.fd, CONTROL_IDX);
	if (!rc && rec->session.commands.fd >= 0)
		rc = watch_fd(rec, rec->session.commands.fd, COMMANDS_IDX);
	if (!rc && rec->rotation.is_on)
		rc = watch_fd(rec, rec->rotation.capture.done_fd, CAPTURE_IDX);
	for (size_t i = 0; i < rec->trigger.rings.nr && !rc; i++)
		rc = watch_fd(rec, rec->trigger.rings.maps[i].fd, TRIGGER_IDX);
	if (!rc)
		rc = watch_fd(rec, rec->schedule.pool.idle_fd, POOL_IDX);
	for (size_t i = 0; i < rec->session.open.nr && !rc; i++) {
		if (!is_watched(rec, i))
			continue;
		/* Of an overwritten ring only the end matters. */
		rc = watch_events(
			rec, rec->session.open.fds[i].fd, (int)i,
			rec->session.open.fds[i].is_backward ? 0 : EPOLLIN);
		rec->task_nr += rec->session.open.fds[i].tid != -1;
	}
	rec->live_nr = rec->task_nr;
	return rc ? pd_err_set(err, rc, "epoll: %s", strerror(-rc)) : 0;
}

/* Return when to drain for records of files and maps that will soon be gone; a
 * little later while others drain. */
static uint64_t look_due_ns(const struct rec_recording *rec, uint64_t now_ns)
{
	uint64_t due_ns = rec->schedule.drained_ns + REC_CARRY_LOOK_NS;

	if (!rec->session.carry.is_on)
		return UINT64_MAX;
	return due_ns > now_ns ? due_ns : now_ns + REC_CARRY_LOOK_NS / 16;
}

/* Return the milliseconds until the next task is due, rounded up. */
static int wait_ms(const struct rec_recording *rec, uint64_t now_ns)
{
	uint64_t due_ns = rec_schedule_due_ns(&rec->schedule);
	uint64_t switch_ns = rec_session_due_ns(&rec->session);
	uint64_t next_file_ns = rec_file_rotation_due_ns(&rec->rotation);
	uint64_t limit_ns = rec_cpu_limit_due_ns(&rec->session.cpu_limit);

	if (rec->end_ns < due_ns)
		due_ns = rec->end_ns;
	if (look_due_ns(rec, now_ns) < due_ns)
		due_ns = look_due_ns(rec, now_ns);
	if (switch_ns < due_ns)
		due_ns = switch_ns;
	if (next_file_ns < due_ns)
		due_ns = next_file_ns;
	if (limit_ns < due_ns)
		due_ns = limit_ns;
	if (rec_boost_due_ns(&rec->schedule.boost) < due_ns)
		due_ns = rec_boost_due_ns(&rec->schedule.boost);
	if (rec_service_due_ns(&rec->service) < due_ns)
		due_ns = rec_service_due_ns(&rec->service);
	if (rec->trial.runs && due_ns > now_ns + trial_look_ns)
		due_ns = now_ns + trial_look_ns;
	if (due_ns <= now_ns)
		return 0;
	return (int)((due_ns - now_ns + 999999) / 1000000);
}

static int handle_commands(struct rec_recording *rec, struct pd_err *err)
{
	int rc = rec_session_obey(&rec->session, err);

	if (rc != -EPIPE)
		return rc;
	epoll_ctl(rec->epoll_fd, EPOLL_CTL_DEL, rec->session.commands.fd, NULL);
	return 0;
}

static void take_signals(struct rec_recording *rec)
{
	rec_control_read(&rec->session.control);
	if (rec->session.control.snapshot_asked && rec->rotation.is_on)
		rec->session.wants_next_file = true;
	rec->session.control.snapshot_asked = false;
	if (rec->session.control.cost_asked && rec->session.say)
		rec_summary_print_cost(rec, rec->session.say);
	rec->session.control.cost_asked = false;
}

static int handle(struct rec_recording *rec, const struct epoll_event *event,
		  struct pd_err *err)
{
	int idx = event->data.fd;
	uint64_t count;

	if (idx == COMMANDS_IDX)
		return handle_commands(rec, err);
	if (idx == CONTROL_IDX)
		take_signals(rec);
	if (idx == TRIGGER_IDX && rec_trigger_take(&rec->trigger))
		rec->session.wants_next_file = true;
	if (idx == POOL_IDX)
		(void)!read(rec->schedule.pool.idle_fd, &count, sizeof(count));
	/* rec_file_rotation_step() checks if the reading is done. */
	if (idx < 0 || !(event->events & (EPOLLHUP | EPOLLERR)))
		return 0;
	/* Its task has ended; it would be reported again and again. */
	epoll_ctl(rec->epoll_fd, EPOLL_CTL_DEL, rec->session.open.fds[idx].fd,
		  NULL);
	rec->live_nr -= rec->session.open.fds[idx].tid != -1;
	return 0;
}

static int wait_and_handle(struct rec_recording *rec, int timeout_ms,
			   struct pd_err *err)
{
	struct epoll_event events[EVENT_NR];
	int nr = epoll_wait(rec->epoll_fd, events, EVENT_NR, timeout_ms);

	if (nr < 0 && errno != EINTR)
		return pd_err_set(err, -errno, "epoll: %s", strerror(errno));
	rec->session.wakeup_nr += nr > 0;
	for (int i = 0; i < nr; i++) {
		int rc = handle(rec, &events[i], err);

		if (rc)
			return rc;
	}
	return 0;
}

static void refuse_reload(const struct rec_recording *rec,
			  const struct pd_err *err)
{
	sup_message_err(NULL, err);
	sup_message("not reloaded: the recording goes on with its options");
	rec_service_say(&rec->service, "STATUS=recording, not reloaded: %s",
			err->text);
}

/* SIGHUP: try the options as they are now; end the recording if they can be
 * used.  If it comes again meanwhile, they may have changed since. */
static void step_reload(struct rec_recording *rec)
{
	struct rec_session *session = &rec->session;
	struct pd_err err = PD_ERR_INIT;
	int rc = 1;

	if (session->control.stop_signal)
		return;
	if (rec->trial.runs)
		rc = rec_reload_trial_poll(&rec->trial, &err);
	if (rc < 0)
		refuse_reload(rec, &err);
	if (!rc && !session->control.reload_asked)
		session->is_stopped = session->is_reloading = true;
	if (session->control.reload_asked && !rec->trial.runs) {
		session->control.reload_asked = false;
		rec_reload_trial_start(&rec->trial);
	}
}

static bool is_over(struct rec_recording *rec, uint64_t now_ns)
{
	const struct rec_workload *workload = &rec->session.workload;

	step_reload(rec);
	if (rec->session.control.child_ended && !workload->pid) {
		rec->session.control.child_ended = false;
		rec_slice_command_reap_others(&rec->slices);
	}
	if (rec->session.control.stop_signal || rec->session.is_stopped)
		return true;
	if (rec->session.control.child_ended &&
	    rec_workload_poll(&rec->session.workload))
		return true;
	if (rec_limits_are_reached(rec, now_ns))
		return true;
	return rec->task_nr && !rec->live_nr;
}

/* Record a new rate with the time of the newest drained record; 0: none yet. */
static void look_at_cpu_limit(struct rec_recording *rec, uint64_t now_ns)
{
	if (now_ns >= rec_cpu_limit_due_ns(&rec->session.cpu_limit))
		rec_cpu_limit_look(&rec->session.cpu_limit,
				   &rec->session.args->events,
				   &rec->session.open, now_ns, rec_own_cpu_ns(),
				   rec_schedule_newest_ns(&rec->schedule));
}

/* Check for CPUs every ten seconds: sysfs costs more than all other work of a
 * second if little comes. */
static void look_at_online(struct rec_recording *rec, uint64_t now_ns)
{
	static const uint64_t interval_ns = 10000000000;

	if (!rec->session.say || now_ns < rec->online.due_ns)
		return;
	rec->online.due_ns = now_ns + interval_ns;
	rec_online_look(&rec->online, rec->session.say);
}

static int step_rotation(struct rec_recording *rec, struct pd_err *err)
{
	size_t nr = rec->rotation.files.nr;
	int rc = rec_file_rotation_step(&rec->rotation, err);

	if (rec->rotation.files.nr != nr)
		rec_service_say(&rec->service,
				"STATUS=recording, %zu files finished",
				rec->rotation.files.nr);
	return rc;
}

int rec_recording_loop(struct rec_recording *rec, struct pd_err *err)
{
	int rc = 0;

	while (!rc) {
		uint64_t now_ns = rec_now_ns();

		look_at_cpu_limit(rec, now_ns);
		look_at_online(rec, now_ns);
		/* No epoch begins while drain threads hang. */
		rec_service_alive(&rec->service, now_ns,
				  rec->schedule.drained_ns +
					  rec->session.args->flush_interval_ns);
		rc = rec_session_switch_by_clock(&rec->session, now_ns, err);
		if (rc || is_over(rec, now_ns))
			break;
		rc = wait_and_handle(rec, wait_ms(rec, now_ns), err);
		if (!rc)
			rc = rec_schedule_pump(&rec->schedule, err);
		rec_carry_feed(&rec->session.carry,
			       rec_output_whole_len(&rec->file.out));
		if (!rc)
			rc = step_rotation(rec, err);
	}
	look_at_online(rec, UINT64_MAX);
	return rc;
}
