#include "report/base/text_out.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <inttypes.h>

static struct rpt_text text;

static void starts(void)
{
	rpt_text_init(&text, NULL);
}

static void check(const char *expected)
{
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.data, expected, text.len);
}

static void check_percent(double pct)
{
	char expected[400];

	snprintf(expected, sizeof(expected), "%7.2f%%", pct);
	starts();
	rpt_text_percent(&text, pct, 7);
	check(expected);
}

/* Shares as they come up in reports, ties among them. */
static void test_text_out__percentages_are_those_of_printf(void **state)
{
	(void)state;
	for (unsigned total = 1; total < 400; total++) {
		for (unsigned part = 0; part <= total; part++)
			check_percent(100.0 * part / total);
	}
	for (unsigned eighths = 0; eighths <= 800; eighths++)
		check_percent(eighths / 8.0);
}

static void test_text_out__percentages_come_again(void **state)
{
	static const double pcts[] = { 1.25, 0, 33.333, 100 };
	static const unsigned widths[] = { 0, 7, 8, 14, 15, 500 };
	char expected[1024];

	(void)state;
	rpt_text_init(&text, NULL);
	for (size_t i = 0; i < 1000; i++) {
		double pct = pcts[i * 7 / 3 % 4];
		unsigned width = widths[i / 5 % 6];

		text.len = 0;
		rpt_text_percent(&text, pct, width);
		snprintf(expected, sizeof(expected), "%*.2f%%", (int)width,
			 pct);
		assert_int_equal(text.len, strlen(expected));
		assert_memory_equal(text.data, expected, text.len);
	}
}

static void test_text_out__odd_percentages_are_those_of_printf(void **state)
{
	static const double odd[] = { -1.005, 0.005,  0.015,
				      1.005,  1e-300, 999999.994999,
				      1e6,    1e15,   1e300 };

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		check_percent(odd[i]);
}

static void check_hex(uint64_t v)
{
	char expected[64];

	snprintf(expected, sizeof(expected),
		 "%" PRIx64 "%16" PRIx64 "%016" PRIx64, v, v, v);
	starts();
	rpt_text_hex(&text, v, 0);
	rpt_text_hex(&text, v, 16);
	rpt_text_hex16(&text, v);
	check(expected);
}

static void test_text_out__addresses_are_those_of_printf(void **state)
{
	uint64_t v = 0;

	(void)state;
	check_hex(UINT64_MAX);
	check_hex(UINT64_C(0xffffffff81000130));
	for (unsigned bit = 0; bit < 64; bit++) {
		check_hex(UINT64_C(1) << bit);
		check_hex((UINT64_C(1) << bit) - 1);
		check_hex(UINT64_C(0x0123456789abcdef) >> bit);
		check_hex(UINT64_C(0xfedcba9876543210) << bit);
	}
	for (unsigned i = 0; i < 1000; i++) {
		check_hex(v);
		v = v * UINT64_C(6364136223846793005) + 0x123456789abcdef0;
	}
}

static void test_text_out__left_fills_and_cuts(void **state)
{
	(void)state;
	starts();
	rpt_text_left(&text, "ab", 4);
	rpt_text_left(&text, "abcdef", 4);
	rpt_text_left(&text, "abcd", 4);
	check("ab  abcdabcd");
}

static void test_text_out__pads_any_width(void **state)
{
	char blanks[101] = { 0 };

	(void)state;
	memset(blanks, ' ', 100);
	starts();
	rpt_text_pad(&text, 100);
	check(blanks);
}

static void test_text_out__full_buffers_go_out(void **state)
{
	char *got = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&got, &len);

	(void)state;
	assert_non_null(out);
	rpt_text_init(&text, out);
	for (unsigned i = 0; i < RPT_TEXT_LEN; i++)
		rpt_text_str(&text, "xyz");
	assert_int_equal(rpt_text_flush(&text), 0);
	fclose(out);
	assert_int_equal(len, 3 * RPT_TEXT_LEN);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(got[i], "xyz"[i % 3]);
	free(got);
}

static void test_text_out__strings_come_one_after_the_other(void **state)
{
	struct rpt_text_string *string = rpt_text_string_new();
	size_t len = 1;

	(void)state;
	assert_non_null(string);
	assert_string_equal(rpt_text_string_take(string, &len), "");
	assert_int_equal(len, 0);
	rpt_text_str(&string->text, "libc.so");
	rpt_text_char(&string->text, '\0');
	rpt_text_dec(&string->text, 42, 0);
	assert_memory_equal(rpt_text_string_take(string, &len), "libc.so\00042",
			    sizeof("libc.so\00042"));
	assert_int_equal(len, sizeof("libc.so\00042") - 1);
	rpt_text_str(&string->text, "ld");
	assert_string_equal(rpt_text_string_take(string, NULL), "ld");
	rpt_text_string_free(string);
}

static void test_text_out__strings_are_of_any_length(void **state)
{
	struct rpt_text_string *string = rpt_text_string_new();
	const char *got;
	size_t len = 0;

	(void)state;
	assert_non_null(string);
	for (unsigned i = 0; i < RPT_TEXT_LEN; i++)
		rpt_text_str(&string->text, "xyz");
	got = rpt_text_string_take(string, &len);
	assert_non_null(got);
	assert_int_equal(len, 3 * RPT_TEXT_LEN);
	assert_int_equal(got[len - 1], 'z');
	assert_int_equal(strlen(got), len);
	rpt_text_string_free(string);
}

/* A character that lies on both sides of a full buffer is one, too. */
static void test_text_out__commands_no_terminal(void **state)
{
	static const char shown[] =
		"a name\\x1b]0;x\\x07\xc3\xb6\n\t\xe2\x82\xac"
		"\\xe2\\x80\\xae\\xc2\\x9b\\x9b\\xe2\\x82";

	(void)state;
	for (size_t before = 0; before < 40; before++) {
		struct rpt_text_string *string = rpt_text_string_new();
		size_t len = RPT_TEXT_LEN - before;

		string->text.is_safe = true;
		rpt_text_pad(&string->text, len);
		rpt_text_str(&string->text, "a name\033]0;x\007\xc3\xb6\n\t"
					    "\xe2\x82\xac\xe2\x80\xae"
					    "\xc2\x9b\x9b\xe2\x82");
		rpt_text_flush(&string->text);
		assert_int_equal(string->heap.len, len + strlen(shown));
		assert_memory_equal(string->heap.data + len, shown,
				    strlen(shown));
		rpt_text_string_free(string);
	}
}

static void test_text_out__a_name_is_one_line(void **state)
{
	struct rpt_text_string *string = rpt_text_string_new();

	(void)state;
	rpt_text_name(&string->text, "a\n\tb", 4);
	assert_string_equal(rpt_text_string_take(string, NULL), "a\\x0a\\x09b");
	rpt_text_string_free(string);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_text_out__percentages_are_those_of_printf),
		cmocka_unit_test(test_text_out__percentages_come_again),
		cmocka_unit_test(
			test_text_out__odd_percentages_are_those_of_printf),
		cmocka_unit_test(test_text_out__addresses_are_those_of_printf),
		cmocka_unit_test(test_text_out__left_fills_and_cuts),
		cmocka_unit_test(test_text_out__pads_any_width),
		cmocka_unit_test(test_text_out__full_buffers_go_out),
		cmocka_unit_test(
			test_text_out__strings_come_one_after_the_other),
		cmocka_unit_test(test_text_out__strings_are_of_any_length),
		cmocka_unit_test(test_text_out__commands_no_terminal),
		cmocka_unit_test(test_text_out__a_name_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
