/* option_values.c: parse the values of options: numbers, sizes, durations. */
#include "format/support/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Parse the digits at the start of text; *ret_rest becomes what follows them.
 */
static int parse_digits(const char *text, uint64_t *ret, const char **ret_rest)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*ret = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
	if (errno)
		return -ERANGE;
	*ret_rest = end;
	return 0;
}

int sup_parse_u64(const char *text, uint64_t *ret)
{
	const char *rest;
	uint64_t v;
	int rc = parse_digits(text, &v, &rest);

	if (rc)
		return rc;
	if (*rest)
		return -EINVAL;
	*ret = v;
	return 0;
}

/* More digits than these are refused: no factor is longer. */
#define FRACTION_SCALE_MAX 1000000

struct suffix {
	const char *text;
	uint64_t factor;
};

/* Parse ".5" at *text, which may be missing: v becomes the digits, scale the
 * power of ten that they are parts of. */
static int parse_fraction(const char **text, uint64_t *ret, uint64_t *ret_scale)
{
	const char *p = *text;

	*ret = 0;
	*ret_scale = 1;
	if (*p != '.')
		return 0;
	for (p++; isdigit((unsigned char)*p); p++) {
		if (*ret_scale == FRACTION_SCALE_MAX)
			return -EINVAL;
		*ret = *ret * 10 + (uint64_t)(*p - '0');
		*ret_scale *= 10;
	}
	*text = p;
	return *ret_scale == 1 ? -EINVAL : 0;
}

static int parse_suffixed(const char *text, const struct suffix *suffixes,
			  uint64_t *ret)
{
	const char *rest;
	uint64_t v, part, scale;
	int rc = parse_digits(text, &v, &rest);

	if (!rc)
		rc = parse_fraction(&rest, &part, &scale);
	if (rc)
		return rc;
	for (; suffixes->text; suffixes++) {
		if (strcmp(rest, suffixes->text) != 0)
			continue;
		if (suffixes->factor == 1 && scale != 1)
			return -EINVAL; /* a part of a byte */
		if (__builtin_mul_overflow(v, suffixes->factor, &v) ||
		    __builtin_mul_overflow(part, suffixes->factor, &part) ||
		    __builtin_add_overflow(v, part / scale, &v))
			return -ERANGE;
		*ret = v;
		return 0;
	}
	return -EINVAL;
}

int sup_parse_size(const char *text, uint64_t *ret_len)
{
	static const struct suffix suffixes[] = {
		{ "", 1 },	     { "B", 1 },	  { "K", 1ull << 10 },
		{ "k", 1ull << 10 }, { "M", 1ull << 20 }, { "m", 1ull << 20 },
		{ "G", 1ull << 30 }, { "g", 1ull << 30 }, { NULL, 0 },
	};

	return parse_suffixed(text, suffixes, ret_len);
}

int sup_parse_duration(const char *text, uint64_t *ret_ns)
{
	static const struct suffix suffixes[] = {
		{ "", 1000000000ull },
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000ull },
		{ "m", 60 * 1000000000ull },
		{ "h", 3600 * 1000000000ull },
		{ NULL, 0 },
	};

	return parse_suffixed(text, suffixes, ret_ns);
}
