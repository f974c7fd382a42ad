/* record_loop.c: waiting, draining, flushing, until something ends it. */
#include "record/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "format/layout.h"

enum {
	EVENT_NR = 64,
	CONTROL_IDX = -1,
	COMMANDS_IDX = -2,
	CAPTURE_IDX = -3,
	TRIGGER_IDX = -4
};

static const uint64_t flush_interval_ns = 1000000000;
/* So much may wait for a checkpoint and a round marker at most. */
static const uint64_t flush_len = REC_FRAME_LEN;

static int watch_fd(struct rec_recording *rec, int fd, int idx)
{
	struct epoll_event event = { .events = EPOLLIN, .data = { .fd = idx } };

	return epoll_ctl(rec->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* The first event of each CPU and thread tells when its task ended; the rings'
 * owners tell when there is something to drain. */
static bool is_watched(const struct rec_recording *rec, size_t idx)
{
	if (rec->open.fds[idx].event_idx == 0)
		return true;
	for (size_t i = 0; i < rec->rings.nr; i++)
		if (rec->rings.maps[i].fd == rec->open.fds[idx].fd)
			return true;
	return false;
}

int rec_recording_watch(struct rec_recording *rec, struct pd_err *err)
{
	int code = 0;

	rec->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (rec->epoll_fd < 0)
		return pd_err_set(err, -errno, "epoll: %s", strerror(errno));
	code = watch_fd(rec, rec->control.fd, CONTROL_IDX);
	if (!code && rec->commands.fd >= 0)
		code = watch_fd(rec, rec->commands.fd, COMMANDS_IDX);
	if (!code && rec->slices.is_on)
		code = watch_fd(rec, rec->slices.capture.done_fd, CAPTURE_IDX);
	for (size_t i = 0; i < rec->trigger.rings.nr && !code; i++)
		code = watch_fd(rec, rec->trigger.rings.maps[i].fd,
				TRIGGER_IDX);
	for (size_t i = 0; i < rec->open.nr && !code; i++) {
		if (!is_watched(rec, i))
			continue;
		code = watch_fd(rec, rec->open.fds[i].fd, (int)i);
		rec->task_nr += rec->open.fds[i].tid != -1;
	}
	rec->live_nr = rec->task_nr;
	return code ? pd_err_set(err, code, "epoll: %s", strerror(-code)) : 0;
}

static int drain_rings(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_ring *ring;
	int code = 0;

	while ((ring = rec_epoch_take(&rec->epoch))) {
		size_t idx = (size_t)(ring - rec->rings.rings);
		int failed = rec_drain_ring(&rec->drain, ring,
					    rec->rings.maps[idx].cpu, err);

		if (failed && !code)
			code = failed;
		rec_epoch_done(&rec->epoch);
	}
	return code;
}

static int mark_round(struct rec_recording *rec)
{
	static const uint32_t marker[2] = { PD_RECORD_FINISHED_ROUND, 8 << 16 };
	struct iovec part = { (void *)(uintptr_t)marker, sizeof(marker) };

	return rec_output_append(&rec->out, &part, 1);
}

static int flush(struct rec_recording *rec)
{
	int code;

	rec->flushed_ns = rec_now_ns();
	if (!rec->unflushed_len)
		return 0;
	rec->unflushed_len = 0;
	code = rec_drain_flush(&rec->drain);
	if (!code)
		code = mark_round(rec);
	if (!code)
		code = rec_output_checkpoint(&rec->out);
	rec_sink_reserve(&rec->sink);
	return code;
}

int rec_recording_drain(struct rec_recording *rec, bool force_flush,
			struct pd_err *err)
{
	struct pd_err bad = PD_ERR_INIT;
	int code;

	/* A ring that cannot be read does not end the others' recording. */
	rec_epoch_begin(&rec->epoch, &bad);
	code = drain_rings(rec, &bad);
	rec->unflushed_len += rec->epoch.bytes_len;
	if (bad.code == -EBADMSG && !rec->bad_ring.code)
		rec->bad_ring = bad;
	if (code == -EBADMSG)
		code = 0;
	if (!code && !rec->slices.is_telling &&
	    (force_flush || rec->unflushed_len >= flush_len ||
	     rec_now_ns() - rec->flushed_ns >= flush_interval_ns))
		code = flush(rec);
	if (code && rec->out.err.code && err && !err->code)
		*err = rec->out.err;
	return code;
}

/* Milliseconds until the next thing is due, rounded up. */
static int wait_ms(const struct rec_recording *rec, uint64_t now_ns)
{
	uint64_t due_ns = rec->flushed_ns + flush_interval_ns;
	uint64_t end_ns = rec->started_ns + rec->args->duration_ns;
	uint64_t switch_ns = rec_switch_due_ns(rec);
	uint64_t slice_ns = rec_slices_due_ns(rec);

	if (rec->args->duration_ns && end_ns < due_ns)
		due_ns = end_ns;
	if (switch_ns < due_ns)
		due_ns = switch_ns;
	if (slice_ns < due_ns)
		due_ns = slice_ns;
	if (due_ns <= now_ns)
		return 0;
	return (int)((due_ns - now_ns + 999999) / 1000000);
}

static int handle_commands(struct rec_recording *rec, struct pd_err *err)
{
	int code = rec_obey_commands(rec, err);

	if (code != -EPIPE)
		return code;
	epoll_ctl(rec->epoll_fd, EPOLL_CTL_DEL, rec->commands.fd, NULL);
	return 0;
}

static void take_signals(struct rec_recording *rec)
{
	rec_control_read(&rec->control);
	if (rec->control.snapshot_asked && rec->slices.is_on)
		rec->slices.is_wanted = true;
	rec->control.snapshot_asked = false;
}

static int handle(struct rec_recording *rec, const struct epoll_event *event,
		  struct pd_err *err)
{
	int idx = event->data.fd;

	if (idx == COMMANDS_IDX)
		return handle_commands(rec, err);
	if (idx == CONTROL_IDX)
		take_signals(rec);
	if (idx == TRIGGER_IDX && rec_trigger_take(&rec->trigger))
		rec->slices.is_wanted = true;
	/* rec_slices_step() looks whether the reading is done. */
	if (idx < 0 || !(event->events & (EPOLLHUP | EPOLLERR)))
		return 0;
	/* Its task has ended; it would report that for ever. */
	epoll_ctl(rec->epoll_fd, EPOLL_CTL_DEL, rec->open.fds[idx].fd, NULL);
	rec->live_nr -= rec->open.fds[idx].tid != -1;
	return 0;
}

static int wait_and_handle(struct rec_recording *rec, int timeout_ms,
			   struct pd_err *err)
{
	struct epoll_event events[EVENT_NR];
	int nr = epoll_wait(rec->epoll_fd, events, EVENT_NR, timeout_ms);

	if (nr < 0 && errno != EINTR)
		return pd_err_set(err, -errno, "epoll: %s", strerror(errno));
	rec->wakeup_nr += nr > 0;
	for (int i = 0; i < nr; i++) {
		int code = handle(rec, &events[i], err);

		if (code)
			return code;
	}
	return 0;
}

static bool is_full(struct rec_recording *rec)
{
	if (!rec->args->max_len || rec->out.len < rec->args->max_len)
		return false;
	rec->is_stopped = true;
	if (rec->say)
		fprintf(rec->say,
			"[ perfpair-record: size limit reached (%" PRIu64
			" KB), stopping session ]\n",
			rec->out.len / 1024);
	return true;
}

static bool is_over(struct rec_recording *rec, uint64_t now_ns)
{
	if (rec->control.stop_signal || rec->is_stopped)
		return true;
	if (rec->control.child_ended && rec_workload_poll(&rec->workload))
		return true;
	if (rec->args->duration_ns &&
	    now_ns - rec->started_ns >= rec->args->duration_ns)
		return true;
	if (is_full(rec))
		return true;
	return rec->task_nr && !rec->live_nr;
}

int rec_recording_loop(struct rec_recording *rec, struct pd_err *err)
{
	int code = 0;

	while (!code) {
		uint64_t now_ns = rec_now_ns();

		code = rec_switch_by_clock(rec, now_ns, err);
		if (code || is_over(rec, now_ns))
			break;
		code = wait_and_handle(rec, wait_ms(rec, now_ns), err);
		if (!code)
			code = rec_recording_drain(rec, false, err);
		if (!code)
			code = rec_slices_step(rec, err);
	}
	return code;
}
