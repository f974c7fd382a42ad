#include "format/base/cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void pd_cursor_init(struct pd_cursor *c, const void *data, size_t len,
		    uint64_t file_off, const char *what)
{
	*c = (struct pd_cursor){
		.data = data,
		.len = len,
		.file_off = file_off,
		.what = what,
	};
}

int pd_cursor_short(struct pd_cursor *c)
{
	if (c->status)
		return c->status;
	c->status = -ENODATA;
	return pd_err_at(c->err, c->status, c->file_off + c->pos,
			 "%s ends too early", c->what);
}

int pd_cursor_fail(struct pd_cursor *c, int code, const char *fmt, ...)
{
	char text[sizeof(c->err->text)];
	va_list ap;

	if (c->status)
		return c->status;
	c->status = code;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return pd_err_at(c->err, code, c->file_off + c->pos, "%s", text);
}

struct pd_str pd_cursor_cstr(struct pd_cursor *c)
{
	size_t left = pd_cursor_left(c);
	struct pd_str s = { .ptr = "", .len = 0 };
	const uint8_t *end;

	if (c->status)
		return s;
	s.ptr = (const char *)c->data + c->pos;
	end = left ? memchr(c->data + c->pos, 0, left) : NULL;
	s.len = end ? (size_t)(end - (c->data + c->pos)) : left;
	c->pos += end ? s.len + 1 : left;
	return s;
}

struct pd_str pd_cursor_field(struct pd_cursor *c, size_t n)
{
	const uint8_t *p = pd_cursor_bytes(c, n);

	if (!p)
		return (struct pd_str){ .ptr = "", .len = 0 };
	return (struct pd_str){
		.ptr = (const char *)p,
		.len = strnlen((const char *)p, n),
	};
}

struct pd_str pd_cursor_string(struct pd_cursor *c)
{
	uint32_t len = pd_cursor_u32(c);

	return pd_cursor_field(c, len);
}

bool pd_str_eq(struct pd_str s, const char *text)
{
	return strlen(text) == s.len && memcmp(s.ptr, text, s.len) == 0;
}

char *pd_str_dup(struct pd_str s)
{
	return strndup(s.ptr, s.len);
}

uint64_t pd_cursor_varint(struct pd_cursor *c)
{
	uint64_t v = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 63; shift += 7) {
		byte = pd_cursor_u8(c);
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	byte = pd_cursor_u8(c);
	if (byte > 1) {
		pd_cursor_fail(c, -EBADMSG, "number of more than 64 bits");
		return 0;
	}
	return v | (uint64_t)byte << 63;
}

struct pd_str pd_cursor_text(struct pd_cursor *c)
{
	uint64_t len = pd_cursor_varint(c);
	const uint8_t *p;

	if (len > pd_cursor_left(c)) {
		pd_cursor_short(c);
		return (struct pd_str){ "", 0 };
	}
	p = pd_cursor_bytes(c, len);
	return (struct pd_str){ p ? (const char *)p : "", p ? (size_t)len : 0 };
}

uint64_t pd_cursor_signed(struct pd_cursor *c)
{
	uint64_t v = pd_cursor_varint(c);

	return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}
