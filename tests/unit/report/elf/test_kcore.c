#include "report/elf/kcore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void test_kcore__is_beside_a_file_named_kallsyms(void **state)
{
	char path[PATH_MAX], longest[PATH_MAX + 16];

	(void)state;
	assert_true(rpt_kcore_beside("/proc/kallsyms", "kcore", path));
	assert_string_equal(path, "/proc/kcore");
	assert_true(rpt_kcore_beside("kallsyms", "modules", path));
	assert_string_equal(path, "modules");
	assert_false(rpt_kcore_beside("/proc/kallsyms.old", "kcore", path));
	assert_false(rpt_kcore_beside("/kallsyms/", "kcore", path));
	memset(longest, '/', sizeof(longest));
	memcpy(longest + PATH_MAX, "kallsyms", sizeof("kallsyms"));
	assert_false(rpt_kcore_beside(longest, "kcore", path));
}

static void test_kcore__the_smallest_range_holds_an_address(void **state)
{
	struct rpt_kcore_part parts[] = { { 0x1000, 0x9000 },
					  { 0x2000, 0x3000 },
					  { 0x9000, UINT64_MAX } };
	const struct rpt_kcore kcore = { parts, 3 };

	(void)state;
	assert_null(rpt_kcore_at(&kcore, 0xfff));
	assert_ptr_equal(rpt_kcore_at(&kcore, 0x1000), &parts[0]);
	assert_ptr_equal(rpt_kcore_at(&kcore, 0x2000), &parts[1]);
	assert_ptr_equal(rpt_kcore_at(&kcore, 0x3000), &parts[0]);
	assert_ptr_equal(rpt_kcore_at(&kcore, 0x9000), &parts[2]);
	assert_null(rpt_kcore_at(&kcore, UINT64_MAX));
}

static void test_kcore__modules_by_their_names(void **state)
{
	static const char text[] = "ext4 999424 1 - Live 0xffffffffc0123000\n"
				   "ext 4096 0 - Live 0xffffffffc0300000 (OE)\n"
				   "hidden 4096 0 - Live\n"
				   "last 4096 2 ext4, Live 0x0000000000000000";
	uint64_t addr = 1;

	(void)state;
	assert_true(rpt_kcore_module(text, "[ext4]", &addr));
	assert_int_equal(addr, 0xffffffffc0123000);
	assert_true(rpt_kcore_module(text, "[ext]", &addr));
	assert_int_equal(addr, 0xffffffffc0300000);
	assert_false(rpt_kcore_module(text, "[hidden]", &addr));
	assert_true(rpt_kcore_module(text, "[last]", &addr));
	assert_int_equal(addr, 0);
	assert_false(rpt_kcore_module(text, "[ext40]", &addr));
	assert_false(rpt_kcore_module("", "[ext4]", &addr));
	assert_false(rpt_kcore_module("\n\next4", "[ext4]", &addr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kcore__is_beside_a_file_named_kallsyms),
		cmocka_unit_test(
			test_kcore__the_smallest_range_holds_an_address),
		cmocka_unit_test(test_kcore__modules_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
