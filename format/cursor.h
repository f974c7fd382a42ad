/* cursor.h: the bounded reader of bytes; nothing else turns file bytes into
 * numbers.
 *
 * A cursor walks data[0..len).  It latches its first failure: from then on
 * every read returns 0 (or NULL, or an empty string) and touches nothing, so a
 * decoder reads all its fields in a row and asks pd_cursor_status() once.  The
 * failure names the cursor ("mmap2 record") and the offset in the file.
 * Numbers are unaligned and of either byte order.
 */
#ifndef PD_CURSOR_H
#define PD_CURSOR_H

#include "format/err.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PD_HOST_IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* A string inside a file's bytes: not NUL terminated, may hold anything. */
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

/* data..data+len must outlive the cursor; err may be NULL. */
void pd_cursor_init(struct pd_cursor *c, const void *data, size_t len,
		    uint64_t file_off, const char *what);

/* 0, or the negative errno of the first failure. */
static inline int pd_cursor_status(const struct pd_cursor *c)
{
	return c->status;
}

static inline size_t pd_cursor_left(const struct pd_cursor *c)
{
	return c->status ? 0 : c->len - c->pos;
}

/* Latches -ENODATA "what ends too early" and returns that code; or code with a
 * text of the caller's.  The position becomes the error's offset. */
int pd_cursor_short(struct pd_cursor *c);
int pd_cursor_fail(struct pd_cursor *c, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The next n bytes, or NULL (with the failure latched) if fewer are left. */
static inline const uint8_t *pd_cursor_bytes(struct pd_cursor *c, size_t n)
{
	const uint8_t *p;

	if (c->status || n > c->len - c->pos) {
		pd_cursor_short(c);
		return NULL;
	}
	p = c->data + c->pos;
	c->pos += n;
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

static inline void pd_cursor_skip(struct pd_cursor *c, size_t n)
{
	(void)pd_cursor_bytes(c, n);
}

/* The string at the position, up to a NUL, which is consumed with it, or up to
 * the end of the data where there is none. */
struct pd_str pd_cursor_cstr(struct pd_cursor *c);

/* A string in a field of n bytes: up to its first NUL or n. */
struct pd_str pd_cursor_field(struct pd_cursor *c, size_t n);

/* A header string of FORMAT.md "Feature strings": u32 length, then that many
 * bytes, of which those up to the first NUL are the string. */
struct pd_str pd_cursor_string(struct pd_cursor *c);

/* An array of u64 left in the bytes of the file, read by pd_u64s_at(). */
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
/* A NUL-terminated copy that the caller frees; NULL when out of memory. */
char *pd_str_dup(struct pd_str s);

#endif
