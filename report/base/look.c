#include "report/base/look.h"

#include "format/support/safe_text.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <wchar.h>

#define RED_PCT	  5.0
#define GREEN_PCT 0.5

#define DOTS	 "..."
#define DOTS_LEN (sizeof(DOTS) - 1)

const char *rpt_percent_colour(const struct rpt_look *look, double pct)
{
	if (!look->has_colour)
		return NULL;
	if (fabs(pct) >= RED_PCT)
		return "\33[31m";
	return fabs(pct) > GREEN_PCT ? "\33[32m" : NULL;
}

/* The parts of a name that are kept. */
struct cut {
	size_t head_len;
	size_t tail_start;
	size_t dots_len;
};

static bool is_inside_char(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Return false if the name fits. */
static bool cut_name(const char *name, size_t len, size_t width,
		     struct cut *ret)
{
	size_t keep = width > DOTS_LEN ? width - DOTS_LEN : 0;

	if (len <= width)
		return false;
	ret->head_len = keep - keep / 2;
	ret->tail_start = len - keep / 2;
	ret->dots_len = width < DOTS_LEN ? width : DOTS_LEN;
	while (ret->head_len && is_inside_char(name[ret->head_len]))
		ret->head_len--;
	while (ret->tail_start < len && is_inside_char(name[ret->tail_start]))
		ret->tail_start++;
	return true;
}

size_t rpt_text_short(struct rpt_text *text, const char *name, size_t width)
{
	size_t len = strlen(name);
	struct cut cut;

	if (!cut_name(name, len, width, &cut)) {
		rpt_text_put(text, name, len);
		return len;
	}
	rpt_text_put(text, name, cut.head_len);
	rpt_text_put(text, DOTS, cut.dots_len);
	rpt_text_put(text, name + cut.tail_start, len - cut.tail_start);
	return cut.head_len + cut.dots_len + len - cut.tail_start;
}

const char *rpt_short_name(const char *name, size_t width, char *buf)
{
	size_t len = strlen(name);
	struct cut cut;

	if (!cut_name(name, len, width, &cut))
		return name;
	memcpy(buf, name, cut.head_len);
	memcpy(buf + cut.head_len, DOTS, cut.dots_len);
	memcpy(buf + cut.head_len + cut.dots_len, name + cut.tail_start,
	       len - cut.tail_start + 1);
	return buf;
}

static locale_t utf8; /* 0: there is none, and only ASCII has columns */

static void find_utf8(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* Count the columns of text that is safe. */
static size_t safe_columns(struct pd_str text)
{
	mbstate_t state = { 0 };
	size_t columns = 0;

	while (text.len) {
		wchar_t c;
		size_t n = mbrtowc(&c, text.ptr, text.len, &state);
		int width = n && n <= text.len ? wcwidth(c) : -1;

		if (!n || n > text.len) {
			n = 1;
			state = (mbstate_t){ 0 };
		}
		columns += width < 0 ? 1 : (size_t)width;
		text.ptr += n;
		text.len -= n;
	}
	return columns;
}

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' ||
		    (unsigned char)text[i] >= 0x7f)
			return false;
	return true;
}

locale_t rpt_look_utf8(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_utf8);
	return utf8;
}

size_t rpt_look_columns(const struct rpt_look *look, const char *text,
			size_t len)
{
	struct pd_str left = { text, len };
	size_t columns = 0;
	locale_t old;

	if (!look->width || is_plain(text, len))
		return len;
	if (!rpt_look_utf8())
		return len;
	old = uselocale(utf8);
	while (left.len) {
		char buf[SUP_SAFE_LEN];

		columns +=
			safe_columns(sup_safe_next(&left, SUP_SAFE_NAME, buf));
	}
	uselocale(old);
	return columns;
}

size_t rpt_look_short(const struct rpt_look *look, struct rpt_text *text,
		      const char *name, size_t width)
{
	size_t len = strlen(name), columns = rpt_look_columns(look, name, len);
	struct cut cut;

	if (columns <= width || !cut_name(name, len, width, &cut)) {
		rpt_text_put(text, name, len);
		return columns;
	}
	rpt_text_short(text, name, width);
	return rpt_look_columns(look, name, cut.head_len) + cut.dots_len +
	       rpt_look_columns(look, name + cut.tail_start,
				len - cut.tail_start);
}

size_t rpt_look_room(const struct rpt_look *look, size_t used)
{
	if (!look->width)
		return SIZE_MAX;
	return look->width > used + RPT_SHORT_LEN ? look->width - used
						  : RPT_SHORT_LEN;
}
