#include "format/records/sample_id.h"

#include "format/file/layout.h"

#include <string.h>

#define TRAILER_BITS                                                           \
	(PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_ID | PD_SAMPLE_STREAM_ID | \
	 PD_SAMPLE_CPU | PD_SAMPLE_IDENTIFIER)

/* The end of the fields of BPF_EVENT, and of those of KSYMBOL in front of the
 * name. */
enum { FIELDS_END = PD_RECORD_HEADER_LEN + 16 };

uint16_t pd_record_own_len(uint32_t type, const uint8_t *data, uint16_t len,
			   size_t id_len)
{
	size_t own_len = FIELDS_END + id_len;
	const uint8_t *nul;

	if (own_len >= len)
		return len;
	if (type == PD_RECORD_KSYMBOL) {
		nul = memchr(data + FIELDS_END, '\0', len - own_len);
		if (!nul)
			return len;
		own_len += ((size_t)(nul - (data + FIELDS_END)) + 8) / 8 * 8;
	}
	return own_len < len ? (uint16_t)own_len : len;
}

int pd_sample_id_read(const struct pd_sample_layout *layout,
		      const struct pd_record *rec, struct pd_sample_id *ret,
		      struct pd_err *err)
{
	struct pd_cursor c = pd_record_body(rec, "sample_id trailer", err);
	uint64_t bits = layout->sample_type;

	*ret = (struct pd_sample_id){ 0 };
	if (!layout->id_len)
		return 0;
	if (pd_cursor_left(&c) < layout->id_len)
		return pd_cursor_short(&c);
	pd_cursor_skip(&c, pd_cursor_left(&c) - layout->id_len);
	ret->present = bits & TRAILER_BITS;
	if (bits & PD_SAMPLE_TID) {
		ret->pid = pd_cursor_u32(&c);
		ret->tid = pd_cursor_u32(&c);
	}
	if (bits & PD_SAMPLE_TIME)
		ret->time_ns = pd_cursor_u64(&c);
	if (bits & PD_SAMPLE_ID)
		ret->id = pd_cursor_u64(&c);
	if (bits & PD_SAMPLE_STREAM_ID)
		ret->stream_id = pd_cursor_u64(&c);
	if (bits & PD_SAMPLE_CPU) {
		ret->cpu = pd_cursor_u32(&c);
		pd_cursor_skip(&c, 4);
	}
	if (bits & PD_SAMPLE_IDENTIFIER)
		ret->id = pd_cursor_u64(&c);
	return pd_cursor_status(&c);
}

void pd_sample_id_write(struct pd_buf *b, const struct pd_sample_layout *layout,
			const struct pd_sample_id *id)
{
	uint64_t bits = layout->sample_type;

	if (!layout->id_len)
		return;
	if (bits & PD_SAMPLE_TID) {
		pd_buf_u32(b, id->pid);
		pd_buf_u32(b, id->tid);
	}
	if (bits & PD_SAMPLE_TIME)
		pd_buf_u64(b, id->time_ns);
	if (bits & PD_SAMPLE_ID)
		pd_buf_u64(b, id->id);
	if (bits & PD_SAMPLE_STREAM_ID)
		pd_buf_u64(b, id->stream_id);
	if (bits & PD_SAMPLE_CPU) {
		pd_buf_u32(b, id->cpu);
		pd_buf_u32(b, 0);
	}
	if (bits & PD_SAMPLE_IDENTIFIER)
		pd_buf_u64(b, id->id);
}
