#include "format/base/buf.h"

#include "tests/unit/both_orders.h"

static void write_and_read(bool swap)
{
	struct pd_buf b = { .swap = swap };
	struct pd_cursor c;

	pd_buf_u8(&b, 0x12);
	pd_buf_u16(&b, 0x3456);
	pd_buf_u32(&b, 0x789abcde);
	pd_buf_u64(&b, UINT64_C(0xfedcba9876543210));
	pd_buf_string(&b, (struct pd_str){ "host", 4 });
	pd_buf_u64(&b, 0);
	pd_buf_patch_u16(&b, b.len - 4, 12);
	pd_buf_patch_u16(&b, b.len - 6, 34);
	assert_int_equal(b.len, 15 + 4 + 64 + 8);
	pd_cursor_init(&c, b.data, b.len, 0, "thing");
	c.swap = swap;
	assert_int_equal(pd_cursor_u8(&c), 0x12);
	assert_int_equal(pd_cursor_u16(&c), 0x3456);
	assert_int_equal(pd_cursor_u32(&c), 0x789abcde);
	assert_true(pd_cursor_u64(&c) == UINT64_C(0xfedcba9876543210));
	assert_true(pd_str_eq(pd_cursor_string(&c), "host"));
	pd_cursor_skip(&c, 2);
	assert_int_equal(pd_cursor_u16(&c), 34);
	assert_int_equal(pd_cursor_u16(&c), 12);
	pd_cursor_skip(&c, 2);
	assert_int_equal(pd_cursor_status(&c), 0);
	pd_buf_release(&b);
	assert_null(b.data);
}

static void test_buf__writes_what_a_cursor_reads(void **state)
{
	(void)state;
	write_and_read(false);
	write_and_read(true);
}

static void padded(size_t text_len, size_t align, size_t want)
{
	static const char text[] = "0123456789abcdef";
	struct pd_buf b = PD_BUF_INIT;

	pd_buf_cstr_pad(&b, (struct pd_str){ text, text_len }, align);
	assert_int_equal(b.len, want);
	assert_memory_equal(b.data, text, text_len);
	for (size_t i = text_len; i < want; i++)
		assert_int_equal(b.data[i], 0);
	pd_buf_release(&b);
}

static void test_buf__strings_always_have_their_nul(void **state)
{
	(void)state;
	padded(0, 8, 8);
	padded(7, 8, 8);
	padded(8, 8, 16);
	padded(3, 1, 4);
	padded(16, 64, 64);
}

static void test_buf__growing_keeps_the_content(void **state)
{
	struct pd_buf b = PD_BUF_INIT;

	(void)state;
	for (uint32_t i = 0; i < 5000; i++)
		pd_buf_u32(&b, i);
	assert_int_equal(b.len, 20000);
	for (uint32_t i = 0; i < 5000; i++) {
		uint32_t v;

		memcpy(&v, b.data + 4 * i, sizeof(v));
		assert_int_equal(v, i);
	}
	pd_buf_reset(&b);
	assert_int_equal(b.len, 0);
	assert_int_equal(pd_buf_status(&b), 0);
	pd_buf_release(&b);
}

static void test_buf__patches_in_place(void **state)
{
	struct pd_buf b = PD_BUF_INIT;
	uint64_t v;
	uint16_t w;

	(void)state;
	pd_buf_zero(&b, 16);
	pd_buf_patch_u64(&b, 2, 77);
	pd_buf_patch_u16(&b, 12, 4242);
	memcpy(&v, b.data + 2, sizeof(v));
	memcpy(&w, b.data + 12, sizeof(w));
	assert_int_equal(v, 77);
	assert_int_equal(w, 4242);
	assert_int_equal(b.len, 16);
	pd_buf_release(&b);
}

static void test_buf__the_first_failure_stays(void **state)
{
	struct pd_buf b = PD_BUF_INIT;

	(void)state;
	pd_buf_u8(&b, 1);
	assert_null(pd_buf_reserve(&b, SIZE_MAX));
	assert_int_equal(pd_buf_status(&b), -ENOMEM);
	pd_buf_u64(&b, 2);
	pd_buf_patch_u64(&b, 0, 3);
	assert_int_equal(b.len, 1);
	assert_int_equal(b.data[0], 1);
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buf__writes_what_a_cursor_reads),
		cmocka_unit_test(test_buf__strings_always_have_their_nul),
		cmocka_unit_test(test_buf__growing_keeps_the_content),
		cmocka_unit_test(test_buf__patches_in_place),
		cmocka_unit_test(test_buf__the_first_failure_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
