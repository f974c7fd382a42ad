/* cursor.h: a bounded reader of bytes; nothing else turns the bytes of a file
 * into numbers.
 *
 * A cursor reads data[0..len) from start to end.  It keeps its first failure:
 * from then on every read returns 0 (or NULL, or an empty string) and does
 * nothing, so that a decoder can read all its fields in a row and ask
 * pd_cursor_status() once.  The failure names the cursor ("mmap2 record") and
 * the offset in the file.  Numbers may be unaligned and of either byte order.
 */
#ifndef PD_CURSOR_H
#define PD_CURSOR_H

#include "format/base/err.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PD_HOST_IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* A string in the bytes of a file: not NUL terminated, of any content. */
struct pd_str {
	const char *ptr;
	size_t len;
};

struct pd_cursor {
	const uint8_t *data;
	size_t len;
	size_t pos;
	uint64_t file_off; /* of data[0] */
	const char *what;  /* "mmap2 record": a literal */
	struct pd_err *err;
	int status;
	bool swap; /* the file's byte order is not this machine's */
};

/* Start to read data[0..len), which must outlive the cursor and stands at
 * file_off in the file. */
void pd_cursor_init(struct pd_cursor *c, const void *data, size_t len,
		    uint64_t file_off, const char *what);

/* Return 0, or the negative errno of the first failure. */
static inline int pd_cursor_status(const struct pd_cursor *c)
{
	return c->status;
}

static inline size_t pd_cursor_left(const struct pd_cursor *c)
{
	return c->status ? 0 : c->len - c->pos;
}

/* Fail at this position, unless the cursor has failed before: with -ENODATA and
 * "WHAT ends too early", or with the code and the text of the caller.  Return
 * the code of the first failure. */
int pd_cursor_short(struct pd_cursor *c);
int pd_cursor_fail(struct pd_cursor *c, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Return the next n bytes; fail and return NULL if fewer are left.  n may be
 * any number out of the file, also where a size_t has 32 bits. */
static inline const uint8_t *pd_cursor_bytes(struct pd_cursor *c, uint64_t n)
{
	const uint8_t *p;

	if (c->status || n > c->len - c->pos) {
		pd_cursor_short(c);
		return NULL;
	}
	p = c->data + c->pos;
	c->pos += (size_t)n;
	return p;
}

static inline uint8_t pd_cursor_u8(struct pd_cursor *c)
{
	const uint8_t *p = pd_cursor_bytes(c, 1);

	return p ? *p : 0;
}

static inline uint16_t pd_cursor_u16(struct pd_cursor *c)
{
	const uint8_t *p = pd_cursor_bytes(c, 2);
	uint16_t v;

	if (!p)
		return 0;
	memcpy(&v, p, sizeof(v));
	return c->swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t pd_cursor_u32(struct pd_cursor *c)
{
	const uint8_t *p = pd_cursor_bytes(c, 4);
	uint32_t v;

	if (!p)
		return 0;
	memcpy(&v, p, sizeof(v));
	return c->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t pd_cursor_u64(struct pd_cursor *c)
{
	const uint8_t *p = pd_cursor_bytes(c, 8);
	uint64_t v;

	if (!p)
		return 0;
	memcpy(&v, p, sizeof(v));
	return c->swap ? __builtin_bswap64(v) : v;
}

/* Return the next number of FORMAT.md "Carried names": seven bits a byte,
 * lowest first, bit 7 set in all but the last byte; one beyond 64 bits is
 * -EBADMSG. */
uint64_t pd_cursor_varint(struct pd_cursor *c);
/* Return a text behind its length, a varint; "" if it is not whole. */
struct pd_str pd_cursor_text(struct pd_cursor *c);
/* Return the next difference d, modulo 2^64, which is the number 2d, or -2d - 1
 * if it is below 0. */
uint64_t pd_cursor_signed(struct pd_cursor *c);

static inline void pd_cursor_skip(struct pd_cursor *c, uint64_t n)
{
	(void)pd_cursor_bytes(c, n);
}

/* Read a string that ends at a NUL, which is skipped, or at the end of the
 * data. */
struct pd_str pd_cursor_cstr(struct pd_cursor *c);

/* Read a string in a field of n bytes: it ends at the first NUL, or at n. */
struct pd_str pd_cursor_field(struct pd_cursor *c, size_t n);

/* Read a string of FORMAT.md "Feature strings": u32 length, then a field of so
 * many bytes. */
struct pd_str pd_cursor_string(struct pd_cursor *c);

/* An array of u64 that stays in the bytes of the file; pd_u64s_at() reads it.
 */
struct pd_u64s {
	const uint8_t *raw;
	size_t nr;
	bool swap;
};

static inline struct pd_u64s pd_cursor_u64s(struct pd_cursor *c, uint64_t nr)
{
	struct pd_u64s a = { .swap = c->swap };

	if (c->status || nr > (c->len - c->pos) / sizeof(uint64_t)) {
		pd_cursor_short(c);
		return a;
	}
	a.nr = (size_t)nr;
	a.raw = pd_cursor_bytes(c, a.nr * sizeof(uint64_t));
	return a;
}

static inline uint64_t pd_u64s_at(const struct pd_u64s *a, size_t idx)
{
	uint64_t v;

	memcpy(&v, a->raw + idx * sizeof(v), sizeof(v));
	return a->swap ? __builtin_bswap64(v) : v;
}

bool pd_str_eq(struct pd_str s, const char *text);
/* Return a NUL-terminated copy that the caller frees; NULL if there is no
 * memory. */
char *pd_str_dup(struct pd_str s);

#endif
