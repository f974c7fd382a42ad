#include "record/cmdline/switch_output_spec.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "format/support/options.h"

/* A file has some hundred bytes besides its records. */
#define INTERVAL_MIN_NS UINT64_C(100000000)

/* Parse a number above 0 with its unit, as in perf. */
static int parse_unit(const char *text,
		      int (*parse)(const char *text, uint64_t *ret),
		      uint64_t *ret)
{
	size_t len = strlen(text);
	uint64_t v;

	if (!len || isdigit((unsigned char)text[len - 1]) || parse(text, &v) ||
	    !v || v > INT64_MAX)
		return -EINVAL;
	*ret = v;
	return 0;
}

/* A size and a time can end with m: it is a time, as in perf. */
static int parse_either(const char *text, struct rec_switch_output_spec *ret)
{
	if (parse_unit(text, sup_parse_duration, &ret->interval_ns))
		return parse_unit(text, sup_parse_size, &ret->len);
	return ret->interval_ns < INTERVAL_MIN_NS ? -EINVAL : 0;
}

int rec_switch_parse(const char *text, struct rec_switch_output_spec *ret,
		     struct pd_err *err)
{
	struct rec_switch_output_spec spec = { .is_on = true };

	if (text && strcmp(text, "signal") != 0 && parse_either(text, &spec)) {
		pd_err_set(err, -EINVAL,
			   "--switch-output '%s' is not understood", text);
		pd_err_hint(err, "give signal, a size such as 64M (B, K, M, G, "
				 "T) or a time such as 30s (s, m, h, d)");
		return -EINVAL;
	}
	*ret = spec;
	return 0;
}

int rec_max_len_parse(const char *text, uint64_t *ret_len, struct pd_err *err)
{
	if (!parse_unit(text, sup_parse_size, ret_len))
		return 0;
	pd_err_set(err, -EINVAL, "--max-size '%s' is not understood", text);
	pd_err_hint(err, "give a size with its unit, such as 500M (B, K, M, "
			 "G, T)");
	return -EINVAL;
}
