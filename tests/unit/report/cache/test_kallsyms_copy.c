#include "report/cache/kallsyms_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void add(struct rpt_name_union *names, uint64_t start, uint64_t len,
		uint8_t type, const char *text)
{
	const struct pd_carried_name name = {
		.start = start,
		.len = len,
		.text = { text, strlen(text) },
		.source = PD_CARRIED_LINE,
		.info = type,
	};

	rpt_name_union_add(names, &name);
}

static const char expected[] =
	"0000000000000000 a written_by_perfpair_buildid_cache\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000001 t not_carried_by_the_recording\n"
	"ffffffff81000100 t one\n"
	"ffffffff81000140 W two\n"
	"ffffffff81000180 t not_carried_by_the_recording\n"
	"ffffffffc0000000 t work\t[mod]\n"
	"ffffffffc0000010 t not_carried_by_the_recording\t[mod]\n";

static void test_kallsyms_copy__says_where_functions_end(void **state)
{
	struct rpt_name_union names = { 0 }, again = { 0 };
	struct pd_buf b = PD_BUF_INIT, other = PD_BUF_INIT;
	uint32_t nr;

	(void)state;
	add(&names, 0xffffffffc0000000, 0x10, 't', "work\t[mod]");
	add(&names, 0xffffffff81000140, 0x40, 'W', "two");
	add(&names, 0xffffffff81000100, 0x40, 't', "one");
	add(&names, 0xffffffff81000100, 0, 't', "one"); /* known longer */
	add(&names, 0xffffffff81000000, 0, 'T', "_text");
	add(&names, 0xffffffff81000000, 0, 'T', "_stext"); /* as they came */
	add(&names, 0xffffffff81000200, 8, 't', "two\nlines");
	add(&names, 0xffffffff81000300, 8, '\n', "type");
	add(&names, 0xffffffff81000400, 8, 0, "none");
	add(&names, UINT64_MAX, 8, 't', "behind_all");
	rpt_name_union_sort(&names);
	rpt_kallsyms_copy_write(&b, &names, &nr);
	assert_int_equal(nr, 5);
	assert_int_equal(b.len, strlen(expected));
	assert_memory_equal(b.data, expected, b.len);
	assert_true(rpt_kallsyms_copy_is_own((char *)b.data, b.len));

	rpt_kallsyms_copy_read(&again, (char *)b.data, b.len);
	rpt_name_union_sort(&again);
	assert_int_equal(again.nr, 5);
	rpt_kallsyms_copy_write(&other, &again, &nr);
	assert_int_equal(other.len, b.len);
	assert_memory_equal(other.data, expected, b.len);
	rpt_name_union_release(&names);
	rpt_name_union_release(&again);
	pd_buf_release(&b);
	pd_buf_release(&other);
}

static void test_kallsyms_copy__of_others(void **state)
{
	static const char text[] = "0000000000000000 A fixed_percpu_data\n";

	(void)state;
	assert_false(rpt_kallsyms_copy_is_own(text, strlen(text)));
	assert_false(rpt_kallsyms_copy_is_own(expected, 20));
	assert_false(rpt_kallsyms_copy_is_at("/nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms_copy__says_where_functions_end),
		cmocka_unit_test(test_kallsyms_copy__of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
