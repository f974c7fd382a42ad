#include "format/carried/carried_stream.h"

#include "format/base/cursor.h"
#include "format/base/hash.h"

/* Two numbers of seven bits a byte. */
enum { SECTION_LEN_MAX = 20 };

void pd_carried_stream_write(struct pd_buf *b, uint64_t off,
			     const uint8_t *head, size_t len,
			     struct pd_carried_sections *sections)
{
	size_t start = b->len;

	pd_buf_varint(b, len);
	pd_buf_varint(b, pd_hash_of(head, len));
	if (pd_buf_status(b))
		return;
	sections->items[sections->nr++] = (struct pd_trailer_section){
		.kind = PD_CARRIED_STREAM,
		.off = off + start,
		.len = b->len - start,
		.plain_len = b->len - start,
		.hash = pd_hash_of(b->data + start, b->len - start),
	};
}

static bool is_of(const uint8_t *data, const struct pd_trailer_section *s,
		  const uint8_t *recording, uint64_t recording_len)
{
	struct pd_cursor c;
	uint64_t len, hash;

	if (s->flags || pd_hash_of(data, (size_t)s->len) != s->hash)
		return false;
	pd_cursor_init(&c, data, (size_t)s->len, s->off,
		       "stream of carried names");
	len = pd_cursor_varint(&c);
	hash = pd_cursor_varint(&c);
	return !pd_cursor_status(&c) && len &&
	       len <= PD_CARRIED_STREAM_LEN_MAX && len <= recording_len &&
	       pd_hash_of(recording, (size_t)len) == hash;
}

bool pd_carried_stream_is_of(const uint8_t *base, uint64_t len,
			     const struct pd_trailer *trailer,
			     const uint8_t *recording, uint64_t recording_len)
{
	for (size_t i = 0; i < trailer->section_nr; i++) {
		const struct pd_trailer_section *s = &trailer->sections[i];

		if (s->kind == PD_CARRIED_STREAM && s->off <= len &&
		    s->len <= len - s->off && s->len <= SECTION_LEN_MAX)
			return is_of(base + s->off, s, recording,
				     recording_len);
	}
	return false;
}
