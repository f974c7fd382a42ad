/* Checks where a feature's payload lies.  A damaged table points into the
 * header, into events, records or other payloads; what is there can often be
 * decoded, but is not the feature's. */
#include "report/repair/repair_impl.h"

static bool overlaps(const struct pd_cursor *c, uint64_t off, uint64_t len)
{
	return len && c->file_off < off + len && off < c->file_off + c->len;
}

/* Return whether the payload is that of a HEADER_FEATURE record. */
static bool is_in_record(const struct rpt_repair *repair,
			 const struct pd_cursor *c)
{
	const size_t head_len = PD_RECORD_HEADER_LEN + sizeof(uint64_t);
	const struct rpt_file_source *source = repair->source;
	struct pd_record rec;

	return c->file_off >= head_len &&
	       !pd_record_read(source->base + c->file_off - head_len,
			       head_len + c->len, 0, c->swap, &rec, NULL) &&
	       rec.type == PD_RECORD_HEADER_FEATURE;
}

static bool overlaps_section(const struct rpt_repair *repair,
			     const struct pd_cursor *c)
{
	const struct pd_file_header *h = pd_reader_header(repair->reader);
	struct pd_section data = pd_reader_data_section(repair->reader);

	return overlaps(c, 0, h->header_len) ||
	       overlaps(c, h->attrs.off, h->attrs.len) ||
	       overlaps(c, data.off, data.len);
}

/* Return whether a shorter feature overlaps this one: the shorter is believed.
 */
static bool overlaps_shorter(const struct rpt_repair *repair, unsigned bit,
			     const struct pd_cursor *c)
{
	for (unsigned i = 0; i < PD_FEATURE_BITS; i++) {
		struct pd_cursor other;

		if (i != bit && pd_reader_feature(repair->reader, i, &other) &&
		    overlaps(c, other.file_off, other.len) &&
		    (other.len < c->len || (other.len == c->len && i < bit)))
			return true;
	}
	return false;
}

bool rpt_repair_feature(const struct rpt_repair *repair, unsigned bit,
			struct pd_cursor *ret)
{
	struct pd_cursor c;

	if (!pd_reader_feature(repair->reader, bit, &c))
		return false;
	if (!pd_reader_header(repair->reader)->is_pipe &&
	    !is_in_record(repair, &c) &&
	    (overlaps_section(repair, &c) || overlaps_shorter(repair, bit, &c)))
		return false;
	*ret = c;
	return true;
}
