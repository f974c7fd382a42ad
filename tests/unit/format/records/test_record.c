#include "format/records/record.h"

#include "format/file/layout.h"
#include "tests/unit/both_orders.h"

static void header(bool big_endian)
{
	struct pd_record rec = { .seq = 5 };
	struct pd_err err = PD_ERR_INIT;
	struct pd_cursor c;
	struct bytes b;

	begin_record(&b, big_endian, PD_RECORD_LOST_SAMPLES, 0x8002);
	put_u64(&b, 99);
	end_record(&b);
	assert_int_equal(
		pd_record_read(b.data, b.len, 0x40, bytes_swap(&b), &rec, &err),
		0);
	assert_int_equal(rec.type, PD_RECORD_LOST_SAMPLES);
	assert_int_equal(rec.misc, 0x8002);
	assert_int_equal(rec.len, 16);
	assert_int_equal(rec.file_off, 0x40);
	assert_int_equal(rec.seq, 5);
	c = pd_record_body(&rec, "lost samples record", &err);
	assert_int_equal(pd_cursor_u64(&c), 99);
	assert_int_equal(pd_cursor_u8(&c), 0);
	assert_string_equal(err.text, "lost samples record ends too early");
	assert_int_equal(err.off, 0x50);
}

static void test_record__reads_headers_of_both_orders(void **state)
{
	(void)state;
	header(false);
	header(true);
}

static void test_record__cut_or_damaged_headers_are_errors(void **state)
{
	struct pd_record rec = { .type = 77 };
	struct bytes b;

	(void)state;
	begin_record(&b, false, PD_RECORD_COMM, 0);
	put_text(&b, "abcdefgh", 16);
	end_record(&b);
	for (size_t left = 0; left < b.len; left++)
		assert_int_equal(pd_record_read(b.data, left, 0, bytes_swap(&b),
						&rec, NULL),
				 -ENODATA);
	for (uint8_t len = 0; len < 8; len++) {
		b.data[6] = len;
		assert_int_equal(pd_record_read(b.data, b.len, 0,
						bytes_swap(&b), &rec, NULL),
				 -EBADMSG);
	}
	assert_int_equal(rec.type, 77);
}

static void test_record__writing_pads_to_eight(void **state)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;
	size_t start;

	(void)state;
	pd_buf_u64(&b, 0);
	start = pd_record_begin(&b, PD_RECORD_COMM, PD_MISC_COMM_EXEC);
	pd_buf_u8(&b, 1);
	pd_record_end(&b, start);
	assert_int_equal(b.len, 24);
	assert_int_equal(pd_record_read(b.data + 8, 16, 8, false, &rec, NULL),
			 0);
	assert_int_equal(rec.len, 16);
	assert_int_equal(rec.misc, 0x2000);
	start = pd_record_begin(&b, PD_RECORD_COMPRESSED, 0);
	pd_buf_u8(&b, 1);
	pd_record_end_unpadded(&b, start);
	assert_int_equal(b.len, 33);
	assert_int_equal(pd_record_read(b.data + 24, 9, 8, false, &rec, NULL),
			 0);
	assert_int_equal(rec.len, 9);
	pd_buf_release(&b);
}

static void test_record__more_than_65535_bytes_is_an_error(void **state)
{
	struct pd_buf b = PD_BUF_INIT;
	size_t start;

	(void)state;
	start = pd_record_begin(&b, PD_RECORD_SAMPLE, 0);
	pd_buf_zero(&b, 65520);
	pd_record_end(&b, start);
	assert_int_equal(pd_buf_status(&b), 0);
	start = pd_record_begin(&b, PD_RECORD_SAMPLE, 0);
	pd_buf_zero(&b, 65521);
	pd_record_end(&b, start);
	assert_int_equal(pd_buf_status(&b), -EFBIG);
	pd_buf_release(&b);
}

static void test_record__types_have_perf_s_names(void **state)
{
	(void)state;
	assert_string_equal(pd_record_type_name(1), "MMAP");
	assert_string_equal(pd_record_type_name(22), "CALLCHAIN_DEFERRED");
	assert_string_equal(pd_record_type_name(68), "FINISHED_ROUND");
	assert_string_equal(pd_record_type_name(86), "SCHEDSTAT_DOMAIN");
	assert_null(pd_record_type_name(0));
	assert_null(pd_record_type_name(23));
	assert_null(pd_record_type_name(63));
	assert_null(pd_record_type_name(87));
	assert_null(pd_record_type_name(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record__reads_headers_of_both_orders),
		cmocka_unit_test(
			test_record__cut_or_damaged_headers_are_errors),
		cmocka_unit_test(test_record__writing_pads_to_eight),
		cmocka_unit_test(
			test_record__more_than_65535_bytes_is_an_error),
		cmocka_unit_test(test_record__types_have_perf_s_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
