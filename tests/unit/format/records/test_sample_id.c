#include "format/records/sample_id.h"

#include "format/file/layout.h"
#include "tests/unit/both_orders.h"

#define ALL_BITS                                                               \
	(PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_ID | PD_SAMPLE_STREAM_ID | \
	 PD_SAMPLE_CPU | PD_SAMPLE_IDENTIFIER)

static void put_trailer(struct bytes *b, uint64_t bits)
{
	if (bits & PD_SAMPLE_TID) {
		put_u32(b, 11);
		put_u32(b, 12);
	}
	if (bits & PD_SAMPLE_TIME)
		put_u64(b, 1234567890123);
	if (bits & PD_SAMPLE_ID)
		put_u64(b, 77);
	if (bits & PD_SAMPLE_STREAM_ID)
		put_u64(b, 78);
	if (bits & PD_SAMPLE_CPU) {
		put_u32(b, 5);
		put_u32(b, 0);
	}
	if (bits & PD_SAMPLE_IDENTIFIER)
		put_u64(b, 77);
}

static struct pd_sample_layout layout_of(uint64_t bits, uint64_t flags)
{
	struct pd_attr attr = { .sample_type = bits, .flags = flags };
	struct pd_sample_layout layout;

	pd_sample_layout_init(&layout, &attr);
	return layout;
}

static void check_trailer(const struct pd_sample_id *id, uint64_t bits)
{
	const bool has_id = bits & (PD_SAMPLE_IDENTIFIER | PD_SAMPLE_ID);

	assert_int_equal(id->present, bits);
	assert_int_equal(id->pid, bits & PD_SAMPLE_TID ? 11 : 0);
	assert_int_equal(id->tid, bits & PD_SAMPLE_TID ? 12 : 0);
	assert_int_equal(id->time_ns,
			 bits & PD_SAMPLE_TIME ? 1234567890123 : 0);
	assert_int_equal(id->id, has_id ? 77 : 0);
	assert_int_equal(id->stream_id, bits & PD_SAMPLE_STREAM_ID ? 78 : 0);
	assert_int_equal(id->cpu, bits & PD_SAMPLE_CPU ? 5 : 0);
}

/* Every subset of the six fields, in both orders, behind a body. */
static void test_sample_id__every_set_of_fields(void **state)
{
	static const uint64_t fields[] = {
		PD_SAMPLE_TID,	     PD_SAMPLE_TIME, PD_SAMPLE_ID,
		PD_SAMPLE_STREAM_ID, PD_SAMPLE_CPU,  PD_SAMPLE_IDENTIFIER,
	};

	(void)state;
	for (unsigned i = 0; i < 128; i++) {
		struct pd_sample_layout layout;
		struct pd_sample_id id;
		struct pd_record rec;
		uint64_t bits = 0;
		struct bytes b;

		for (unsigned k = 0; k < 6; k++)
			bits |= i >> 1 >> k & 1 ? fields[k] : 0;
		layout = layout_of(bits | PD_SAMPLE_IP, PD_ATTR_SAMPLE_ID_ALL);
		begin_record(&b, i & 1, PD_RECORD_COMM, 0);
		put_text(&b, "body", 16);
		put_trailer(&b, bits);
		end_record(&b);
		rec = record_of(&b);
		assert_int_equal(pd_sample_id_read(&layout, &rec, &id, NULL),
				 0);
		check_trailer(&id, bits);
		assert_int_equal(layout.id_len, b.len - 24);
	}
}

static void test_sample_id__none_without_sample_id_all(void **state)
{
	struct pd_sample_layout layout = layout_of(ALL_BITS, 0);
	struct pd_sample_id id;
	struct pd_record rec;
	struct bytes b;

	(void)state;
	begin_record(&b, false, PD_RECORD_SWITCH, 0);
	end_record(&b);
	rec = record_of(&b);
	assert_int_equal(pd_sample_id_read(&layout, &rec, &id, NULL), 0);
	assert_int_equal(id.present, 0);
	assert_int_equal(layout.id_len, 0);
	assert_int_equal(layout.time_off_back, -1);
	assert_int_equal(layout.id_off_back, -1);
}

static void test_sample_id__too_short_is_an_error(void **state)
{
	struct pd_sample_layout layout =
		layout_of(ALL_BITS, PD_ATTR_SAMPLE_ID_ALL);

	(void)state;
	for (size_t len = 8; len < 8 + 48; len++) {
		struct pd_err err = PD_ERR_INIT;
		struct pd_sample_id id;
		struct pd_record rec;
		struct bytes b;

		begin_record(&b, false, PD_RECORD_SWITCH, 0);
		put_trailer(&b, ALL_BITS);
		b.len = len;
		end_record(&b);
		rec = record_of(&b);
		assert_int_equal(pd_sample_id_read(&layout, &rec, &id, &err),
				 -ENODATA);
		assert_string_equal(err.text,
				    "sample_id trailer ends too early");
	}
}

static void test_sample_id__writes_what_it_read(void **state)
{
	struct pd_sample_layout layout =
		layout_of(ALL_BITS, PD_ATTR_SAMPLE_ID_ALL);
	struct pd_buf out = PD_BUF_INIT;
	struct bytes b = { .big_endian = false };
	struct pd_sample_id id;
	struct pd_record rec;
	size_t start;

	(void)state;
	begin_record(&b, bytes_swap(&b), PD_RECORD_SWITCH, 0);
	put_trailer(&b, ALL_BITS);
	end_record(&b);
	rec = record_of(&b);
	assert_int_equal(pd_sample_id_read(&layout, &rec, &id, NULL), 0);
	start = pd_record_begin(&out, PD_RECORD_SWITCH, 0);
	pd_sample_id_write(&out, &layout, &id);
	pd_record_end(&out, start);
	assert_int_equal(out.len, b.len);
	assert_memory_equal(out.data, b.data, b.len);
	pd_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample_id__every_set_of_fields),
		cmocka_unit_test(test_sample_id__none_without_sample_id_all),
		cmocka_unit_test(test_sample_id__too_short_is_an_error),
		cmocka_unit_test(test_sample_id__writes_what_it_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
