#include "record/recording/session.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "format/records/sample.h"
#include "format/support/attr_text.h"
#include "format/support/safe_text.h"
#include "record/base/memory_limit.h"
#include "record/base/runtime.h"
#include "record/event/attr_config.h"
#include "record/event/event_spec.h"
#include "record/recording/self_usage.h"
#include "record/snapshot/snapshot.h"

/* Rings may add this share of a file's limit before its length is checked. */
enum { LOOKS_AT_LENGTH = 16, WATERMARK_LEN_MIN = 4096 };

/* With callers of leaves a sample takes some 400 bytes of its ring instead of
 * 230: still a quarter of a second of samples has to fit. */
enum { LEAF_RING_SHARE = 100 };

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

enum { RING_LEN_MIN = 32 * 1024 };

/* --budget memory=: rings get a quarter of it at most. */
static void fit_rings(struct rec_session *session, rec_note_fn *note)
{
	const struct rec_target *target = &session->target;
	struct rec_args *args = session->args;
	uint64_t ring_nr = target->any_cpu ? target->thread_nr : target->cpu_nr;
	uint64_t asked_len = args->ring_len;
	struct pd_err text = PD_ERR_INIT;

	rec_memory_limit_set_own(args->memory_limit_len);
	while (args->memory_limit_len && args->ring_len > RING_LEN_MIN &&
	       args->ring_len * ring_nr > args->memory_limit_len / 4)
		args->ring_len /= 2;
	if (args->ring_len == asked_len)
		return;
	pd_err_set(&text, 0,
		   "rings of %" PRIu64 " KiB, not %" PRIu64
		   ", by --budget memory=",
		   args->ring_len / 1024, asked_len / 1024);
	note(&text);
}

static bool has_leaf(const struct rec_event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].has_leaf)
			return true;
	return false;
}

static void note_no_leaf(const struct rec_args *args, rec_note_fn *note)
{
	const struct rec_event *lacks = rec_attr_lacks_leaf(&args->events);
	bool has_any = has_leaf(&args->events);
	struct pd_err text = PD_ERR_INIT;

	if (has_any && !lacks)
		return;
	pd_err_set(&text, 0,
		   "--leaf-callers: %s has %s; they need x86-64, -g "
		   "with user callchains and no --user-regs, and switches, or "
		   "clocks or hardware events with -F, together at most "
		   "%" PRIu64 " samples a second (by -m)",
		   has_any ? lacks->name : "no event",
		   has_any ? "none" : "them", args->attr.own_leaf_hz);
	note(&text);
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
	args->attr.own_leaf_hz = args->ring_len / LEAF_RING_SHARE;
	if (args->tail_synthesize) /* maps are told of when all is over */
		args->attr.leaf_callers = REC_NO;
	rc = rec_attr_config(&args->events, &args->attr, &host, &text, err);
	if (!rc && text.text[0])
		note(&text);
	if (!rc && args->attr.leaf_callers == REC_YES)
		note_no_leaf(args, note);
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
	const struct rec_args *args = session->args;
	struct rec_open_conf conf = {
		.target = &session->target,
		.may_lower = rec_args_has_budget(args),
		.cap_hz = rec_args_tracepoint_hz(args),
		.note = note,
	};

	int rc = rec_open_set_open(&session->open, &session->args->events,
				   &conf, err);

	return rc ? rc : rec_event_set_titles(&session->args->events);
}

/* Rings of that length may be too short for callers of leaves. */
static void limit_leaf(struct rec_session *session, size_t len,
		       rec_note_fn *note)
{
	struct rec_args *args = session->args;
	bool is_told = rec_attr_lacks_leaf(&args->events);

	if (!has_leaf(&args->events))
		return;
	args->attr.own_leaf_hz = len / LEAF_RING_SHARE;
	rec_attr_limit_leaf(&args->events, args->attr.own_leaf_hz);
	if (args->attr.leaf_callers == REC_YES &&
	    (!is_told || !has_leaf(&args->events)))
		note_no_leaf(args, note);
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
	limit_leaf(session, len, note);
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
		fit_rings(session, note);
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
	rec_host_facts_release(&session->facts);
	rec_budget_release(&session->budget);
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

bool rec_session_sees_all(const struct rec_session *session)
{
	const struct rec_args *args = session->args;

	return args->switch_output.is_on && session->target.system_wide &&
	       !args->target.cpu_list && args->synth & REC_SYNTH_MMAP;
}

/* Switch events while recording: -D and --control. */

/* NOT_DONE: a command that is acknowledged later. */
enum { LINE_LEN = 1024, NOT_DONE = 1 };

static void say(const struct rec_session *session, const char *text)
{
	if (session->say)
		fprintf(session->say, "%s\n", text);
}

/* False for a dummy event that follows tasks and maps: otherwise what is mapped
 * while the others are off would have no names later. */
static bool is_switched(const struct rec_event *event)
{
	return !(event->is_tracking && rec_event_is_dummy(event));
}

static int switch_events(struct rec_session *session, bool on,
			 struct pd_err *err)
{
	const struct rec_event_list *list = &session->args->events;
	int rc = 0;

	for (size_t i = 0; i < list->nr && !rc; i++)
		if (is_switched(&list->events[i]))
			rc = rec_open_set_enable_event(&session->open, i, on,
						       err);
	if (!rc)
		say(session, on ? "Events enabled" : "Events disabled");
	return rc;
}

static int switch_dummy(struct rec_session *session, struct pd_err *err)
{
	const struct rec_event_list *list = &session->args->events;
	int rc = 0;

	for (size_t i = 0; i < list->nr && !rc; i++)
		if (!is_switched(&list->events[i]))
			rc = rec_open_set_enable_event(&session->open, i, true,
						       err);
	return rc;
}

int rec_session_follow(struct rec_session *session, struct pd_err *err)
{
	bool is_command = session->args->attr.target == REC_TARGET_COMMAND;

	return is_command ? 0 : switch_dummy(session, err);
}

/* By perf's rule a command's own events start at its exec, all others now. */
int rec_session_start(struct rec_session *session, struct pd_err *err)
{
	bool is_command = session->args->attr.target == REC_TARGET_COMMAND;

	if (session->args->delay.is_given) {
		say(session, "Events disabled");
		return 0;
	}
	return is_command ? 0 : rec_open_set_enable(&session->open, true, err);
}

const char *rec_session_path(const struct rec_session *session)
{
	const char *path = session->args->output;

	return path ? path : "perf.data";
}

uint64_t rec_session_due_ns(const struct rec_session *session)
{
	const struct rec_delay *delay = &session->args->delay;

	if (session->delay_idx == delay->nr)
		return UINT64_MAX;
	return session->started_ns +
	       (uint64_t)delay->at_ms[session->delay_idx] * 1000000;
}

int rec_session_switch_by_clock(struct rec_session *session, uint64_t now_ns,
				struct pd_err *err)
{
	const struct rec_delay *delay = &session->args->delay;
	int rc = 0;

	while (!rc && now_ns >= rec_session_due_ns(session)) {
		bool on = session->delay_idx % 2 == 0;

		rc = switch_events(session, on, err);
		session->delay_idx++;
		/* As in perf, nothing is left to be recorded then. */
		if (!on && session->delay_idx == delay->nr)
			session->is_stopped = true;
	}
	return rc;
}

/* Control commands. rest is the text after the command and a blank, or NULL. */

static void refuse(const struct rec_session *session)
{
	say(session, "failed: wrong command");
}

static int switch_named(struct rec_session *session, const char *name, bool on,
			struct pd_err *err)
{
	const struct rec_event_list *list = &session->args->events;

	for (size_t i = 0; i < list->nr; i++) {
		int rc;

		if (strcmp(list->events[i].name, name) != 0)
			continue;
		rc = rec_open_set_enable_event(&session->open, i, on, err);
		if (!rc && session->say)
			fprintf(session->say, "Event %s %s\n", name,
				on ? "enabled" : "disabled");
		return rc;
	}
	if (session->say)
		fprintf(session->say, "failed: can't find '%s' event\n", name);
	return 0;
}

static int run_enable(struct rec_session *session, const char *rest,
		      struct pd_err *err)
{
	return rest ? switch_named(session, rest, true, err)
		    : switch_events(session, true, err);
}

static int run_disable(struct rec_session *session, const char *rest,
		       struct pd_err *err)
{
	return rest ? switch_named(session, rest, false, err)
		    : switch_events(session, false, err);
}

static int run_stop(struct rec_session *session, const char *rest,
		    struct pd_err *err)
{
	(void)rest;
	(void)err;
	session->is_stopped = true;
	return 0;
}

/* The acknowledgement is all it does. */
static int run_ping(struct rec_session *session, const char *rest,
		    struct pd_err *err)
{
	(void)session;
	(void)rest;
	(void)err;
	return 0;
}

static int run_snapshot(struct rec_session *session, const char *rest,
			struct pd_err *err)
{
	(void)rest;
	(void)err;
	if (!session->args->switch_output.is_on) {
		say(session, "failed: a snapshot needs --switch-output");
		return 0;
	}
	session->wants_next_file = true;
	session->ack_nr++;
	return NOT_DONE;
}

static void print_group(const struct rec_event_list *list, size_t leader,
			FILE *out)
{
	const struct rec_event *event = &list->events[leader];
	const char *between = "{";

	if (event->group_name)
		fputs(event->group_name, out);
	for (size_t i = leader; i < list->nr; i++) {
		if (list->events[i].leader_idx != leader)
			continue;
		fprintf(out, "%s%s", between, list->events[i].name);
		between = ",";
	}
	fputs("}\n", out);
}

static void print_event(const struct rec_event *event, char option, FILE *out)
{
	const struct sup_attr_style style = { .perf = PD_PERF_6_1,
					      .first = " ",
					      .sep = ": " };
	struct pd_attr attr;

	rec_attr_to_pd(&event->attr, &attr);
	fputs(event->name, out);
	if (option == 'v') {
		fputc(':', out);
		sup_attr_print(out, &attr, (struct pd_str){ 0 }, &style);
	} else if (option == 'F') {
		fprintf(out, ": sample_%s=%" PRIu64,
			event->attr.sys.freq ? "freq" : "period",
			attr.sample_period);
	}
	fputc('\n', out);
}

/* evlist, evlist -v, evlist -g, evlist -F: print as perf evlist does, even with
 * -q, since it was asked for. */
static int run_evlist(struct rec_session *session, const char *rest,
		      struct pd_err *err)
{
	const struct rec_event_list *list = &session->args->events;
	char option = rest && rest[0] == '-' ? rest[1] : '\0';

	(void)err;
	if (rest && (!option || !strchr("vgF", option) || rest[2])) {
		refuse(session);
		return 0;
	}
	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_event *event = &list->events[i];

		if (option == 'g' && event->leader_idx != i)
			continue;
		if (option == 'g' && event->member_nr > 1)
			print_group(list, i, stderr);
		else
			print_event(event, option, stderr);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct rec_session *session, const char *rest,
		   struct pd_err *err);
	bool takes_more;
} commands[] = {
	{ "enable", run_enable, true }, { "disable", run_disable, true },
	{ "evlist", run_evlist, true }, { "snapshot", run_snapshot, false },
	{ "stop", run_stop, false },	{ "ping", run_ping, false },
};

/* Run a command.  Return false if there is no such command. */
static bool obey(struct rec_session *session, const char *line, int *ret_rc,
		 struct pd_err *err)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		size_t len = strlen(commands[i].name);
		const char *rest = line + len;

		if (strncmp(line, commands[i].name, len) != 0)
			continue;
		if (!*rest || (commands[i].takes_more && *rest == ' '))
			*ret_rc = commands[i].run(session,
						  *rest ? rest + 1 : NULL, err);
		else
			refuse(session);
		return true;
	}
	return false;
}

int rec_session_obey(struct rec_session *session, struct pd_err *err)
{
	char line[LINE_LEN];
	int rc = 0, more = 1;
	bool is_known;

	while (rc >= 0 && more > 0) {
		more = rec_control_fd_read(&session->commands, line,
					   sizeof(line));
		if (more <= 0 || !*line)
			continue;
		rc = 0;
		is_known = obey(session, line, &rc, err);
		if (!is_known && session->say) {
			fputs("failed: '", session->say);
			sup_put_safe_text(session->say, line);
			fputs("' is no command\n", session->say);
		}
		if (rc != NOT_DONE)
			(void)!rec_control_fd_ack(&session->commands, is_known);
	}
	if (rc < 0)
		return rc;
	return more < 0 ? more : 0;
}
