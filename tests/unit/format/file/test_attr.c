#include "format/file/attr.h"

#include "format/file/layout.h"
#include "tests/unit/both_orders.h"

static const uint32_t sizes[] = {
	64, 72, 80, 96, 104, 112, 120, 128, 136, 144
};
#define SIZES_NR (sizeof(sizes) / sizeof(sizes[0]))

/* The attr of 144 bytes, every field with a value of its own. */
static void put_attr(struct bytes *b, uint32_t size, const uint8_t flags[8])
{
	put_u32(b, 2);
	put_u32(b, size);
	put_u64(b, 0x1111111122222222);
	put_u64(b, 4000);
	put_u64(b, 0x1ffffff);
	put_u64(b, 0x1f);
	for (int i = 0; i < 8; i++)
		put_u8(b, flags[i]);
	put_u32(b, 5);
	put_u32(b, 6);
	put_u64(b, 0xc1);
	put_u64(b, 0xc2);
	put_u64(b, 0xb5);
	put_u64(b, 0xff0fff);
	put_u32(b, 8192);
	put_u32(b, (uint32_t)-3);
	put_u64(b, 0xff1fff);
	put_u32(b, 0xa0);
	put_u16(b, 127);
	put_u16(b, 0);
	put_u32(b, 0xa5);
	put_u32(b, 0xac);
	put_u64(b, 0x5d);
	put_u64(b, 0xc3);
	put_u64(b, 0xc4);
	assert_int_equal(b->len, 144);
}

static int read_attr(const struct bytes *b, size_t len, struct pd_attr *ret,
		     size_t *ret_pos)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct pd_cursor c;
	int rc;

	assert_non_null(copy);
	memcpy(copy, b->data, len);
	pd_cursor_init(&c, copy, len, 0, "attr");
	c.swap = bytes_swap(b);
	rc = pd_attr_read(&c, ret);
	if (ret_pos)
		*ret_pos = c.pos;
	free(copy);
	return rc;
}

static void check_first_version(const struct pd_attr *a)
{
	assert_int_equal(a->type, 2);
	assert_int_equal(a->config, 0x1111111122222222);
	assert_int_equal(a->sample_period, 4000);
	assert_int_equal(a->sample_type, 0x1ffffff);
	assert_int_equal(a->read_format, 0x1f);
	assert_int_equal(a->wakeup, 5);
	assert_int_equal(a->bp_type, 6);
	assert_int_equal(a->config1, 0xc1);
}

static void check_attr(const struct pd_attr *a, uint32_t size)
{
	check_first_version(a);
	assert_int_equal(a->attr_len, size);
	assert_int_equal(a->config2, size >= 72 ? 0xc2 : 0);
	assert_int_equal(a->branch_sample_type, size >= 80 ? 0xb5 : 0);
	assert_int_equal(a->sample_regs_user, size >= 96 ? 0xff0fff : 0);
	assert_int_equal(a->sample_stack_user, size >= 96 ? 8192 : 0);
	assert_int_equal(a->clockid, size >= 96 ? -3 : 0);
	assert_int_equal(a->sample_regs_intr, size >= 104 ? 0xff1fff : 0);
	assert_int_equal(a->aux_watermark, size >= 112 ? 0xa0 : 0);
	assert_int_equal(a->sample_max_stack, size >= 112 ? 127 : 0);
	assert_int_equal(a->aux_sample_size, size >= 120 ? 0xa5 : 0);
	assert_int_equal(a->aux_action, size >= 120 ? 0xac : 0);
	assert_int_equal(a->sig_data, size >= 128 ? 0x5d : 0);
	assert_int_equal(a->config3, size >= 136 ? 0xc3 : 0);
	assert_int_equal(a->config4, size >= 144 ? 0xc4 : 0);
}

static void test_attr__reads_every_size_of_both_orders(void **state)
{
	static const uint8_t flags[8] = { 0 };

	(void)state;
	for (size_t i = 0; i < 2 * SIZES_NR; i++) {
		struct bytes b = { .big_endian = i & 1 };
		struct pd_attr a;
		size_t pos;

		put_attr(&b, sizes[i / 2], flags);
		assert_int_equal(read_attr(&b, b.len, &a, &pos), 0);
		check_attr(&a, sizes[i / 2]);
		assert_int_equal(pos, sizes[i / 2]);
	}
}

/* Flag i is bit i % 8 of byte i / 8 from a little-endian producer, bit
 * 7 - i % 8 of it from a big-endian one. */
static void test_attr__each_flag_of_both_orders(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 80; i++) {
		unsigned flag = i / 2;
		struct bytes b = { .big_endian = i & 1 };
		uint8_t flags[8] = { 0 };
		struct pd_attr a;

		if (flag == 15 || flag == 16)
			continue;
		flags[flag / 8] = (uint8_t)(1u << (b.big_endian ? 7 - flag % 8
								: flag % 8));
		put_attr(&b, 64, flags);
		assert_int_equal(read_attr(&b, 64, &a, NULL), 0);
		assert_true(a.flags == PD_BIT(flag));
	}
}

/* Two bits over a byte's edge: big endian has the high one first. */
static void test_attr__precise_ip_of_both_orders(void **state)
{
	static const uint8_t one[2][8] = { { 0, 0x80, 0x00 },
					   { 0, 0x00, 0x80 } };
	static const uint8_t two[2][8] = { { 0, 0x00, 0x01 },
					   { 0, 0x01, 0x00 } };

	(void)state;
	for (int order = 0; order < 2; order++) {
		struct bytes b = { .big_endian = order };
		struct pd_attr a;

		put_attr(&b, 64, one[order]);
		assert_int_equal(read_attr(&b, 64, &a, NULL), 0);
		assert_true(a.flags == UINT64_C(1) << PD_ATTR_PRECISE_IP_SHIFT);
		b.len = 0;
		put_attr(&b, 64, two[order]);
		assert_int_equal(read_attr(&b, 64, &a, NULL), 0);
		assert_true(a.flags == UINT64_C(2) << PD_ATTR_PRECISE_IP_SHIFT);
	}
}

static void test_attr__skips_newer_fields(void **state)
{
	static const uint8_t flags[8] = { 0 };
	struct bytes b = { .big_endian = false };
	struct pd_buf out = PD_BUF_INIT;
	struct pd_attr a;
	size_t pos;

	(void)state;
	put_attr(&b, 160, flags);
	put_u64(&b, 1);
	put_u64(&b, 2);
	put_u64(&b, 3);
	assert_int_equal(read_attr(&b, b.len, &a, &pos), 0);
	assert_int_equal(a.config4, 0xc4);
	assert_int_equal(pos, 160);
	pd_attr_write(&out, &a);
	assert_int_equal(out.len, 160);
	for (size_t i = 144; i < 160; i++)
		assert_int_equal(out.data[i], 0);
	pd_buf_release(&out);
	assert_int_equal(read_attr(&b, 159, &a, NULL), -ENODATA);
}

static void test_attr__size_0_is_64_and_less_is_damage(void **state)
{
	static const uint8_t flags[8] = { 0 };
	struct bytes b = { .big_endian = true };
	struct pd_attr a;
	size_t pos;

	(void)state;
	put_attr(&b, 0, flags);
	assert_int_equal(read_attr(&b, b.len, &a, &pos), 0);
	check_attr(&a, 64);
	assert_int_equal(pos, 64);
	b.len = 0;
	put_attr(&b, 63, flags);
	assert_int_equal(read_attr(&b, b.len, &a, NULL), -EBADMSG);
}

static void test_attr__cut_at_every_length_is_an_error(void **state)
{
	static const uint8_t flags[8] = { 0 };

	(void)state;
	for (size_t i = 0; i < SIZES_NR; i++) {
		struct bytes b = { .big_endian = false };
		struct pd_attr a;

		put_attr(&b, sizes[i], flags);
		for (size_t len = 0; len < sizes[i]; len++)
			assert_int_equal(read_attr(&b, len, &a, NULL),
					 -ENODATA);
	}
}

static void test_attr__writes_what_it_read(void **state)
{
	static const uint8_t flags[8] = { 0xff, 0xff, 0xfe, 0xff, 0xff };

	(void)state;
	for (size_t i = 0; i < 2 * SIZES_NR; i++) {
		struct bytes b = { .big_endian = i & 1 };
		struct pd_buf out = { .swap = bytes_swap(&b) };
		struct pd_attr a;

		put_attr(&b, sizes[i / 2], flags);
		assert_int_equal(read_attr(&b, b.len, &a, NULL), 0);
		pd_attr_write(&out, &a);
		assert_int_equal(out.len, sizes[i / 2]);
		assert_memory_equal(out.data, b.data, sizes[i / 2]);
		pd_buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr__reads_every_size_of_both_orders),
		cmocka_unit_test(test_attr__each_flag_of_both_orders),
		cmocka_unit_test(test_attr__precise_ip_of_both_orders),
		cmocka_unit_test(test_attr__skips_newer_fields),
		cmocka_unit_test(test_attr__size_0_is_64_and_less_is_damage),
		cmocka_unit_test(test_attr__cut_at_every_length_is_an_error),
		cmocka_unit_test(test_attr__writes_what_it_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
