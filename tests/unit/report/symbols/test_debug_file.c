#include "report/symbols/debug_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static const uint8_t id[4] = { 0xab, 0x01, 0x02, 0xff };

static void test_debug_file__places_of_perf(void **state)
{
	static const char *const expected[RPT_PLACES] = {
		[RPT_PLACE_LINK_BESIDE] = "/lib/x/libc.debug",
		[RPT_PLACE_LINK_DEBUG] = "/lib/x/.debug/libc.debug",
		[RPT_PLACE_LINK_GLOBAL] = "/usr/lib/debug/lib/x/libc.debug",
		[RPT_PLACE_CACHE] = "/home/jo/.debug/.build-id/ab/0102ff/elf",
		[RPT_PLACE_CACHE_DEBUG] =
			"/home/jo/.debug/.build-id/ab/0102ff/debug",
		[RPT_PLACE_GLOBAL_SUFFIX] =
			"/usr/lib/debug/lib/x/libc.so.6.debug",
		[RPT_PLACE_GLOBAL] = "/usr/lib/debug/lib/x/libc.so.6",
		[RPT_PLACE_GLOBAL_ID] =
			"/usr/lib/debug/.build-id/ab/0102ff.debug",
		[RPT_PLACE_ITSELF] = "/lib/x/libc.so.6",
		[RPT_PLACE_BESIDE] = "/lib/x/.debug/libc.so.6",
	};
	const struct rpt_debug_query query = {
		.symfs = "",
		.buildid_dir = "/home/jo/.debug",
		.name = "/lib/x/libc.so.6",
		.debuglink = "libc.debug",
		.cached_name = "elf",
		.build_id = id,
		.build_id_len = sizeof(id),
	};
	char path[PATH_MAX];
	int place;

	(void)state;
	for (place = 0; place < RPT_PLACES; place++) {
		assert_true(rpt_debug_path(&query, (enum rpt_debug_place)place,
					   path));
		assert_string_equal(path, expected[place]);
	}
}

static void test_debug_file__flat(void **state)
{
	const struct rpt_debug_query query = { .symfs = "/flat",
					       .is_flat = true,
					       .name = "/lib/x/libc.so.6" };
	char path[PATH_MAX];

	(void)state;
	assert_true(rpt_debug_path(&query, RPT_PLACE_ITSELF, path));
	assert_string_equal(path, "/flat/libc.so.6");
	assert_true(rpt_debug_path(&query, RPT_PLACE_BESIDE, path));
	assert_string_equal(path, "/flat/.debug/libc.so.6");
}

static void test_debug_file__places_that_do_not_apply(void **state)
{
	struct rpt_debug_query query = {
		.symfs = "/sys root",
		.buildid_dir = "",
		.name = "/a",
		.debuglink = "../../etc/passwd",
		.cached_name = "elf",
		.build_id = id,
	};
	char path[PATH_MAX], long_name[PATH_MAX + 1];

	(void)state;
	assert_false(rpt_debug_path(&query, RPT_PLACE_LINK_BESIDE, path));
	assert_false(rpt_debug_path(&query, RPT_PLACE_CACHE, path));
	assert_false(rpt_debug_path(&query, RPT_PLACE_GLOBAL_ID, path));
	assert_true(rpt_debug_path(&query, RPT_PLACE_ITSELF, path));
	assert_string_equal(path, "/sys root/a");
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	query.name = long_name;
	assert_false(rpt_debug_path(&query, RPT_PLACE_ITSELF, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debug_file__places_of_perf),
		cmocka_unit_test(test_debug_file__flat),
		cmocka_unit_test(test_debug_file__places_that_do_not_apply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
