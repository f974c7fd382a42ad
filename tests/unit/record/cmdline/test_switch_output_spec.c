#include "record/cmdline/switch_output_spec.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_switch_spec__signal_is_the_default(void **state)
{
	struct rec_switch_output_spec spec = { 0 };

	(void)state;
	assert_int_equal(rec_switch_parse(NULL, &spec, NULL), 0);
	assert_true(spec.is_on && !spec.len && !spec.interval_ns);
	assert_int_equal(rec_switch_parse("signal", &spec, NULL), 0);
	assert_true(spec.is_on && !spec.len && !spec.interval_ns);
}

static void test_switch_spec__letters_tell_sizes_from_times(void **state)
{
	static const struct {
		const char *text;
		uint64_t len;
		uint64_t interval_ns;
	} rows[] = {
		{ "5000B", 5000, 0 },
		{ "2K", 2048, 0 },
		{ "64M", UINT64_C(64) << 20, 0 },
		{ "3G", UINT64_C(3) << 30, 0 },
		{ "30s", 0, UINT64_C(30000000000) },
		{ "2m", 0, UINT64_C(120000000000) },
		{ "1h", 0, UINT64_C(3600000000000) },
		{ "1d", 0, UINT64_C(86400000000000) },
		{ "7d", 0, UINT64_C(604800000000000) },
		{ "1.5m", 0, UINT64_C(90000000000) },
		{ "100ms", 0, UINT64_C(100000000) },
		{ "1k", 1024, 0 },
		{ "2GB", UINT64_C(2) << 30, 0 },
		{ "1T", UINT64_C(1) << 40, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rec_switch_output_spec spec = { 0 };

		assert_int_equal(rec_switch_parse(rows[i].text, &spec, NULL),
				 0);
		assert_true(spec.is_on);
		assert_int_equal(spec.len, rows[i].len);
		assert_int_equal(spec.interval_ns, rows[i].interval_ns);
	}
}

static void test_switch_spec__what_is_neither_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"5",
		"0s",
		"0M",
		"99ms",
		"1x",
		"M",
		"-1s",
		"1.5x",
		"1sM",
		"signals",
		"99999999999999999999s",
		"9223372036854775807K",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct rec_switch_output_spec spec = { 0 };
		struct pd_err err = PD_ERR_INIT;

		assert_int_equal(rec_switch_parse(texts[i], &spec, &err),
				 -EINVAL);
		assert_false(spec.is_on);
		assert_true(err.hint[0]);
	}
}

static void test_switch_spec__a_limit_has_a_unit(void **state)
{
	uint64_t len = 0;

	(void)state;
	assert_int_equal(rec_max_len_parse("20K", &len, NULL), 0);
	assert_int_equal(len, 20480);
	assert_int_equal(rec_max_len_parse("20", &len, NULL), -EINVAL);
	assert_int_equal(rec_max_len_parse("0M", &len, NULL), -EINVAL);
	assert_int_equal(rec_max_len_parse("20s", &len, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switch_spec__signal_is_the_default),
		cmocka_unit_test(
			test_switch_spec__letters_tell_sizes_from_times),
		cmocka_unit_test(test_switch_spec__what_is_neither_is_refused),
		cmocka_unit_test(test_switch_spec__a_limit_has_a_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
