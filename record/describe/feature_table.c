#include "record/describe/feature_table.h"

#include <errno.h>

#include "format/records/record.h"

/* perf 6.1's HEADER_LAST_FEATURE: ends the features in a pipe */
enum { PIPE_END_FEATURE = 32 };

void rec_feature_table_write(struct pd_buf *b, uint64_t table_off,
			     const struct pd_section *sections,
			     const struct pd_buf *payloads, bool has_formats,
			     uint64_t *features)
{
	uint64_t nr = 0;

	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++)
		nr += sections[bit].off != UINT64_MAX;
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++) {
		uint64_t off = sections[bit].off;

		if (off == UINT64_MAX)
			continue;
		features[bit / 64] |= PD_BIT(bit % 64);
		if (!has_formats || bit != PD_FEATURE_TRACING_DATA)
			off += table_off + sizeof(*sections) * nr;
		pd_buf_u64(b, off);
		pd_buf_u64(b, sections[bit].len);
	}
	pd_buf_bytes(b, payloads->data, payloads->len);
}

int rec_features_collect(const struct rec_host_facts *facts,
			 rec_feature_put_fn *put, void *ctx,
			 struct pd_buf *payloads, struct pd_section *sections,
			 struct pd_err *err)
{
	const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	struct rec_host_facts read = { .pool = { NULL } };
	int rc = facts ? 0 : rec_host_facts_read(&read, &roots, err);

	if (rc)
		return rc;
	if (!facts)
		facts = &read;
	for (unsigned bit = 1; bit < PD_FEATURE_NR && !rc; bit++) {
		size_t start = payloads->len;

		rc = put(ctx, facts, bit, payloads);
		sections[bit].off = rc ? UINT64_MAX : start; /* missing */
		sections[bit].len = payloads->len - start;
		if (rc == -ENOENT)
			rc = 0;
	}
	rec_host_facts_release(&read);
	return rc ? rc : pd_buf_status(payloads);
}

bool rec_feature_is_for_pipe(unsigned bit)
{
	return bit != PD_FEATURE_TRACING_DATA && bit != PD_FEATURE_BUILD_ID &&
	       bit != PD_FEATURE_BRANCH_STACK && bit != PD_FEATURE_CACHE &&
	       bit != PD_FEATURE_SAMPLE_TIME;
}

void rec_feature_record_write(struct pd_buf *b, unsigned bit,
			      const struct pd_buf *payload)
{
	size_t start;

	if (payload->len > PD_RECORD_LEN_MAX - REC_FEATURE_RECORD_LEN)
		return;
	start = pd_record_begin(b, PD_RECORD_HEADER_FEATURE, 0);
	pd_buf_u64(b, bit);
	pd_buf_bytes(b, payload->data, payload->len);
	pd_record_end_unpadded(b, start);
}

void rec_features_end_write(struct pd_buf *b)
{
	size_t start = pd_record_begin(b, PD_RECORD_HEADER_FEATURE, 0);

	pd_buf_u64(b, PIPE_END_FEATURE);
	pd_record_end(b, start);
}
