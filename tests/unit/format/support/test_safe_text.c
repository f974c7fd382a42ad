#include "format/support/safe_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_shown(const char *text, size_t len, enum sup_safe kind,
			 const char *want)
{
	char *got = sup_safe_copy((struct pd_str){ text, len }, kind);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static void assert_name(const char *text, const char *want)
{
	char filled[256];
	size_t len = strlen(text);

	assert_shown(text, len, SUP_SAFE_NAME, want);
	/* behind text that is looked at in one step */
	memset(filled, 'x', 130);
	memcpy(filled + 130, text, len);
	for (size_t start = 0; start < 130; start++) {
		struct pd_str s = { filled + start, 130 - start + len };

		assert_int_equal(sup_is_safe(s, SUP_SAFE_NAME),
				 strcmp(text, want) == 0);
	}
}

static void test_safe_text__is_the_text_itself(void **state)
{
	static const char *const plain[] = {
		"",
		"a b~",
		"Gr\xc3\xb6\xc3\x9f",
		"\xc2\xa0\xe2\x80\xaf",
		"\xe2\x82\xac\xf0\x9f\x98\x80",
		"\\x0a",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_name(plain[i], plain[i]);
}

static void test_safe_text__commands_no_terminal(void **state)
{
	(void)state;
	assert_name("a\033[2Jb", "a\\x1b[2Jb");
	assert_shown("\0\x7f\r", 3, SUP_SAFE_NAME, "\\x00\\x7f\\x0d");
	assert_name("\xc2\x9b", "\\xc2\\x9b");
	assert_name("\x9b", "\\x9b");
	assert_name("\xc2", "\\xc2");
	assert_name("\xe2\x82", "\\xe2\\x82");
	assert_name("\xed\xa0\x80", "\\xed\\xa0\\x80");
}

/* U+061C, U+200F, U+2028, U+202E, U+2066 */
static void test_safe_text__turns_no_direction(void **state)
{
	(void)state;
	assert_name("\xd8\x9c", "\\xd8\\x9c");
	assert_name("\xe2\x80\x8f", "\\xe2\\x80\\x8f");
	assert_name("\xe2\x80\xa8", "\\xe2\\x80\\xa8");
	assert_name("\xe2\x80\xae", "\\xe2\\x80\\xae");
	assert_name("\xe2\x81\xa6", "\\xe2\\x81\\xa6");
}

static void test_safe_text__a_name_is_one_line(void **state)
{
	(void)state;
	assert_name("a\n\tb", "a\\x0a\\x09b");
	assert_shown("a\n\tb", 4, SUP_SAFE_LINE, "a\\x0a\tb");
	assert_shown("a\n\tb\x1b", 5, SUP_SAFE_LINES, "a\n\tb\\x1b");
}

static void test_safe_text__knows_a_cut_character(void **state)
{
	static const struct {
		const char *text;
		size_t cut_len;
	} cases[] = {
		{ "", 0 },
		{ "ab", 0 },
		{ "a\xc3", 1 },
		{ "\xc3\xb6", 0 },
		{ "a\xe2\x82", 2 },
		{ "\xe2\x82\xac", 0 },
		{ "\xf0\x9f\x98", 3 },
		{ "a\x82", 0 },
		{ "\x82\x82\x82", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			sup_cut_len((struct pd_str){ cases[i].text,
						     strlen(cases[i].text) }),
			cases[i].cut_len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_safe_text__is_the_text_itself),
		cmocka_unit_test(test_safe_text__commands_no_terminal),
		cmocka_unit_test(test_safe_text__turns_no_direction),
		cmocka_unit_test(test_safe_text__a_name_is_one_line),
		cmocka_unit_test(test_safe_text__knows_a_cut_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
