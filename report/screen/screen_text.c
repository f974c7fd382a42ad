#include "report/screen/screen_text.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

#define TAB_COLUMNS 8u

/* Return the length of the colour at the start of text; 0: there is none. */
static size_t colour_len(const char *text, size_t len)
{
	size_t i = 2;

	if (len < 3 || text[0] != '\33' || text[1] != '[')
		return 0;
	while (i < len && strchr("0123456789;", text[i]) && text[i])
		i++;
	return i < len && text[i] == 'm' ? i + 1 : 0;
}

/* Marks that change the direction of what follows, outside of a name, too. */
static bool is_direction(wchar_t c)
{
	return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	       c == 0x200e || c == 0x200f || c == 0x061c;
}

/* Return how many columns the character at the start of text takes, in *ret_len
 * its bytes; -1: it is not to be shown. */
static int columns_of(const char *text, size_t len, size_t *ret_len)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t n = mbrtowc(&c, text, len, &state);

	*ret_len = 1;
	if (!n || n > len)
		return -1;
	*ret_len = n;
	return is_direction(c) ? -1 : wcwidth(c);
}

/* Append the character at the start of text, if it fits in left columns.
 * Return its bytes; 0: it does not fit. */
static size_t put_char(struct rpt_text *out, const char *text, size_t len,
		       uint32_t left, uint32_t *ret_columns)
{
	size_t char_len;
	int columns = columns_of(text, len, &char_len);
	bool is_shown = columns >= 0;

	if (!is_shown)
		columns = 1;
	if ((uint32_t)columns > left)
		return 0;
	if (is_shown)
		rpt_text_put(out, text, char_len);
	else
		rpt_text_char(out, '?');
	*ret_columns = (uint32_t)columns;
	return char_len;
}

static uint32_t put(struct rpt_text *out, const char *text, size_t len,
		    uint32_t columns, bool has_colour)
{
	uint32_t used = 0;
	size_t i = 0;

	while (i < len) {
		size_t skip = colour_len(text + i, len - i);
		uint32_t more = 0;

		if (skip && has_colour)
			rpt_text_put(out, text + i, skip);
		if (!skip && text[i] == '\t') {
			more = TAB_COLUMNS - used % TAB_COLUMNS;
			more = more < columns - used ? more : columns - used;
			rpt_text_pad(out, more);
			skip = more ? 1 : 0;
		} else if (!skip) {
			skip = put_char(out, text + i, len - i, columns - used,
					&more);
		}
		if (!skip)
			break;
		used += more;
		i += skip;
	}
	return used;
}

uint32_t rpt_screen_put(struct rpt_text *out, const char *text, size_t len,
			uint32_t columns, bool has_colour)
{
	static locale_t utf8;
	locale_t former;
	uint32_t used;

	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	/* without it only ASCII is shown */
	former = uselocale(utf8 ? utf8 : (locale_t)0);
	used = put(out, text, len, columns, has_colour);
	uselocale(former);
	return used;
}
