#include "report/base/safe_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_shown(const char *text, size_t len, const char *want)
{
	char *got = NULL;
	size_t got_len;
	FILE *out = open_memstream(&got, &got_len);

	rpt_put_safe(out, (struct pd_str){ text, len });
	fclose(out);
	assert_string_equal(got, want);
	free(got);
}

static void test_safe_text__is_the_text_itself(void **state)
{
	(void)state;
	assert_shown("", 0, "");
	assert_shown("sh -c 'a\n\tb'", 12, "sh -c 'a\n\tb'");
	assert_shown("Gr\xc3\xb6\xc3\x9f"
		     "e \xc2\xa0",
		     10,
		     "Gr\xc3\xb6\xc3\x9f"
		     "e \xc2\xa0");
}

static void test_safe_text__commands_no_terminal(void **state)
{
	(void)state;
	assert_shown("a\033[2Jb", 6, "a\\x1b[2Jb");
	assert_shown("\0\x7f\r", 3, "\\x00\\x7f\\x0d");
	assert_shown("\xc2\x9b"
		     "2J",
		     4, "\\xc2\\x9b2J");
	assert_shown("\xc2", 1, "\xc2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_safe_text__is_the_text_itself),
		cmocka_unit_test(test_safe_text__commands_no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
