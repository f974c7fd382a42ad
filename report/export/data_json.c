#include "report/export/data_json.h"

#include "format/file/feature.h"
#include "format/records/callchain.h"
#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/events/sample_reader.h"
#include "report/input/sample_pass.h"
#include "report/symbols/dso_class.h"
#include "report/timeline/address_cache.h"
#include "report/timeline/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

enum { HEADER_DEPTH = 2, SAMPLE_DEPTH = 3, CHAIN_DEPTH = 5 };

struct data_json {
	struct rpt_recording_input *in;
	uint64_t sample_type; /* of all events together */
	struct rpt_sample_reader samples;
	uint64_t sample_nr;
	struct pd_err damage; /* of the first of samples.damaged_nr */
	struct rpt_json json;
	struct rpt_text text;
};

static void put_u64(struct data_json *data, const char *key, uint64_t v)
{
	rpt_json_line_key(&data->json, HEADER_DEPTH, key);
	rpt_json_u64(&data->json, v);
}

static void put_feature(struct data_json *data, unsigned bit, const char *key)
{
	struct pd_cursor c;
	struct pd_str s;

	if (!pd_reader_feature(data->in->reader, bit, &c) ||
	    pd_feature_string_read(&c, &s))
		return;
	rpt_json_line_key(&data->json, HEADER_DEPTH, key);
	rpt_json_string(&data->json, s.ptr, s.len);
}

static void put_captured_on(struct data_json *data)
{
	time_t t = (time_t)data->in->source.mtime_s;
	struct tm tm;
	char text[40];
	size_t len = 0;

	if (gmtime_r(&t, &tm))
		len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	rpt_json_line_key(&data->json, HEADER_DEPTH, "captured-on");
	rpt_json_string(&data->json, text, len);
}

static void put_nrcpus(struct data_json *data)
{
	struct pd_nrcpus cpus;
	struct pd_cursor c;

	if (!pd_reader_feature(data->in->reader, PD_FEATURE_NRCPUS, &c) ||
	    pd_feature_nrcpus_read(&c, &cpus))
		return;
	put_u64(data, "nrcpus-online", cpus.online);
	put_u64(data, "nrcpus-avail", cpus.available);
}

static void put_clock(struct data_json *data)
{
	struct pd_clock_data clock;
	struct pd_cursor c;

	if (!pd_reader_feature(data->in->reader, PD_FEATURE_CLOCK_DATA, &c) ||
	    pd_feature_clock_data_read(&c, &clock))
		return;
	put_u64(data, "clockid", clock.clockid);
	put_u64(data, "clock-time", clock.clockid_ns);
	put_u64(data, "real-time", clock.wall_clock_ns);
}

static void put_cmdline(struct data_json *data)
{
	struct pd_str_list argv;
	struct pd_cursor c;

	if (!pd_reader_feature(data->in->reader, PD_FEATURE_CMDLINE, &c) ||
	    pd_feature_cmdline_read(&c, &argv))
		return;
	rpt_json_line_key(&data->json, HEADER_DEPTH, "cmdline");
	rpt_json_open(&data->json, '[');
	for (size_t i = 0; i < argv.nr; i++) {
		rpt_json_line(&data->json, HEADER_DEPTH + 1);
		rpt_json_string(&data->json, argv.items[i].ptr,
				argv.items[i].len);
	}
	rpt_json_line_close(&data->json, HEADER_DEPTH, ']');
	pd_str_list_release(&argv);
}

static void put_headers(struct data_json *data)
{
	const struct pd_file_header *h = pd_reader_header(data->in->reader);

	rpt_json_line_key(&data->json, 1, "headers");
	rpt_json_open(&data->json, '{');
	/* perf counts the revisions of the format from 0 */
	put_u64(data, "header-version", h->version - 1);
	put_captured_on(data);
	put_u64(data, "data-offset", h->data.off);
	put_u64(data, "data-size", h->data.len);
	put_u64(data, "feat-offset", h->data.off + h->data.len);
	put_feature(data, PD_FEATURE_HOSTNAME, "hostname");
	put_feature(data, PD_FEATURE_OSRELEASE, "os-release");
	put_feature(data, PD_FEATURE_ARCH, "arch");
	put_feature(data, PD_FEATURE_CPUDESC, "cpu-desc");
	put_feature(data, PD_FEATURE_CPUID, "cpuid");
	put_nrcpus(data);
	put_clock(data);
	put_feature(data, PD_FEATURE_VERSION, "perf-version");
	put_cmdline(data);
	rpt_json_line_close(&data->json, 1, '}');
}

static void put_entry(struct data_json *data, const struct rpt_sample *sample,
		      unsigned cpumode, uint64_t ip)
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

	rpt_timeline_locate(data->samples.conf.timeline, &query, &at);
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

static void put_chain(struct data_json *data, const struct rpt_sample *sample)
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

/* Return the pid of the task's first records: samples of exiting tasks have
 * another. */
static uint32_t pid_of(const struct rpt_sample *sample)
{
	const struct rpt_task *task = sample->task->ref.task;

	return task && task->pid != RPT_PID_UNKNOWN ? task->pid
						    : sample->fields.pid;
}

static void put_int(struct data_json *data, const char *key, int64_t v)
{
	rpt_json_line_key(&data->json, SAMPLE_DEPTH, key);
	rpt_json_int(&data->json, v);
}

static void put_sample(struct data_json *data, const struct rpt_sample *sample)
{
	const struct pd_sample *s = &sample->fields;
	char unnamed[16];

	rpt_json_line(&data->json, SAMPLE_DEPTH - 1);
	rpt_json_open(&data->json, '{');
	put_int(data, "timestamp",
		s->present & PD_SAMPLE_TIME ? (int64_t)s->time_ns : -1);
	put_int(data, "pid", (int32_t)pid_of(sample));
	put_int(data, "tid", (int32_t)s->tid);
	if (data->sample_type & PD_SAMPLE_CPU)
		put_int(data, "cpu",
			s->present & PD_SAMPLE_CPU ? (int32_t)s->cpu : -1);
	rpt_json_line_key(&data->json, SAMPLE_DEPTH, "comm");
	rpt_json_str(&data->json,
		     rpt_comm_or_tid(sample->task->comm_then, s->tid, unnamed));
	put_chain(data, sample);
	rpt_json_line_close(&data->json, SAMPLE_DEPTH - 1, '}');
	data->sample_nr++;
}

static int deliver(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct data_json *data = ctx;
	struct rpt_sample sample;
	struct pd_err err = PD_ERR_INIT;
	size_t idx = 0;
	int rc = rpt_sample_reader_read(&data->samples, rec, &sample, &err);

	(void)time_ns;
	if (rc) {
		if (rc != -ENOENT && data->samples.damaged_nr == 1)
			data->damage = err;
		return 0;
	}
	while (rpt_sample_reader_next(&data->samples, &sample, &idx))
		if (sample.is_shown)
			put_sample(data, &sample);
	return data->text.status;
}

static int put_samples(struct data_json *data, struct pd_err *err)
{
	struct rpt_recording_input *in = data->in;
	const struct rpt_pass_input pass = { .source = &in->source,
					     .reader = in->reader,
					     .damage = &in->damage };
	int rc;

	rpt_json_line_key(&data->json, 1, "samples");
	rpt_json_open(&data->json, '[');
	rc = rpt_sample_pass(&pass, deliver, data, err);
	if (!rc && rpt_warn_missing(in->path, in->reader, in->damage.sample_nr))
		in->exit_code = RPT_EXIT_DAMAGED;
	if (data->samples.damaged_nr) {
		struct pd_damage damage = {
			.skipped_nr = data->samples.damaged_nr,
			.first = data->damage,
		};

		pd_damage_merge(&in->damage, &damage);
	}
	rpt_json_line_close(&data->json, 1, ']');
	return rc;
}

int rpt_data_json_write(struct rpt_recording_input *in,
			const struct rpt_timeline *timeline,
			const struct rpt_filter *filter, FILE *out,
			uint64_t *ret_nr, struct pd_err *err)
{
	const struct rpt_sample_reader_conf conf = {
		.events = pd_reader_events(in->reader),
		.timeline = timeline,
		.filter = filter,
	};
	struct data_json *data = rpt_alloc_zeroed(1, sizeof(*data));
	int rc, last;

	data->in = in;
	rpt_sample_reader_init(&data->samples, &conf);
	for (size_t i = 0; i < conf.events->nr; i++)
		data->sample_type |= conf.events->events[i].attr.sample_type;
	rpt_text_init(&data->text, out);
	data->json = RPT_JSON_INIT(&data->text, "\t");
	rpt_json_open(&data->json, '{');
	rpt_json_line_key(&data->json, 1, "linux-perf-json-version");
	rpt_json_u64(&data->json, 1);
	put_headers(data);
	rc = put_samples(data, err);
	rpt_json_line_close(&data->json, 0, '}');
	rpt_text_char(&data->text, '\n');
	last = rpt_text_flush(&data->text);
	*ret_nr = data->sample_nr;
	rpt_sample_reader_release(&data->samples);
	free(data);
	return rc ? rc : last;
}
