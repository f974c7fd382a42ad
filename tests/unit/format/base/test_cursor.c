#include "format/base/cursor.h"

#include "tests/unit/both_orders.h"

static struct pd_cursor over(const struct bytes *b, struct pd_err *err)
{
	struct pd_cursor c;

	pd_cursor_init(&c, b->data, b->len, 0x1000, "test record");
	c.swap = bytes_swap(b);
	c.err = err;
	return c;
}

static void read_numbers(bool big_endian)
{
	struct bytes b = { .big_endian = big_endian };
	struct pd_cursor c;

	put_u8(&b, 0x12);
	put_u16(&b, 0x3456);
	put_u32(&b, 0x789abcde);
	put_u64(&b, UINT64_C(0xfedcba9876543210));
	c = over(&b, NULL);
	assert_int_equal(pd_cursor_u8(&c), 0x12);
	assert_int_equal(pd_cursor_u16(&c), 0x3456);
	assert_int_equal(pd_cursor_u32(&c), 0x789abcde);
	assert_true(pd_cursor_u64(&c) == UINT64_C(0xfedcba9876543210));
	assert_int_equal(pd_cursor_left(&c), 0);
	assert_int_equal(pd_cursor_status(&c), 0);
}

static void test_cursor__reads_numbers_of_both_orders(void **state)
{
	(void)state;
	read_numbers(false);
	read_numbers(true);
}

static void test_cursor__keeps_its_first_failure(void **state)
{
	static const uint8_t data[] = { 1, 2, 3, 4, 5 };
	struct pd_err err = PD_ERR_INIT;
	struct pd_cursor c;

	(void)state;
	pd_cursor_init(&c, data, sizeof(data), 0x1000, "mmap2 record");
	c.err = &err;
	pd_cursor_skip(&c, 2);
	assert_int_equal(pd_cursor_u32(&c), 0);
	assert_int_equal(pd_cursor_status(&c), -ENODATA);
	assert_int_equal(pd_cursor_u8(&c), 0);
	assert_int_equal(pd_cursor_left(&c), 0);
	assert_null(pd_cursor_bytes(&c, 1));
	assert_int_equal(pd_cursor_fail(&c, -EBADMSG, "later"), -ENODATA);
	assert_string_equal(err.text, "mmap2 record ends too early");
	assert_true(err.has_off);
	assert_int_equal(err.off, 0x1002);
	assert_int_equal(err.code, -ENODATA);
}

static void test_cursor__fails_with_the_text_of_the_caller(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct pd_cursor c;

	(void)state;
	pd_cursor_init(&c, "abcd", 4, 16, "thing");
	c.err = &err;
	pd_cursor_skip(&c, 3);
	assert_int_equal(pd_cursor_fail(&c, -EBADMSG, "bad %d", 7), -EBADMSG);
	assert_string_equal(err.text, "bad 7");
	assert_int_equal(err.off, 19);
}

static void test_cursor__strings_end_at_nul_or_at_the_end(void **state)
{
	struct pd_cursor c;
	struct pd_str s;

	(void)state;
	pd_cursor_init(&c, "one\0two", 7, 0, "thing");
	s = pd_cursor_cstr(&c);
	assert_true(pd_str_eq(s, "one"));
	assert_int_equal(pd_cursor_left(&c), 3);
	s = pd_cursor_cstr(&c);
	assert_true(pd_str_eq(s, "two"));
	assert_false(pd_str_eq(s, "tw"));
	s = pd_cursor_cstr(&c);
	assert_int_equal(s.len, 0);
	assert_int_equal(pd_cursor_status(&c), 0);
}

static void test_cursor__fields_are_read_to_their_end(void **state)
{
	struct pd_cursor c;
	char *copy;

	(void)state;
	pd_cursor_init(&c, "ab\0xxyz", 7, 0, "thing");
	copy = pd_str_dup(pd_cursor_field(&c, 5));
	assert_string_equal(copy, "ab");
	free(copy);
	assert_int_equal(pd_cursor_u8(&c), 'y');
	pd_cursor_field(&c, 2);
	assert_int_equal(pd_cursor_status(&c), -ENODATA);
}

static void header_string(bool big_endian)
{
	struct bytes b = { .big_endian = big_endian };
	struct pd_cursor c;

	put_u32(&b, 64);
	put_text(&b, "x86_64", 64);
	put_u8(&b, 9);
	c = over(&b, NULL);
	assert_true(pd_str_eq(pd_cursor_string(&c), "x86_64"));
	assert_int_equal(pd_cursor_u8(&c), 9);
}

static void test_cursor__header_strings_of_both_orders(void **state)
{
	(void)state;
	header_string(false);
	header_string(true);
}

static void words(bool big_endian)
{
	struct bytes b = { .big_endian = big_endian };
	struct pd_u64s a;
	struct pd_cursor c;

	put_u64(&b, 7);
	put_u64(&b, UINT64_C(1) << 63);
	c = over(&b, NULL);
	a = pd_cursor_u64s(&c, 2);
	assert_int_equal(a.nr, 2);
	assert_int_equal(pd_u64s_at(&a, 0), 7);
	assert_true(pd_u64s_at(&a, 1) == UINT64_C(1) << 63);
	assert_int_equal(pd_cursor_left(&c), 0);
}

static void test_cursor__arrays_stay_in_the_bytes_of_the_file(void **state)
{
	(void)state;
	words(false);
	words(true);
}

static void test_cursor__a_count_that_overflows_is_too_short(void **state)
{
	static const uint64_t counts[] = { 3, UINT64_MAX, UINT64_C(1) << 61,
					   (UINT64_C(1) << 61) + 1 };
	uint64_t data[2] = { 1, 2 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct pd_cursor c;
		struct pd_u64s a;

		pd_cursor_init(&c, data, sizeof(data), 0, "thing");
		a = pd_cursor_u64s(&c, counts[i]);
		assert_int_equal(a.nr, 0);
		assert_int_equal(pd_cursor_status(&c), -ENODATA);
	}
}

/* Where a size_t has 32 bits, too. */
static void test_cursor__lengths_of_64_bits_are_too_long(void **state)
{
	static const uint8_t data[] = { 1, 2, 3, 4 };
	struct pd_cursor c;

	(void)state;
	pd_cursor_init(&c, data, sizeof(data), 0, "thing");
	assert_null(pd_cursor_bytes(&c, UINT64_C(1) << 32 | 2));
	assert_int_equal(pd_cursor_status(&c), -ENODATA);
	pd_cursor_init(&c, data, sizeof(data), 0, "thing");
	pd_cursor_skip(&c, UINT64_C(1) << 32);
	assert_int_equal(pd_cursor_status(&c), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cursor__reads_numbers_of_both_orders),
		cmocka_unit_test(test_cursor__keeps_its_first_failure),
		cmocka_unit_test(
			test_cursor__fails_with_the_text_of_the_caller),
		cmocka_unit_test(test_cursor__strings_end_at_nul_or_at_the_end),
		cmocka_unit_test(test_cursor__fields_are_read_to_their_end),
		cmocka_unit_test(test_cursor__header_strings_of_both_orders),
		cmocka_unit_test(
			test_cursor__arrays_stay_in_the_bytes_of_the_file),
		cmocka_unit_test(
			test_cursor__a_count_that_overflows_is_too_short),
		cmocka_unit_test(test_cursor__lengths_of_64_bits_are_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
