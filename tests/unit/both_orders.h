/* both_orders.h: bytes as a machine of either byte order would write them.
 *
 * Shares nothing with format/base/buf.h, so that it can disagree with it.
 */
#ifndef TEST_BOTH_ORDERS_H
#define TEST_BOTH_ORDERS_H

#include "format/records/record.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

struct bytes {
	uint8_t data[2048];
	size_t len;
	bool big_endian;
};

static inline bool bytes_swap(const struct bytes *b)
{
	return b->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static inline void put(struct bytes *b, uint64_t v, unsigned len)
{
	for (unsigned i = 0; i < len; i++) {
		unsigned shift = 8 * (b->big_endian ? len - 1 - i : i);

		b->data[b->len++] = (uint8_t)(v >> shift);
	}
}

static inline void put_u8(struct bytes *b, uint8_t v)
{
	put(b, v, 1);
}

static inline void put_u16(struct bytes *b, uint16_t v)
{
	put(b, v, 2);
}

static inline void put_u32(struct bytes *b, uint32_t v)
{
	put(b, v, 4);
}

static inline void put_u64(struct bytes *b, uint64_t v)
{
	put(b, v, 8);
}

/* text and NULs up to len bytes */
static inline void put_text(struct bytes *b, const char *text, size_t len)
{
	size_t n = strlen(text);

	memcpy(b->data + b->len, text, n);
	memset(b->data + b->len + n, 0, len - n);
	b->len += len;
}

/* Sets the size of a record that starts the buffer. */
static inline void end_record(struct bytes *b)
{
	size_t len = b->len;

	b->len = 6;
	put_u16(b, (uint16_t)len);
	b->len = len;
}

static inline void begin_record(struct bytes *b, bool big_endian, uint32_t type,
				uint16_t misc)
{
	*b = (struct bytes){ .big_endian = big_endian };
	put_u32(b, type);
	put_u16(b, misc);
	put_u16(b, 0);
}

/* What the library makes of it. */
static inline struct pd_record record_of(const struct bytes *b)
{
	struct pd_record rec = { .seq = 0 };

	assert_int_equal(
		pd_record_read(b->data, b->len, 0, bytes_swap(b), &rec, NULL),
		0);
	return rec;
}

#endif
