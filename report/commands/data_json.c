#include "report/commands/data_json.h"

#include "format/callchain.h"
#include "report/symbols/dso_class.h"
#include "report/timeline/address_cache.h"
#include "report/timeline/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

enum { SAMPLE_DEPTH = 3, CHAIN_DEPTH = 5 };

void rpt_data_json_init(struct rpt_data_json *data,
			const struct rpt_data_json_conf *conf, FILE *out)
{
	const struct rpt_sample_reader_conf reader_conf = {
		.events = pd_reader_events(conf->reader),
		.timeline = conf->timeline,
	};

	memset(data, 0, offsetof(struct rpt_data_json, text));
	rpt_text_init(&data->text, out);
	data->conf = *conf;
	data->events = reader_conf.events;
	for (size_t i = 0; i < data->events->nr; i++)
		data->sample_type |= data->events->events[i].attr.sample_type;
	data->json = RPT_JSON_INIT(&data->text, "\t");
	rpt_json_open(&data->json, '{');
	rpt_json_line_key(&data->json, 1, "linux-perf-json-version");
	rpt_json_u64(&data->json, 1);
	rpt_data_json_headers(&data->json, conf);
	rpt_json_line_key(&data->json, 1, "samples");
	rpt_json_open(&data->json, '[');
	rpt_sample_reader_init(&data->samples, &reader_conf);
}

void rpt_data_json_release(struct rpt_data_json *data)
{
	rpt_sample_reader_release(&data->samples);
}

int rpt_data_json_finish(struct rpt_data_json *data)
{
	rpt_json_line_close(&data->json, 1, ']');
	rpt_json_line_close(&data->json, 0, '}');
	rpt_text_char(&data->text, '\n');
	return rpt_text_flush(&data->text);
}

static void put_entry(struct rpt_data_json *data,
		      const struct rpt_sample *sample, unsigned cpumode,
		      uint64_t ip)
{
	const struct rpt_location_query query = {
		.ref = &sample->task->ref,
		.when = sample->when,
		.cpumode = cpumode,
		.ip = ip,
	};
	struct rpt_json *json = &data->json;
	char dso[PATH_MAX], address[20];
	struct rpt_location at;

	rpt_timeline_locate(data->conf.timeline, &query, &at);
	rpt_json_line(json, CHAIN_DEPTH - 1);
	rpt_json_open(json, '{');
	rpt_json_line_key(json, CHAIN_DEPTH, "ip");
	snprintf(address, sizeof(address), "0x%" PRIx64, ip);
	rpt_json_str(json, address);
	if (at.sym && *at.sym->name) {
		rpt_json_line_key(json, CHAIN_DEPTH, "symbol");
		rpt_json_str(json, at.sym->name);
		rpt_dso_short_name(at.map.dso, dso, sizeof(dso));
		rpt_json_line_key(json, CHAIN_DEPTH, "dso");
		rpt_json_str(json, dso);
	}
	rpt_json_line_close(json, CHAIN_DEPTH - 1, '}');
}

static void put_chain(struct rpt_data_json *data,
		      const struct rpt_sample *sample)
{
	const struct pd_sample *s = &sample->fields;
	struct pd_callchain it = pd_callchain_start(&s->callchain);
	enum pd_callchain_word word;

	rpt_json_line_key(&data->json, SAMPLE_DEPTH, "callchain");
	rpt_json_open(&data->json, '[');
	if (!(s->present & PD_SAMPLE_CALLCHAIN))
		put_entry(data, sample, sample->cpumode, s->ip);
	while ((word = pd_callchain_next(&it)) != PD_CALLCHAIN_END)
		if (word == PD_CALLCHAIN_ADDRESS)
			put_entry(data, sample, it.cpumode, it.ip);
	rpt_json_line_close(&data->json, SAMPLE_DEPTH, ']');
}

static void put_comm(struct rpt_data_json *data,
		     const struct rpt_sample *sample)
{
	const char *comm = sample->task->comm_then;
	char unnamed[16];

	if (!comm) {
		snprintf(unnamed, sizeof(unnamed), ":%" PRId32,
			 (int32_t)sample->fields.tid);
		comm = unnamed;
	}
	rpt_json_line_key(&data->json, SAMPLE_DEPTH, "comm");
	rpt_json_str(&data->json, comm);
}

/* Return the pid of the task's first records: samples of exiting tasks have
 * others. */
static uint32_t pid_of(const struct rpt_sample *sample)
{
	const struct rpt_task *task = sample->task->ref.task;

	return task && task->pid != RPT_PID_UNKNOWN ? task->pid
						    : sample->fields.pid;
}

static void put_int(struct rpt_data_json *data, const char *key, int64_t v)
{
	rpt_json_line_key(&data->json, SAMPLE_DEPTH, key);
	rpt_json_int(&data->json, v);
}

static void put_sample(struct rpt_data_json *data,
		       const struct rpt_sample *sample)
{
	const struct pd_sample *s = &sample->fields;

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
	put_chain(data, sample);
	rpt_json_line_close(&data->json, SAMPLE_DEPTH - 1, '}');
	data->sample_nr++;
}

int rpt_data_json_sample(struct rpt_data_json *data,
			 const struct pd_record *rec)
{
	struct rpt_sample sample;
	struct pd_err err = PD_ERR_INIT;
	size_t idx = 0;
	int rc;

	rc = rpt_sample_reader_read(&data->samples, rec, &sample, &err);
	if (rc) {
		if (rc != -ENOENT && data->samples.damaged_nr == 1)
			data->damage = err;
		return 0;
	}
	while (rpt_sample_reader_next(&data->samples, &sample, &idx))
		put_sample(data, &sample);
	return data->text.status;
}
