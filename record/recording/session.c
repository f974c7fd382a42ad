#include "record/recording/session.h"

#include <errno.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "format/records/sample.h"
#include "record/base/runtime.h"
#include "record/event/event_title.h"
#include "record/recording/self_usage.h"
#include "record/snapshot/snapshot.h"

/* Rings may add this share of a file's limit before its length is checked. */
enum { LOOKS_AT_LENGTH = 16, WATERMARK_LEN_MIN = 4096 };

/* Return the most that a ring may hold if a file ends at limit_len; 0: never.
 */
static uint64_t share_of(const struct rec_session *session, uint64_t limit_len)
{
	uint64_t share = limit_len / LOOKS_AT_LENGTH;

	if (!limit_len)
		return UINT64_MAX;
	if (session->target.cpu_nr)
		share /= session->target.cpu_nr;
	return share > WATERMARK_LEN_MIN ? share : WATERMARK_LEN_MIN;
}

/* The kernel wakes us once a ring has so many bytes.  A quarter, not perf's
 * half: twice the wake-ups cost little, and there is more time to drain.  Less
 * if a single file ends at a short limit; if others follow, a file may be a bit
 * longer, and records are compressed to a quarter or less. */
static uint32_t watermark_for(const struct rec_session *session,
			      size_t ring_len)
{
	const struct rec_args *args = session->args;
	uint64_t len = ring_len / 4;
	uint64_t share = share_of(session, args->max_len);
	uint64_t next_share = share_of(session, args->switch_output.len *
							(args->level ? 4 : 1));

	if (next_share < share)
		share = next_share;
	if (share < len)
		len = share;
	return len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
}

static int configure(struct rec_session *session, rec_note_fn *note,
		     struct pd_err *err)
{
	struct rec_args *args = session->args;
	struct rec_attr_host host;
	struct pd_err text = PD_ERR_INIT;
	int rc;

	rec_attr_host_read(&host, "/proc");
	args->attr.to_pipe = rec_output_is_pipe(args->output);
	/* An overwritten ring needs no wake-ups. */
	if (!args->attr.overwrite)
		args->attr.own_watermark_len =
			watermark_for(session, (size_t)args->ring_len);
	rc = rec_attr_config(&args->events, &args->attr, &host, &text, err);
	if (!rc && text.text[0])
		note(&text);
	return rc;
}

static int fork_workload(struct rec_session *session, struct pd_err *err)
{
	const struct rec_args *args = session->args;
	int rc;

	if (!args->workload)
		return 0;
	rc = rec_workload_fork(&session->workload, args->workload,
			       args->attr.to_pipe, err);
	if (!rc)
		rec_target_set_workload(&session->target,
					session->workload.pid);
	return rc;
}

static int open_events(struct rec_session *session, rec_note_fn *note,
		       struct pd_err *err)
{
	struct rec_open_conf conf = { .target = &session->target,
				      .note = note };

	int rc = rec_open_set_open(&session->open, &session->args->events,
				   &conf, err);

	return rc ? rc : rec_event_set_titles(&session->args->events);
}

/* The rings are smaller than the watermark was computed for, and the kernel
 * would take it for a full ring: open all events again. */
static int map_smaller(struct rec_session *session, rec_note_fn *note,
		       struct pd_err *err)
{
	const struct rec_event_list *events = &session->args->events;
	size_t len = session->rings.data_len;
	int rc;

	rec_ring_set_unmap(&session->rings);
	rec_open_set_close(&session->open);
	for (size_t i = 0; i < events->nr; i++) {
		struct perf_event_attr *attr = &events->events[i].attr.sys;

		if (attr->watermark)
			attr->wakeup_watermark = watermark_for(session, len);
	}
	rc = open_events(session, note, err);
	if (!rc)
		rc = rec_ring_set_map(&session->rings, &session->open, false,
				      len, err);
	return rc;
}

/* A dry run takes as little as it can: the rings of recordings that run count
 * for the same limits. */
static size_t ring_len(const struct rec_args *args)
{
	return args->dry_run ? (size_t)sysconf(_SC_PAGESIZE)
			     : (size_t)args->ring_len;
}

static int map_rings(struct rec_session *session, rec_note_fn *note,
		     struct pd_err *err)
{
	struct pd_err text = PD_ERR_INIT;
	struct rec_ring_set *rings = &session->rings;
	int rc = rec_ring_set_map(rings, &session->open, false,
				  ring_len(session->args), err);
	const char *why = rings->short_rc == -ENOMEM
				  ? "the kernel is short of memory"
				  : "more locked memory is not allowed (ulimit "
				    "-l, kernel.perf_event_mlock_kb)";

	if (!rc && rings->short_rc) {
		rc = map_smaller(session, note, err);
		pd_err_set(&text, 0,
			   "rings of %zu KiB, not %zu: %s; -m %zuK fits",
			   rings->data_len / 1024,
			   (size_t)session->args->ring_len / 1024, why,
			   rings->data_len / 1024);
		note(&text);
	}
	if (!rc)
		rc = rec_overwrite_rings_map(&session->overwrite_rings,
					     &session->open, rings->data_len,
					     err);
	return rc;
}

int rec_session_init(struct rec_session *session, struct rec_args *args,
		     rec_note_fn *note, struct pd_err *err)
{
	int rc;

	*session = (struct rec_session){
		.args = args,
		.workload = REC_WORKLOAD_INIT,
		.control = { .fd = -1 },
		.commands = REC_CONTROL_FD_INIT,
		.is_tail = args->tail_synthesize || args->attr.overwrite,
		.say = args->quiet ? NULL : stderr,
		.begin_ns = rec_now_ns(),
		.max_rate_hz = rec_max_sample_rate(),
	};
	rc = rec_control_open(&session->control, err);
	if (!rc && args->control)
		rc = args->dry_run ? rec_control_fd_check(args->control, err)
				   : rec_control_fd_open(&session->commands,
							 args->control, err);
	if (!rc)
		rc = rec_target_init(&session->target, &args->target, err);
	if (!rc)
		rc = configure(session, note, err);
	if (!rc)
		rc = fork_workload(session, err);
	if (!rc)
		rc = open_events(session, note, err);
	if (!rc)
		rc = map_rings(session, note, err);
	return rc;
}

void rec_session_release(struct rec_session *session)
{
	rec_workload_finish(&session->workload);
	rec_build_id_reader_release(&session->build_ids);
	rec_carry_release(&session->carry);
	rec_ring_set_unmap(&session->rings);
	rec_overwrite_rings_unmap(&session->overwrite_rings);
	rec_open_set_close(&session->open);
	rec_target_release(&session->target);
	rec_control_fd_close(&session->commands);
	rec_control_close(&session->control);
	rec_cpu_limit_release(&session->cpu_limit);
}

size_t rec_session_id_len(const struct rec_session *session)
{
	struct pd_sample_layout layout;
	struct pd_attr attr;

	rec_attr_to_pd(&session->args->events.events[0].attr, &attr);
	pd_sample_layout_init(&layout, &attr);
	return layout.id_len;
}

void rec_session_snapshot_conf(const struct rec_session *session,
			       struct rec_snapshot_conf *ret)
{
	const struct rec_args *args = session->args;

	*ret = (struct rec_snapshot_conf){
		.roots = REC_SYSROOTS_REAL,
		.synth = args->synth,
		.id_len = rec_session_id_len(session),
		.build_id = !args->no_buildid,
		.want_kernel = !args->attr.all_user,
		.want_bpf = !args->attr.no_bpf_event,
		.want_namespaces = args->attr.namespaces,
		.want_cgroups = args->attr.all_cgroups,
	};
	/* Not only -d, also stack copies need them: a reader that unwinds finds
	 * a file's unwind tables by the map that contains them. */
	for (size_t i = 0; i < args->events.nr; i++)
		ret->want_data_maps |=
			args->events.events[i].attr.sys.mmap_data;
}
