/* PMU directories of fixtures/machines, and the format files' language. */
#include "record/event/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))
#define MACHINES    PERFPAIR_SOURCE_DIR "/fixtures/machines/"

static void test_pmu__formats_name_word_and_bits(void **state)
{
	static const struct {
		const char *text;
		unsigned idx;
		uint64_t bits;
	} cases[] = {
		{ "config:0-7", 0, 0xff },
		{ "config:0-7,32-35", 0, 0xf000000ff },
		{ "config:21", 0, 0x200000 },
		{ "config:0,4,8-9", 0, 0x311 },
		{ "config1:0-63", 1, UINT64_MAX },
		{ "config2:0-11", 2, 0xfff },
		{ "config3:63", 3, 0x8000000000000000 },
	};
	static const char *const wrong[] = {
		"",	     "config",
		"config:",   "config:a",
		"config:7-", "config:7-0",
		"config:64", "config4:0",
		"config:0,", "config:0 ",
		"confg:0",   "config1",
		"config:-1", "config:0-99999999999999999999",
	};
	struct rec_pmu_format format;

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		assert_int_equal(rec_pmu_format_parse(cases[i].text, &format),
				 0);
		assert_int_equal(format.config_idx, cases[i].idx);
		assert_int_equal(format.bits, cases[i].bits);
	}
	for (size_t i = 0; i < ARRAY_NR(wrong); i++)
		assert_int_equal(rec_pmu_format_parse(wrong[i], &format),
				 -EINVAL);
}

/* The value's low bits go to the format's low bits; others stay. */
static void test_pmu__values_are_spread_over_the_bits(void **state)
{
	const struct rec_pmu_format split = { .bits = 0xf000000ff };
	uint64_t config = 0xabcd0f00;

	(void)state;
	assert_int_equal(rec_pmu_format_put(&split, 0xa55, &config), 0);
	assert_int_equal(config, 0xaabcd0f55);
	assert_int_equal(rec_pmu_format_put(&split, 0x1, &config), 0);
	assert_int_equal(config, 0xabcd0f01);
	assert_int_equal(rec_pmu_format_put(&split, 0x1000, &config), -ERANGE);
	assert_int_equal(config, 0xabcd0f01);
}

static void test_pmu__names_are_sorted(void **state)
{
	char **names;
	size_t nr;

	(void)state;
	assert_int_equal(rec_pmu_names(MACHINES "arm", &names, &nr), 0);
	assert_int_equal(nr, 5);
	assert_string_equal(names[0], "arm_spe_0");
	assert_string_equal(names[1], "armv8_pmuv3_0");
	assert_string_equal(names[4], "tracepoint");
	rec_pmu_names_free(names, nr);
	assert_int_equal(rec_pmu_names(MACHINES "nowhere", &names, &nr), 0);
	assert_int_equal(nr, 0);
}

static void test_pmu__directory_is_read(void **state)
{
	const struct rec_pmu_alias *alias;
	struct pd_err err = PD_ERR_INIT;
	struct rec_pmu pmu;

	(void)state;
	assert_int_equal(
		rec_pmu_open(&pmu, MACHINES "intel", "uncore_imc_0", &err), 0);
	assert_int_equal(pmu.type, 19);
	assert_int_equal(pmu.format_nr, 5);
	assert_int_equal(pmu.alias_nr, 2);
	assert_string_equal(pmu.cpus, "0,18");
	alias = rec_pmu_alias_find(&pmu, "cas_count_read",
				   strlen("cas_count_read"));
	assert_non_null(alias);
	assert_string_equal(alias->terms, "event=0x04,umask=0x03");
	assert_string_equal(alias->unit, "MiB");
	assert_true(alias->scale == 6.103515625e-5);
	assert_null(rec_pmu_alias_find(&pmu, "cas_count_read.scale",
				       strlen("cas_count_read.scale")));
	assert_int_equal(
		rec_pmu_format_find(&pmu, "edge", strlen("edge"))->bits,
		0x40000);
	assert_null(rec_pmu_format_find(&pmu, "ldlat", strlen("ldlat")));
	rec_pmu_release(&pmu);
	assert_int_equal(rec_pmu_open(&pmu, MACHINES "intel", "gpu", &err),
			 -ENOENT);
	assert_string_equal(err.text, "no PMU 'gpu'");
}

static void test_pmu__a_number_that_arm_does_not_list(void **state)
{
	(void)state;
	assert_true(rec_pmu_is_unlisted(MACHINES "arm", PERF_TYPE_RAW, 0x70));
	assert_true(rec_pmu_is_unlisted(MACHINES "arm", 8, 0x70));
	assert_false(rec_pmu_is_unlisted(MACHINES "arm", PERF_TYPE_RAW, 0x11));
	assert_false(rec_pmu_is_unlisted(MACHINES "arm", 8, 0x11));
	assert_false(
		rec_pmu_is_unlisted(MACHINES "arm", PERF_TYPE_SOFTWARE, 0x70));
	assert_false(
		rec_pmu_is_unlisted(MACHINES "intel", PERF_TYPE_RAW, 0x70));
	assert_false(
		rec_pmu_is_unlisted(MACHINES "tracefs", PERF_TYPE_RAW, 0x70));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pmu__formats_name_word_and_bits),
		cmocka_unit_test(test_pmu__values_are_spread_over_the_bits),
		cmocka_unit_test(test_pmu__names_are_sorted),
		cmocka_unit_test(test_pmu__directory_is_read),
		cmocka_unit_test(test_pmu__a_number_that_arm_does_not_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
