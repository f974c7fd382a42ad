/* buf.h: a growing buffer that writes; the mirror of cursor.h.
 *
 * Numbers are written in this machine's byte order, as perf does, or with swap
 * in the other one, for a file that is repaired.  The buffer keeps its first
 * failure (-ENOMEM): later writes do nothing, and the caller asks
 * pd_buf_status() once at the end.
 */
#ifndef PD_BUF_H
#define PD_BUF_H

#include "format/base/cursor.h"

struct pd_buf {
	uint8_t *data; /* owned */
	size_t len;
	size_t cap;
	int status;
	bool swap; /* write the other byte order; may be set at any time */
};

#define PD_BUF_INIT          \
	{                    \
		.data = NULL \
	}

/* Free what the buffer holds; it can be used again afterwards. */
void pd_buf_release(struct pd_buf *b);
/* Empty the buffer and clear its status, but keep the memory. */
void pd_buf_reset(struct pd_buf *b);
static inline int pd_buf_status(const struct pd_buf *b)
{
	return b->status;
}

/* Make room for n more bytes and return where to write them, or NULL.
 * pd_buf_commit() then adds the n or fewer bytes that were written. */
uint8_t *pd_buf_reserve(struct pd_buf *b, size_t n);
void pd_buf_commit(struct pd_buf *b, size_t n);

void pd_buf_bytes(struct pd_buf *b, const void *p, size_t n);
void pd_buf_zero(struct pd_buf *b, size_t n);
void pd_buf_u8(struct pd_buf *b, uint8_t v);
void pd_buf_u16(struct pd_buf *b, uint16_t v);
void pd_buf_u32(struct pd_buf *b, uint32_t v);
void pd_buf_u64(struct pd_buf *b, uint64_t v);
/* A number as pd_cursor_varint() reads it. */
void pd_buf_varint(struct pd_buf *b, uint64_t v);
/* A difference as pd_cursor_signed() reads it. */
void pd_buf_signed(struct pd_buf *b, uint64_t v);

/* Append a string, a NUL, and NULs up to a multiple of align bytes from the
 * start of the string. */
void pd_buf_cstr_pad(struct pd_buf *b, struct pd_str s, size_t align);
/* Append a header string of FORMAT.md "Feature strings": u32 length, padded to
 * 64. */
void pd_buf_string(struct pd_buf *b, struct pd_str s);
void pd_buf_u64s(struct pd_buf *b, const struct pd_u64s *a);

/* Overwrite a number at off, for example a length that is known only later. */
void pd_buf_patch_u16(struct pd_buf *b, size_t off, uint16_t v);
void pd_buf_patch_u64(struct pd_buf *b, size_t off, uint64_t v);

#endif
