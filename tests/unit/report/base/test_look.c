#include "report/base/look.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void check_short(const char *name, size_t width, const char *expected)
{
	struct rpt_text_string *string = rpt_text_string_new();
	char buf[256];
	size_t len;

	assert_string_equal(rpt_short_name(name, width, buf), expected);
	assert_int_equal(rpt_text_short(&string->text, name, width),
			 strlen(expected));
	assert_string_equal(rpt_text_string_take(string, &len), expected);
	rpt_text_string_free(string);
}

static void test_look__names_keep_start_and_end(void **state)
{
	(void)state;
	check_short("", 0, "");
	check_short("abcdefghij", 10, "abcdefghij");
	check_short("abcdefghij", 9, "abc...hij");
	check_short("abcdefghij", 8, "abc...ij");
	check_short("abcdefghij", 4, "a...");
	check_short("abcdefghij", 3, "...");
	check_short("abcdefghij", 1, ".");
	check_short("abcdefghij", 0, "");
	check_short("abcdefghij", SIZE_MAX, "abcdefghij");
}

/* Every width: nothing but whole characters is left, and no more than fits. */
static void test_look__characters_stay_whole(void **state)
{
	static const char name[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"
				   "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z";
	char buf[64];

	(void)state;
	for (size_t width = 0; width < sizeof(name); width++) {
		const char *text = rpt_short_name(name, width, buf);
		const char *dots = strstr(text, "...");

		assert_true(strlen(text) <= width);
		if (!dots)
			continue;
		assert_true((name[dots - text] & 0xc0) != 0x80);
		assert_true((dots[3] & 0xc0) != 0x80);
	}
	assert_ptr_equal(rpt_short_name(name, strlen(name), buf), name);
}

static void test_look__colours(void **state)
{
	const struct rpt_look on = { .has_colour = true }, off = { 0 };

	(void)state;
	assert_null(rpt_percent_colour(&off, 50.0));
	assert_null(rpt_percent_colour(&on, 0.0));
	assert_null(rpt_percent_colour(&on, 0.5));
	assert_string_equal(rpt_percent_colour(&on, 0.51), "\33[32m");
	assert_string_equal(rpt_percent_colour(&on, -4.99), "\33[32m");
	assert_string_equal(rpt_percent_colour(&on, 5.0), "\33[31m");
	assert_string_equal(rpt_percent_colour(&on, -5.0), "\33[31m");
}

static void test_look__room_of_a_line(void **state)
{
	const struct rpt_look wide = { .width = 80 }, none = { 0 };

	(void)state;
	assert_int_equal(rpt_look_room(&none, 1000), SIZE_MAX);
	assert_int_equal(rpt_look_room(&wide, 30), 50);
	assert_int_equal(rpt_look_room(&wide, 70), RPT_SHORT_LEN);
	assert_int_equal(rpt_look_room(&wide, SIZE_MAX / 2), RPT_SHORT_LEN);
}

static void write_name(FILE *out, const char *name)
{
	fputs(name, out);
	fflush(out);
}

/* Names are escaped, our own sequences are not. */
static void test_look__escapes_are_ours_alone(void **state)
{
	struct rpt_text_string *string = rpt_text_string_new();
	FILE *out = rpt_text_stream(&string->text);
	size_t len;

	(void)state;
	string->text.is_safe = true;
	write_name(out, "a\33[2J\xc2");
	rpt_text_escape(&string->text, "\33[31m");
	write_name(out, "\x9bz");
	rpt_text_escape(&string->text, RPT_COLOUR_END);
	fclose(out);
	rpt_text_flush(&string->text);
	string->text.is_safe = false;
	assert_string_equal(rpt_text_string_take(string, &len),
			    "a\\x1b[2J\\xc2\33[31m\\x9bz\33[m");
	rpt_text_string_free(string);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_look__names_keep_start_and_end),
		cmocka_unit_test(test_look__characters_stay_whole),
		cmocka_unit_test(test_look__colours),
		cmocka_unit_test(test_look__room_of_a_line),
		cmocka_unit_test(test_look__escapes_are_ours_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
