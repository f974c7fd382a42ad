#include "record/recording/file_features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/zstd_compress.h"
#include "format/feature.h"
#include "format/record.h"
#include "record/host/host_facts.h"
#include "record/host/tracing_data.h"

enum {
	FEATURE_RECORD_LEN = 16, /* of HEADER_FEATURE before its payload */
	COMPRESSED_ZSTD = 1,
	/* perf 6.1's HEADER_LAST_FEATURE: ends the features in a pipe */
	PIPE_END_FEATURE = 32,
};

/* How long the end of a file waits for build-ids that are still to be read:
 * others follow it, whose rings fill meanwhile, or it is the only one. */
static const uint64_t wait_next_ns = 100000000, wait_last_ns = 5000000000;

/* Payload writers of the recording's own features: 0, or -ENOENT where there
 * is nothing to say. */

static int write_compressed(struct rec_recording *rec, struct pd_buf *b,
			    struct pd_err *err)
{
	uint64_t plain_len = rec->sink.counts.plain_len;
	uint64_t packed_len = rec->sink.written_len;
	struct pd_compression z = { .type = COMPRESSED_ZSTD,
				    .level = (uint32_t)rec->args->level,
				    .ratio = 1,
				    .mmap_len = PD_ZSTD_COMPRESS_MMAP_LEN };

	(void)err;
	if (!rec->args->level)
		return -ENOENT;
	if (packed_len)
		z.ratio = (uint32_t)(plain_len / packed_len);
	pd_feature_compressed_write(b, &z);
	return 0;
}

/* "sched:sched_switch:u" -> system and name, in place. */
static void split_tracepoint(char *text, struct rec_tracepoint *ret)
{
	char *rest = text;

	ret->system = strsep(&rest, ":");
	ret->name = rest ? strsep(&rest, ":") : "";
}

int rec_tracing_feature_write(struct rec_recording *rec, struct pd_buf *b,
			      struct pd_err *err)
{
	const struct rec_event_list *list = &rec->args->events;
	struct rec_tracepoint *points = calloc(list->nr, sizeof(*points));
	char **names = calloc(list->nr, sizeof(*names));
	size_t nr = 0;
	int code = -ENOMEM;

	if (!points || !names)
		goto out;
	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_event *event = &list->events[i];

		if (event->attr.sys.type != PERF_TYPE_TRACEPOINT)
			continue;
		names[nr] = strdup(event->name);
		if (!names[nr])
			goto out;
		split_tracepoint(names[nr], &points[nr]);
		nr++;
	}
	code = nr ? rec_tracing_data_write(b, rec->args->env.tracefs, points,
					   nr, err)
		  : -ENOENT;
out:
	while (nr)
		free(names[--nr]);
	free(names);
	free(points);
	return code;
}

static struct pd_str str_of(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

int rec_build_ids_write(struct rec_recording *rec, struct pd_buf *b,
			struct pd_err *err)
{
	size_t start = b->len;

	(void)err;
	if (!rec->want_maps)
		return -ENOENT;
	rec_build_id_reader_write(&rec->build_ids,
				  rec->slices.is_on ? wait_next_ns
						    : wait_last_ns,
				  b, &rec->build_id_stats);
	return b->len > start ? 0 : -ENOENT;
}

static int write_version(struct rec_recording *rec, struct pd_buf *b,
			 struct pd_err *err)
{
	(void)rec;
	(void)err;
	pd_feature_string_write(b, str_of("perfpair " PERFPAIR_VERSION));
	return 0;
}

static void fill_event_desc(const struct rec_recording *rec, size_t idx,
			    const uint64_t *ids, struct pd_event_desc *ret)
{
	const struct rec_open_set *open = &rec->open;

	rec_attr_to_pd(&rec->args->events.events[idx].attr, &ret->attr);
	ret->attr.attr_len = rec_file_attr_len(&rec->args->events);
	ret->name = str_of(rec->args->events.events[idx].name);
	ret->ids.raw = (const uint8_t *)(ids + open->first[idx]);
	ret->ids.nr = open->first[idx + 1] - open->first[idx];
}

static int write_event_desc(struct rec_recording *rec, struct pd_buf *b,
			    struct pd_err *err)
{
	struct pd_event_descs descs = { .nr = rec->open.event_nr };
	uint64_t *ids = calloc(rec->open.nr, sizeof(*ids));

	(void)err;
	descs.items = calloc(descs.nr, sizeof(*descs.items));
	if (ids && descs.items) {
		for (size_t i = 0; i < rec->open.nr; i++)
			ids[i] = rec->open.fds[i].id;
		for (size_t i = 0; i < descs.nr; i++)
			fill_event_desc(rec, i, ids, &descs.items[i]);
		pd_feature_event_desc_write(b, &descs);
	}
	free(ids);
	free(descs.items);
	return ids && descs.items ? 0 : -ENOMEM;
}

static int write_group_desc(struct rec_recording *rec, struct pd_buf *b,
			    struct pd_err *err)
{
	const struct rec_event_list *list = &rec->args->events;
	struct pd_group_descs groups = { .nr = 0 };

	(void)err;
	groups.items = calloc(list->nr, sizeof(*groups.items));
	if (!groups.items)
		return -ENOMEM;
	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_event *event = &list->events[i];
		const char *name = event->group_name;

		if (event->leader_idx != i || event->member_nr < 2)
			continue;
		groups.items[groups.nr++] = (struct pd_group_desc){
			.name = str_of(name && *name ? name : "{anon_group}"),
			.leader_idx = (uint32_t)i,
			.member_nr = (uint32_t)event->member_nr,
		};
	}
	if (groups.nr)
		pd_feature_group_desc_write(b, &groups);
	free(groups.items);
	return groups.nr ? 0 : -ENOENT;
}

/* Empty: that it is there makes perf report branches. */
static int write_branch_stack(struct rec_recording *rec, struct pd_buf *b,
			      struct pd_err *err)
{
	const struct rec_event_list *list = &rec->args->events;

	(void)b;
	(void)err;
	for (size_t i = 0; i < list->nr; i++)
		if (list->events[i].attr.sys.sample_type &
		    PERF_SAMPLE_BRANCH_STACK)
			return 0;
	return -ENOENT;
}

static int write_sample_time(struct rec_recording *rec, struct pd_buf *b,
			     struct pd_err *err)
{
	const struct rec_counts *counts = &rec->sink.counts;
	struct pd_sample_time times = { counts->time_lo_ns,
					counts->time_hi_ns };

	(void)err;
	if (times.first_ns > times.last_ns)
		return -ENOENT;
	pd_feature_sample_time_write(b, &times);
	return 0;
}

static int write_cmdline(struct rec_recording *rec, struct pd_buf *b,
			 struct pd_err *err)
{
	const struct rec_args *args = rec->args;
	struct pd_str_list argv = { .nr = (size_t)args->argc };
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)err;
	argv.items = calloc(argv.nr, sizeof(*argv.items));
	if (!argv.items)
		return -ENOMEM;
	for (size_t i = 0; i < argv.nr; i++)
		argv.items[i] = str_of(args->argv[i]);
	if (n > 0)
		argv.items[0] = (struct pd_str){ path, (size_t)n };
	pd_feature_cmdline_write(b, &argv);
	free(argv.items);
	return 0;
}

static int write_clockid(struct rec_recording *rec, struct pd_buf *b,
			 struct pd_err *err)
{
	uint64_t resolution_ns;

	(void)err;
	if (!rec->args->attr.use_clockid ||
	    rec_clock_resolution(rec->args->attr.clockid, &resolution_ns))
		return -ENOENT;
	pd_feature_u64_write(b, resolution_ns);
	return 0;
}

static int write_clock_data(struct rec_recording *rec, struct pd_buf *b,
			    struct pd_err *err)
{
	struct pd_clock_data data;

	(void)err;
	if (!rec->args->attr.use_clockid ||
	    rec_clock_data_read(rec->args->attr.clockid, &data))
		return -ENOENT;
	pd_feature_clock_data_write(b, &data);
	return 0;
}

typedef int payload_fn(struct rec_recording *rec, struct pd_buf *b,
		       struct pd_err *err);

/* The recording's own; a row without function is host_facts.h's. */
static payload_fn *const writers[PD_FEATURE_NR] = {
	[PD_FEATURE_BUILD_ID] = rec_build_ids_write,
	[PD_FEATURE_VERSION] = write_version,
	[PD_FEATURE_CMDLINE] = write_cmdline,
	[PD_FEATURE_EVENT_DESC] = write_event_desc,
	[PD_FEATURE_BRANCH_STACK] = write_branch_stack,
	[PD_FEATURE_GROUP_DESC] = write_group_desc,
	[PD_FEATURE_SAMPLE_TIME] = write_sample_time,
	[PD_FEATURE_CLOCKID] = write_clockid,
	[PD_FEATURE_COMPRESSED] = write_compressed,
	[PD_FEATURE_CLOCK_DATA] = write_clock_data,
};

/* What perf 6.1 leaves out of pipes; BRANCH_STACK and the like are read from
 * the attrs there. */
static bool is_for_pipe(unsigned bit)
{
	return bit != PD_FEATURE_TRACING_DATA && bit != PD_FEATURE_BUILD_ID &&
	       bit != PD_FEATURE_BRANCH_STACK && bit != PD_FEATURE_CACHE &&
	       bit != PD_FEATURE_SAMPLE_TIME;
}

/* The payload of one feature: 0, -ENOENT where it has none. */
static int write_payload(struct rec_recording *rec,
			 const struct rec_host_facts *facts, unsigned bit,
			 struct pd_buf *b, struct pd_err *err)
{
	if (writers[bit])
		return writers[bit](rec, b, err);
	return rec_host_feature_write(facts, bit, b) ? 0 : -ENOENT;
}

static int write_payloads(struct rec_recording *rec,
			  const struct rec_host_facts *facts, struct pd_buf *b,
			  struct pd_section *sections, struct pd_err *err)
{
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++) {
		size_t start = b->len;
		int code = write_payload(rec, facts, bit, b, err);

		sections[bit].off = start;
		sections[bit].len = b->len - start;
		if (!code)
			continue;
		if (code != -ENOENT)
			return code;
		b->len = start;
		sections[bit].off = UINT64_MAX; /* not there */
	}
	return pd_buf_status(b);
}

int rec_features_write(struct rec_recording *rec, struct pd_buf *b,
		       uint64_t table_off, uint64_t *features,
		       struct pd_err *err)
{
	struct pd_section sections[PD_FEATURE_NR] = { 0 };
	struct rec_sysroots roots = REC_SYSROOTS_REAL;
	struct pd_buf payloads = PD_BUF_INIT;
	struct rec_host_facts facts;
	uint64_t nr = 0;
	int code = rec_host_facts_read(&facts, &roots, err);

	if (code)
		return code;
	code = write_payloads(rec, &facts, &payloads, sections, err);
	rec_host_facts_release(&facts);
	if (code)
		goto out;
	if (rec->out.formats.len)
		sections[PD_FEATURE_TRACING_DATA] = rec->out.formats;
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++)
		nr += sections[bit].off != UINT64_MAX;
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++) {
		if (sections[bit].off == UINT64_MAX)
			continue;
		features[bit / 64] |= PD_BIT(bit % 64);
		pd_buf_u64(b,
			   bit == PD_FEATURE_TRACING_DATA
				   ? rec->out.formats.off
				   : table_off + 16 * nr + sections[bit].off);
		pd_buf_u64(b, sections[bit].len);
	}
	pd_buf_bytes(b, payloads.data, payloads.len);
	code = pd_buf_status(b);
out:
	pd_buf_release(&payloads);
	return code;
}

/* One HEADER_FEATURE record; nothing where the payload cannot be made.  Not
 * padded: a payload is read by its length. */
static int write_feature_record(struct rec_recording *rec,
				const struct rec_host_facts *facts,
				unsigned bit, struct pd_buf *b,
				struct pd_err *err)
{
	struct pd_buf payload = PD_BUF_INIT;
	int code = write_payload(rec, facts, bit, &payload, err);

	if (!code)
		code = pd_buf_status(&payload);
	if (!code && payload.len <= PD_RECORD_LEN_MAX - FEATURE_RECORD_LEN) {
		size_t start = pd_record_begin(b, PD_RECORD_HEADER_FEATURE, 0);

		pd_buf_u64(b, bit);
		pd_buf_bytes(b, payload.data, payload.len);
		pd_buf_patch_u16(b, start + 6, (uint16_t)(b->len - start));
	}
	pd_buf_release(&payload);
	return code == -ENOENT ? 0 : code;
}

void rec_compressed_feature_write(struct rec_recording *rec, struct pd_buf *b)
{
	int code =
		write_feature_record(rec, NULL, PD_FEATURE_COMPRESSED, b, NULL);

	if (code)
		b->status = code;
}

static int write_pipe_tracing_data(struct rec_recording *rec, struct pd_buf *b,
				   struct pd_err *err)
{
	struct pd_buf blob = PD_BUF_INIT;
	int code = rec_tracing_feature_write(rec, &blob, err);
	size_t start;

	if (!code) {
		size_t padded_len = (blob.len + 7) / 8 * 8;

		start = pd_record_begin(b, PD_RECORD_HEADER_TRACING_DATA, 0);
		pd_buf_u32(b, (uint32_t)padded_len);
		pd_record_end(b, start);
		pd_buf_bytes(b, blob.data, blob.len);
		pd_buf_zero(b, padded_len - blob.len);
	}
	pd_buf_release(&blob);
	return code == -ENOENT ? 0 : code;
}

int rec_pipe_features_write(struct rec_recording *rec, struct pd_buf *b,
			    struct pd_err *err)
{
	struct rec_sysroots roots = REC_SYSROOTS_REAL;
	struct rec_host_facts facts;
	size_t start;
	int code = rec_host_facts_read(&facts, &roots, err);

	if (code)
		return code;
	for (unsigned bit = 1; bit < PD_FEATURE_NR && !code; bit++)
		if (is_for_pipe(bit))
			code = write_feature_record(rec, &facts, bit, b, err);
	rec_host_facts_release(&facts);
	start = pd_record_begin(b, PD_RECORD_HEADER_FEATURE, 0);
	pd_buf_u64(b, PIPE_END_FEATURE);
	pd_record_end(b, start);
	return code ? code : write_pipe_tracing_data(rec, b, err);
}
