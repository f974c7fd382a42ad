#include "record/cmdline/switch_output_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	char letter;
	uint64_t scale;
};

static const struct unit size_units[] = {
	{ 'B', 1 },
	{ 'K', UINT64_C(1) << 10 },
	{ 'M', UINT64_C(1) << 20 },
	{ 'G', UINT64_C(1) << 30 },
	{ '\0', 0 },
};

static const struct unit time_units[] = {
	{ 's', UINT64_C(1000000000) },
	{ 'm', UINT64_C(60000000000) },
	{ 'h', UINT64_C(3600000000000) },
	{ 'd', UINT64_C(86400000000000) },
	{ '\0', 0 },
};

/* Parse a number above 0 with one of the unit letters. */
static int parse_unit(const char *text, const struct unit *units, uint64_t *ret)
{
	char *end;
	unsigned long long v;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &end, 10);
	while (units->letter && units->letter != *end)
		units++;
	if (errno || !v || !units->letter || end[1] ||
	    v > INT64_MAX / units->scale)
		return -EINVAL;
	*ret = v * units->scale;
	return 0;
}

int rec_switch_parse(const char *text, struct rec_switch_output_spec *ret,
		     struct pd_err *err)
{
	struct rec_switch_output_spec spec = { .is_on = true };

	if (text && strcmp(text, "signal") != 0 &&
	    parse_unit(text, size_units, &spec.len) &&
	    parse_unit(text, time_units, &spec.interval_ns)) {
		pd_err_set(err, -EINVAL,
			   "--switch-output '%s' is not understood", text);
		pd_err_hint(err, "give signal, a size such as 64M (B, K, M, G) "
				 "or a time such as 30s (s, m, h, d)");
		return -EINVAL;
	}
	*ret = spec;
	return 0;
}

int rec_max_len_parse(const char *text, uint64_t *ret_len, struct pd_err *err)
{
	if (!parse_unit(text, size_units, ret_len))
		return 0;
	pd_err_set(err, -EINVAL, "--max-size '%s' is not understood", text);
	pd_err_hint(err, "give a size with its unit, such as 500M (B, K, M, "
			 "G)");
	return -EINVAL;
}
