#include "record/recording/recording.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "format/layout.h"
#include "format/sample.h"
#include "record/targets/build_id_leak.h"
#include "record/base/runtime.h"
#include "record/recording/self_usage.h"
#include "record/targets/privileges.h"

/* What all rings together may add to a file before anybody looks at its
 * length: this share of its limit. */
enum { LOOKS_AT_LENGTH = 16, WATERMARK_LEN_MIN = 4096 };

/* At most so much in a ring, where a file ends at limit_len; 0: at none. */
static uint64_t share_of(const struct rec_recording *rec, uint64_t limit_len)
{
	uint64_t share = limit_len / LOOKS_AT_LENGTH;

	if (!limit_len)
		return UINT64_MAX;
	if (rec->target.cpu_nr)
		share /= rec->target.cpu_nr;
	return share > WATERMARK_LEN_MIN ? share : WATERMARK_LEN_MIN;
}

/* The kernel wakes us when so much is in a ring.  A quarter, not perf's half:
 * twice the wake-ups cost little, and the drain has longer to come.  Less where
 * a short file is to end at its limit; one that others follow may be a bit
 * longer, and records are packed to a quarter and less. */
static uint32_t watermark_for(const struct rec_recording *rec, size_t ring_len)
{
	const struct rec_args *args = rec->args;
	uint64_t len = ring_len / 4;
	uint64_t share = share_of(rec, args->max_len);
	uint64_t slice_share =
		share_of(rec, args->switch_output.len * (args->level ? 4 : 1));

	if (slice_share < share)
		share = slice_share;
	if (share < len)
		len = share;
	return len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
}

/* Asked of the kernel where that harms nobody; else they are read. */
static void choose_build_ids(struct rec_args *args)
{
	if (!args->no_buildid && !args->attr.buildid_mmap)
		args->attr.buildid_mmap = !rec_build_id_leaks();
}

static int configure(struct rec_recording *rec, rec_note_fn *note,
		     struct pd_err *err)
{
	struct rec_attr_host host = { 0 };
	struct pd_err text = PD_ERR_INIT;
	struct utsname machine;
	int code;

	uname(&machine);
	host.machine = machine.machine;
	rec_attr_host_read(&host, "/proc");
	rec->args->attr.to_pipe = rec->out.is_pipe;
	choose_build_ids(rec->args);
	/* Nobody is to be woken for a ring that is overwritten. */
	if (!rec->args->attr.overwrite)
		rec->args->attr.own_watermark_len =
			watermark_for(rec, (size_t)rec->args->ring_len);
	code = rec_attr_config(&rec->args->events, &rec->args->attr, &host,
			       &text, err);
	if (!code && text.text[0])
		note(&text);
	return code;
}

static int fork_workload(struct rec_recording *rec, struct pd_err *err)
{
	int code;

	if (!rec->args->workload)
		return 0;
	code = rec_workload_fork(&rec->workload, rec->args->workload,
				 rec->out.is_pipe, err);
	if (!code)
		rec_target_set_workload(&rec->target, rec->workload.pid);
	return code;
}

static int open_events(struct rec_recording *rec, rec_note_fn *note,
		       struct pd_err *err)
{
	struct rec_open_conf conf = { .target = &rec->target, .note = note };

	return rec_open_set_open(&rec->open, &rec->args->events, &conf, err);
}

/* The rings came out smaller than the watermark was made for, which the kernel
 * would take for a full ring: opens all again. */
static int map_smaller(struct rec_recording *rec, rec_note_fn *note,
		       struct pd_err *err)
{
	size_t len = rec->rings.data_len;
	size_t wanted_len = rec->rings.wanted_len;
	int short_rc = rec->rings.short_rc;
	int code;

	rec_ring_set_unmap(&rec->rings);
	rec_open_set_close(&rec->open);
	for (size_t i = 0; i < rec->args->events.nr; i++) {
		struct perf_event_attr *attr =
			&rec->args->events.events[i].attr.sys;

		if (attr->watermark)
			attr->wakeup_watermark = watermark_for(rec, len);
	}
	code = open_events(rec, note, err);
	if (!code)
		code = rec_ring_set_map(&rec->rings, &rec->open, false, len,
					err);
	rec->rings.wanted_len = wanted_len;
	rec->rings.short_rc = short_rc;
	return code;
}

static const char *why_smaller(int code)
{
	return code == -ENOMEM ? "the kernel is short of memory"
			       : "more locked memory is not allowed (ulimit "
				 "-l, kernel.perf_event_mlock_kb)";
}

static int map_rings(struct rec_recording *rec, rec_note_fn *note,
		     struct pd_err *err)
{
	struct pd_err text = PD_ERR_INIT;
	int code = rec_ring_set_map(&rec->rings, &rec->open, false,
				    (size_t)rec->args->ring_len, err);

	if (!code && rec->rings.data_len < rec->rings.wanted_len) {
		code = map_smaller(rec, note, err);
		pd_err_set(&text, 0,
			   "rings of %zu KiB, not %zu: %s; -m %zuK fits",
			   rec->rings.data_len / 1024,
			   rec->rings.wanted_len / 1024,
			   why_smaller(rec->rings.short_rc),
			   rec->rings.data_len / 1024);
		note(&text);
	}
	if (!code)
		code = rec_overwrite_rings_map(&rec->flight, &rec->open,
					       rec->rings.data_len, err);
	return code;
}

/* Where the times stand in the records of these events. */
static struct rec_shape shape_of(const struct rec_event_list *events)
{
	struct rec_shape shape = { .sample_time_off = -1 };

	for (size_t i = 0; i < events->nr; i++) {
		struct pd_sample_layout layout;
		struct pd_attr attr;
		uint64_t behind;

		rec_attr_to_pd(&events->events[i].attr, &attr);
		pd_sample_layout_init(&layout, &attr);
		shape.has_build_ids |= (attr.flags & PD_ATTR_BUILD_ID) != 0;
		if (!i)
			shape.sample_time_off = layout.time_off;
		else if (shape.sample_time_off != layout.time_off)
			shape.sample_times_vary = true;
		/* Most of the other records are those of one event. */
		if (i && !events->events[i].attr.sys.ksymbol)
			continue;
		shape.id_len = layout.id_len;
		shape.other_time_back = 0;
		if (!(attr.flags & PD_ATTR_SAMPLE_ID_ALL) ||
		    !(attr.sample_type & PD_SAMPLE_TIME))
			continue;
		/* TIME and what follows it in the trailer */
		behind = attr.sample_type &
			 (PD_SAMPLE_TIME | PD_SAMPLE_ID | PD_SAMPLE_STREAM_ID |
			  PD_SAMPLE_CPU | PD_SAMPLE_IDENTIFIER);
		shape.other_time_back =
			8 * (unsigned)__builtin_popcountll(behind);
	}
	return shape;
}

static void see_record(void *ctx, const struct pd_record *record, bool is_new)
{
	struct rec_recording *rec = ctx;
	bool is_map = record->type == PD_RECORD_MMAP ||
		      record->type == PD_RECORD_MMAP2;

	if (is_map && rec->want_maps)
		rec_build_id_reader_see(&rec->build_ids, record);
	if (rec->slices.is_on)
		rec_file_rotation_see(rec, record, is_new);
}

/* Maps come from the kernel and from the snapshot, which has the trailers of
 * the first event.  A path ends at its NUL if less is taken for the trailer. */
static size_t least_id_len(const struct rec_recording *rec,
			   const struct rec_shape *shape)
{
	size_t first_len = rec_file_id_len(&rec->args->events);

	return shape->id_len < first_len ? shape->id_len : first_len;
}

static int watch_records(struct rec_recording *rec,
			 const struct rec_shape *shape, struct pd_err *err)
{
	const struct rec_args *args = rec->args;
	int code = 0;

	rec->want_maps = !args->no_buildid &&
			 (args->buildid_all || !args->attr.buildid_mmap ||
			  rec->open.dropped_build_id);
	rec->watch = (struct rec_side_watch){ .see = see_record, .ctx = rec };
	if (rec->want_maps)
		rec->watch.types |=
			PD_BIT(PD_RECORD_MMAP) | PD_BIT(PD_RECORD_MMAP2);
	if (rec->want_maps)
		code = rec_build_id_reader_start(&rec->build_ids,
						 least_id_len(rec, shape));
	if (rec->slices.is_on)
		rec->watch.types |= rec_file_rotation_watched();
	if (code)
		return pd_err_set(err, code, "reading build-ids: %s",
				  strerror(-code));
	return rec->watch.types ? rec_drain_watch(&rec->drain, &rec->watch) : 0;
}

static int init_drain(struct rec_recording *rec, struct pd_err *err)
{
	struct rec_shape shape = shape_of(&rec->args->events);
	int code = rec_sink_init(&rec->sink, &rec->out);

	if (!code)
		code = rec_drain_init(&rec->drain, &rec->sink, &shape,
				      rec->args->level);
	if (!code)
		code = watch_records(rec, &shape, err);
	if (code)
		return pd_err_set(err, code, "%s", strerror(-code));
	/* Stack copies are made shorter on their way. */
	rec->drain.copies_first = rec->rounds.kinds.has_stacks;
	return rec_rounds_start(rec, &shape, err);
}

int rec_recording_init(struct rec_recording *rec, struct rec_args *args,
		       rec_note_fn *note, struct pd_err *err)
{
	int code;

	memset(rec, 0, sizeof(*rec));
	rec->args = args;
	rec->workload = (struct rec_workload)REC_WORKLOAD_INIT;
	rec->control.fd = rec->out.fd = rec->epoll_fd = -1;
	rec->commands = (struct rec_control_fd)REC_CONTROL_FD_INIT;
	rec->say = args->quiet ? NULL : stderr;
	rec->is_tail = args->tail_synthesize || args->attr.overwrite;
	rec->begin_ns = rec_now_ns();
	rec->max_rate_hz = rec_max_sample_rate();
	rec->out.is_pipe = rec_output_is_pipe(args->output);
	code = rec_control_open(&rec->control, err);
	if (!code && args->control)
		code = rec_control_fd_open(&rec->commands, args->control, err);
	if (!code)
		code = rec_target_init(&rec->target, &args->target, err);
	if (!code)
		code = configure(rec, note, err);
	if (!code)
		code = fork_workload(rec, err);
	if (!code)
		code = open_events(rec, note, err);
	if (!code)
		code = map_rings(rec, note, err);
	if (!code)
		code = rec_rounds_init(rec, err);
	if (!code)
		code = rec_file_rotation_init(rec, err);
	if (!code && args->switch_events.nr)
		code = rec_trigger_open(&rec->trigger, &args->switch_events,
					err);
	return code;
}

/* For this thread and those that it starts from now on; the command was forked
 * before. */
static int set_priority(struct rec_recording *rec, struct pd_err *err)
{
	const struct rec_args *args = rec->args;
	struct sched_param param = { .sched_priority = (int)args->priority };

	if (!args->priority)
		rec_ask_short_slices();
	if (!args->priority && !args->no_boost)
		rec_boost_init(&rec->rounds.boost, args->cpu_limit_pct);
	if (!args->priority || !sched_setscheduler(0, SCHED_FIFO, &param))
		return 0;
	pd_err_set(err, -errno, "real-time priority %u: %s", args->priority,
		   strerror(errno));
	pd_err_hint(err, "-r needs CAP_SYS_NICE, or a limit as ulimit -r sets "
			 "it");
	return err->code;
}

/* What is still to be done that needs any: ending a command that has become
 * somebody else's, renaming and reading what runs for another file.  Build-ids
 * are read by a thread that keeps what it needs. */
static void drop_privileges(const struct rec_recording *rec)
{
	uint64_t keep = 0;

	if (rec->args->workload)
		keep |= PD_BIT(CAP_KILL);
	if (rec->rounds.boost.needs_capability)
		keep |= PD_BIT(CAP_SYS_NICE);
	if (rec->slices.files.paths)
		keep |= PD_BIT(CAP_DAC_OVERRIDE);
	if (rec->slices.is_on || rec->is_tail)
		keep |= PD_BIT(CAP_DAC_OVERRIDE) | PD_BIT(CAP_SYS_PTRACE) |
			PD_BIT(CAP_DAC_READ_SEARCH) | PD_BIT(CAP_SYSLOG) |
			PD_BIT(CAP_PERFMON) | PD_BIT(CAP_BPF) |
			PD_BIT(CAP_SYS_ADMIN);
	/* Where it cannot be done, nothing is lost but caution. */
	(void)!rec_privileges_drop(keep);
}

/* The kernel tells pids as they are in the namespace of who opens. */
static void say_namespace(const struct rec_recording *rec)
{
	const ino_t first_ns = 0xEFFFFFFC; /* PROC_PID_INIT_INO */
	struct stat st;

	if (!rec->say || !rec->target.system_wide ||
	    stat("/proc/self/ns/pid", &st) || st.st_ino == first_ns)
		return;
	fprintf(rec->say,
		"[ perfpair-record: in a pid namespace: processes outside it "
		"are all pid 0 here, without name and maps; record on the host "
		"(docker run --pid=host) to tell them apart ]\n");
}

/* Whoever started us beside something waits for this line; a command waits for
 * us anyway. */
static void say_ready(const struct rec_recording *rec)
{
	const struct rec_args *args = rec->args;

	if (rec->say && !args->delay.is_given &&
	    (!args->workload || args->verbose_nr))
		fprintf(rec->say,
			"[ perfpair-record: recording, %.3f s after the start "
			"]\n",
			(double)(rec->started_ns - rec->begin_ns) / 1e9);
}

int rec_recording_start(struct rec_recording *rec, struct pd_err *err)
{
	int code = rec_output_open(&rec->out, rec->args->output, err);

	if (!code)
		code = init_drain(rec, err);
	if (!code)
		code = rec_recording_watch(rec, err);
	if (!code)
		code = rec_switch_follow(rec, err);
	if (!code)
		code = rec_file_start(rec, err);
	if (!code)
		code = set_priority(rec, err);
	if (!code)
		code = rec_switch_start(rec, err);
	rec->started_ns = rec->rounds.flushed_ns = rec_now_ns();
	rec->rounds.drained_ns = rec->slices.begin_ns = rec->started_ns;
	if (!code &&
	    rec_cpu_limit_init(&rec->cpu_limit, rec->args->cpu_limit_pct,
			       rec->started_ns, rec_own_cpu_ns()))
		code = pd_err_set(err, -ENOMEM, "out of memory");
	if (!code && rec_online_init(&rec->online, &rec->target, "/sys",
				     !rec->args->target.cpu_list))
		code = pd_err_set(err, -ENOMEM, "out of memory");
	if (!code)
		say_namespace(rec);
	if (!code)
		say_ready(rec);
	if (!code && rec->args->workload)
		code = rec_workload_start(&rec->workload, err);
	if (!code)
		drop_privileges(rec);
	return code;
}

int rec_append_records(struct rec_recording *rec, const struct pd_buf *b)
{
	struct iovec part = { b->data, b->len };

	if (pd_buf_status(b))
		return pd_buf_status(b);
	return b->len ? rec_output_append_loose(&rec->out, &part, 1) : 0;
}

/* At the exec of a program that changes the user the kernel ends all events
 * that follow the task. */
static bool is_of_another_user(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &st) && st.st_uid != geteuid();
}

int rec_recording_finish(struct rec_recording *rec, struct pd_err *err)
{
	bool all_ended, is_running;
	int code, ended;

	rec_open_set_enable(&rec->open, false, NULL);
	rec_boost_end(&rec->rounds.boost); /* nothing fills any more */
	all_ended = rec->task_nr && !rec->live_nr;
	is_running = !rec_workload_poll(&rec->workload);
	/* One that is just ending has lost its events before it has ended. */
	for (int i = 0; i < 20 && is_running && all_ended; i++) {
		usleep(1000);
		is_running = !rec_workload_poll(&rec->workload);
	}
	rec->ended_workload = is_running && !all_ended;
	rec->lost_workload = is_running && all_ended && rec->workload.pid &&
			     rec->args->attr.target == REC_TARGET_COMMAND &&
			     is_of_another_user(rec->workload.pid);
	rec_workload_finish(&rec->workload);
	code = rec_file_rotation_tail(rec, err);
	ended = rec_recording_drain(rec, true, err);
	if (!code)
		code = ended;
	ended = rec_file_end(rec, err);
	if (!code)
		code = ended;
	rec_file_rotation_add_losses(rec);
	ended = rec_output_close(&rec->out, err);
	if (!code)
		code = ended;
	ended = rec_file_rotation_rename(rec, err);
	return code ? code : ended;
}

void rec_recording_release(struct rec_recording *rec)
{
	rec_file_rotation_release(rec);
	rec_trigger_close(&rec->trigger);
	rec_workload_finish(&rec->workload);
	rec_rounds_release(rec);
	rec_drain_release(&rec->drain);
	rec_build_id_reader_release(&rec->build_ids);
	rec_sink_release(&rec->sink);
	rec_ring_set_unmap(&rec->rings);
	rec_overwrite_rings_unmap(&rec->flight);
	rec_open_set_close(&rec->open);
	rec_target_release(&rec->target);
	if (rec->epoll_fd >= 0)
		close(rec->epoll_fd);
	rec_output_release(&rec->out);
	rec_control_fd_close(&rec->commands);
	rec_control_close(&rec->control);
	rec_loss_table_release(&rec->losses);
	rec_cpu_limit_release(&rec->cpu_limit);
	rec_online_release(&rec->online);
}
