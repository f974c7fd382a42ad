#include "report/offcpu/switch_events.h"

#include "format/records/record_body.h"
#include "format/records/sample_id.h"
#include "report/base/memory.h"
#include "report/base/text_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

/* PERF_COUNT_SW_CONTEXT_SWITCHES of perf_event_open(2) */
#define SW_CONTEXT_SWITCHES 3

/* TRACE_FLAG_HARDIRQ and _SOFTIRQ of common_flags: Linux,
 * Documentation/trace/ftrace.rst, the 'H' and 's' of its third column */
#define FLAGS_INTERRUPT (UINT64_C(0x08) | UINT64_C(0x10))

const uint64_t rpt_switch_event_types =
	UINT64_C(1) << PD_RECORD_SWITCH |
	UINT64_C(1) << PD_RECORD_SWITCH_CPU_WIDE |
	UINT64_C(1) << PD_RECORD_LOST | UINT64_C(1) << PD_RECORD_FORK |
	UINT64_C(1) << PD_RECORD_EXIT;

/* Return the first event that is this tracepoint, or -1. */
static int64_t tracepoint_of(const struct pd_event_set *events,
			     const struct rpt_tracepoints *tracepoints,
			     const char *name)
{
	for (size_t i = 0; tracepoints && i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;
		const struct tep_event *event;

		if (attr->type != PD_TYPE_TRACEPOINT)
			continue;
		event = rpt_tracepoint_event(tracepoints, attr->config);
		if (event && !strcmp(event->system, "sched") &&
		    !strcmp(event->name, name))
			return (int64_t)i;
	}
	return -1;
}

/* Return the event that takes a sample at each switch, or -1. */
static int64_t counted_switches(const struct pd_event_set *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		if (attr->type == PD_TYPE_SOFTWARE &&
		    attr->config == SW_CONTEXT_SWITCHES &&
		    attr->sample_period == 1 && !(attr->flags & PD_ATTR_FREQ))
			return (int64_t)i;
	}
	return -1;
}

int64_t rpt_switch_event_of(const struct pd_event_set *events,
			    const struct rpt_tracepoints *tracepoints)
{
	int64_t idx = tracepoint_of(events, tracepoints, "sched_switch");

	return idx >= 0 ? idx : counted_switches(events);
}

/* Find a number among the fields of an event.  Return false if there is none.
 */
static bool find_number(const struct rpt_switch_events *se, uint32_t event_idx,
			const char *name, struct rpt_raw_number *ret)
{
	return rpt_raw_number_find(
		ret,
		rpt_tracepoint_event(se->tracepoints,
				     se->events->events[event_idx].attr.config),
		name);
}

/* Read a number.  Return false if the raw data end before it. */
static bool read_number(const struct rpt_switch_events *se,
			const struct rpt_raw_number *number,
			const struct pd_sample *sample, uint64_t *ret)
{
	return rpt_raw_number_read(number, se->tracepoints, sample, ret);
}

/* Return whether an event is not recorded each time. */
static bool is_thinned(const struct pd_attr *attr)
{
	return attr->flags & PD_ATTR_FREQ || attr->sample_period > 1;
}

static int find_switch(struct rpt_switch_events *se, struct pd_err *err)
{
	int64_t idx = rpt_switch_event_of(se->events, se->tracepoints);
	const struct pd_attr *attr;

	if (idx < 0) {
		pd_err_set(err, -ENODATA, "no context switches were recorded");
		pd_err_hint(err, "perfpair-record --off-cpu, or perf record -a "
				 "-e sched:sched_switch -g, records them");
		return -ENODATA;
	}
	se->switch_idx = (uint32_t)idx;
	attr = &se->events->events[idx].attr;
	se->is_traced = attr->type == PD_TYPE_TRACEPOINT;
	se->is_partial |= is_thinned(attr);
	if ((attr->sample_type & (PD_SAMPLE_TIME | PD_SAMPLE_TID)) !=
	    (PD_SAMPLE_TIME | PD_SAMPLE_TID))
		return pd_err_set(err, -ENODATA,
				  "switches were recorded without times or "
				  "thread ids");
	if (se->is_traced &&
	    (!find_number(se, se->switch_idx, "prev_pid", &se->prev) ||
	     !find_number(se, se->switch_idx, "next_pid", &se->next) ||
	     !find_number(se, se->switch_idx, "prev_state", &se->prev_state)))
		return pd_err_set(err, -ENODATA,
				  "the format of sched:sched_switch has no "
				  "prev_pid, next_pid or prev_state");
	return 0;
}

static void find_wake(struct rpt_switch_events *se)
{
	int64_t idx =
		tracepoint_of(se->events, se->tracepoints, "sched_waking");

	if (idx < 0)
		idx = tracepoint_of(se->events, se->tracepoints,
				    "sched_wakeup");
	se->wake_idx = UINT32_MAX;
	if (idx < 0 || !find_number(se, (uint32_t)idx, "pid", &se->woken))
		return;
	se->wake_idx = (uint32_t)idx;
	find_number(se, se->wake_idx, "common_flags", &se->flags);
	find_number(se, se->wake_idx, "common_pid", &se->waker);
	se->is_partial |= is_thinned(&se->events->events[idx].attr);
}

static void init(struct rpt_switch_events *se,
		 const struct pd_event_set *events,
		 struct rpt_tracepoints *tracepoints,
		 const struct rpt_timeline *timeline)
{
	const struct rpt_sample_reader_conf conf = {
		.events = events,
		.timeline = timeline,
	};

	*se = (struct rpt_switch_events){
		.events = events,
		.tracepoints = tracepoints,
	};
	find_wake(se);
	rpt_sample_reader_init(&se->samples, &conf);
}

int rpt_switch_events_find(struct rpt_switch_events *ret,
			   const struct pd_event_set *events,
			   struct rpt_tracepoints *tracepoints,
			   const struct rpt_timeline *timeline,
			   struct pd_err *err)
{
	int rc;

	init(ret, events, tracepoints, timeline);
	rc = find_switch(ret, err);
	if (rc)
		rpt_switch_events_release(ret);
	return rc;
}

bool rpt_switch_events_find_any(struct rpt_switch_events *ret,
				const struct pd_event_set *events,
				struct rpt_tracepoints *tracepoints,
				const struct rpt_timeline *timeline)
{
	init(ret, events, tracepoints, timeline);
	if (!find_switch(ret, NULL))
		return true;
	ret->switch_idx = UINT32_MAX;
	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.flags & PD_ATTR_CONTEXT_SWITCH)
			return true;
	return false;
}

void rpt_switch_events_release(struct rpt_switch_events *se)
{
	rpt_sample_reader_release(&se->samples);
	rpt_intern_release(&se->foreign);
	free(se->own_tids);
	*se = (struct rpt_switch_events){ 0 };
}

/* Keep that the kernel's thread id is another one in the recording. */
static void learn_tid(struct rpt_switch_events *se, uint32_t tid, uint32_t own)
{
	uint32_t known_nr = se->foreign.nr;
	int64_t idx;

	se->own_tids = rpt_grow(se->own_tids, &se->own_cap, known_nr,
				sizeof(*se->own_tids));
	idx = rpt_intern(&se->foreign, &tid, sizeof(tid));
	if (idx >= 0)
		se->own_tids[idx] = own;
}

uint32_t rpt_switch_events_tid(const struct rpt_switch_events *se, uint64_t raw)
{
	uint32_t tid = (uint32_t)raw;
	int64_t idx = se->foreign.nr
			      ? rpt_intern_find(&se->foreign, &tid, sizeof(tid))
			      : -1;

	return idx >= 0 ? se->own_tids[idx] : tid;
}

/* Read what the format's text says of the state. */
static enum rpt_wait_state print_state(const struct rpt_switch_events *se,
				       const struct pd_sample *sample)
{
	static const char name[] = "prev_state=";
	const struct rpt_tracepoint_record rec = {
		.raw = sample->raw,
		.raw_len = sample->raw_len,
		.cpu = sample->cpu,
		.config = se->events->events[se->switch_idx].attr.config,
	};
	struct rpt_text_string *string = rpt_text_string_new();
	enum rpt_wait_state state = RPT_WAIT_OTHER;
	const char *text;

	rpt_tracepoint_print(se->tracepoints, &rec, &string->text);
	text = strstr(rpt_text_string_take(string, NULL), name);
	if (text)
		state = rpt_wait_state_of(text + strlen(name));
	rpt_text_string_free(string);
	return state;
}

/* Return the state in which the task of a switch gave up its CPU. */
static enum rpt_wait_state state_of(struct rpt_switch_events *se,
				    const struct pd_sample *sample)
{
	uint64_t raw;

	if (!read_number(se, &se->prev_state, sample, &raw))
		return RPT_WAIT_OTHER;
	for (uint32_t i = 0; i < se->state_nr; i++)
		if (se->states[i].raw == raw)
			return se->states[i].state;
	if (se->state_nr == RPT_SEEN_STATES) /* kernels have fewer */
		return RPT_WAIT_OTHER;
	se->states[se->state_nr] =
		(struct rpt_seen_state){ raw, print_state(se, sample) };
	return se->states[se->state_nr++].state;
}

static void read_switch(struct rpt_switch_events *se,
			const struct pd_sample *sample, struct rpt_switch *ret)
{
	uint64_t prev, next;

	se->has_begun = true;
	ret->cpu = sample->present & PD_SAMPLE_CPU ? sample->cpu : UINT32_MAX;
	ret->tid = sample->tid;
	ret->pid = sample->pid;
	ret->state = RPT_WAIT_BLOCKED;
	if (!se->is_traced) {
		ret->kind = RPT_SWITCH_SAMPLED;
		return;
	}
	if (!read_number(se, &se->prev, sample, &prev) ||
	    !read_number(se, &se->next, sample, &next))
		return;
	/* -1: the task has ended already */
	if (prev && sample->tid != (uint32_t)prev && sample->tid != UINT32_MAX)
		learn_tid(se, (uint32_t)prev, sample->tid);
	ret->kind = RPT_SWITCH_TRACED;
	ret->tid = rpt_switch_events_tid(se, prev);
	ret->next = rpt_switch_events_tid(se, next);
	ret->state = state_of(se, sample);
	ret->is_wide = !prev; /* the idle task */
}

static void read_wake(struct rpt_switch_events *se,
		      const struct rpt_sample *sample, struct rpt_switch *ret)
{
	uint64_t woken, flags, waker;

	if (!read_number(se, &se->woken, &sample->fields, &woken))
		return;
	ret->kind = RPT_SWITCH_WAKE;
	ret->tid = rpt_switch_events_tid(se, woken);
	ret->waker = (struct rpt_wait){ RPT_WAIT_NONE, sample->fields.tid,
					sample->task->comm };
	/* a task outside of the recorder's pid namespace */
	if (!sample->fields.tid &&
	    read_number(se, &se->waker, &sample->fields, &waker) && waker)
		ret->waker = (struct rpt_wait){ RPT_WAIT_NONE, RPT_WAKER_NONE,
						NULL };
	if (read_number(se, &se->flags, &sample->fields, &flags) &&
	    flags & FLAGS_INTERRUPT)
		ret->waker =
			(struct rpt_wait){ RPT_WAIT_NONE, RPT_WAKER_INTERRUPT,
					   "[interrupt]" };
}

static void read_sample(struct rpt_switch_events *se,
			const struct pd_record *rec, struct rpt_switch *ret)
{
	const struct pd_event *event = pd_event_set_of_record(se->events, rec);
	struct rpt_sample sample;
	size_t idx;

	if (!event) {
		se->samples.unknown_id_nr++;
		return;
	}
	idx = (size_t)(event - se->events->events);
	ret->kind = RPT_SWITCH_OTHER;
	ret->time_ns = pd_event_set_time_of_sample(se->events, rec);
	if (idx == se->switch_idx) {
		if (pd_sample_read(&event->layout, rec, &sample.fields, NULL))
			se->samples.damaged_nr++;
		else
			read_switch(se, &sample.fields, ret);
	} else if (idx == se->wake_idx &&
		   !rpt_sample_reader_read(&se->samples, rec, &sample, NULL)) {
		read_wake(se, &sample, ret);
	}
}

/* Return whether a record that is no sample has a thread id and a time. */
static bool read_id(const struct rpt_switch_events *se,
		    const struct pd_record *rec, struct rpt_switch *ret)
{
	const struct pd_event *event = pd_event_set_of_record(se->events, rec);
	struct pd_sample_id id;

	if (!event || pd_sample_id_read(&event->layout, rec, &id, NULL))
		return false;
	ret->tid = id.tid;
	ret->pid = id.pid;
	ret->time_ns = id.time_ns;
	ret->cpu = id.present & PD_SAMPLE_CPU ? id.cpu : UINT32_MAX;
	return id.present & PD_SAMPLE_TID && id.present & PD_SAMPLE_TIME;
}

static void read_task(const struct pd_record *rec, struct rpt_switch *ret)
{
	struct pd_body body;

	if (pd_body_read(rec, 0, &body, NULL))
		return;
	ret->tid = body.u.task.tid;
	ret->pid = body.u.task.pid;
	ret->time_ns = body.u.task.time_ns;
	if (rec->type == PD_RECORD_EXIT)
		ret->kind = RPT_SWITCH_EXIT;
	else if (ret->time_ns) /* 0: a recorder wrote it */
		ret->kind = RPT_SWITCH_FORK;
}

void rpt_switch_events_read(struct rpt_switch_events *se,
			    const struct pd_record *rec, struct rpt_switch *ret)
{
	*ret = (struct rpt_switch){ .pid = UINT32_MAX, .cpu = UINT32_MAX };
	switch (rec->type) {
	case PD_RECORD_SAMPLE:
		read_sample(se, rec, ret);
		break;
	case PD_RECORD_SWITCH:
	case PD_RECORD_SWITCH_CPU_WIDE:
		if (!read_id(se, rec, ret))
			break;
		ret->is_wide = rec->type == PD_RECORD_SWITCH_CPU_WIDE;
		ret->kind = rec->misc & PD_MISC_SWITCH_OUT ? RPT_SWITCH_OUT
							   : RPT_SWITCH_IN;
		ret->state = rec->misc & PD_MISC_SWITCH_OUT_PREEMPT
				     ? RPT_WAIT_PREEMPTED
				     : RPT_WAIT_BLOCKED;
		break;
	case PD_RECORD_LOST:
		read_id(se, rec, ret);
		ret->kind = RPT_SWITCH_LOST;
		ret->time_ns = pd_event_set_time_of(se->events, rec);
		break;
	default:
		read_task(rec, ret);
	}
}

int rpt_switch_events_apply(struct rpt_switch_events *se,
			    struct rpt_off_cpu *off,
			    const struct pd_record *rec, struct rpt_switch *ret)
{
	const struct rpt_switch *sw = ret;
	int rc;

	rpt_switch_events_read(se, rec, ret);
	if (rec->type == PD_RECORD_SAMPLE && sw->kind)
		rpt_off_cpu_saw(off, sw->time_ns);
	switch (sw->kind) {
	case RPT_SWITCH_TRACED:
	case RPT_SWITCH_SAMPLED:
		rc = rpt_off_cpu_out(off, sw->tid, sw->time_ns, sw->state, rec);
		return rc || sw->kind == RPT_SWITCH_SAMPLED
			       ? rc
			       : rpt_off_cpu_in(off, sw->next, sw->time_ns);
	case RPT_SWITCH_IN:
		return rpt_off_cpu_in(off, sw->tid, sw->time_ns);
	case RPT_SWITCH_OUT:
		/* before it, switches had no samples yet */
		if (se->has_begun)
			rpt_off_cpu_switched(off, sw->tid, sw->time_ns,
					     sw->state == RPT_WAIT_PREEMPTED);
		return 0;
	case RPT_SWITCH_WAKE:
		rpt_off_cpu_wake(off, sw->tid, sw->time_ns, &sw->waker);
		return 0;
	case RPT_SWITCH_LOST:
		rpt_off_cpu_lost(off, sw->time_ns);
		return 0;
	case RPT_SWITCH_FORK:
		rpt_off_cpu_fork(off, sw->tid);
		return 0;
	case RPT_SWITCH_EXIT:
		return rpt_off_cpu_exit(off, sw->tid, sw->time_ns);
	default:
		return 0;
	}
}
