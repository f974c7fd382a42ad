#include "report/base/json_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_written(struct rpt_text_string *string, const char *want)
{
	assert_string_equal(rpt_text_string_take(string, NULL), want);
	rpt_text_string_free(string);
}

static void test_json_text__example_of_the_header(void **state)
{
	struct rpt_text_string *string = rpt_text_string_new();
	struct rpt_json json = RPT_JSON_INIT(&string->text, "  ");

	(void)state;
	rpt_json_open(&json, '{');
	rpt_json_line(&json, 1);
	rpt_json_key(&json, "rows");
	rpt_json_open(&json, '[');
	rpt_json_u64(&json, 1);
	rpt_json_u64(&json, 2);
	rpt_json_close(&json, ']');
	rpt_json_line(&json, 0);
	rpt_json_close(&json, '}');
	assert_written(string, "{\n  \"rows\": [1, 2]\n}");
}

static void test_json_text__has_commas_between_items_alone(void **state)
{
	struct rpt_text_string *string = rpt_text_string_new();
	struct rpt_json json = RPT_JSON_INIT(&string->text, "\t");

	(void)state;
	rpt_json_open(&json, '[');
	rpt_json_line(&json, 1);
	rpt_json_open(&json, '{');
	rpt_json_close(&json, '}');
	rpt_json_line(&json, 1);
	rpt_json_open(&json, '{');
	rpt_json_member_bool(&json, "a", true);
	rpt_json_member_str(&json, "b", NULL);
	rpt_json_key(&json, "c");
	rpt_json_int(&json, -1);
	rpt_json_close(&json, '}');
	rpt_json_line_close(&json, 0, ']');
	assert_written(string,
		       "[\n\t{},\n\t{\"a\": true, \"b\": null, \"c\": -1}\n]");
}

static void test_json_text__has_numbers_that_are_finite(void **state)
{
	struct rpt_text_string *string = rpt_text_string_new();
	struct rpt_json json = RPT_JSON_INIT(&string->text, "");

	(void)state;
	rpt_json_open(&json, '[');
	rpt_json_number(&json, 9007199254740991.0);
	rpt_json_number(&json, 1.0 / 3.0);
	rpt_json_number(&json, (double)NAN);
	rpt_json_number(&json, (double)INFINITY);
	rpt_json_close(&json, ']');
	rpt_csv_number(&string->text, (double)NAN);
	rpt_csv_number(&string->text, 2.0);
	assert_written(string, "[9007199254740991, 0.3333333333, null, null]2");
}

static void test_json_text__strings_are_valid(void **state)
{
	struct rpt_text_string *string = rpt_text_string_new();
	struct rpt_json json = RPT_JSON_INIT(&string->text, "");

	(void)state;
	rpt_json_string(&json, "a\"\\\n\x01\x00z\xc3\xb6", 9);
	rpt_json_str(&json, "\xc3(\xed\xa0\x80\xf5");
	rpt_csv_text(&string->text, "a\"b");
	assert_written(string, "\"a\\\"\\\\\\n\\u0001\\u0000z\xc3\xb6\", "
			       "\"\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef"
			       "\xbf\xbd\xef\xbf\xbd\"\"a\"\"b\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_text__example_of_the_header),
		cmocka_unit_test(
			test_json_text__has_commas_between_items_alone),
		cmocka_unit_test(test_json_text__has_numbers_that_are_finite),
		cmocka_unit_test(test_json_text__strings_are_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
