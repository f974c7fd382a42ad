#include "report/commands/data_json.h"

#include "format/feature.h"

#include <time.h>

enum { DEPTH = 2 };

static void put_u64(struct rpt_json *json, const char *key, uint64_t v)
{
	rpt_json_line_key(json, DEPTH, key);
	rpt_json_u64(json, v);
}

static void put_feature(struct rpt_json *json,
			const struct rpt_data_json_conf *conf, unsigned bit,
			const char *key)
{
	struct pd_cursor c;
	struct pd_str s;

	if (!pd_reader_feature(conf->reader, bit, &c) ||
	    pd_feature_string_read(&c, &s))
		return;
	rpt_json_line_key(json, DEPTH, key);
	rpt_json_string(json, s.ptr, s.len);
}

static void put_captured_on(struct rpt_json *json,
			    const struct rpt_data_json_conf *conf)
{
	time_t t = (time_t)conf->captured_on_s;
	struct tm tm;
	char text[40];
	size_t len = 0;

	if (gmtime_r(&t, &tm))
		len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	rpt_json_line_key(json, DEPTH, "captured-on");
	rpt_json_string(json, text, len);
}

static void put_nrcpus(struct rpt_json *json,
		       const struct rpt_data_json_conf *conf)
{
	struct pd_nrcpus cpus;
	struct pd_cursor c;

	if (!pd_reader_feature(conf->reader, PD_FEATURE_NRCPUS, &c) ||
	    pd_feature_nrcpus_read(&c, &cpus))
		return;
	put_u64(json, "nrcpus-online", cpus.online);
	put_u64(json, "nrcpus-avail", cpus.available);
}

static void put_clock(struct rpt_json *json,
		      const struct rpt_data_json_conf *conf)
{
	struct pd_clock_data clock;
	struct pd_cursor c;

	if (!pd_reader_feature(conf->reader, PD_FEATURE_CLOCK_DATA, &c) ||
	    pd_feature_clock_data_read(&c, &clock))
		return;
	put_u64(json, "clockid", clock.clockid);
	put_u64(json, "clock-time", clock.clockid_ns);
	put_u64(json, "real-time", clock.wall_clock_ns);
}

static void put_cmdline(struct rpt_json *json,
			const struct rpt_data_json_conf *conf)
{
	struct pd_str_list argv;
	struct pd_cursor c;

	if (!pd_reader_feature(conf->reader, PD_FEATURE_CMDLINE, &c) ||
	    pd_feature_cmdline_read(&c, &argv))
		return;
	rpt_json_line_key(json, DEPTH, "cmdline");
	rpt_json_open(json, '[');
	for (size_t i = 0; i < argv.nr; i++) {
		rpt_json_line(json, DEPTH + 1);
		rpt_json_string(json, argv.items[i].ptr, argv.items[i].len);
	}
	rpt_json_line_close(json, DEPTH, ']');
	pd_str_list_release(&argv);
}

void rpt_data_json_headers(struct rpt_json *json,
			   const struct rpt_data_json_conf *conf)
{
	const struct pd_file_header *h = pd_reader_header(conf->reader);

	rpt_json_line_key(json, 1, "headers");
	rpt_json_open(json, '{');
	/* perf counts the revisions of the format from 0 */
	put_u64(json, "header-version", h->version - 1);
	put_captured_on(json, conf);
	put_u64(json, "data-offset", h->data.off);
	put_u64(json, "data-size", h->data.len);
	put_u64(json, "feat-offset", h->data.off + h->data.len);
	put_feature(json, conf, PD_FEATURE_HOSTNAME, "hostname");
	put_feature(json, conf, PD_FEATURE_OSRELEASE, "os-release");
	put_feature(json, conf, PD_FEATURE_ARCH, "arch");
	put_feature(json, conf, PD_FEATURE_CPUDESC, "cpu-desc");
	put_feature(json, conf, PD_FEATURE_CPUID, "cpuid");
	put_nrcpus(json, conf);
	put_clock(json, conf);
	put_feature(json, conf, PD_FEATURE_VERSION, "perf-version");
	put_cmdline(json, conf);
	rpt_json_line_close(json, 1, '}');
}
