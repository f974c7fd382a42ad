/* buf.h: the growing buffer that writes; the mirror of cursor.h.
 *
 * All numbers go out in this machine's byte order, as perf writes them, or with
 * swap in the other one, which a file that is repaired keeps.  The first
 * failure to grow (-ENOMEM) latches: later writes do nothing, and the caller
 * asks pd_buf_status() once at the end.
 */
#ifndef PD_BUF_H
#define PD_BUF_H

#include "format/cursor.h"

struct pd_buf {
	uint8_t *data; /* owned */
	size_t len;
	size_t cap;
	int status;
	bool swap; /* the owner may set it at any time */
};

#define PD_BUF_INIT          \
	{                    \
		.data = NULL \
	}

/* Frees what the buffer holds; it can be used again afterwards. */
void pd_buf_release(struct pd_buf *b);
/* Empties it and clears the status, keeping the memory. */
void pd_buf_reset(struct pd_buf *b);
static inline int pd_buf_status(const struct pd_buf *b)
{
	return b->status;
}

/* Room for n more bytes: where to write them, or NULL.  Commit with
 * pd_buf_commit() of at most n. */
uint8_t *pd_buf_reserve(struct pd_buf *b, size_t n);
void pd_buf_commit(struct pd_buf *b, size_t n);

void pd_buf_bytes(struct pd_buf *b, const void *p, size_t n);
void pd_buf_zero(struct pd_buf *b, size_t n);
void pd_buf_u8(struct pd_buf *b, uint8_t v);
void pd_buf_u16(struct pd_buf *b, uint16_t v);
void pd_buf_u32(struct pd_buf *b, uint32_t v);
void pd_buf_u64(struct pd_buf *b, uint64_t v);

/* A string, its NUL, and NULs up to a multiple of align bytes counted from the
 * start of the string. */
void pd_buf_cstr_pad(struct pd_buf *b, struct pd_str s, size_t align);
/* Append a header string of FORMAT.md "Feature strings": u32 length, padded to
 * 64. */
void pd_buf_string(struct pd_buf *b, struct pd_str s);
void pd_buf_u64s(struct pd_buf *b, const struct pd_u64s *a);

/* Overwrites what was written before at off (a length known only later). */
void pd_buf_patch_u16(struct pd_buf *b, size_t off, uint16_t v);
void pd_buf_patch_u64(struct pd_buf *b, size_t off, uint64_t v);

#endif
