#include "format/base/buf.h"

#include <stdlib.h>

#define FIRST_CAP    256u
#define STRING_ALIGN 64u /* FORMAT.md "Feature strings" */

void pd_buf_release(struct pd_buf *b)
{
	free(b->data);
	*b = (struct pd_buf)PD_BUF_INIT;
}

void pd_buf_reset(struct pd_buf *b)
{
	b->len = 0;
	b->status = 0;
}

static int grow(struct pd_buf *b, size_t need)
{
	size_t cap = b->cap ? b->cap : FIRST_CAP;
	uint8_t *data;

	while (cap < need) {
		if (cap > SIZE_MAX / 2)
			return b->status = -ENOMEM;
		cap *= 2;
	}
	data = realloc(b->data, cap);
	if (!data)
		return b->status = -ENOMEM;
	b->data = data;
	b->cap = cap;
	return 0;
}

uint8_t *pd_buf_reserve(struct pd_buf *b, size_t n)
{
	if (b->status)
		return NULL;
	if (n > SIZE_MAX - b->len) {
		b->status = -ENOMEM;
		return NULL;
	}
	if ((!b->data || b->len + n > b->cap) && grow(b, b->len + n))
		return NULL;
	return b->data + b->len;
}

void pd_buf_commit(struct pd_buf *b, size_t n)
{
	b->len += n;
}

void pd_buf_bytes(struct pd_buf *b, const void *p, size_t n)
{
	uint8_t *to = pd_buf_reserve(b, n);

	if (!to || !n)
		return;
	memcpy(to, p, n);
	b->len += n;
}

void pd_buf_zero(struct pd_buf *b, size_t n)
{
	uint8_t *to = pd_buf_reserve(b, n);

	if (!to)
		return;
	memset(to, 0, n);
	b->len += n;
}

void pd_buf_u8(struct pd_buf *b, uint8_t v)
{
	pd_buf_bytes(b, &v, sizeof(v));
}

void pd_buf_u16(struct pd_buf *b, uint16_t v)
{
	if (b->swap)
		v = __builtin_bswap16(v);
	pd_buf_bytes(b, &v, sizeof(v));
}

void pd_buf_u32(struct pd_buf *b, uint32_t v)
{
	if (b->swap)
		v = __builtin_bswap32(v);
	pd_buf_bytes(b, &v, sizeof(v));
}

void pd_buf_u64(struct pd_buf *b, uint64_t v)
{
	if (b->swap)
		v = __builtin_bswap64(v);
	pd_buf_bytes(b, &v, sizeof(v));
}

void pd_buf_cstr_pad(struct pd_buf *b, struct pd_str s, size_t align)
{
	size_t padded = (s.len + 1 + align - 1) / align * align;

	pd_buf_bytes(b, s.ptr, s.len);
	pd_buf_zero(b, padded - s.len);
}

void pd_buf_string(struct pd_buf *b, struct pd_str s)
{
	size_t padded =
		(s.len + 1 + STRING_ALIGN - 1) / STRING_ALIGN * STRING_ALIGN;

	pd_buf_u32(b, (uint32_t)padded);
	pd_buf_cstr_pad(b, s, STRING_ALIGN);
}

void pd_buf_u64s(struct pd_buf *b, const struct pd_u64s *a)
{
	for (size_t i = 0; i < a->nr; i++)
		pd_buf_u64(b, pd_u64s_at(a, i));
}

void pd_buf_varint(struct pd_buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		pd_buf_u8(b, (uint8_t)(v | 0x80));
	pd_buf_u8(b, (uint8_t)v);
}

void pd_buf_signed(struct pd_buf *b, uint64_t v)
{
	pd_buf_varint(b, v << 1 ^ (v >> 63 ? UINT64_MAX : 0));
}

void pd_buf_patch_u16(struct pd_buf *b, size_t off, uint16_t v)
{
	if (b->swap)
		v = __builtin_bswap16(v);
	if (!b->status)
		memcpy(b->data + off, &v, sizeof(v));
}

void pd_buf_patch_u64(struct pd_buf *b, size_t off, uint64_t v)
{
	if (b->swap)
		v = __builtin_bswap64(v);
	if (!b->status)
		memcpy(b->data + off, &v, sizeof(v));
}
