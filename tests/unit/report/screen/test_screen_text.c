#include "report/screen/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct rpt_text_string *made;

static void expect(const char *text, uint32_t columns, bool has_colour,
		   const char *expected, uint32_t used)
{
	assert_int_equal(rpt_screen_put(&made->text, text, strlen(text),
					columns, has_colour),
			 used);
	assert_string_equal(rpt_text_string_take(made, NULL), expected);
}

static void lines_are_cut(void **state)
{
	(void)state;
	expect("abcdef", 10, false, "abcdef", 6);
	expect("abcdef", 6, false, "abcdef", 6);
	expect("abcdef", 4, false, "abcd", 4);
	expect("abcdef", 0, false, "", 0);
	expect("a\tb", 20, false, "a       b", 9);
	expect("a\tb", 5, false, "a    ", 5);
}

static void wide_letters_take_two_columns(void **state)
{
	(void)state;
	expect("\u6f22\u5b57", 4, false, "\u6f22\u5b57", 4);
	expect("\u6f22\u5b57", 3, false, "\u6f22", 2);
	expect("e\u0301x", 2, false, "e\u0301x", 2);
}

static void nothing_but_text_reaches_the_terminal(void **state)
{
	(void)state;
	expect("a\33]0;title\7b", 20, false, "a?]0;title?b", 12);
	expect("a\33[2Jb", 20, true, "a?[2Jb", 6);
	expect("a\nb\rc", 20, true, "a?b?c", 5);
	/* a control character of ISO 8859-1, alone and as UTF-8 */
	expect("a\x9b"
	       "31mb",
	       20, true, "a?31mb", 6);
	expect("a\xc2\x9b"
	       "31mb",
	       20, true, "a?31mb", 6);
	expect("a\u202eb", 20, true, "a?b", 3);
	/* letters that are cut, or too long */
	expect("a\xe6\xbc", 20, true, "a??", 3);
	expect("\xc0\xaf", 20, true, "??", 2);
}

static void colours_take_no_columns(void **state)
{
	(void)state;
	expect("\33[31m5.00%\33[m x", 7, true, "\33[31m5.00%\33[m x", 7);
	expect("\33[31m5.00%\33[m x", 7, false, "5.00% x", 7);
	expect("\33[31m5.00%\33[m x", 3, true, "\33[31m5.0", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_cut),
		cmocka_unit_test(wide_letters_take_two_columns),
		cmocka_unit_test(nothing_but_text_reaches_the_terminal),
		cmocka_unit_test(colours_take_no_columns),
	};
	int rc;

	made = rpt_text_string_new();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rpt_text_string_free(made);
	return rc;
}
