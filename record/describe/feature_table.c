#include "record/describe/feature_table.h"

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
