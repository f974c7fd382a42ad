/* Tasks and context switches in Chrome's trace event format (JSON), as its
 * document "Trace Event Format" of 2016 has it: an event 'B' begins a slice,
 * 'E' ends it, 'M' names a track.
 *
 * What readers ask for: speedscope and the Firefox Profiler match an 'E' by
 * its name; speedscope takes 'args' for a part of the name, and orders the
 * events of a track by time, with the ends first.  So events of a track are
 * written in order, and slices without length are left out.
 */
#include "report/export/export_impl.h"

#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/offcpu/task_slices.h"
#include "report/timeline/tasks.h"

#include "format/base/search.h"
#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The process whose threads are CPUs: Linux has no ids above 2^22. */
#define CPUS_PID ((UINT32_C(1) << 22) + 1)

#define RUNS_NAME "on CPU"
#define LOST_NAME "[records lost]"

/* A thread's: a slice for each name that it had, with the slices of what it did
 * in it. */
struct track {
	uint32_t pid;
	bool is_named;
	bool is_open;
	const char *comm; /* of the open slice; NULL: the task has no name */
	uint64_t end_ns;  /* of the last slice in it */
};

struct trace {
	struct rpt_report *report;
	struct rpt_switch_events switches;
	struct rpt_task_slices slices;
	struct rpt_json json;
	bool has_begun;
	bool has_task;		/* a slice of one */
	struct rpt_intern tids; /* uint32_t */
	struct track *tracks;	/* owned; by number of the tid */
	uint32_t track_cap;
	struct rpt_intern cpus; /* uint32_t; those that have a track */
	uint64_t unfit_nr;
};

/* A part of a slice, in which its task has one name. */
struct piece {
	const struct rpt_slice *slice;
	const struct rpt_task_ref *ref;
	uint32_t pid;
	const char *comm; /* NULL: it has no name */
	uint64_t start_ns;
	uint64_t end_ns;
};

static void put_event(struct trace *t, const char *phase, const char *name,
		      uint32_t pid, uint32_t tid)
{
	rpt_json_line(&t->json, 0);
	rpt_json_open(&t->json, '{');
	rpt_json_member_str(&t->json, "ph", phase);
	rpt_json_member_str(&t->json, "name", name);
	rpt_json_member_u64(&t->json, "pid", pid);
	rpt_json_member_u64(&t->json, "tid", tid);
}

/* Put an event with its time, in microseconds. */
static void put_edge(struct trace *t, const char *phase, const char *name,
		     uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%" PRIu64 ".%03u",
			   time_ns / 1000, (unsigned)(time_ns % 1000));

	put_event(t, phase, name, pid, tid);
	rpt_json_key(&t->json, "ts");
	rpt_json_raw(&t->json, text, (size_t)len);
}

static void put_slice(struct trace *t, const char *name, const char *category,
		      uint32_t pid, uint32_t tid, const struct piece *piece)
{
	put_edge(t, "B", name, pid, tid, piece->start_ns);
	if (category)
		rpt_json_member_str(&t->json, "cat", category);
	rpt_json_close(&t->json, '}');
	put_edge(t, "E", name, pid, tid, piece->end_ns);
	rpt_json_close(&t->json, '}');
}

static void put_name(struct trace *t, const char *what, uint32_t pid,
		     uint32_t tid, const char *name)
{
	put_event(t, "M", what, pid, tid);
	rpt_json_key(&t->json, "args");
	rpt_json_open(&t->json, '{');
	rpt_json_member_str(&t->json, "name", name);
	rpt_json_close(&t->json, '}');
	rpt_json_close(&t->json, '}');
}

/* Name the tracks of the CPUs at their first, and put them above others. */
static void name_cpu(struct trace *t, uint32_t cpu)
{
	uint32_t known_nr = t->cpus.nr;
	char name[32];

	if (rpt_intern(&t->cpus, &cpu, sizeof(cpu)) != known_nr)
		return;
	if (!known_nr) {
		put_name(t, "process_name", CPUS_PID, cpu, "CPUs");
		put_event(t, "M", "process_sort_index", CPUS_PID, cpu);
		rpt_json_key(&t->json, "args");
		rpt_json_open(&t->json, '{');
		rpt_json_key(&t->json, "sort_index");
		rpt_json_int(&t->json, -1);
		rpt_json_close(&t->json, '}');
		rpt_json_close(&t->json, '}');
	}
	snprintf(name, sizeof(name), "CPU %" PRIu32, cpu);
	put_name(t, "thread_name", CPUS_PID, cpu, name);
}

/* Return the name of the task that has a thread id at its last. */
static const char *last_name(const struct rpt_task_ref *ref, uint32_t tid,
			     char buf[16])
{
	return rpt_comm_or_tid(rpt_task_ref_comm_last(ref), tid, buf);
}

/* Name a track by the task that is there first. */
static void name_track(struct trace *t, struct track *track,
		       const struct piece *piece)
{
	struct rpt_task_ref leader;
	uint32_t tid = piece->slice->tid;
	char buf[16];

	if (track->is_named)
		return;
	track->is_named = true;
	rpt_timeline_task(t->report->timeline, piece->pid, piece->pid,
			  (struct rpt_timestamp){ piece->start_ns, UINT64_MAX },
			  &leader);
	put_name(t, "process_name", piece->pid, tid,
		 last_name(&leader, piece->pid, buf));
	put_name(t, "thread_name", piece->pid, tid,
		 last_name(piece->ref, tid, buf));
}

/* Begin or end the slice of a task's name. */
static void put_track_edge(struct trace *t, const char *phase,
			   const struct track *track, uint32_t tid,
			   uint64_t time_ns)
{
	char buf[16];

	put_edge(t, phase, rpt_comm_or_tid(track->comm, tid, buf), track->pid,
		 tid, time_ns);
	rpt_json_close(&t->json, '}');
}

/* Return the track of a piece's thread, with the slice of its name begun; NULL
 * if there is no budget for one. */
static struct track *open_track(struct trace *t, const struct piece *piece)
{
	uint32_t tid = piece->slice->tid, known_nr = t->tids.nr;
	struct track *track;
	int64_t idx;

	t->tracks = rpt_grow_within(t->tids.limit, t->tracks, &t->track_cap,
				    known_nr, sizeof(*t->tracks));
	idx = rpt_intern(&t->tids, &tid, sizeof(tid));
	if (idx < 0) {
		t->unfit_nr++;
		return NULL;
	}
	track = &t->tracks[idx];
	if (idx == known_nr)
		*track = (struct track){ .pid = piece->pid };
	if (track->is_open &&
	    (track->end_ns != piece->start_ns || track->pid != piece->pid ||
	     track->comm != piece->comm)) {
		put_track_edge(t, "E", track, tid, track->end_ns);
		track->is_open = false;
	}
	track->is_named &= track->pid == piece->pid;
	track->pid = piece->pid;
	name_track(t, track, piece);
	if (!track->is_open) {
		track->is_open = true;
		track->comm = piece->comm;
		put_track_edge(t, "B", track, tid, piece->start_ns);
	}
	track->end_ns = piece->end_ns;
	return track;
}

/* Put what a task did into its track, and its name into that of its CPU. */
static void put_task_slice(struct trace *t, const struct piece *piece)
{
	const struct rpt_slice *slice = piece->slice;
	const struct rpt_wait *wait = &slice->wait;
	char category[64] = "", buf[16];

	if (!open_track(t, piece))
		return;
	t->has_task = true;
	if (slice->kind == RPT_SLICE_WAITS) {
		if (wait->waker_tid != RPT_WAKER_NONE)
			snprintf(category, sizeof(category), "woken by %s",
				 rpt_comm_or_tid(wait->waker, wait->waker_tid,
						 buf));
		put_slice(t, rpt_wait_state_text(wait->state),
			  *category ? category : NULL, piece->pid, slice->tid,
			  piece);
		return;
	}
	if (slice->cpu != UINT32_MAX)
		snprintf(category, sizeof(category), "CPU %" PRIu32,
			 slice->cpu);
	put_slice(t, RUNS_NAME, *category ? category : NULL, piece->pid,
		  slice->tid, piece);
	if (slice->cpu == UINT32_MAX)
		return;
	name_cpu(t, slice->cpu);
	snprintf(category, sizeof(category), "tid %" PRIu32, slice->tid);
	put_slice(t, rpt_comm_or_tid(piece->comm, slice->tid, buf), category,
		  CPUS_PID, slice->cpu, piece);
}

static void put_piece(struct trace *t, const struct piece *piece)
{
	if (!t->has_begun) {
		t->has_begun = true;
		rpt_json_open(&t->json, '{');
		rpt_json_member_str(&t->json, "displayTimeUnit", "ns");
		rpt_json_key(&t->json, "traceEvents");
		rpt_json_open(&t->json, '[');
	}
	if (piece->slice->kind != RPT_SLICE_LOST) {
		put_task_slice(t, piece);
		return;
	}
	name_cpu(t, piece->slice->cpu);
	put_slice(t, LOST_NAME, NULL, CPUS_PID, piece->slice->cpu, piece);
}

static bool passes_task(const struct trace *t, const struct rpt_filter *filter,
			const struct piece *piece)
{
	const struct rpt_timestamp when = { piece->start_ns, UINT64_MAX };
	uint32_t tid = piece->slice->tid;
	const struct rpt_filtered_task task = {
		piece->pid,
		tid,
		piece->comm,
		rpt_filter_process(filter, t->report->timeline, piece->pid, tid,
				   when),
	};

	return rpt_filter_task(filter, &task);
}

/* Put the parts of a piece that were asked for. */
static void put_parts(struct trace *t, const struct piece *piece)
{
	const struct rpt_filter *filter = &t->report->filters.samples;
	const struct rpt_slice *slice = piece->slice;
	uint32_t range_nr = filter->times.nr;

	if (slice->kind != RPT_SLICE_LOST && !passes_task(t, filter, piece))
		return;
	for (uint32_t i = 0; i < (range_nr ? range_nr : 1); i++) {
		struct piece part = *piece;

		if (range_nr) {
			const struct rpt_time_range *range =
				&filter->times.items[i];

			if (range->start_ns > part.start_ns)
				part.start_ns = range->start_ns;
			if (range->end_ns < part.end_ns - 1)
				part.end_ns = range->end_ns + 1;
		}
		if (part.start_ns < part.end_ns &&
		    rpt_filter_time(filter, part.start_ns, slice->cpu))
			put_piece(t, &part);
	}
}

/* Return when a task has another name than at a time; UINT64_MAX: never. */
static uint64_t renamed_at(const struct rpt_task *task, uint64_t time_ns)
{
	uint32_t at;

	if (!task)
		return UINT64_MAX;
	PD_FIND_FIRST(at, task->comm_nr,
		      task->comms[at].when.time_ns > time_ns);
	return at < task->comm_nr ? task->comms[at].when.time_ns : UINT64_MAX;
}

/* Take a slice: rpt_slice_deliver. */
static int take_slice(void *ctx, const struct rpt_slice *slice)
{
	struct trace *t = ctx;
	struct rpt_timestamp when = { slice->start_ns, UINT64_MAX };
	struct rpt_task_ref ref = { .tid = slice->tid };
	struct piece piece = {
		.slice = slice,
		.ref = &ref,
		.start_ns = slice->start_ns,
		.end_ns = slice->end_ns,
	};

	if (slice->kind == RPT_SLICE_LOST) {
		put_parts(t, &piece);
		return t->json.out->status;
	}
	rpt_timeline_task(t->report->timeline, slice->tid, slice->tid, when,
			  &ref);
	piece.pid = ref.task && ref.task->pid != RPT_PID_UNKNOWN ? ref.task->pid
								 : slice->tid;
	while (piece.start_ns < slice->end_ns) {
		when.time_ns = piece.start_ns;
		piece.comm = rpt_task_ref_comm_shown(&ref, when);
		piece.end_ns = renamed_at(ref.task, piece.start_ns);
		if (piece.end_ns > slice->end_ns)
			piece.end_ns = slice->end_ns;
		put_parts(t, &piece);
		piece.start_ns = piece.end_ns;
	}
	return t->json.out->status;
}

static int take_record(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct trace *t = ctx;
	struct rpt_switch sw;

	(void)time_ns;
	rpt_switch_events_read(&t->switches, rec, &sw);
	return rpt_task_slices_apply(&t->slices, &sw);
}

static void end_tracks(struct trace *t)
{
	for (uint32_t i = 0; i < t->tids.nr; i++) {
		const uint32_t *tid = rpt_intern_key(&t->tids, i);

		if (t->tracks[i].is_open)
			put_track_edge(t, "E", &t->tracks[i], *tid,
				       t->tracks[i].end_ns);
	}
	rpt_json_line(&t->json, 0);
	rpt_json_close(&t->json, ']');
	rpt_json_close(&t->json, '}');
	rpt_text_char(t->json.out, '\n');
}

/* Say why there is no slice. */
static int refuse(const struct trace *t, bool has_any, struct pd_err *err)
{
	if (has_any && t->report->filters.samples.asked)
		return pd_err_set(err, -ENODATA,
				  "no context switch is left by the options");
	pd_err_set(err, -ENODATA,
		   has_any ? "when tasks had a CPU again was not recorded"
			   : "no context switches were recorded");
	pd_err_hint(err, "perfpair-record --off-cpu records them, and "
			 "--switch-events beside any event; of perf, 'perf "
			 "record -a -e sched:sched_switch'");
	return -ENODATA;
}

static void warn(const struct trace *t)
{
	const char *path = t->report->args->input;
	uint64_t unfit_nr = t->unfit_nr + t->slices.unfit_nr;

	if (t->slices.missing_nr)
		sup_message("%s: slices that are not drawn, since the record "
			    "of their beginning or end is missing: %" PRIu64,
			    path, t->slices.missing_nr);
	if (unfit_nr)
		sup_message("%s: more threads than the limit on memory allows "
			    "(--max-ratio); others are not drawn",
			    path);
}

static int read_switches(struct trace *t, struct pd_err *err)
{
	struct rpt_report *report = t->report;
	const struct rpt_pass_input in = {
		.source = &report->source,
		.reader = report->reader,
		.damage = &report->damage,
		.is_extra = true,
		.types = rpt_switch_event_types,
	};
	int rc = rpt_sample_pass(&in, take_record, t, err);

	if (!rc)
		rc = rpt_task_slices_end(&t->slices);
	if (rc)
		return rc;
	warn(t);
	if (!t->has_task)
		return refuse(t, true, err);
	end_tracks(t);
	return rpt_text_flush(t->json.out);
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	struct rpt_budget *budget = rpt_timeline_budget(report->timeline);
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	struct trace t = { .report = report,
			   .json = RPT_JSON_INIT(text, ""),
			   .tids = { .is_bytes = true, .limit = budget },
			   .cpus = { .is_bytes = true, .limit = budget } };
	int rc;

	rpt_text_init(text, out);
	t.tids.keys.budget = t.cpus.keys.budget = budget;
	rpt_task_slices_init(&t.slices, take_slice, &t, budget);
	rc = rpt_switch_events_find_any(&t.switches,
					pd_reader_events(report->reader),
					report->tracepoints, report->timeline)
		     ? read_switches(&t, err)
		     : refuse(&t, false, err);
	rpt_switch_events_release(&t.switches);
	rpt_task_slices_release(&t.slices);
	rpt_intern_release(&t.tids);
	rpt_intern_release(&t.cpus);
	free(t.tracks);
	free(text);
	return rc && rc != -EPIPE ? pd_err_set(err, rc, "%s", strerror(-rc))
				  : 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* Refuse what switches have not, or are not chosen by. */
static int check(struct rpt_report_args *args, struct pd_err *err)
{
	if (args->input_nr > 1)
		return pd_err_set(err, -EINVAL,
				  "--format trace takes one recording: the "
				  "clocks of two are not the same");
	if (args->out.path && ends_with(args->out.path, ".chrome.json"))
		return pd_err_set(err, -EINVAL,
				  "--format trace: speedscope takes a file "
				  "called *.chrome.json for a timeline of "
				  "DevTools; call it *.trace.json");
	if (args->filter.dsos || args->filter.symbols ||
	    args->rows.symbol_part || args->rows.is_one_socket ||
	    args->chains.ignore_callees || args->branches.has_history ||
	    args->switches.off_cpu || args->switches.latency ||
	    args->filter.parallelisms || args->event_switch.on ||
	    args->event_switch.off)
		return pd_err_set(err, -EINVAL,
				  "--format trace shows tasks and switches: it "
				  "goes with --comms, --pid, --tid, --cpu and "
				  "--time, but not with options that choose "
				  "samples");
	return 0;
}

const struct rpt_output rpt_output_trace = {
	.name = "trace",
	.help = "tasks and context switches, for Perfetto",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES,
	.options = { rpt_report_opts },
	.check = check,
	.set_up = rpt_export_set_up,
	.print = print_report,
};
