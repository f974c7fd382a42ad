#include "report/commands/data_json.h"

#include "format/feature.h"

#include <time.h>

enum { DEPTH = 2 };

static void put_feature(struct rpt_json *json, unsigned bit, const char *key)
{
	struct pd_cursor c;
	struct pd_str s;

	if (!pd_reader_feature(json->conf.reader, bit, &c) ||
	    pd_feature_string_read(&c, &s))
		return;
	rpt_json_key(json, DEPTH, key);
	rpt_json_string(json, s);
}

static void put_captured_on(struct rpt_json *json)
{
	time_t t = (time_t)json->conf.captured_on_s;
	struct tm tm;
	char text[40];
	size_t len = 0;

	if (gmtime_r(&t, &tm))
		len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	rpt_json_key(json, DEPTH, "captured-on");
	rpt_json_string(json, (struct pd_str){ text, len });
}

static void put_nrcpus(struct rpt_json *json)
{
	struct pd_nrcpus cpus;
	struct pd_cursor c;

	if (!pd_reader_feature(json->conf.reader, PD_FEATURE_NRCPUS, &c) ||
	    pd_feature_nrcpus_read(&c, &cpus))
		return;
	rpt_json_u64(json, DEPTH, "nrcpus-online", cpus.online);
	rpt_json_u64(json, DEPTH, "nrcpus-avail", cpus.available);
}

static void put_clock(struct rpt_json *json)
{
	struct pd_clock_data clock;
	struct pd_cursor c;

	if (!pd_reader_feature(json->conf.reader, PD_FEATURE_CLOCK_DATA, &c) ||
	    pd_feature_clock_data_read(&c, &clock))
		return;
	rpt_json_u64(json, DEPTH, "clockid", clock.clockid);
	rpt_json_u64(json, DEPTH, "clock-time", clock.clockid_ns);
	rpt_json_u64(json, DEPTH, "real-time", clock.wall_clock_ns);
}

static void put_cmdline(struct rpt_json *json)
{
	struct pd_str_list argv;
	struct pd_cursor c;

	if (!pd_reader_feature(json->conf.reader, PD_FEATURE_CMDLINE, &c) ||
	    pd_feature_cmdline_read(&c, &argv))
		return;
	rpt_json_key(json, DEPTH, "cmdline");
	rpt_json_open(json, '[');
	for (size_t i = 0; i < argv.nr; i++) {
		rpt_json_item(json, DEPTH + 1);
		rpt_json_string(json, argv.items[i]);
	}
	rpt_json_close(json, DEPTH, ']');
	pd_str_list_release(&argv);
}

void rpt_json_headers(struct rpt_json *json)
{
	const struct pd_file_header *h = pd_reader_header(json->conf.reader);

	rpt_json_key(json, 1, "headers");
	rpt_json_open(json, '{');
	/* perf counts the revisions of the format from 0 */
	rpt_json_u64(json, DEPTH, "header-version", h->version - 1);
	put_captured_on(json);
	rpt_json_u64(json, DEPTH, "data-offset", h->data.off);
	rpt_json_u64(json, DEPTH, "data-size", h->data.len);
	rpt_json_u64(json, DEPTH, "feat-offset", h->data.off + h->data.len);
	put_feature(json, PD_FEATURE_HOSTNAME, "hostname");
	put_feature(json, PD_FEATURE_OSRELEASE, "os-release");
	put_feature(json, PD_FEATURE_ARCH, "arch");
	put_feature(json, PD_FEATURE_CPUDESC, "cpu-desc");
	put_feature(json, PD_FEATURE_CPUID, "cpuid");
	put_nrcpus(json);
	put_clock(json);
	put_feature(json, PD_FEATURE_VERSION, "perf-version");
	put_cmdline(json);
	rpt_json_close(json, 1, '}');
}
