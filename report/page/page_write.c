#include "report/page/page_write.h"

#include "format/file/feature.h"
#include "report/base/memory.h"
#include "report/events/event_name.h"
#include "report/page/page_code.h"
#include "report/page/page_data.h"
#include "report/page/page_gaps.h"
#include "report/page/page_viewer.h"
#include "report/profile/clock_steps.h"
#include "report/profile/stack_roots.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* zlib's own default: level 9 takes twice the time for 1 % less. */
#define LEVEL 6

/* Instructions are at most so many bytes, and such a part of a page. */
#define CODE_LEN_MAX (UINT64_C(200) << 10)
#define CODE_PART    8

struct page {
	struct rpt_page_fill *fill;
	const struct rpt_page_conf *conf;
	rpt_page_put_head *put_head;
	const void *ctx; /* for put_head */
};

static void put_head_text(struct pd_buf *b, const struct page *page)
{
	struct rpt_text_string *string = rpt_text_string_new();
	struct rpt_json json = RPT_JSON_INIT(&string->text, "");
	const char *text;
	size_t len;

	page->put_head(&json, page->ctx, page->fill, page->conf);
	text = rpt_text_string_take(string, &len);
	pd_buf_varint(b, len);
	pd_buf_bytes(b, text, len);
	rpt_text_string_free(string);
}

/* Bytes that were deflated, without a header. */
struct deflated {
	uint8_t *bytes; /* owned; NULL: there are too many */
	size_t len;
};

static struct deflated deflated(const void *bytes, size_t len)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)bytes,
		       .avail_in = (uInt)len };
	struct deflated d = { 0 };

	if (len > UINT32_MAX / 2 ||
	    deflateInit2(&z, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return d;
	d.len = deflateBound(&z, len);
	d.bytes = rpt_alloc(d.len);
	z.next_out = d.bytes;
	z.avail_out = (uInt)d.len;
	deflate(&z, Z_FINISH);
	d.len = z.total_out;
	deflateEnd(&z);
	return d;
}

static struct deflated data_of(const struct page *page)
{
	const struct rpt_page_fill *fill = page->fill;
	struct pd_buf b = PD_BUF_INIT;
	struct deflated d = { 0 };

	put_head_text(&b, page);
	rpt_page_data_names(&b, &fill->names);
	for (uint32_t i = 0; i < fill->tree_nr; i++)
		rpt_page_data_tree(&b, &fill->trees[i], &fill->names,
				   fill->periods[i]);
	if (fill->code)
		rpt_page_code_data(&b, fill->code, &fill->names, fill->periods);
	if (!pd_buf_status(&b))
		d = deflated(b.data, b.len);
	pd_buf_release(&b);
	return d;
}

/* Return how many bytes of a page the instructions are. */
static size_t code_len(const struct rpt_page_fill *fill)
{
	struct pd_buf b = PD_BUF_INIT;
	struct deflated d;

	rpt_page_code_data(&b, fill->code, &fill->names, fill->periods);
	d = deflated(b.data, b.len);
	free(d.bytes);
	pd_buf_release(&b);
	return d.bytes ? d.len : SIZE_MAX;
}

/* Leave out the functions with fewest samples until their instructions have
 * room. */
static void fit_code(const struct page *page)
{
	struct rpt_page_code *code = page->fill->code;
	uint64_t room = page->conf->len_max / CODE_PART;

	if (!code)
		return;
	if (room > CODE_LEN_MAX)
		room = CODE_LEN_MAX;
	while (code->shown_nr && code_len(page->fill) > room)
		code->shown_nr -= code->shown_nr / 8 + 1;
}

static uint64_t text_len(const struct deflated *d)
{
	return (d->len + 2) / 3 * 4;
}

/* Print the bytes as base64. */
static void put_text(FILE *out, const struct deflated *d)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";

	for (size_t i = 0; i < d->len; i += 3) {
		size_t nr = d->len - i < 3 ? d->len - i : 3;
		uint32_t word = (uint32_t)d->bytes[i] << 16;

		if (nr > 1)
			word |= (uint32_t)d->bytes[i + 1] << 8;
		if (nr > 2)
			word |= d->bytes[i + 2];
		for (size_t k = 0; k < 4; k++)
			putc_unlocked(
				k <= nr ? digits[word >> (18 - 6 * k) & 63]
					: '=',
				out);
	}
}

/* Return data that fits, by leaving out ever heavier nodes; no bytes: none
 * does. */
static struct deflated fitting_data(const struct page *page,
				    const struct deflated *program)
{
	uint64_t around_len = strlen((const char *)rpt_page_viewer_page) +
			      text_len(program) + 5 * strlen(page->conf->title);
	struct deflated data;

	fit_code(page);
	data = data_of(page);
	for (unsigned bit = 1; bit < 63; bit++) {
		if (data.bytes &&
		    around_len + text_len(&data) <= page->conf->len_max)
			return data;
		rpt_page_fill_prune(page->fill, UINT64_C(1) << bit);
		free(data.bytes);
		data = data_of(page);
	}
	free(data.bytes);
	return (struct deflated){ 0 };
}

/* Put text that may not become markup. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++)
		if (strchr("<>&\"'", *text))
			fprintf(out, "&#%d;", *text);
		else
			fputc(*text, out);
}

/* Put the page, with what goes in place of the words in it. */
static void put_page(FILE *out, const struct page *page,
		     const struct deflated *program,
		     const struct deflated *data)
{
	const char *at = (const char *)rpt_page_viewer_page;
	char word[16];
	int len;

	for (const char *next; (next = strchr(at, '@')); at = next + len) {
		fwrite(at, 1, (size_t)(next - at), out);
		len = 0;
		sscanf(next, "@%9[A-Z]@%n", word, &len);
		if (len && !strcmp(word, "TITLE"))
			put_escaped(out, page->conf->title);
		else if (len && !strcmp(word, "PROGRAM"))
			put_text(out, program);
		else if (len && !strcmp(word, "DATA"))
			put_text(out, data);
		else
			len = fputc('@', out) == '@';
	}
	fputs(at, out);
}

int rpt_page_write(struct rpt_page_fill *fill, const struct rpt_page_conf *conf,
		   rpt_page_put_head *put_head, const void *ctx, FILE *out,
		   struct pd_err *err)
{
	const struct page page = { fill, conf, put_head, ctx };
	struct deflated program =
		deflated(rpt_page_viewer_program,
			 strlen((const char *)rpt_page_viewer_program));
	struct deflated data = fitting_data(&page, &program);
	int rc = 0;

	if (data.bytes) {
		put_page(out, &page, &program, &data);
		if (fflush(out) && errno != EPIPE)
			rc = pd_err_set(err, -errno, "%s", strerror(errno));
	} else {
		rc = pd_err_set(err, -EFBIG,
				"not even its heaviest functions fit into a "
				"page of %" PRIu64 " bytes (--page-size)",
				conf->len_max);
	}
	free(data.bytes);
	free(program.bytes);
	return rc;
}

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
static void put_json_text(struct rpt_json *json, const char *label,
			  const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void put_json_text(struct rpt_json *json, const char *label,
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
		put_json_text(json, "CPUs",
			      "%" PRIu32 " online, %" PRIu32 " in all",
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
	put_json_text(json, "recorded for", "%.3f s",
		      (double)cost->recorded_ns / NS_PER_S);
	put_json_text(json, "recorder used",
		      "%.3f s of CPU (%.2f%% of one CPU), %.1f MB of memory",
		      (double)(cost->user_ns + cost->system_ns) / NS_PER_S,
		      100.0 * (double)(cost->user_ns + cost->system_ns) /
			      (double)cost->recorded_ns,
		      (double)cost->peak_rss_len / 1e6);
	put_json_text(json, "samples lost", "%" PRIu64, lost_nr);
	if (cost->throttle_nr)
		put_json_text(json, "throttled by the kernel",
			      "%" PRIu64 " times", cost->throttle_nr);
	if (cost->cut_nr)
		put_json_text(json, "stack copies cut", "%" PRIu64,
			      cost->cut_nr);
}

/* Put what the recorder and the kernel did to the samples. */
static void warn_of_cost(struct rpt_json *json, const struct pd_reader *reader)
{
	const struct pd_trailer *trailer = pd_reader_trailer(reader);
	const struct pd_trailer_cost *cost = trailer ? &trailer->cost : NULL;

	if (!cost)
		return;
	if (cost->cut_nr)
		put_json_text(json, NULL,
			      "%" PRIu64
			      " stack copies were cut: of these samples "
			      "the outer callers are missing",
			      cost->cut_nr);
	if (cost->max_rate_after_hz < cost->max_rate_before_hz)
		put_json_text(
			json, NULL,
			"the kernel lowered its limit on the sampling rate "
			"from %" PRIu64 " to %" PRIu64 " Hz meanwhile "
			"(kernel.perf_event_max_sample_rate)",
			cost->max_rate_before_hz, cost->max_rate_after_hz);
	if (trailer->rate_nr)
		put_json_text(
			json, NULL,
			"the recorder lowered rates to take less (--budget, "
			"--cpu-limit): %zu changes",
			trailer->rate_nr);
}

static void put_rate(struct rpt_json *json, const struct pd_event *event)
{
	char buf[RPT_EVENT_NAME_LEN];
	const struct pd_attr *attr = &event->attr;

	put_json_text(json, "event",
		      attr->flags & PD_ATTR_FREQ ? "%s, %" PRIu64 " Hz"
						 : "%s, one sample in %" PRIu64,
		      rpt_event_name(event, buf), attr->sample_period);
}

/* Put how many stacks are whole. */
static void put_roots(struct rpt_json *json, const struct rpt_profile *profile)
{
	struct rpt_stack_roots roots = { 0 };
	char *text;

	rpt_stack_roots_add(&roots, profile, RPT_ALL_EVENTS);
	text = rpt_stack_roots_text(&roots);
	if (text)
		put_fact(json, "stacks", text, strlen(text));
	free(text);
	rpt_stack_roots_release(&roots);
}

void rpt_page_head_facts(struct rpt_json *json, struct pd_reader *reader,
			 const struct rpt_profile *profile)
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
		put_json_text(json, "constant period", "%s", steps);
	put_json_text(json, "what a sample means",
		      "docs/truth.md of perfpair's documentation");
	if (profile)
		put_roots(json, profile);
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
		if (names->lanes[i].process)
			rpt_json_member_str(json, "process",
					    names->lanes[i].process);
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

	rpt_page_head_event(json, fill, idx,
			    rpt_report_weight_name(report, event, buf),
			    report->args->switches.off_cpu ||
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
		rpt_page_head_facts(json, report->whole.parts[p].reader,
				    &report->whole.parts[p].profile);
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
