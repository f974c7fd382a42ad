#include "format/file/file_header.h"

#include "tests/unit/both_orders.h"

/* The header as a machine of either order writes it, by FORMAT.md. */
static struct bytes header(bool big_endian, uint64_t header_len)
{
	struct bytes b = { .big_endian = big_endian };

	put_u64(&b, UINT64_C(0x32454c4946524550));
	put_u64(&b, header_len);
	put_u64(&b, 128 + 16);
	for (uint64_t v = 1; v <= 6; v++)
		put_u64(&b, v << 8);
	return b;
}

static int read_header(const struct bytes *b, struct pd_file_header *ret,
		       struct pd_err *err)
{
	struct pd_cursor c;

	pd_cursor_init(&c, b->data, b->len, 0, "file header");
	c.err = err;
	return pd_file_header_read(&c, ret);
}

static void check_sections(const struct pd_file_header *h)
{
	assert_int_equal(h->version, 2);
	assert_int_equal(h->attr_entry_len, 144);
	assert_int_equal(h->attrs.off, 0x100);
	assert_int_equal(h->attrs.len, 0x200);
	assert_int_equal(h->data.off, 0x300);
	assert_int_equal(h->data.len, 0x400);
	assert_int_equal(h->event_types.off, 0x500);
	assert_false(h->is_pipe);
}

static void test_file_header__both_orders(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct bytes b = header(big, 104);
		struct pd_file_header h;

		put_u64(&b, PD_BIT(PD_FEATURE_HOSTNAME) |
				    PD_BIT(PD_FEATURE_E_MACHINE));
		put_u64(&b, 0);
		put_u64(&b, 0);
		put_u64(&b, PD_BIT(63));
		assert_int_equal(read_header(&b, &h, NULL), 0);
		check_sections(&h);
		assert_int_equal(h.swap, bytes_swap(&b));
		assert_true(pd_file_header_has(&h, PD_FEATURE_HOSTNAME));
		assert_true(pd_file_header_has(&h, PD_FEATURE_E_MACHINE));
		assert_true(pd_file_header_has(&h, 255));
		assert_false(pd_file_header_has(&h, PD_FEATURE_ARCH));
	}
}

static void
test_file_header__bitmap_of_a_32_bit_big_endian_machine(void **state)
{
	struct bytes b = header(true, 104);
	struct pd_file_header h;

	(void)state;
	put_u32(&b, 1u << PD_FEATURE_HOSTNAME | 1u << PD_FEATURE_ARCH);
	put_u32(&b, 1u << (PD_FEATURE_E_MACHINE - 32));
	for (unsigned i = 2; i < 8; i++)
		put_u32(&b, 0);
	assert_int_equal(read_header(&b, &h, NULL), 0);
	assert_true(h.features[0] ==
		    (PD_BIT(PD_FEATURE_HOSTNAME) | PD_BIT(PD_FEATURE_ARCH) |
		     PD_BIT(PD_FEATURE_E_MACHINE)));
}

static void test_file_header__old_one_has_no_features(void **state)
{
	struct bytes b = header(false, 72);
	struct pd_file_header h;

	(void)state;
	put_u64(&b, UINT64_MAX); /* already data */
	assert_int_equal(read_header(&b, &h, NULL), 0);
	check_sections(&h);
	assert_true(h.features[0] == 0);
}

static void test_file_header__a_pipe_has_16_bytes(void **state)
{
	struct bytes b = { .big_endian = true };
	struct pd_file_header h;

	(void)state;
	put_u64(&b, UINT64_C(0x32454c4946524550));
	put_u64(&b, 16);
	assert_int_equal(read_header(&b, &h, NULL), 0);
	assert_true(h.is_pipe);
	assert_int_equal(h.swap, bytes_swap(&b));
}

static void test_file_header__other_files_are_refused(void **state)
{
	struct bytes b = header(false, 105);
	struct pd_err err = PD_ERR_INIT;
	struct pd_file_header h;

	(void)state;
	assert_int_equal(read_header(&b, &h, &err), -EBADMSG);
	b.data[0] = 'Q';
	err = (struct pd_err)PD_ERR_INIT;
	assert_int_equal(read_header(&b, &h, &err), -EBADMSG);
	assert_string_equal(err.text, "this is not a perf.data file");
	b = header(false, 104);
	assert_int_equal(read_header(&b, &h, NULL), -ENODATA);
}

static void test_file_header__what_is_written_is_read(void **state)
{
	struct pd_file_header wrote = {
		.version = 2,
		.header_len = 104,
		.attr_entry_len = 144,
		.attrs = { 104, 144 },
		.data = { 248, 8 },
	};
	struct pd_file_header got;
	struct pd_buf b = PD_BUF_INIT;
	struct pd_cursor c;

	(void)state;
	pd_file_header_add(&wrote, PD_FEATURE_COMPRESSED);
	pd_file_header_write(&b, &wrote);
	assert_int_equal(b.len, 104);
	pd_cursor_init(&c, b.data, b.len, 0, "file header");
	assert_int_equal(pd_file_header_read(&c, &got), 0);
	assert_memory_equal(&got, &wrote, sizeof(got));
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_header__both_orders),
		cmocka_unit_test(
			test_file_header__bitmap_of_a_32_bit_big_endian_machine),
		cmocka_unit_test(test_file_header__old_one_has_no_features),
		cmocka_unit_test(test_file_header__a_pipe_has_16_bytes),
		cmocka_unit_test(test_file_header__other_files_are_refused),
		cmocka_unit_test(test_file_header__what_is_written_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
