#include "record/recording/file_features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "format/file/feature.h"
#include "format/records/record.h"
#include "format/records/zstd_compress.h"
#include "record/base/runtime.h"
#include "record/describe/event_sections.h"
#include "record/describe/feature_table.h"

enum {
	COMPRESSED_ZSTD = 1,
};

/* How long the end of a file waits for build-ids that are not read yet: if
 * others follow it (their rings fill meanwhile), or if it is the last. */
static const uint64_t wait_next_ns = 100000000, wait_last_ns = 5000000000;

static const uint64_t facts_age_ns = UINT64_C(3600000000000);

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

void rec_build_ids_write(struct rec_session *session, struct pd_buf *b)
{
	if (session->build_ids.is_on)
		rec_build_id_reader_write(&session->build_ids,
					  session->args->switch_output.is_on
						  ? wait_next_ns
						  : wait_last_ns,
					  b);
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

int rec_sample_time_write(const struct rec_counts *counts, struct pd_buf *b)
{
	struct pd_sample_time times = { counts->time_lo_ns,
					counts->time_hi_ns };

	if (times.first_ns > times.last_ns)
		return -ENOENT;
	pd_feature_sample_time_write(b, &times);
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

int rec_options_feature_write(const struct rec_session *session, unsigned bit,
			      struct pd_buf *b)
{
	switch (bit) {
	case PD_FEATURE_CMDLINE:
		return rec_cmdline_write(b, session->args->argc,
					 session->args->argv);
	case PD_FEATURE_EVENT_DESC:
		return rec_event_desc_write(b, &session->args->events,
					    &session->open);
	case PD_FEATURE_BRANCH_STACK:
		return has_branches(session) ? 0 : -ENOENT; /* no payload */
	case PD_FEATURE_GROUP_DESC:
		return rec_group_desc_write(b, &session->args->events);
	case PD_FEATURE_CLOCKID:
		return write_clockid(session, b);
	case PD_FEATURE_CLOCK_DATA:
		return write_clock_data(session, b);
	default:
		return -ENOSYS;
	}
}

/* Append the payload of one feature except BUILD_ID and TRACING_DATA, from the
 * recording or host_facts.h.  Return 0, or -ENOENT if there is none. */
static int write_payload(const struct rec_file *file,
			 const struct rec_session *session,
			 const struct rec_host_facts *facts, unsigned bit,
			 struct pd_buf *b)
{
	int rc;

	if (bit == PD_FEATURE_SAMPLE_TIME)
		return rec_sample_time_write(&file->sink.counts, b);
	if (bit == PD_FEATURE_COMPRESSED)
		return write_compressed(file, session, b);
	rc = rec_options_feature_write(session, bit, b);
	if (rc != -ENOSYS)
		return rc;
	return rec_host_feature_write(facts, bit, b) ? 0 : -ENOENT;
}

struct payload_source {
	const struct rec_file *file;
	struct rec_session *session;
};

static int put_payload(void *ctx, const struct rec_host_facts *facts,
		       unsigned bit, struct pd_buf *b)
{
	const struct payload_source *from = ctx;
	size_t start = b->len;

	if (bit != PD_FEATURE_BUILD_ID)
		return write_payload(from->file, from->session, facts, bit, b);
	rec_build_ids_write(from->session, b);
	return b->len > start ? 0 : -ENOENT;
}

/* Sysfs has some files for each CPU and cache: they are read each hour, and in
 * between what changes. */
static int look_at_host(struct rec_session *session, struct pd_err *err)
{
	const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	const uint64_t now_ns = rec_now_ns();
	int rc;

	if (session->facts_ns && now_ns - session->facts_ns < facts_age_ns)
		return rec_host_facts_refresh(&session->facts, &roots, err);
	rec_host_facts_release(&session->facts);
	rc = rec_host_facts_read(&session->facts, &roots, err);
	session->facts_ns = rc ? 0 : now_ns;
	return rc;
}

int rec_features_write(const struct rec_file *file, struct rec_session *session,
		       struct pd_buf *b, uint64_t *features, struct pd_err *err)
{
	struct payload_source from = { file, session };
	struct pd_section sections[PD_FEATURE_NR] = { 0 };
	struct pd_buf payloads = PD_BUF_INIT;
	int rc = look_at_host(session, err);

	if (!rc)
		rc = rec_features_collect(&session->facts, put_payload, &from,
					  &payloads, sections, err);

	if (file->out.formats.len)
		sections[PD_FEATURE_TRACING_DATA] = file->out.formats;
	if (!rc)
		rec_feature_table_write(b, file->out.len, sections, &payloads,
					file->out.formats.len, features);
	pd_buf_release(&payloads);
	return rc ? rc : pd_buf_status(b);
}

/* Append one HEADER_FEATURE record; nothing if the payload fails. */
static void write_feature_record(const struct rec_file *file,
				 const struct rec_session *session,
				 const struct rec_host_facts *facts,
				 unsigned bit, struct pd_buf *b)
{
	struct pd_buf payload = PD_BUF_INIT;
	int rc = write_payload(file, session, facts, bit, &payload);

	if (!rc)
		rc = pd_buf_status(&payload);
	if (!rc)
		rec_feature_record_write(b, bit, &payload);
	pd_buf_release(&payload);
	if (rc && rc != -ENOENT)
		b->status = rc;
}

/* "perf report" of 6.1 does not swap the number in HEADER_FEATURE, and ends
 * there; a FINISHED_INIT with a payload is passed over by all. */
static void put_early(unsigned bit, const struct pd_buf *payload,
		      struct pd_buf *b)
{
	size_t start;

	if (!REC_IS_BIG_ENDIAN) {
		rec_feature_record_write(b, bit, payload);
		return;
	}
	start = pd_record_begin(b, PD_RECORD_FINISHED_INIT, 0);
	pd_buf_u64(b, bit);
	pd_buf_bytes(b, payload->data, payload->len);
	pd_record_end(b, start);
}

struct pd_section rec_early_feature_write(const struct rec_file *file,
					  const struct rec_session *session,
					  unsigned bit, struct pd_buf *b)
{
	struct pd_section ret = { .off = b->len + REC_FEATURE_RECORD_LEN };
	struct pd_buf payload = PD_BUF_INIT;
	struct utsname uts;

	if (bit == PD_FEATURE_COMPRESSED)
		(void)!write_compressed(file, session, &payload);
	else if (!uname(&uts))
		pd_buf_string(
			&payload,
			(struct pd_str){ uts.nodename, strlen(uts.nodename) });
	if (pd_buf_status(&payload))
		b->status = pd_buf_status(&payload);
	else if (payload.len)
		put_early(bit, &payload, b);
	if (b->len > ret.off)
		ret.len = payload.len;
	pd_buf_release(&payload);
	return ret;
}

int rec_pipe_features_write(const struct rec_file *file,
			    const struct rec_session *session, struct pd_buf *b,
			    struct pd_err *err)
{
	const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	struct rec_host_facts facts;
	int rc = rec_host_facts_read(&facts, &roots, err);

	if (rc)
		return rc;
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++)
		if (rec_feature_is_for_pipe(bit))
			write_feature_record(file, session, &facts, bit, b);
	rec_host_facts_release(&facts);
	rec_features_end_write(b);
	return rec_formats_record_write(b, &session->args->events,
					session->args->env.tracefs, err);
}
