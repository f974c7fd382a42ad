#include "report/base/text_out.h"

#include "format/support/safe_text.h"
#include "report/base/memory.h"
#include "report/base/shortage.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void rpt_text_init(struct rpt_text *text, FILE *out)
{
	text->out = out;
	text->heap = NULL;
	text->len = 0;
	text->status = 0;
	text->is_safe = false;
}

void rpt_text_heap_reserve(struct rpt_text_heap *heap, size_t len)
{
	if (len <= heap->cap)
		return;
	heap->data = rpt_realloc_array(heap->data, len, 1);
	heap->cap = len;
}

void rpt_text_heap_add(struct rpt_text_heap *heap, const char *data, size_t len)
{
	if (!len)
		return;
	if (len > heap->cap - heap->len)
		rpt_text_heap_reserve(heap, (heap->len + len) * 2);
	memcpy(heap->data + heap->len, data, len);
	heap->len += len;
}

static void put_out(struct rpt_text *text, const char *data, size_t len)
{
	if (text->status || !len)
		return;
	if (text->heap)
		rpt_text_heap_add(text->heap, data, len);
	else if (fwrite(data, 1, len, text->out) != len)
		text->status = errno ? -errno : -EIO;
}

/* Write out the buffer as safe_text.h says. */
static void put_out_safe(struct rpt_text *text)
{
	struct pd_str left = { text->data, text->len };
	char buf[SUP_SAFE_LEN];

	while (left.len) {
		struct pd_str part = sup_safe_next(&left, SUP_SAFE_LINES, buf);

		put_out(text, part.ptr, part.len);
	}
}

int rpt_text_flush(struct rpt_text *text)
{
	if (text->is_safe && text->len)
		put_out_safe(text);
	else
		put_out(text, text->data, text->len);
	text->len = 0;
	return text->status;
}

void rpt_text_spill(struct rpt_text *text)
{
	struct pd_str whole = { text->data, text->len };
	size_t cut_len = text->is_safe ? sup_cut_len(whole) : 0;

	text->len -= cut_len;
	whole.len = text->len;
	rpt_text_flush(text);
	memmove(text->data, text->data + whole.len, cut_len);
	text->len = cut_len;
}

void rpt_text_escape(struct rpt_text *text, const char *sequence)
{
	if (text->is_safe) {
		rpt_text_flush(text);
		put_out(text, sequence, strlen(sequence));
	} else {
		rpt_text_str(text, sequence);
	}
}

void rpt_text_name(struct rpt_text *text, const char *name, size_t len)
{
	struct pd_str left = { name, len };
	char buf[SUP_SAFE_LEN];

	while (left.len) {
		struct pd_str part = sup_safe_next(&left, SUP_SAFE_NAME, buf);

		rpt_text_put(text, part.ptr, part.len);
	}
}

static ssize_t append(void *text, const char *data, size_t len)
{
	rpt_text_put(text, data, len);
	return (ssize_t)len;
}

FILE *rpt_text_stream(struct rpt_text *text)
{
	cookie_io_functions_t calls = { .write = append };
	FILE *out = fopencookie(text, "w", calls);

	if (!out)
		rpt_shortage_of_memory();
	return out;
}

void rpt_text_put_long(struct rpt_text *text, const char *data, size_t len)
{
	while (len > RPT_TEXT_LEN - text->len) {
		size_t part = RPT_TEXT_LEN - text->len;

		memcpy(text->data + text->len, data, part);
		text->len += part;
		data += part;
		len -= part;
		rpt_text_spill(text);
	}
	memcpy(text->data + text->len, data, len);
	text->len += len;
}

void rpt_text_format(struct rpt_text *text, const char *format, ...)
{
	char buf[512];
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(buf, sizeof(buf), format, ap);
	va_end(ap);
	if (len > 0)
		rpt_text_put(text, buf,
			     (size_t)len < sizeof(buf) ? (size_t)len
						       : sizeof(buf) - 1);
}

void rpt_text_pad(struct rpt_text *text, size_t nr)
{
	static const char blanks[] = "                                ";

	while (nr) {
		size_t part = nr;

		if (part > sizeof(blanks) - 1)
			part = sizeof(blanks) - 1;
		rpt_text_put(text, blanks, part);
		nr -= part;
	}
}

static void pad(struct rpt_text *text, size_t len, size_t width)
{
	if (len < width)
		rpt_text_pad(text, width - len);
}

void rpt_text_left(struct rpt_text *text, const char *str, size_t width)
{
	size_t len = strnlen(str, width);

	rpt_text_put(text, str, len);
	pad(text, len, width);
}

static void put_right(struct rpt_text *text, const char *str, size_t len,
		      size_t width)
{
	pad(text, len, width);
	rpt_text_put(text, str, len);
}

void rpt_text_right(struct rpt_text *text, const char *str, size_t width)
{
	put_right(text, str, strlen(str), width);
}

/* Write the digits of v in front of end.  Return where they start. */
static char *digits(char *end, uint64_t v)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";

	for (; v >= 100; v /= 100) {
		end -= 2;
		memcpy(end, pairs + v % 100 * 2, 2);
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, pairs + v * 2, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

void rpt_text_dec(struct rpt_text *text, uint64_t v, unsigned width)
{
	char buf[24], *end = buf + sizeof(buf), *p = digits(end, v);

	put_right(text, p, (size_t)(end - p), width);
}

void rpt_text_int(struct rpt_text *text, int64_t v, unsigned width)
{
	char buf[24], *end = buf + sizeof(buf), *p;

	if (v >= 0) {
		rpt_text_dec(text, (uint64_t)v, width);
		return;
	}
	p = digits(end, -(uint64_t)v);
	*--p = '-';
	put_right(text, p, (size_t)(end - p), width);
}

void rpt_text_zeros(struct rpt_text *text, uint64_t v, unsigned width)
{
	char buf[24], *end = buf + sizeof(buf), *p = digits(end, v);

	while (p > buf && (size_t)(end - p) < width)
		*--p = '0';
	rpt_text_put(text, p, (size_t)(end - p));
}

/* Return the 8 hex digits of v: spread its 4-bit groups over the bytes, then
 * turn all of them into digits at once. */
static uint64_t hex_digits(uint32_t v)
{
	uint64_t x = v, above_9;

	x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	above_9 = (x + UINT64_C(0x0606060606060606)) >> 4 &
		  UINT64_C(0x0101010101010101);
	return x + UINT64_C(0x3030303030303030) + above_9 * ('a' - '0' - 10);
}

/* Append the last nr hex digits of v. */
static void put_hex(struct rpt_text *text, uint64_t v, size_t nr)
{
	uint64_t digit[2] = { htobe64(hex_digits((uint32_t)(v >> 32))),
			      htobe64(hex_digits((uint32_t)v)) };

	rpt_text_put(text, (const char *)digit + sizeof(digit) - nr, nr);
}

void rpt_text_hex(struct rpt_text *text, uint64_t v, unsigned width)
{
	size_t nr = (size_t)(67 - __builtin_clzll(v | 1)) / 4;

	pad(text, nr, width);
	put_hex(text, v, nr);
}

void rpt_text_hex16(struct rpt_text *text, uint64_t v)
{
	put_hex(text, v, 16);
}

/* Return whether pct can be rounded here; near a tie, or with more digits than
 * a double has, printf() rounds the number as it is stored. */
static bool is_plain(double pct)
{
	double part;

	if (!(pct >= 0 && pct < 1e6))
		return false;
	part = pct * 100 - (double)(uint64_t)(pct * 100);
	return part < 0.499999 || part > 0.500001;
}

void rpt_text_percent(struct rpt_text *text, double pct, unsigned width)
{
	char buf[24], *end = buf + sizeof(buf), *p = end;
	uint64_t n;

	if (!is_plain(pct)) {
		rpt_text_format(text, "%*.2f%%", (int)width, pct);
		return;
	}
	n = (uint64_t)(pct * 100 + 0.5);
	*--p = '%';
	*--p = (char)('0' + n % 10);
	*--p = (char)('0' + n / 10 % 10);
	*--p = '.';
	p = digits(p, n / 100);
	put_right(text, p, (size_t)(end - p), width + 1);
}

struct rpt_text_string *rpt_text_string_new(void)
{
	struct rpt_text_string *string = rpt_alloc(sizeof(*string));

	string->heap = (struct rpt_text_heap){ 0 };
	rpt_text_init(&string->text, NULL);
	string->text.heap = &string->heap;
	return string;
}

void rpt_text_string_free(struct rpt_text_string *string)
{
	if (string)
		free(string->heap.data);
	free(string);
}

const char *rpt_text_string_take(struct rpt_text_string *string,
				 size_t *ret_len)
{
	rpt_text_char(&string->text, '\0');
	rpt_text_flush(&string->text);
	if (ret_len)
		*ret_len = string->heap.len - 1;
	string->heap.len = 0;
	return string->heap.data;
}
