#include "report/sched/sched_events.h"

#include "format/file/feature.h"
#include "format/records/record_body.h"
#include "format/support/message.h"
#include "report/base/memory.h"
#include "report/input/sample_pass.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

/* Locations that are remembered at most; then all are forgotten. */
#define LOCATIONS_MAX 65536u

/* TRACE_FLAG_HARDIRQ and _SOFTIRQ, as in offcpu/switch_events.c */
#define FLAGS_INTERRUPT UINT64_C(0x18)

enum field {
	FIELD_PID,
	FIELD_COMM,
	FIELD_NEXT_PID,
	FIELD_NEXT_COMM,
	FIELD_ORIG,
	FIELD_DEST,
	FIELD_RUNTIME,
	FIELD_FLAGS,
	FIELD_RUNNING, /* the task that was on the CPU */
	FIELD_NR,
};

/* Names in /sys/kernel/tracing/events/sched; a switch has prev_pid instead of
 * pid. */
static const char *const field_names[FIELD_NR] = {
	"pid",	    "comm",    "next_pid",     "next_comm",  "orig_cpu",
	"dest_cpu", "runtime", "common_flags", "common_pid",
};

static const struct {
	const char *name;
	enum rpt_sched_kind kind;
} kinds[] = {
	{ "sched_switch", RPT_SCHED_SWITCH },
	{ "sched_waking", RPT_SCHED_WAKING },
	{ "sched_wakeup", RPT_SCHED_WAKEUP },
	{ "sched_wakeup_new", RPT_SCHED_NEW },
	{ "sched_migrate_task", RPT_SCHED_MIGRATE },
	{ "sched_stat_runtime", RPT_SCHED_RUNTIME },
};

struct rpt_sched_source {
	bool is_known;
	enum rpt_sched_kind kind;
	struct rpt_raw_number fields[FIELD_NR]; /* len 0: not there */
};

static void find_fields(struct rpt_sched_source *source,
			const struct tep_event *event)
{
	for (int i = 0; i < FIELD_NR; i++) {
		const char *name = field_names[i];
		const struct tep_format_field *field;

		if (source->kind == RPT_SCHED_SWITCH && i <= FIELD_COMM)
			name = i == FIELD_PID ? "prev_pid" : "prev_comm";
		if (i != FIELD_COMM && i != FIELD_NEXT_COMM) {
			rpt_raw_number_find(&source->fields[i], event, name);
			continue;
		}
		field = tep_find_any_field((struct tep_event *)(uintptr_t)event,
					   name);
		if (field && field->offset >= 0 && field->size > 0)
			source->fields[i] = (struct rpt_raw_number){
				.off = (uint32_t)field->offset,
				.len = (uint32_t)field->size,
			};
	}
}

static void find_sources(struct rpt_sched_events *se)
{
	const struct pd_event_set *events = pd_reader_events(se->in.reader);

	se->sources = rpt_alloc_zeroed(events->nr + 1, sizeof(*se->sources));
	for (size_t i = 0; se->tracepoints && i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;
		const struct tep_event *event = NULL;

		if (attr->type == PD_TYPE_TRACEPOINT)
			event = rpt_tracepoint_event(se->tracepoints,
						     attr->config);
		if (!event || strcmp(event->system, "sched") != 0)
			continue;
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			if (strcmp(event->name, kinds[k].name) != 0)
				continue;
			se->sources[i].is_known = true;
			se->sources[i].kind = kinds[k].kind;
			find_fields(&se->sources[i], event);
		}
	}
}

bool rpt_sched_has(const struct rpt_sched_events *se, enum rpt_sched_kind kind)
{
	size_t nr = pd_reader_events(se->in.reader)->nr;

	for (size_t i = 0; i < nr; i++)
		if (se->sources[i].is_known && se->sources[i].kind == kind)
			return true;
	return false;
}

static int load(struct rpt_sched_events *se, struct pd_err *err)
{
	struct rpt_symbols_conf conf = se->args->symbols;
	struct rpt_file_chunks pieces = { 0 };
	struct pd_nrcpus cpus = { 0 };
	struct pd_cursor c;
	int rc;

	rc = rpt_filter_resolve(&se->filter, &se->args->filter, se->in.reader,
				err);
	if (rc)
		return rc;
	if (!conf.kallsyms && !conf.vmlinux)
		conf.kallsyms = se->in.source.dir.kallsyms;
	se->symbols = rpt_symbols_new(&conf);
	rpt_symbols_set_author(se->symbols, se->in.source.user);
	se->timeline = rpt_timeline_new(se->symbols);
	rc = rpt_timeline_load(se->timeline, se->in.reader, &pieces, err);
	pd_damage_merge(&se->in.damage, rpt_timeline_damage(se->timeline));
	if (rc)
		return rc;
	rpt_tracepoints_load(&se->tracepoints, se->in.reader, &se->in.damage);
	if (pd_reader_feature(se->in.reader, PD_FEATURE_NRCPUS, &c) &&
	    !pd_feature_nrcpus_read(&c, &cpus))
		se->cpu_nr = cpus.online;
	find_sources(se);
	return rpt_switch_events_find(&se->switches,
				      pd_reader_events(se->in.reader),
				      se->tracepoints, se->timeline, err);
}

int rpt_sched_open(struct rpt_sched_events *se,
		   const struct rpt_sched_args *args)
{
	struct rpt_sample_reader_conf conf = { .with_chains = true };
	struct pd_err err = PD_ERR_INIT;
	int rc, exit_code;

	*se = (struct rpt_sched_events){ .args = args };
	rc = rpt_filter_parse(&se->filter, &args->filter, &err);
	if (rc) {
		sup_message_err(NULL, &err);
		rpt_filter_release(&se->filter);
		return RPT_EXIT_USAGE;
	}
	exit_code = rpt_recording_input_open(&se->in, args->input);
	if (exit_code) {
		rpt_filter_release(&se->filter);
		return exit_code;
	}
	pd_reader_set_ratio(se->in.reader, args->max_ratio);
	rc = load(se, &err);
	if (rc)
		return rpt_sched_close(se, rc, &err);
	conf.events = pd_reader_events(se->in.reader);
	conf.timeline = se->timeline;
	rpt_sample_reader_init(&se->samples, &conf);
	return RPT_EXIT_OK;
}

int rpt_sched_close(struct rpt_sched_events *se, int rc, struct pd_err *err)
{
	if (rc && rc != -EPIPE)
		se->in.exit_code = rpt_warn_failed(se->in.path, rc, err);
	rpt_address_cache_release(&se->addresses);
	rpt_sample_reader_release(&se->samples);
	rpt_switch_events_release(&se->switches);
	free(se->sources);
	rpt_tracepoints_free(se->tracepoints);
	rpt_timeline_free(se->timeline);
	rpt_symbols_free(se->symbols);
	rpt_filter_release(&se->filter);
	return rpt_recording_input_close(&se->in);
}

/* Return a number in the raw data of a sample, or otherwise. */
static uint64_t number(const struct rpt_sched_events *se,
		       const struct rpt_sched_source *source, enum field field,
		       const struct pd_sample *sample, uint64_t otherwise)
{
	uint64_t value;

	return rpt_raw_number_read(&source->fields[field], se->tracepoints,
				   sample, &value)
		       ? value
		       : otherwise;
}

/* Return a name in the raw data, copied to buf; NULL: there is none. */
static const char *raw_comm(const struct rpt_sched_source *source,
			    enum field field, const struct pd_sample *sample,
			    char buf[64])
{
	const struct rpt_raw_number *at = &source->fields[field];
	uint32_t len = at->len < 64 ? at->len : 63;

	if (!len || at->off > sample->raw_len ||
	    len > sample->raw_len - at->off)
		return NULL;
	memcpy(buf, sample->raw + at->off, len);
	buf[len] = '\0';
	return buf[0] ? buf : NULL;
}

/* Return the task that has tid then: as records have it or, if they do not name
 * it, as the raw data do. */
static struct rpt_sched_task task_of(struct rpt_sched_events *se, uint32_t tid,
				     const struct rpt_sample *sample,
				     const char *raw)
{
	uint32_t pid = sample->fields.present & PD_SAMPLE_TID &&
				       sample->fields.tid == tid
			       ? sample->fields.pid
			       : RPT_PID_UNKNOWN;
	const struct rpt_task_state *state =
		rpt_sample_reader_task(&se->samples, pid, tid, sample->when);
	struct rpt_task_ref ref = state->ref;

	if (ref.pid == RPT_PID_UNKNOWN && ref.task)
		ref.pid = ref.task->pid;
	return (struct rpt_sched_task){
		.ref = ref,
		.comm = state->comm_then ? state->comm_then : raw,
	};
}

static void read_switch(struct rpt_sched_events *se,
			const struct rpt_switch *sw, struct rpt_sample *sample,
			const struct rpt_sched_source *source,
			struct rpt_sched_event *ev)
{
	const struct pd_sample *fields = &sample->fields;
	const char *raw = raw_comm(source, FIELD_COMM, fields, se->comms[0]);

	ev->kind = RPT_SCHED_SWITCH;
	ev->state = sw->state;
	ev->kernel_tid =
		(uint32_t)number(se, source, FIELD_PID, fields, sw->tid);
	if (sw->kind == RPT_SWITCH_TRACED) {
		ev->has_next = true;
		ev->kernel_next = (uint32_t)number(se, source, FIELD_NEXT_PID,
						   fields, sw->next);
		ev->next_comm =
			raw_comm(source, FIELD_NEXT_COMM, fields, se->comms[1]);
		ev->next = task_of(se, sw->next, sample, ev->next_comm);
		ev->task = task_of(se, sw->tid, sample, raw);
	} else {
		ev->state = RPT_WAIT_BLOCKED;
		ev->task = task_of(se, sw->tid, sample, NULL);
	}
	/* one that ends has no ids any more, but its code is in its maps */
	if (sample->fields.tid != sw->tid)
		sample->task = rpt_sample_reader_task(
			&se->samples, ev->task.ref.pid, sw->tid, sample->when);
}

/* Read a wakeup, a migration or a running time. */
static void read_other(struct rpt_sched_events *se,
		       const struct rpt_sample *sample,
		       const struct rpt_sched_source *source,
		       struct rpt_sched_event *ev)
{
	const struct pd_sample *fields = &sample->fields;
	uint32_t running = fields->tid;
	uint32_t tid = rpt_switch_events_tid(
		&se->switches,
		number(se, source, FIELD_PID, fields, UINT32_MAX));
	const char *raw = raw_comm(source, FIELD_COMM, fields, se->comms[2]);

	if (running == UINT32_MAX)
		running = rpt_switch_events_tid(
			&se->switches,
			number(se, source, FIELD_RUNNING, fields, UINT32_MAX));
	ev->kind = source->kind;
	ev->value = number(se, source, FIELD_RUNTIME, fields, 0);
	ev->by_interrupt =
		number(se, source, FIELD_FLAGS, fields, 0) & FLAGS_INTERRUPT;
	ev->orig = (uint32_t)number(se, source, FIELD_ORIG, fields, 0);
	ev->dest = (uint32_t)number(se, source, FIELD_DEST, fields, 0);
	ev->woken = task_of(se, tid, sample, raw);
	if (source->kind == RPT_SCHED_RUNTIME)
		ev->task = ev->woken;
	else
		ev->task = task_of(se, running, sample, NULL);
}

static int take_sample(struct rpt_sched_events *se, const struct rpt_switch *sw,
		       const struct pd_record *rec)
{
	const struct pd_event_set *events = pd_reader_events(se->in.reader);
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	const struct rpt_sched_source *source;
	struct rpt_sched_event ev = { .time_ns = sw->time_ns };
	struct rpt_sample sample;
	bool is_switch =
		sw->kind == RPT_SWITCH_TRACED || sw->kind == RPT_SWITCH_SAMPLED;

	if (!event)
		return 0;
	source = &se->sources[event - events->events];
	if (!is_switch &&
	    (!source->is_known || source->kind == RPT_SCHED_SWITCH))
		return 0;
	if (rpt_sample_reader_read(&se->samples, rec, &sample, NULL))
		return 0;
	ev.sample = &sample;
	ev.cpu = sample.fields.present & PD_SAMPLE_CPU ? sample.fields.cpu
						       : UINT32_MAX;
	if (is_switch)
		read_switch(se, sw, &sample, source, &ev);
	else
		read_other(se, &sample, source, &ev);
	return se->deliver(se->ctx, &ev);
}

static int take_record(struct rpt_sched_events *se, const struct rpt_switch *sw,
		       const struct pd_record *rec)
{
	static const enum rpt_sched_kind kind_of[] = {
		[RPT_SWITCH_IN] = RPT_SCHED_IN,
		[RPT_SWITCH_OUT] = RPT_SCHED_OUT,
		[RPT_SWITCH_LOST] = RPT_SCHED_LOST,
		[RPT_SWITCH_FORK] = RPT_SCHED_FORK,
		[RPT_SWITCH_EXIT] = RPT_SCHED_EXIT,
	};
	struct rpt_sample at = { .when = { sw->time_ns, rec->seq } };
	struct rpt_sched_event ev = { .kind = kind_of[sw->kind],
				      .time_ns = sw->time_ns,
				      .cpu = sw->cpu };
	struct pd_body body;

	ev.task = task_of(se, sw->tid, &at, NULL);
	ev.kernel_tid = sw->tid;
	ev.state = sw->state;
	if (sw->kind == RPT_SWITCH_LOST) {
		if (pd_body_read(rec, 0, &body, NULL))
			return 0;
		ev.value = body.u.lost.lost_nr;
	}
	return se->deliver(se->ctx, &ev);
}

static int take(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct rpt_sched_events *se = ctx;
	struct rpt_switch sw;

	(void)time_ns;
	if (se->addresses.nr >= LOCATIONS_MAX)
		rpt_address_cache_release(&se->addresses);
	rpt_switch_events_read(&se->switches, rec, &sw);
	if (rec->type == PD_RECORD_SAMPLE)
		return take_sample(se, &sw, rec);
	if (sw.kind == RPT_SWITCH_NONE)
		return 0;
	return take_record(se, &sw, rec);
}

int rpt_sched_events_read(struct rpt_sched_events *se,
			  rpt_sched_deliver *deliver, void *ctx,
			  struct pd_err *err)
{
	const struct rpt_pass_input in = {
		.source = &se->in.source,
		.reader = se->in.reader,
		.damage = &se->in.damage,
		.types = rpt_switch_event_types,
	};
	uint64_t strange_nr;
	int rc;

	se->deliver = deliver;
	se->ctx = ctx;
	rc = rpt_sample_pass(&in, take, se, err);
	strange_nr = se->switches.samples.unknown_id_nr +
		     se->switches.samples.damaged_nr;
	if (strange_nr) {
		sup_message("%s: %" PRIu64 " sample%s could not be read",
			    se->in.path, strange_nr,
			    strange_nr == 1 ? "" : "s");
		if (se->in.exit_code == RPT_EXIT_OK)
			se->in.exit_code = RPT_EXIT_DAMAGED;
	}
	return rc == RPT_PASS_STOP ? 0 : rc;
}

const struct rpt_location *rpt_sched_find(struct rpt_sched_events *se,
					  const struct rpt_sample *sample,
					  unsigned cpumode, uint64_t ip)
{
	const struct rpt_task_state *task = sample->task;
	const struct rpt_location_query query = {
		.ref = &task->ref,
		.when = sample->when,
		.cpumode = cpumode,
		.ip = ip,
	};
	bool is_user = cpumode == PD_CPUMODE_USER;
	const struct rpt_address_context key = {
		.space = is_user ? task->space_id : 0,
		.version = is_user ? task->space_version : task->kernel_version,
		.kind = cpumode,
	};
	struct rpt_address_cache *cache = &se->addresses;
	uint32_t context = rpt_address_cache_context(cache, &key);
	int64_t at = rpt_address_cache_find(cache, context, ip);
	struct rpt_location location;

	if (at < 0) {
		rpt_timeline_locate(se->timeline, &query, &location);
		at = rpt_address_cache_add(cache, context, ip, &location);
	}
	return &cache->locations[at];
}
