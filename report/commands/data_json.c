#include "report/commands/data_json.h"

#include "report/symbols/dso_class.h"
#include "report/timeline/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

enum { SAMPLE_DEPTH = 3, CHAIN_DEPTH = 5 };

/* Addresses that are remembered, at least; and one for 16 bytes of the file. */
#define FRAMES_NR 65536u

void rpt_json_init(struct rpt_json *json, const struct rpt_json_conf *conf,
		   FILE *out)
{
	memset(json, 0, offsetof(struct rpt_json, text));
	rpt_text_init(&json->text, out);
	json->conf = *conf;
	json->events = pd_reader_events(conf->reader);
	for (size_t i = 0; i < json->events->nr; i++)
		json->sample_type |= json->events->events[i].attr.sample_type;
	rpt_frames_init(&json->frames, conf->timeline, false);
	json->frames_max_nr = FRAMES_NR + pd_reader_len(conf->reader) / 16;
	rpt_json_open(json, '{');
	rpt_json_u64(json, 1, "linux-perf-json-version", 1);
	rpt_json_headers(json);
	rpt_json_key(json, 1, "samples");
	rpt_json_open(json, '[');
}

void rpt_json_release(struct rpt_json *json)
{
	rpt_frames_release(&json->frames);
	rpt_read_values_release(&json->read_values);
}

int rpt_json_finish(struct rpt_json *json)
{
	rpt_json_close(json, 1, ']');
	rpt_json_close(json, 0, '}');
	rpt_text_char(&json->text, '\n');
	return rpt_text_flush(&json->text);
}

/* A sample with what is asked of the timeline for each of its addresses. */
struct sample {
	struct pd_sample fields;
	struct rpt_frame_scope scope;
};

static int put_entry(struct rpt_json *json, const struct sample *sample,
		     unsigned cpumode, uint64_t ip)
{
	const struct rpt_frame *frame;
	struct rpt_frame_span span;
	char dso[PATH_MAX];
	int rc;

	if (json->frames.addresses.nr >= json->frames_max_nr)
		rpt_frames_forget(&json->frames);
	rc = rpt_frames_resolve(&json->frames, &sample->scope, cpumode, ip,
				&span);
	if (rc)
		return rc;
	frame = &json->frames.items[span.self];
	rpt_json_item(json, CHAIN_DEPTH - 1);
	rpt_json_open(json, '{');
	rpt_json_key(json, CHAIN_DEPTH, "ip");
	rpt_text_str(&json->text, "\"0x");
	rpt_text_hex(&json->text, ip, 0);
	rpt_text_char(&json->text, '"');
	if (frame->sym && *frame->sym->name) {
		const char *name = frame->sym->name;

		rpt_json_key(json, CHAIN_DEPTH, "symbol");
		rpt_json_string(json, (struct pd_str){ name, strlen(name) });
		rpt_dso_short_name(frame->dso, dso, sizeof(dso));
		rpt_json_key(json, CHAIN_DEPTH, "dso");
		rpt_json_string(json, (struct pd_str){ dso, strlen(dso) });
	}
	rpt_json_close(json, CHAIN_DEPTH - 1, '}');
	return 0;
}

static unsigned mode_after(uint64_t mark, unsigned mode)
{
	switch (mark) {
	case PD_CONTEXT_HV:
		return PD_CPUMODE_HYPERVISOR;
	case PD_CONTEXT_KERNEL:
		return PD_CPUMODE_KERNEL;
	case PD_CONTEXT_USER:
		return PD_CPUMODE_USER;
	default:
		return mode;
	}
}

static int put_chain(struct rpt_json *json, const struct sample *sample)
{
	const struct pd_sample *s = &sample->fields;
	unsigned mode = PD_CPUMODE_USER;
	int rc = 0;

	rpt_json_key(json, SAMPLE_DEPTH, "callchain");
	rpt_json_open(json, '[');
	if (!(s->present & PD_SAMPLE_CALLCHAIN))
		rc = put_entry(json, sample, s->misc & PD_MISC_CPUMODE_MASK,
			       s->ip);
	for (size_t i = 0; i < s->callchain.nr && !rc; i++) {
		uint64_t ip = pd_u64s_at(&s->callchain, i);

		if (ip >= PD_CONTEXT_MAX)
			mode = mode_after(ip, mode);
		else
			rc = put_entry(json, sample, mode, ip);
	}
	rpt_json_close(json, SAMPLE_DEPTH, ']');
	return rc;
}

static void put_comm(struct rpt_json *json, const struct sample *sample)
{
	const char *comm = rpt_who_comm(&sample->scope.who, sample->scope.when);
	char unnamed[16];

	if (!comm) {
		snprintf(unnamed, sizeof(unnamed), ":%" PRId32,
			 (int32_t)sample->fields.tid);
		comm = unnamed;
	}
	rpt_json_key(json, SAMPLE_DEPTH, "comm");
	rpt_json_string(json, (struct pd_str){ comm, strlen(comm) });
}

/* The task's, by its first records: samples of exiting tasks tell others. */
static uint32_t pid_of(const struct sample *sample)
{
	const struct rpt_task *task = sample->scope.who.task;

	return task && task->pid != RPT_PID_UNKNOWN ? task->pid
						    : sample->fields.pid;
}

static void put_int(struct rpt_json *json, const char *key, int64_t v)
{
	rpt_json_key(json, SAMPLE_DEPTH, key);
	rpt_text_int(&json->text, v, 0);
}

static int put_sample(struct rpt_json *json, const struct sample *sample)
{
	const struct pd_sample *s = &sample->fields;
	int rc;

	rpt_json_item(json, SAMPLE_DEPTH - 1);
	rpt_json_open(json, '{');
	put_int(json, "timestamp",
		s->present & PD_SAMPLE_TIME ? (int64_t)s->time_ns : -1);
	put_int(json, "pid", (int32_t)pid_of(sample));
	put_int(json, "tid", (int32_t)s->tid);
	if (json->sample_type & PD_SAMPLE_CPU)
		put_int(json, "cpu",
			s->present & PD_SAMPLE_CPU ? (int32_t)s->cpu : -1);
	put_comm(json, sample);
	rc = put_chain(json, sample);
	rpt_json_close(json, SAMPLE_DEPTH - 1, '}');
	json->sample_nr++;
	return rc ? rc : json->text.status;
}

/* Counter values: a sample of each event of the group that counted something
 * since the last, as perf has it. */
static int put_reads(struct rpt_json *json, const struct sample *sample)
{
	int rc = 0;

	for (size_t i = 0; i < sample->fields.counts.nr && !rc; i++) {
		struct pd_read_value value =
			pd_sample_count_at(&sample->fields.counts, i);
		const struct pd_event *event =
			pd_event_set_by_id(json->events, value.id);
		uint64_t delta;

		if (!event)
			continue;
		rc = rpt_read_values_delta(&json->read_values, value.id,
					   value.value, &delta);
		if (!rc && delta)
			rc = put_sample(json, sample);
	}
	return rc;
}

static void find_scope(const struct rpt_json *json, const struct pd_record *rec,
		       struct sample *sample)
{
	const struct rpt_timeline *tl = json->conf.timeline;
	struct rpt_frame_scope *scope = &sample->scope;
	uint64_t time_ns =
		pd_event_set_order(json->events, sample->fields.time_ns);

	scope->when = (struct rpt_when){ time_ns, rec->seq };
	rpt_timeline_task(tl, sample->fields.pid, sample->fields.tid,
			  scope->when, &scope->who);
	scope->kernel_generation =
		rpt_timeline_kernel_generation(tl, scope->when);
	if (!scope->who.space)
		return;
	scope->space_id = scope->who.space->id + 1;
	scope->space_generation =
		rpt_address_space_generation(scope->who.space, scope->when);
}

int rpt_json_sample(struct rpt_json *json, const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(json->events, rec);
	struct sample sample = { 0 };
	struct pd_err err = PD_ERR_INIT;

	if (!event)
		return 0;
	if (pd_sample_read(&event->layout, rec, &sample.fields, &err)) {
		if (!json->damaged_nr++)
			json->damage = err;
		return 0;
	}
	if (!(sample.fields.present & PD_SAMPLE_TID))
		sample.fields.pid = sample.fields.tid = UINT32_MAX;
	find_scope(json, rec, &sample);
	if (sample.fields.present & PD_SAMPLE_READ)
		return put_reads(json, &sample);
	return put_sample(json, &sample);
}
