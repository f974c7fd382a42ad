#include "format/support/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *hint_of(const char *word, struct pd_err *err)
{
	static const char *const names[] = {
		"report", "repair",	  "record",
		"script", "buildid-list", "overhead_children",
		NULL
	};
	struct sup_nearest near;

	*err = (struct pd_err)PD_ERR_INIT;
	sup_nearest_init(&near, word, strlen(word));
	for (size_t i = 0; names[i]; i++)
		sup_nearest_offer(&near, names[i]);
	sup_nearest_hint(&near, err, "none");
	return err->hint;
}

static void test_nearest__sorts_by_the_letters_that_differ(void **state)
{
	struct pd_err err;

	(void)state;
	assert_string_equal(hint_of("reprt", &err), "nearest: report");
	assert_string_equal(hint_of("repotr", &err), "nearest: report, repair");
	assert_string_equal(hint_of("repar", &err), "nearest: repair, report");
	assert_string_equal(hint_of("builidlist", &err),
			    "nearest: buildid-list");
	assert_string_equal(hint_of("frobnicate", &err), "none");
	assert_string_equal(hint_of("", &err), "none");
}

static void test_nearest__takes_what_begins_so(void **state)
{
	struct pd_err err;

	(void)state;
	assert_string_equal(hint_of("rep", &err), "nearest: report, repair");
	assert_string_equal(hint_of("re", &err), "none");
	assert_string_equal(hint_of("\033[2Jaa", &err), "none");
	assert_string_equal(hint_of("scripting-language", &err),
			    "nearest: script");
	assert_string_equal(hint_of("overhead", &err),
			    "nearest: overhead_children");
}

static void test_nearest__long_words_are_cut(void **state)
{
	char word[300];
	struct pd_err err;

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_string_equal(hint_of(word, &err), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_nearest__sorts_by_the_letters_that_differ),
		cmocka_unit_test(test_nearest__takes_what_begins_so),
		cmocka_unit_test(test_nearest__long_words_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
