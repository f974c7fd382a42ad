#include "report/commands/data_json.h"

#include "report/symbols/dso_class.h"
#include "report/timeline/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

enum { SAMPLE_DEPTH = 3, CHAIN_DEPTH = 5 };

/* Addresses that are remembered, at least; and one for 16 bytes of the file. */
#define FRAMES_NR 65536u

void rpt_data_json_init(struct rpt_data_json *data,
			const struct rpt_data_json_conf *conf, FILE *out)
{
	memset(data, 0, offsetof(struct rpt_data_json, text));
	rpt_text_init(&data->text, out);
	data->conf = *conf;
	data->events = pd_reader_events(conf->reader);
	for (size_t i = 0; i < data->events->nr; i++)
		data->sample_type |= data->events->events[i].attr.sample_type;
	rpt_frames_init(&data->frames, conf->timeline, false);
	data->frames_max_nr = FRAMES_NR + pd_reader_len(conf->reader) / 16;
	data->json = RPT_JSON_INIT(&data->text, "\t");
	rpt_json_open(&data->json, '{');
	rpt_json_line_key(&data->json, 1, "linux-perf-json-version");
	rpt_json_u64(&data->json, 1);
	rpt_data_json_headers(&data->json, conf);
	rpt_json_line_key(&data->json, 1, "samples");
	rpt_json_open(&data->json, '[');
}

void rpt_data_json_release(struct rpt_data_json *data)
{
	rpt_frames_release(&data->frames);
	rpt_read_values_release(&data->read_values);
}

int rpt_data_json_finish(struct rpt_data_json *data)
{
	rpt_json_line_close(&data->json, 1, ']');
	rpt_json_line_close(&data->json, 0, '}');
	rpt_text_char(&data->text, '\n');
	return rpt_text_flush(&data->text);
}

/* A sample with what is asked of the timeline for each of its addresses. */
struct sample {
	struct pd_sample fields;
	struct rpt_frame_scope scope;
};

static int put_entry(struct rpt_data_json *data, const struct sample *sample,
		     unsigned cpumode, uint64_t ip)
{
	struct rpt_json *json = &data->json;
	const struct rpt_frame *frame;
	struct rpt_frame_span span;
	char dso[PATH_MAX], address[20];
	int rc;

	if (data->frames.nr >= data->frames_max_nr)
		rpt_frames_forget(&data->frames);
	rc = rpt_frames_resolve(&data->frames, &sample->scope, cpumode, ip,
				&span);
	if (rc)
		return rc;
	frame = &data->frames.items[span.self];
	rpt_json_line(json, CHAIN_DEPTH - 1);
	rpt_json_open(json, '{');
	rpt_json_line_key(json, CHAIN_DEPTH, "ip");
	snprintf(address, sizeof(address), "0x%" PRIx64, ip);
	rpt_json_str(json, address);
	if (frame->sym && *frame->sym->name) {
		rpt_json_line_key(json, CHAIN_DEPTH, "symbol");
		rpt_json_str(json, frame->sym->name);
		rpt_dso_short_name(frame->dso, dso, sizeof(dso));
		rpt_json_line_key(json, CHAIN_DEPTH, "dso");
		rpt_json_str(json, dso);
	}
	rpt_json_line_close(json, CHAIN_DEPTH - 1, '}');
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

static int put_chain(struct rpt_data_json *data, const struct sample *sample)
{
	const struct pd_sample *s = &sample->fields;
	unsigned mode = PD_CPUMODE_USER;
	int rc = 0;

	rpt_json_line_key(&data->json, SAMPLE_DEPTH, "callchain");
	rpt_json_open(&data->json, '[');
	if (!(s->present & PD_SAMPLE_CALLCHAIN))
		rc = put_entry(data, sample, s->misc & PD_MISC_CPUMODE_MASK,
			       s->ip);
	for (size_t i = 0; i < s->callchain.nr && !rc; i++) {
		uint64_t ip = pd_u64s_at(&s->callchain, i);

		if (ip >= PD_CONTEXT_MAX)
			mode = mode_after(ip, mode);
		else
			rc = put_entry(data, sample, mode, ip);
	}
	rpt_json_line_close(&data->json, SAMPLE_DEPTH, ']');
	return rc;
}

static void put_comm(struct rpt_data_json *data, const struct sample *sample)
{
	const char *comm = rpt_who_comm(&sample->scope.who, sample->scope.when);
	char unnamed[16];

	if (!comm) {
		snprintf(unnamed, sizeof(unnamed), ":%" PRId32,
			 (int32_t)sample->fields.tid);
		comm = unnamed;
	}
	rpt_json_line_key(&data->json, SAMPLE_DEPTH, "comm");
	rpt_json_str(&data->json, comm);
}

/* The task's, by its first records: samples of exiting tasks tell others. */
static uint32_t pid_of(const struct sample *sample)
{
	const struct rpt_task *task = sample->scope.who.task;

	return task && task->pid != RPT_PID_UNKNOWN ? task->pid
						    : sample->fields.pid;
}

static void put_int(struct rpt_data_json *data, const char *key, int64_t v)
{
	rpt_json_line_key(&data->json, SAMPLE_DEPTH, key);
	rpt_json_int(&data->json, v);
}

static int put_sample(struct rpt_data_json *data, const struct sample *sample)
{
	const struct pd_sample *s = &sample->fields;
	int rc;

	rpt_json_line(&data->json, SAMPLE_DEPTH - 1);
	rpt_json_open(&data->json, '{');
	put_int(data, "timestamp",
		s->present & PD_SAMPLE_TIME ? (int64_t)s->time_ns : -1);
	put_int(data, "pid", (int32_t)pid_of(sample));
	put_int(data, "tid", (int32_t)s->tid);
	if (data->sample_type & PD_SAMPLE_CPU)
		put_int(data, "cpu",
			s->present & PD_SAMPLE_CPU ? (int32_t)s->cpu : -1);
	put_comm(data, sample);
	rc = put_chain(data, sample);
	rpt_json_line_close(&data->json, SAMPLE_DEPTH - 1, '}');
	data->sample_nr++;
	return rc ? rc : data->text.status;
}

/* Counter values: a sample of each event of the group that counted something
 * since the last, as perf has it. */
static int put_reads(struct rpt_data_json *data, const struct sample *sample)
{
	int rc = 0;

	for (size_t i = 0; i < sample->fields.counts.nr && !rc; i++) {
		struct pd_read_value value =
			pd_sample_count_at(&sample->fields.counts, i);
		const struct pd_event *event =
			pd_event_set_by_id(data->events, value.id);
		uint64_t delta;

		if (!event)
			continue;
		rc = rpt_read_values_delta(&data->read_values, value.id,
					   value.value, &delta);
		if (!rc && delta)
			rc = put_sample(data, sample);
	}
	return rc;
}

static void find_scope(const struct rpt_data_json *data,
		       const struct pd_record *rec, struct sample *sample)
{
	const struct rpt_timeline *tl = data->conf.timeline;
	struct rpt_frame_scope *scope = &sample->scope;
	uint64_t time_ns =
		pd_event_set_order(data->events, sample->fields.time_ns);

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

int rpt_data_json_sample(struct rpt_data_json *data,
			 const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(data->events, rec);
	struct sample sample = { 0 };
	struct pd_err err = PD_ERR_INIT;

	if (!event)
		return 0;
	if (pd_sample_read(&event->layout, rec, &sample.fields, &err)) {
		if (!data->damaged_nr++)
			data->damage = err;
		return 0;
	}
	if (!(sample.fields.present & PD_SAMPLE_TID))
		sample.fields.pid = sample.fields.tid = UINT32_MAX;
	find_scope(data, rec, &sample);
	if (sample.fields.present & PD_SAMPLE_READ)
		return put_reads(data, &sample);
	return put_sample(data, &sample);
}
