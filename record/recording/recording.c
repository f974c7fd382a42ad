#include "record/recording/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/file/layout.h"
#include "format/support/message.h"
#include "record/base/memory_limit.h"
#include "record/base/runtime.h"
#include "record/recording/self_usage.h"
#include "record/recording/summary.h"
#include "record/targets/event_rate.h"
#include "record/targets/privileges.h"

/* Wait, drain and flush until the recording ends. */

enum {
	EVENT_NR = 64,
	CONTROL_IDX = -1,
	COMMANDS_IDX = -2,
	CAPTURE_IDX = -3,
	TRIGGER_IDX = -4,
	POOL_IDX = -5,
	BELL_IDX = -6,
	LITTLE_FILL = 16, /* of the fullest ring when it is drained, in 1/256 */
};

/* A wait is at most as long as its count of milliseconds. */
#define WAIT_NS_MAX UINT64_C(1000000000000000)

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
	if (rec->session.open.fds[idx].rung)
		return false;
	if (rec->session.open.fds[idx].event_idx == 0)
		return true;
	for (size_t i = 0; i < rec->session.rings.nr; i++)
		if (rec->session.rings.maps[i].fd ==
		    rec->session.open.fds[idx].fd)
			return true;
	return false;
}

/* Add all descriptors to one epoll. */
static int recording_watch(struct rec_recording *rec, struct pd_err *err)
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
		/* An overwritten ring matters at its end alone. */
		rc = watch_events(
			rec, rec->session.open.fds[i].fd, (int)i,
			rec->session.open.fds[i].is_backward ? 0 : EPOLLIN);
		rec->task_nr += rec->session.open.fds[i].tid != -1;
	}
	rec->live_nr = rec->task_nr;
	return rc ? pd_err_set(err, rc, "epoll: %s", strerror(-rc)) : 0;
}

/* Open the bell if it saves looks at the rings.  Nobody watches all that a task
 * starts: each fork would copy it for each CPU. */
static void open_bell(struct rec_recording *rec)
{
	const struct rec_session *session = &rec->session;

	if (!session->carry.is_on || !session->target.system_wide ||
	    !session->rings.nr ||
	    rec_bell_open(&rec->bell, &rec->session.target))
		return;
	if (watch_events(rec, rec->bell.fd, BELL_IDX, EPOLLIN | EPOLLONESHOT))
		rec_bell_close(&rec->bell);
}

static void step_bell(struct rec_recording *rec)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT,
				     .data = { .fd = BELL_IDX } };

	if (rec->bell.is_on && rec_bell_is_over(&rec->bell, rec_now_ns()))
		epoll_ctl(rec->epoll_fd, EPOLL_CTL_MOD, rec->bell.fd, &event);
}

/* Return when to drain for records of files and maps that will soon be gone; a
 * little later while others drain. */
static uint64_t look_due_ns(const struct rec_recording *rec, uint64_t now_ns)
{
	uint64_t drained_ns = rec->schedule.drained_ns;
	bool is_little = rec->schedule.epoch.fill < LITTLE_FILL;
	uint64_t due_ns = rec->bell.is_on && is_little
				  ? rec_bell_due_ns(&rec->bell, drained_ns)
				  : drained_ns + REC_CARRY_LOOK_NS;

	if (!rec->session.carry.is_on || (rec->is_resting && !rec->bell.is_on))
		return UINT64_MAX;
	return due_ns > now_ns ? due_ns : now_ns + REC_CARRY_LOOK_NS / 16;
}

/* The same for what names wait for. */
static uint64_t carry_due_ns(const struct rec_recording *rec, uint64_t now_ns)
{
	uint64_t due_ns = rec_carry_due_ns(&rec->session.carry);

	return due_ns > now_ns ? due_ns : now_ns + REC_CARRY_LOOK_NS;
}

/* Return the milliseconds until the next task is due, rounded up. */
static int wait_ms(struct rec_recording *rec, uint64_t now_ns)
{
	uint64_t due_ns = rec->is_resting && rec->schedule.is_calm
				  ? UINT64_MAX
				  : rec_schedule_due_ns(&rec->schedule, now_ns);
	uint64_t switch_ns = rec_session_due_ns(&rec->session);
	uint64_t next_file_ns = rec_file_rotation_due_ns(&rec->rotation);
	uint64_t carry_ns = carry_due_ns(rec, now_ns);
	uint64_t limit_ns = rec_budget_due_ns(&rec->session.budget);

	if (rec->end_ns < due_ns)
		due_ns = rec->end_ns;
	if (look_due_ns(rec, now_ns) < due_ns)
		due_ns = look_due_ns(rec, now_ns);
	if (carry_ns < due_ns)
		due_ns = carry_ns;
	if (switch_ns < due_ns)
		due_ns = switch_ns;
	if (next_file_ns < due_ns)
		due_ns = next_file_ns;
	if (limit_ns < due_ns)
		due_ns = limit_ns;
	if (rec_fast_events_due_ns(&rec->fast) < due_ns)
		due_ns = rec_fast_events_due_ns(&rec->fast);
	if (rec_boost_due_ns(&rec->schedule.boost) < due_ns)
		due_ns = rec_boost_due_ns(&rec->schedule.boost);
	if (rec_service_due_ns(&rec->service) < due_ns)
		due_ns = rec_service_due_ns(&rec->service);
	if (rec->trial.runs && due_ns > now_ns + trial_look_ns)
		due_ns = now_ns + trial_look_ns;
	if (due_ns <= now_ns)
		return 0;
	if (due_ns - now_ns > WAIT_NS_MAX)
		return due_ns == UINT64_MAX ? -1 : (int)(WAIT_NS_MAX / 1000000);
	return (int)((due_ns - now_ns + 999999) / 1000000);
}

static void end_rest(struct rec_recording *rec)
{
	if (rec->is_resting)
		rec_open_set_signal(&rec->session.open,
				    &rec->session.args->events, false);
	rec->is_resting = false;
}

/* Rest once nothing comes, until a sample does: then there is no timer for what
 * may come.  Records of tasks that come without samples wait for one. */
static int step_rest(struct rec_recording *rec, struct pd_err *err)
{
	const struct rec_session *session = &rec->session;
	const struct rec_event_list *events = &session->args->events;
	int rc = 0;

	if (rec->schedule.is_calm && !rec->is_resting) {
		rec->is_resting =
			!session->rings.nr ||
			rec_open_set_signal(&session->open, events, true);
		/* Some may have come before that. */
		if (rec->is_resting)
			rc = rec_schedule_pump(&rec->schedule, err);
	}
	if (!rec->schedule.is_calm)
		end_rest(rec);
	return rc;
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
	if (rec->session.control.sample_came)
		end_rest(rec);
	rec->session.control.sample_came = false;
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
	if (idx == BELL_IDX)
		rec_bell_note(&rec->bell, rec_now_ns());
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
	int nr;

	rec_deputy_disarm(&rec->deputy);
	nr = epoll_wait(rec->epoll_fd, events, EVENT_NR, timeout_ms);
	rec_deputy_arm(&rec->deputy,
		       !nr && rec_schedule_has_little(&rec->schedule));
	if (nr < 0 && errno != EINTR)
		return pd_err_set(err, -errno, "epoll: %s", strerror(errno));
	rec->session.wakeup_nr += nr > 0;
	/* The program has mapped nothing yet. */
	rec->is_early = nr == 1 && events[0].data.fd == BELL_IDX;
	for (int i = 0; i < nr; i++) {
		int rc = handle(rec, &events[i], err);

		if (rc)
			return rc;
	}
	return 0;
}

static void refuse_reload(struct rec_recording *rec, const struct pd_err *err)
{
	sup_message_err(NULL, err);
	snprintf(rec->vitals.refused, sizeof(rec->vitals.refused), "%s",
		 err->text);
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

/* Return where warnings go: a service has them though it is quiet. */
static FILE *warnings_of(const struct rec_recording *rec)
{
	return rec->session.control.is_reload ? stderr : rec->session.say;
}

/* Say once, when rates are lowered first, what keeps its rate or does not tell
 * it. */
static void say_budget(const struct rec_recording *rec)
{
	const struct rec_args *args = rec->session.args;
	const struct rec_event_list *events = &args->events;
	bool has_children = !rec->session.target.system_wide &&
			    !args->attr.no_inherit && !args->attr.per_thread;
	FILE *out = warnings_of(rec);
	bool keeps = false;

	if (rec->session.budget.change_nr != 1 || !out)
		return;
	for (size_t i = 0; i < events->nr; i++) {
		const struct rec_event *event = &events->events[i];
		enum rec_rate_way way = rec_rate_way(event);
		bool is_held = way == REC_RATE_HELD &&
			       event->attr.sys.sample_period &&
			       !rec_event_is_dummy(event);

		keeps |= way == REC_RATE_IOCTL || way == REC_RATE_CAPPED;
		if (is_held || rec_rate_is_hidden(event))
			fprintf(out, "[ perfpair-record: %s %s: it %s ]\n",
				rec_event_title(event),
				is_held ? "keeps its rate"
					: "gets a lower rate, which its "
					  "samples do not tell",
				event->has_no_rungs
					? "can be opened with one rate only"
					: "is in a group");
	}
	if (keeps && has_children)
		fputs("[ perfpair-record: rates are lowered; threads and "
		      "children that run already may keep theirs ]\n",
		      out);
}

/* A new rate gets the time of the newest drained record; 0: none yet. */
static void look_at_budget(struct rec_recording *rec, uint64_t now_ns)
{
	struct rec_session *session = &rec->session;
	struct rec_budget_use use;

	if (!rec_budget_wants(&session->budget, now_ns))
		return;
	rec_budget_measure(&session->budget, &rec->schedule,
			   rec->rotation.done.len, now_ns, &use);
	if (rec_budget_look(&session->budget, &use, &session->args->events,
			    &session->open, &rec->schedule.layouts,
			    rec_schedule_newest_ns(&rec->schedule)))
		say_budget(rec);
}

static void look_at_fast_events(struct rec_recording *rec, uint64_t now_ns)
{
	struct rec_session *session = &rec->session;
	struct rec_fast_look at = { .now_ns = now_ns,
				    .is_lowered = session->budget.shift > 0 };
	struct rec_counts counts;

	if (now_ns - rec->fast.seen_ns < REC_FAST_INTERVAL_NS ||
	    !rec_sink_try_counts(&rec->file.sink, &counts))
		return;
	at.sample_nr = counts.sample_nr + rec->rotation.done.counts.sample_nr;
	rec_fast_events_look(&rec->fast, &session->args->events, &session->open,
			     &at, warnings_of(rec));
}

/* Check for CPUs every ten seconds: sysfs costs more than all other work of a
 * second if little comes.  A service takes them as a reload does. */
static void look_at_online(struct rec_recording *rec, uint64_t now_ns)
{
	static const uint64_t interval_ns = 10000000000;
	FILE *out = rec->online.is_reload ? stderr : rec->session.say;
	bool is_new;

	if ((!out && !rec->rotation.is_on) || now_ns < rec->online.due_ns)
		return;
	rec->online.due_ns = now_ns + interval_ns;
	is_new = rec_online_look(&rec->online, out);
	rec->rotation.is_blind |= is_new || rec->online.has_slept;
	if (is_new && rec->online.is_reload)
		rec->session.control.reload_asked = true;
}

/* Threads that take what was seen are woken once for all of it. */
static void after_drain(void *ctx)
{
	struct rec_recording *rec = ctx;

	if (rec->session.build_ids.is_on)
		rec_build_id_reader_turn(&rec->session.build_ids);
	rec_carry_turn(&rec->session.carry,
		       rec_schedule_newest_ns(&rec->schedule));
}

int rec_recording_loop(struct rec_recording *rec, struct pd_err *err)
{
	int rc = 0;

	while (!rc) {
		uint64_t now_ns = rec_now_ns();

		look_at_budget(rec, now_ns);
		look_at_fast_events(rec, now_ns);
		look_at_online(rec, now_ns);
		/* No epoch begins while drain threads hang. */
		rec_service_alive(&rec->service, now_ns,
				  rec->schedule.drained_ns +
					  rec->session.args->flush_interval_ns);
		rc = rec_session_switch_by_clock(&rec->session, now_ns, err);
		if (rc || is_over(rec, now_ns))
			break;
		rc = wait_and_handle(rec, wait_ms(rec, now_ns), err);
		if (!rc && !rec->is_early)
			rc = rec_schedule_pump(&rec->schedule, err);
		if (!rc)
			rc = step_rest(rec, err);
		step_bell(rec);
		after_drain(rec);
		rec_carry_feed(&rec->session.carry,
			       rec_output_whole_len(&rec->file.out));
		rec_disk_room_step(rec, now_ns);
		if (!rc)
			rc = rec_file_rotation_step(&rec->rotation, err);
		rec_vitals_step(rec, now_ns);
	}
	look_at_online(rec, UINT64_MAX);
	return rc;
}

/* The options of a reload are refused if trying them takes longer. */
static const uint64_t trial_limit_ns = 30000000000;

static void see_map(void *ctx, const struct pd_record *record, bool is_new)
{
	struct rec_recording *rec = ctx;

	if (rec->session.build_ids.is_on)
		rec_build_id_reader_see(&rec->session.build_ids, record);
	if (rec->session.carry.is_on &&
	    (record->type == PD_RECORD_MMAP2 || record->type == PD_RECORD_EXIT))
		rec_carry_see(&rec->session.carry, record, is_new);
}

static void see_record(void *ctx, const struct pd_record *record, bool is_new)
{
	struct rec_recording *rec = ctx;

	see_map(ctx, record, is_new);
	if (rec->rotation.is_on)
		rec_file_rotation_see(&rec->rotation, record, is_new);
}

/* A later file may need what this one leaves out. */
static void see_held_record(void *ctx, const struct pd_record *record,
			    bool is_new)
{
	struct rec_recording *rec = ctx;

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

/* Return the memory for names, and say so if the control groups allow less than
 * usual. */
static size_t memory_for_names(const struct rec_session *session)
{
	struct rec_memory_limit limit;
	size_t len;

	rec_memory_limit_read(&limit, "/proc");
	len = rec_carry_memory_len(limit.room_len);
	if (len < REC_CARRY_MEMORY_LEN && session->say)
		fprintf(session->say,
			"[ perfpair-record: %s: %s limits memory to %.1f MB, "
			"%.1f of which are free ]\n",
			len ? "fewer names may be carried"
			    : "no names are carried",
			limit.is_own ? "--budget" : "the control group",
			(double)limit.len / 1024.0 / 1024.0,
			(double)limit.room_len / 1024.0 / 1024.0);
	return len;
}

/* If names cannot be carried, warn and record without them. */
static void start_carry(struct rec_recording *rec, bool has_place)
{
	struct rec_session *session = &rec->session;
	const struct rec_args *args = session->args;
	struct rec_carry_conf conf = {
		.what = args->carry,
		.time_ns = args->carry_ns,
		.len_max = args->carry_len,
		.hang_ns = UINT64_C(10000000000),
		.id_len = map_id_len(session),
		.maps_come_last = session->is_tail,
		.is_rotated = args->switch_output.is_on,
		.index_dir = args->carry_index,
	};
	int rc = 0;

	if (!args->carry || !has_place)
		return;
	conf.memory_len = memory_for_names(session);
	if (conf.memory_len)
		rc = rec_carry_start(&session->carry, &conf);
	if (rc && session->say)
		fprintf(session->say,
			"[ perfpair-record: no names are carried: %s ]\n",
			strerror(-rc));
}

/* Say if nothing will be in the folder of --carry-index. */
static void tell_of_index(struct rec_recording *rec, bool has_place)
{
	const char *path = rec->session.args->carry_index, *why = NULL;
	const struct rec_carry *carry = &rec->session.carry;

	if (!rec->session.args->carry) /* as beside the unit's record.conf */
		why = "--carry none looks for no names";
	else if (!has_place)
		why = "a pipe carries no names";
	else if (carry->is_on && carry->conf.memory_len < REC_CARRY_MEMORY_LEN)
		why = "that takes too much memory";
	else if (carry->is_on && carry->index_fd == -EPERM)
		why = "it is not ours, or others may write to it";
	else if (carry->is_on && carry->index_fd < 0)
		why = strerror(-carry->index_fd);
	if (path && why && warnings_of(rec))
		fprintf(warnings_of(rec),
			"[ perfpair-record: --carry-index %s is not used: %s ]\n",
			path, why);
}

/* Start the file's sink, and set who sees the records written to it. */
static int start_drain(struct rec_recording *rec, struct pd_err *err)
{
	bool has_place = !rec->file.out.is_pipe || rec->names.is_on;
	int rc = rec_sink_init(&rec->file.sink, &rec->file.out);

	if (!rc)
		rc = rec_loss_table_init(&rec->file.losses,
					 rec->session.open.nr);
	if (rc)
		return pd_err_set(err, rc, "%s", strerror(-rc));
	rc = start_build_ids(&rec->session, err);
	if (rc)
		return rc;
	start_carry(rec, has_place);
	tell_of_index(rec, has_place);
	rec->watch = (struct rec_side_watch){ .see = see_record,
					      .see_held = see_held_record,
					      .see_wanted = see_map,
					      .after_drain = after_drain,
					      .ctx = rec };
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

	rec_own_cpu_begin();
	rec_return_large_memory();
	memset(rec, 0, sizeof(*rec));
	rec->file.out.fd = rec->epoll_fd = rec->trial.fd = -1;
	rec_start_state_note(&rec->start);
	rec_service_open(&rec->service);
	is_reload =
		!args->dry_run && rec_reload_is_possible(args, &rec->service);
	if (is_reload)
		rc = rec_reload_trial_open(&rec->trial, args, trial_limit_ns,
					   err);
	if (args->reload)
		signal(SIGHUP, SIG_DFL); /* nohup(1) ignored it */
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
	if (!args->priority)
		return 0;
	if (!sched_setscheduler(0, SCHED_FIFO, &param)) {
		if (rec->deputy.is_on)
			rec_deputy_follow(&rec->deputy, &param);
		return 0;
	}
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
	if (rec->rotation.files.paths || rec->session.args->metrics)
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

/* Warn that a second recorder would not be seen. */
static void say_no_lock(const struct rec_recording *rec)
{
	const struct rec_output *out = &rec->file.out;

	if (rec->session.say && out->lock_rc)
		fprintf(rec->session.say,
			"[ perfpair-record: %s is not locked against other "
			"recorders: %s ]\n",
			out->path, strerror(-out->lock_rc));
}

int rec_recording_check(struct rec_recording *rec, struct pd_err *err)
{
	const struct rec_args *args = rec->session.args;
	int rc = rec_output_check(&rec->file.out, args->output, err);

	if (!rc && args->carry_file)
		rc = rec_piped_names_check(args->carry_file, &rec->file.out,
					   err);
	if (!rc && args->metrics)
		rc = rec_metrics_file_check(args->metrics, err);
	if (!rc)
		rc = start_drain(rec, err);
	if (!rc)
		rc = recording_watch(rec, err);
	if (!rc)
		rc = set_priority(rec, err);
	return rc;
}

static int start_budget(struct rec_recording *rec)
{
	struct rec_session *session = &rec->session;
	const struct rec_args *args = session->args;
	const struct rec_budget_use start = {
		.now_ns = session->started_ns,
		.used[REC_BUDGET_CPU] = rec_own_cpu_ns(),
		.used[REC_BUDGET_DISK] = rec->file.out.len,
	};

	return rec_budget_init(&session->budget, args->cpu_limit_pct,
			       args->disk_limit_len, session->begin_ns,
			       rec->schedule.reader_nr, &start);
}

int rec_recording_start(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_session *session = &rec->session;
	const struct rec_args *args = session->args;
	int rc;

	rec_left_slices_take(session);
	rec_disk_room_begin(rec);
	rc = rec_file_open(&rec->file, args->output, err);
	if (!rc)
		say_no_lock(rec);
	if (!rc && rec->rotation.is_on)
		rec->file.has_mark = !rec_slice_mark_make(
			session, rec->file.out.place.name, &rec->file.mark);
	if (!rc && args->carry_file)
		rc = rec_piped_names_open(&rec->names, args->carry_file,
					  &rec->file.out, err);
	if (!rc)
		rc = rec_piped_names_start(&rec->names, session, err);
	if (!rc)
		rc = start_drain(rec, err);
	if (!rc)
		rc = recording_watch(rec, err);
	if (!rc)
		open_bell(rec);
	if (!rc)
		rc = rec_deputy_start(&rec->deputy, &rec->schedule, session,
				      &rec->service, err);
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
	if (!rc &&
	    (start_budget(rec) ||
	     rec_fast_events_init(&rec->fast, rec_args_tracepoint_hz(args),
				  &args->events, session->started_ns) ||
	     rec_online_init(&rec->online, &session->target, "/sys",
			     !args->target.cpu_list)))
		rc = pd_err_set(err, -ENOMEM, "out of memory");
	if (rc)
		return rc;
	rc = rec_vitals_begin(rec, err);
	if (rc)
		return rc;
	rec->online.is_reload = session->control.is_reload;
	say_namespace(rec);
	say_ready(rec);
	rec_service_say(&rec->service, "READY=1\nSTATUS=recording");
	if (args->workload)
		rc = rec_workload_start(&session->workload,
					session->args->workload[0], err);
	if (!rc)
		rec_left_slices_start(&rec->left, session, &rec->rotation.files,
				      &rec->slices);
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

/* How long the end waits for what is adopted: if nobody is in a hurry, and if
 * somebody stopped it. */
static const uint64_t left_wait_ns = 5000000000, left_stop_ns = 200000000;

int rec_recording_finish(struct rec_recording *rec, struct pd_err *err)
{
	int rc, ended;

	rec_deputy_end_soon(&rec->deputy);
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
	rec_vitals_end(rec);
	rec_deputy_end(&rec->deputy);
	end_reload_if_stopped(rec);
	rec_reload_trial_close(&rec->trial);
	rec_left_slices_end(&rec->left,
			    rec->session.control.stop_signal ||
					    rec->session.is_reloading
				    ? left_stop_ns
				    : left_wait_ns);
	end_slices(rec);
	return rc ? rc : ended;
}

void rec_recording_release(struct rec_recording *rec)
{
	rec_deputy_end(&rec->deputy);
	rec_file_rotation_release(&rec->rotation);
	rec_trigger_close(&rec->trigger);
	rec_bell_close(&rec->bell);
	rec_schedule_release(&rec->schedule);
	rec_file_release(&rec->file);
	rec_piped_names_release(&rec->names);
	rec_session_release(&rec->session);
	rec_fast_events_release(&rec->fast);
	rec_online_release(&rec->online);
	rec_service_close(&rec->service);
	if (rec->epoll_fd >= 0)
		close(rec->epoll_fd);
}
