/* hex_number.h: hexadecimal numbers in lists of symbols. */
#ifndef PD_HEX_NUMBER_H
#define PD_HEX_NUMBER_H

#include "format/base/cursor.h"

/* Read the digits that a text begins with, and move over them.  Return false if
 * there are none, or the number is beyond 64 bits. */
static inline bool pd_hex_number(struct pd_str *text, uint64_t *ret)
{
	/* The value of each digit + 1; 0: not a digit. */
	static const uint8_t digits[256] = {
		['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,
		['5'] = 6,  ['6'] = 7,	['7'] = 8,  ['8'] = 9,	['9'] = 10,
		['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
		['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14,
		['E'] = 15, ['F'] = 16,
	};
	const char *at = text->ptr, *end = text->ptr + text->len;
	uint64_t value = 0;
	unsigned digit;

	for (; at < end && (digit = digits[(uint8_t)*at]); at++) {
		if (value >> 60)
			return false;
		value = value << 4 | (digit - 1);
	}
	if (at == text->ptr)
		return false;
	*text = (struct pd_str){ at, (size_t)(end - at) };
	*ret = value;
	return true;
}

#endif
