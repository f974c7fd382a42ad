/* attr_parse.c: parse the texts of options that set fields of an attr. */
#include "record/event/attr_config.h"

#include "record/event/event_terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))

enum { STACK_MAX_LEN = 65528, STACK_ALIGN = 8 };

int rec_stack_len_parse(const char *text, uint32_t *ret, struct pd_err *err)
{
	uint64_t len;
	int rc = rec_number_parse(text, strlen(text), &len);

	if (!rc && len <= STACK_MAX_LEN)
		len = (len + STACK_ALIGN - 1) & ~(uint64_t)(STACK_ALIGN - 1);
	if (rc || len == 0 || len > STACK_MAX_LEN) {
		pd_err_set(err, -EINVAL, "stack copy of '%s' bytes", text);
		pd_err_hint(err, "give a number of bytes up to %d",
			    STACK_MAX_LEN);
		return -EINVAL;
	}
	*ret = (uint32_t)len;
	return 0;
}

static const struct {
	const char *name;
	enum rec_callchain callchain;
} callchain_names[] = {
	{ "fp", REC_CALLCHAIN_FP },
	{ "dwarf", REC_CALLCHAIN_DWARF },
	{ "lbr", REC_CALLCHAIN_LBR },
	{ "no", REC_CALLCHAIN_NONE },
};

int rec_callchain_parse(const char *text, enum rec_callchain *ret,
			uint32_t *ret_stack_len, struct pd_err *err)
{
	size_t len = strcspn(text, ",");

	for (size_t i = 0; i < ARRAY_NR(callchain_names); i++) {
		const char *name = callchain_names[i].name;

		if (strlen(name) != len || strncmp(text, name, len) != 0)
			continue;
		if (text[len] &&
		    callchain_names[i].callchain != REC_CALLCHAIN_DWARF)
			return pd_err_set(err, -EINVAL,
					  "--call-graph %s takes no size",
					  name);
		if (text[len]) {
			int rc = rec_stack_len_parse(text + len + 1,
						     ret_stack_len, err);

			if (rc)
				return rc;
		}
		*ret = callchain_names[i].callchain;
		return 0;
	}
	pd_err_set(err, -EINVAL, "no way to record call chains is called '%s'",
		   text);
	pd_err_hint(err, "there are fp, dwarf[,SIZE] and lbr");
	return -EINVAL;
}

static const struct {
	const char *name;
	uint64_t bits;
} branch_names[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
};

static uint64_t branch_bits(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_NR(branch_names); i++) {
		if (strlen(branch_names[i].name) == len &&
		    strncasecmp(branch_names[i].name, text, len) == 0)
			return branch_names[i].bits;
	}
	return 0;
}

int rec_branch_parse(const char *text, uint64_t *ret, struct pd_err *err)
{
	const uint64_t levels = PERF_SAMPLE_BRANCH_USER |
				PERF_SAMPLE_BRANCH_KERNEL |
				PERF_SAMPLE_BRANCH_HV;
	uint64_t all = 0;

	for (;;) {
		size_t len = strcspn(text, ",");
		uint64_t bits = branch_bits(text, len);

		if (!bits) {
			pd_err_set(err, -EINVAL, "unknown branch filter '%.*s'",
				   (int)len, text);
			pd_err_hint(err, "there are any any_call any_ret "
					 "ind_call ind_jmp cond call in_tx "
					 "no_tx abort_tx stack save_type "
					 "no_flags no_cycles priv u k hv");
			return -EINVAL;
		}
		all |= bits;
		if (!text[len])
			break;
		text += len + 1;
	}
	/* If only levels are given: any branch, of all levels. */
	*ret = all & ~levels ? all : PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

static const struct {
	const char *name;
	int32_t clockid;
} clock_names[] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
	{ "mono", CLOCK_MONOTONIC },
	{ "raw", CLOCK_MONOTONIC_RAW },
	{ "real", CLOCK_REALTIME },
	{ "boot", CLOCK_BOOTTIME },
};

int rec_clockid_parse(const char *text, int32_t *ret, struct pd_err *err)
{
	static const char prefix[] = "CLOCK_";
	const char *name = text;
	uint64_t num;

	if (rec_number_parse(text, strlen(text), &num) == 0 &&
	    num <= INT32_MAX) {
		*ret = (int32_t)num;
		return 0;
	}
	if (strncasecmp(name, prefix, sizeof(prefix) - 1) == 0)
		name += sizeof(prefix) - 1;
	for (size_t i = 0; i < ARRAY_NR(clock_names); i++) {
		if (strcasecmp(name, clock_names[i].name) == 0) {
			*ret = clock_names[i].clockid;
			return 0;
		}
	}
	pd_err_set(err, -EINVAL, "unknown clock '%s'", text);
	pd_err_hint(err, "there are mono, raw, real, boot and tai");
	return -EINVAL;
}
