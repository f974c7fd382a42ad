#include "record/recording/file_features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/zstd_compress.h"
#include "format/feature.h"
#include "format/record.h"
#include "record/event/event_title.h"
#include "record/host/host_facts.h"
#include "record/host/tracing_data.h"

enum {
	FEATURE_RECORD_LEN = 16, /* of HEADER_FEATURE without its payload */
	COMPRESSED_ZSTD = 1,
	/* perf 6.1's HEADER_LAST_FEATURE: ends the features in a pipe */
	PIPE_END_FEATURE = 32,
};

/* How long the end of a file waits for build-ids that are not read yet: if
 * others follow it (their rings fill meanwhile), or if it is the last. */
static const uint64_t wait_next_ns = 100000000, wait_last_ns = 5000000000;

static int write_compressed(const struct rec_file *file,
			    const struct rec_session *session, struct pd_buf *b)
{
	uint64_t plain_len = file->sink.counts.plain_len;
	uint64_t packed_len = file->sink.written_len;
	struct pd_compression z = { .type = COMPRESSED_ZSTD,
				    .level = (uint32_t)session->args->level,
				    .ratio = 1,
				    .mmap_len = PD_ZSTD_COMPRESS_MMAP_LEN };

	if (!session->args->level)
		return -ENOENT;
	if (packed_len)
		z.ratio = (uint32_t)(plain_len / packed_len);
	pd_feature_compressed_write(b, &z);
	return 0;
}

/* Split "sched:sched_switch:u" into system and name, in place. */
static void split_tracepoint(char *text, struct rec_tracepoint *ret)
{
	char *rest = text;

	ret->system = strsep(&rest, ":");
	ret->name = rest ? strsep(&rest, ":") : "";
}

int rec_tracing_feature_write(const struct rec_session *session,
			      struct pd_buf *b, struct pd_err *err)
{
	const struct rec_event_list *list = &session->args->events;
	struct rec_tracepoint *points = calloc(list->nr, sizeof(*points));
	char **names = calloc(list->nr, sizeof(*names));
	size_t nr = 0;
	int rc = -ENOMEM;

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
	rc = nr ? rec_tracing_data_write(b, session->args->env.tracefs, points,
					 nr, err)
		: -ENOENT;
out:
	while (nr)
		free(names[--nr]);
	free(names);
	free(points);
	return rc;
}

static struct pd_str str_of(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

void rec_build_ids_write(struct rec_session *session, struct pd_buf *b)
{
	if (session->build_ids.is_on)
		rec_build_id_reader_write(&session->build_ids,
					  session->args->switch_output.is_on
						  ? wait_next_ns
						  : wait_last_ns,
					  b);
}

static void fill_event_desc(const struct rec_session *session, size_t idx,
			    const uint64_t *ids, struct pd_event_desc *ret)
{
	const struct rec_open_set *open = &session->open;

	rec_attr_to_pd(&session->args->events.events[idx].attr, &ret->attr);
	ret->attr.attr_len = rec_file_attr_len(&session->args->events);
	ret->name = str_of(rec_event_title(&session->args->events.events[idx]));
	ret->ids.raw = (const uint8_t *)(ids + open->first[idx]);
	ret->ids.nr = open->first[idx + 1] - open->first[idx];
}

static int write_event_desc(const struct rec_session *session, struct pd_buf *b)
{
	struct pd_event_descs descs = { .nr = session->open.event_nr };
	uint64_t *ids = calloc(session->open.nr, sizeof(*ids));

	descs.items = calloc(descs.nr, sizeof(*descs.items));
	if (ids && descs.items) {
		for (size_t i = 0; i < session->open.nr; i++)
			ids[i] = session->open.fds[i].id;
		for (size_t i = 0; i < descs.nr; i++)
			fill_event_desc(session, i, ids, &descs.items[i]);
		pd_feature_event_desc_write(b, &descs);
	}
	free(ids);
	free(descs.items);
	return ids && descs.items ? 0 : -ENOMEM;
}

static int write_group_desc(const struct rec_session *session, struct pd_buf *b)
{
	const struct rec_event_list *list = &session->args->events;
	struct pd_group_descs groups = { .nr = 0 };

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

/* BRANCH_STACK is empty; if it is there, perf reports branches. */
static bool has_branches(const struct rec_session *session)
{
	const struct rec_event_list *list = &session->args->events;

	for (size_t i = 0; i < list->nr; i++)
		if (list->events[i].attr.sys.sample_type &
		    PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

static int write_sample_time(const struct rec_file *file, struct pd_buf *b)
{
	const struct rec_counts *counts = &file->sink.counts;
	struct pd_sample_time times = { counts->time_lo_ns,
					counts->time_hi_ns };

	if (times.first_ns > times.last_ns)
		return -ENOENT;
	pd_feature_sample_time_write(b, &times);
	return 0;
}

static int write_cmdline(const struct rec_session *session, struct pd_buf *b)
{
	const struct rec_args *args = session->args;
	struct pd_str_list argv = { .nr = (size_t)args->argc };
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

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

static int write_clockid(const struct rec_session *session, struct pd_buf *b)
{
	uint64_t resolution_ns;

	if (!session->args->attr.use_clockid ||
	    rec_clock_resolution(session->args->attr.clockid, &resolution_ns))
		return -ENOENT;
	pd_buf_u64(b, resolution_ns);
	return 0;
}

static int write_clock_data(const struct rec_session *session, struct pd_buf *b)
{
	struct pd_clock_data data;

	if (!session->args->attr.use_clockid ||
	    rec_clock_data_read(session->args->attr.clockid, &data))
		return -ENOENT;
	pd_feature_clock_data_write(b, &data);
	return 0;
}

/* Append the payload of one feature except BUILD_ID and TRACING_DATA, from the
 * recording or host_facts.h.  Return 0, or -ENOENT if there is none. */
static int write_payload(const struct rec_file *file,
			 const struct rec_session *session,
			 const struct rec_host_facts *facts, unsigned bit,
			 struct pd_buf *b)
{
	switch (bit) {
	case PD_FEATURE_CMDLINE:
		return write_cmdline(session, b);
	case PD_FEATURE_EVENT_DESC:
		return write_event_desc(session, b);
	case PD_FEATURE_BRANCH_STACK:
		return has_branches(session) ? 0 : -ENOENT; /* no payload */
	case PD_FEATURE_GROUP_DESC:
		return write_group_desc(session, b);
	case PD_FEATURE_SAMPLE_TIME:
		return write_sample_time(file, b);
	case PD_FEATURE_CLOCKID:
		return write_clockid(session, b);
	case PD_FEATURE_COMPRESSED:
		return write_compressed(file, session, b);
	case PD_FEATURE_CLOCK_DATA:
		return write_clock_data(session, b);
	default:
		return rec_host_feature_write(facts, bit, b) ? 0 : -ENOENT;
	}
}

/* Append the table of the features that exist, then their payloads; that of
 * TRACING_DATA is before the data already. */
static void write_table(struct pd_buf *b, uint64_t table_off,
			const struct pd_section *sections,
			const struct pd_buf *payloads, uint64_t *features)
{
	uint64_t nr = 0;

	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++)
		nr += sections[bit].off != UINT64_MAX;
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++) {
		uint64_t off = sections[bit].off;

		if (off == UINT64_MAX)
			continue;
		features[bit / 64] |= PD_BIT(bit % 64);
		if (bit != PD_FEATURE_TRACING_DATA)
			off += table_off + sizeof(*sections) * nr;
		pd_buf_u64(b, off);
		pd_buf_u64(b, sections[bit].len);
	}
	pd_buf_bytes(b, payloads->data, payloads->len);
}

int rec_features_write(const struct rec_file *file, struct rec_session *session,
		       struct pd_buf *b, uint64_t *features, struct pd_err *err)
{
	const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	struct pd_section sections[PD_FEATURE_NR] = { 0 };
	struct pd_buf payloads = PD_BUF_INIT;
	struct rec_host_facts facts;
	int rc = rec_host_facts_read(&facts, &roots, err);

	if (rc)
		return rc;
	for (unsigned bit = 1; bit < PD_FEATURE_NR && !rc; bit++) {
		size_t start = payloads.len;

		if (bit == PD_FEATURE_BUILD_ID) {
			rec_build_ids_write(session, &payloads);
			rc = payloads.len > start ? 0 : -ENOENT;
		} else {
			rc = write_payload(file, session, &facts, bit,
					   &payloads);
		}
		sections[bit].off = rc ? UINT64_MAX : start; /* missing */
		sections[bit].len = payloads.len - start;
		if (rc == -ENOENT)
			rc = 0;
	}
	rec_host_facts_release(&facts);
	if (!rc)
		rc = pd_buf_status(&payloads);
	if (file->out.formats.len)
		sections[PD_FEATURE_TRACING_DATA] = file->out.formats;
	if (!rc)
		write_table(b, file->out.len, sections, &payloads, features);
	pd_buf_release(&payloads);
	return rc ? rc : pd_buf_status(b);
}

/* Append one HEADER_FEATURE record; nothing if the payload fails.  It is not
 * padded: a payload is read by its length. */
static void write_feature_record(const struct rec_file *file,
				 const struct rec_session *session,
				 const struct rec_host_facts *facts,
				 unsigned bit, struct pd_buf *b)
{
	struct pd_buf payload = PD_BUF_INIT;
	int rc = write_payload(file, session, facts, bit, &payload);

	if (!rc)
		rc = pd_buf_status(&payload);
	if (!rc && payload.len <= PD_RECORD_LEN_MAX - FEATURE_RECORD_LEN) {
		size_t start = pd_record_begin(b, PD_RECORD_HEADER_FEATURE, 0);

		pd_buf_u64(b, bit);
		pd_buf_bytes(b, payload.data, payload.len);
		pd_buf_patch_u16(b, start + 6, (uint16_t)(b->len - start));
	}
	pd_buf_release(&payload);
	if (rc && rc != -ENOENT)
		b->status = rc;
}

struct pd_section
rec_compressed_feature_write(const struct rec_file *file,
			     const struct rec_session *session,
			     struct pd_buf *b)
{
	size_t off = b->len + FEATURE_RECORD_LEN;

	write_feature_record(file, session, NULL, PD_FEATURE_COMPRESSED, b);
	if (b->len <= off)
		return (struct pd_section){ 0 };
	return (struct pd_section){ off, b->len - off };
}

static int write_pipe_tracing_data(const struct rec_session *session,
				   struct pd_buf *b, struct pd_err *err)
{
	struct pd_buf blob = PD_BUF_INIT;
	int rc = rec_tracing_feature_write(session, &blob, err);

	if (!rc) {
		size_t padded_len = (blob.len + 7) / 8 * 8;
		size_t start =
			pd_record_begin(b, PD_RECORD_HEADER_TRACING_DATA, 0);

		pd_buf_u32(b, (uint32_t)padded_len);
		pd_record_end(b, start);
		pd_buf_bytes(b, blob.data, blob.len);
		pd_buf_zero(b, padded_len - blob.len);
	}
	pd_buf_release(&blob);
	return rc == -ENOENT ? 0 : rc;
}

/* False for those that perf 6.1 leaves out of pipes; BRANCH_STACK and the like
 * are read from the attrs there. */
static bool is_for_pipe(unsigned bit)
{
	return bit != PD_FEATURE_TRACING_DATA && bit != PD_FEATURE_BUILD_ID &&
	       bit != PD_FEATURE_BRANCH_STACK && bit != PD_FEATURE_CACHE &&
	       bit != PD_FEATURE_SAMPLE_TIME;
}

int rec_pipe_features_write(const struct rec_file *file,
			    const struct rec_session *session, struct pd_buf *b,
			    struct pd_err *err)
{
	const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	struct rec_host_facts facts;
	size_t start;
	int rc = rec_host_facts_read(&facts, &roots, err);

	if (rc)
		return rc;
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++)
		if (is_for_pipe(bit))
			write_feature_record(file, session, &facts, bit, b);
	rec_host_facts_release(&facts);
	start = pd_record_begin(b, PD_RECORD_HEADER_FEATURE, 0);
	pd_buf_u64(b, PIPE_END_FEATURE);
	pd_record_end(b, start);
	return write_pipe_tracing_data(session, b, err);
}
