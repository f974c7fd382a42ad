#include "report/page/page_head.h"

#include "format/file/feature.h"
#include "report/events/event_name.h"
#include "report/page/page_code_data.h"
#include "report/page/page_gaps.h"
#include "report/profile/clock_steps.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

static void put_fact(struct rpt_json *json, const char *label, const char *text,
		     size_t len)
{
	if (!len)
		return;
	rpt_json_open(json, '[');
	rpt_json_str(json, label);
	rpt_json_string(json, text, len);
	rpt_json_close(json, ']');
}

static void put_feature(struct rpt_json *json, const struct pd_reader *reader,
			const char *label, enum pd_feature bit)
{
	struct pd_str s = pd_reader_string(reader, bit);

	put_fact(json, label, s.ptr, s.len);
}

static void put_command(struct rpt_json *json, const struct pd_reader *reader)
{
	struct pd_cursor payload;
	struct pd_str_list argv;
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!pd_reader_feature(reader, PD_FEATURE_CMDLINE, &payload) ||
	    pd_feature_cmdline_read(&payload, &argv))
		return;
	out = open_memstream(&text, &len);
	for (size_t i = 0; i < argv.nr; i++)
		fprintf(out, "%s%.*s", i ? " " : "", (int)argv.items[i].len,
			argv.items[i].ptr);
	fclose(out);
	put_fact(json, "command", text, len);
	free(text);
	pd_str_list_release(&argv);
}

/* Put a fact, or with label NULL a warning. */
static void put_text(struct rpt_json *json, const char *label,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void put_text(struct rpt_json *json, const char *label,
		     const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (label)
		put_fact(json, label, text, strlen(text));
	else
		rpt_json_str(json, text);
}

static void put_cpus(struct rpt_json *json, const struct pd_reader *reader)
{
	struct pd_cursor payload;
	struct pd_nrcpus n;

	if (pd_reader_feature(reader, PD_FEATURE_NRCPUS, &payload) &&
	    !pd_feature_nrcpus_read(&payload, &n))
		put_text(json, "CPUs", "%" PRIu32 " online, %" PRIu32 " in all",
			 n.online, n.available);
}

/* Print what the recorder used, and what it could not take. */
static void put_cost(struct rpt_json *json, const struct pd_reader *reader)
{
	const struct pd_trailer *trailer = pd_reader_trailer(reader);
	const struct pd_trailer_cost *cost = trailer ? &trailer->cost : NULL;
	uint64_t lost_nr = 0;

	if (!cost || !cost->recorded_ns)
		return;
	for (size_t i = 0; i < trailer->loss_nr; i++)
		lost_nr += trailer->losses[i].lost_nr;
	put_text(json, "recorded for", "%.3f s",
		 (double)cost->recorded_ns / NS_PER_S);
	put_text(json, "recorder used",
		 "%.3f s of CPU (%.2f%% of one CPU), %.1f MB of memory",
		 (double)(cost->user_ns + cost->system_ns) / NS_PER_S,
		 100.0 * (double)(cost->user_ns + cost->system_ns) /
			 (double)cost->recorded_ns,
		 (double)cost->peak_rss_len / 1e6);
	put_text(json, "samples lost", "%" PRIu64, lost_nr);
	if (cost->throttle_nr)
		put_text(json, "throttled by the kernel", "%" PRIu64 " times",
			 cost->throttle_nr);
	if (cost->cut_nr)
		put_text(json, "stack copies cut", "%" PRIu64, cost->cut_nr);
}

/* Put what the recorder and the kernel did to the samples. */
static void warn_of_cost(struct rpt_json *json, const struct pd_reader *reader)
{
	const struct pd_trailer *trailer = pd_reader_trailer(reader);
	const struct pd_trailer_cost *cost = trailer ? &trailer->cost : NULL;

	if (!cost)
		return;
	if (cost->cut_nr)
		put_text(json, NULL,
			 "%" PRIu64 " stack copies were cut: of these samples "
			 "the outer callers are missing",
			 cost->cut_nr);
	if (cost->max_rate_after_hz < cost->max_rate_before_hz)
		put_text(json, NULL,
			 "the kernel lowered its limit on the sampling rate "
			 "from %" PRIu64 " to %" PRIu64 " Hz meanwhile "
			 "(kernel.perf_event_max_sample_rate)",
			 cost->max_rate_before_hz, cost->max_rate_after_hz);
	if (trailer->rate_nr)
		put_text(json, NULL,
			 "the recorder changed the rate %zu times to use less "
			 "of the CPU (--cpu-limit)",
			 trailer->rate_nr);
}

static void put_rate(struct rpt_json *json, const struct pd_event *event)
{
	char buf[RPT_EVENT_NAME_LEN];
	const struct pd_attr *attr = &event->attr;

	put_text(json, "event",
		 attr->flags & PD_ATTR_FREQ ? "%s, %" PRIu64 " Hz"
					    : "%s, one sample in %" PRIu64,
		 rpt_event_name(event, buf), attr->sample_period);
}

void rpt_page_head_facts(struct rpt_json *json, struct pd_reader *reader)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	char buf[RPT_STEPS_TEXT_LEN];
	const char *steps = rpt_clock_steps_text(reader, buf);

	rpt_json_open(json, '[');
	put_command(json, reader);
	put_feature(json, reader, "host", PD_FEATURE_HOSTNAME);
	put_feature(json, reader, "kernel", PD_FEATURE_OSRELEASE);
	put_feature(json, reader, "architecture", PD_FEATURE_ARCH);
	put_feature(json, reader, "processor", PD_FEATURE_CPUDESC);
	put_cpus(json, reader);
	put_feature(json, reader, "recorded by", PD_FEATURE_VERSION);
	for (size_t i = 0; i < events->nr; i++)
		put_rate(json, &events->events[i]);
	if (steps)
		put_text(json, "constant period", "%s", steps);
	put_text(json, "what a sample means",
		 "docs/truth.md of perfpair's documentation");
	put_cost(json, reader);
	rpt_json_close(json, ']');
}

static void put_time(struct rpt_json *json,
		     const struct rpt_time_blocks *blocks)
{
	rpt_json_key(json, "time");
	if (blocks->nr < 2) {
		rpt_json_str(json, NULL);
		return;
	}
	rpt_json_open(json, '{');
	rpt_json_member_u64(json, "first_ns", blocks->first_ns);
	rpt_json_member_u64(json, "span_ns", blocks->span_ns);
	rpt_json_member_u64(json, "bins", blocks->nr);
	rpt_json_member_u64(json, "bin_ns", blocks->len_ns);
	rpt_json_close(json, '}');
}

static void put_places(struct rpt_json *json,
		       const struct rpt_page_names *names)
{
	rpt_json_key(json, "cpus");
	rpt_json_open(json, '[');
	for (uint32_t i = 0; i < names->cpus.nr; i++)
		rpt_json_int(json,
			     *(const int32_t *)rpt_intern_key(&names->cpus, i));
	rpt_json_close(json, ']');
	rpt_json_key(json, "lanes");
	rpt_json_open(json, '[');
	for (uint32_t i = 0; i < names->lane_nr; i++) {
		rpt_json_open(json, '{');
		rpt_json_member_str(json, "comm", names->lanes[i].comm);
		rpt_json_key(json, "pid");
		rpt_json_int(json, names->lanes[i].pid);
		rpt_json_key(json, "tid");
		rpt_json_int(json, names->lanes[i].tid);
		rpt_json_close(json, '}');
	}
	rpt_json_close(json, ']');
}

void rpt_page_head_event(struct rpt_json *json,
			 const struct rpt_page_fill *fill, uint32_t idx,
			 const char *name, bool is_clock)
{
	const struct rpt_page_tree *tree = &fill->trees[idx];
	uint64_t nr = 0, total = 0;

	for (uint32_t i = 0; i < tree->entry_nr; i++) {
		nr += tree->entries[i].nr;
		total += tree->entries[i].period;
	}
	rpt_json_open(json, '{');
	rpt_json_member_str(json, "name", name);
	rpt_json_member_u64(json, "samples", nr);
	rpt_json_member_u64(json, "total", total);
	rpt_json_member_str(json, "unit", is_clock ? "ns" : "events");
	rpt_json_member_u64(json, "period", fill->periods[idx]);
	rpt_json_close(json, '}');
}

static void put_event(struct rpt_json *json, const struct rpt_report *report,
		      const struct rpt_page_fill *fill, uint32_t idx)
{
	const struct rpt_merged_event *at = &report->whole.events.items[idx];
	const struct pd_event *event =
		&report->whole.events.sets[at->input]->events[at->idx];
	char buf[RPT_EVENT_NAME_LEN];

	rpt_page_head_event(json, fill, idx, rpt_event_name(event, buf),
			    report->args->events.off_cpu ||
				    pd_attr_is_clock(&event->attr));
}

static void put_left_out(struct rpt_json *json,
			 const struct rpt_page_fill *fill)
{
	uint64_t node_nr, sample_nr;

	rpt_page_fill_left_out(fill, &node_nr, &sample_nr);
	rpt_json_key(json, "left_out");
	rpt_json_open(json, '{');
	rpt_json_member_u64(json, "nodes", node_nr);
	rpt_json_member_u64(json, "samples", sample_nr);
	rpt_json_close(json, '}');
}

void rpt_page_head_fill(struct rpt_json *json, const struct rpt_page_fill *fill)
{
	put_places(json, &fill->names);
	put_left_out(json, fill);
}

void rpt_page_head_start(struct rpt_json *json,
			 const struct rpt_page_conf *conf)
{
	rpt_json_member_u64(json, "version", 3);
	rpt_json_member_str(json, "title", conf->title);
	rpt_json_member_str(json, "program", "perfpair " PERFPAIR_VERSION);
}

static void put_warnings(struct rpt_json *json, const struct rpt_report *report,
			 const struct rpt_page_conf *conf)
{
	rpt_json_key(json, "warnings");
	rpt_json_open(json, '[');
	for (size_t i = 0; i < conf->warning_nr; i++)
		rpt_json_str(json, conf->warnings[i]);
	for (uint32_t p = 0; p < report->whole.part_nr; p++)
		warn_of_cost(json, report->whole.parts[p].reader);
	rpt_json_close(json, ']');
}

void rpt_page_head_report(struct rpt_json *json,
			  const struct rpt_report *report,
			  const struct rpt_page_fill *fill,
			  const struct rpt_page_conf *conf)
{
	rpt_json_open(json, '{');
	rpt_page_head_start(json, conf);
	put_warnings(json, report, conf);
	rpt_json_key(json, "recordings");
	rpt_json_open(json, '[');
	for (uint32_t p = 0; p < report->whole.part_nr; p++)
		rpt_page_head_facts(json, report->whole.parts[p].reader);
	rpt_json_close(json, ']');
	put_time(json, &report->whole.parts[0].blocks);
	rpt_json_key(json, "events");
	rpt_json_open(json, '[');
	for (uint32_t i = 0; i < fill->tree_nr; i++)
		put_event(json, report, fill, i);
	rpt_json_close(json, ']');
	rpt_page_gaps_put(json, report);
	rpt_page_head_fill(json, fill);
	if (fill->code)
		rpt_page_code_head(json, fill->code, &fill->names);
	rpt_json_close(json, '}');
}
