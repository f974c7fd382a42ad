#include "format/carried/carried_stream.h"

#include <errno.h>

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

static int read_section(const uint8_t *base, uint64_t len,
			const struct pd_trailer_section *s,
			struct pd_carried_stream *ret, struct pd_err *err)
{
	struct pd_cursor c;

	if (s->off > len || s->len > len - s->off || s->len > SECTION_LEN_MAX ||
	    s->flags || pd_hash_of(base + s->off, (size_t)s->len) != s->hash)
		return pd_err_at(err, -EBADMSG, s->off,
				 "the checksum of the recording's start is "
				 "damaged");
	pd_cursor_init(&c, base + s->off, (size_t)s->len, s->off,
		       "stream of carried names");
	c.err = err;
	ret->len = pd_cursor_varint(&c);
	ret->hash = pd_cursor_varint(&c);
	return pd_cursor_status(&c);
}

int pd_carried_stream_read(const uint8_t *base, uint64_t len,
			   const struct pd_trailer *trailer,
			   struct pd_carried_stream *ret, struct pd_err *err)
{
	*ret = (struct pd_carried_stream){ 0 };
	for (size_t i = 0; i < trailer->section_nr; i++)
		if (trailer->sections[i].kind == PD_CARRIED_STREAM)
			return read_section(base, len, &trailer->sections[i],
					    ret, err);
	return 0;
}

bool pd_carried_stream_is_of(const struct pd_carried_stream *stream,
			     const uint8_t *recording, uint64_t len)
{
	return stream->len && stream->len <= PD_CARRIED_STREAM_LEN_MAX &&
	       stream->len <= len &&
	       pd_hash_of(recording, (size_t)stream->len) == stream->hash;
}
