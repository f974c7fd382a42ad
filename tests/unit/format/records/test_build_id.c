#include "format/records/build_id.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const uint8_t id[PD_BUILD_ID_LEN_MAX] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x10, 0x11,
	0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0xff,
};

static struct pd_str str(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

static struct pd_build_ids over(const struct pd_buf *b)
{
	struct pd_build_ids it;
	struct pd_cursor c;

	pd_cursor_init(&c, b->data, b->len, 0, "BUILD_ID");
	pd_build_ids_init(&it, &c);
	return it;
}

static void test_build_id__what_is_written_is_read(void **state)
{
	struct pd_build_id_entry wrote = {
		.misc = PD_CPUMODE_USER,
		.id = { .pid = -1, .build_id_len = 8, .filename = str("/x") },
	};
	struct pd_build_id_entry got = { .misc = 0 };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_build_ids it;

	(void)state;
	memcpy(wrote.id.build_id, id, 8);
	pd_build_id_write(&b, &wrote);
	wrote.id.filename = str("/usr/lib/libc.so.6");
	pd_build_id_write(&b, &wrote);
	assert_int_equal(b.len, 48 + 64);
	it = over(&b);
	assert_int_equal(pd_build_ids_next(&it, &got, NULL), 1);
	assert_int_equal(got.misc, PD_CPUMODE_USER | PD_MISC_BUILD_ID_SIZE);
	assert_int_equal(got.id.pid, -1);
	assert_int_equal(got.id.build_id_len, 8);
	assert_memory_equal(got.id.build_id, id, 8);
	assert_true(pd_str_eq(got.id.filename, "/x"));
	assert_int_equal(pd_build_ids_next(&it, &got, NULL), 1);
	assert_true(pd_str_eq(got.id.filename, "/usr/lib/libc.so.6"));
	assert_int_equal(pd_build_ids_next(&it, &got, NULL), 0);
	pd_buf_release(&b);
}

static int map_of(const struct pd_body *body, struct pd_mmap *ret)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;
	int rc;

	pd_body_write(&b, PD_MISC_BUILD_ID_SIZE, body);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	rc = pd_build_id_map(&rec, 0, ret);
	pd_buf_release(&b);
	return rc;
}

static void test_build_id__is_read_as_a_map(void **state)
{
	struct pd_body map = { .type = PD_RECORD_MMAP2,
			       .u.mmap = { .addr = 0x1000,
					   .build_id_len = 20,
					   .filename = str("/x") } };
	struct pd_body named = { .type = PD_RECORD_HEADER_BUILD_ID,
				 .u.header_build_id = {
					 .build_id_len = 8,
					 .filename = str("[kernel.kallsyms]"),
				 } };
	struct pd_body other = { .type = PD_RECORD_FORK };
	struct pd_mmap got;

	(void)state;
	memcpy(map.u.mmap.build_id, id, 20);
	memcpy(named.u.header_build_id.build_id, id, 8);
	assert_int_equal(map_of(&map, &got), 0);
	assert_int_equal(got.addr, 0x1000);
	assert_int_equal(got.build_id_len, 20);
	assert_memory_equal(got.build_id, id, 20);
	assert_int_equal(map_of(&named, &got), 0);
	assert_int_equal(got.addr, 0);
	assert_int_equal(got.build_id_len, 8);
	assert_memory_equal(got.build_id, id, 8);
	assert_int_equal(got.filename.len, strlen("[kernel.kallsyms]"));
	assert_int_equal(map_of(&other, &got), -ENOTSUP);
}

/* header, id, 4 zeros, name: as perf of Linux 2.6.35 */
static void put_old(struct pd_buf *b, const char *name)
{
	size_t start = pd_record_begin(b, 0, PD_CPUMODE_KERNEL);

	pd_buf_bytes(b, id, sizeof(id));
	pd_buf_zero(b, 4);
	pd_buf_cstr_pad(b, str(name), 8);
	pd_record_end(b, start);
}

static void test_build_id__old_records_have_no_pid(void **state)
{
	struct pd_build_id_entry got = { .misc = 0 };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_build_ids it;

	(void)state;
	put_old(&b, "/bin/true");
	put_old(&b, "[kernel.kallsyms]");
	it = over(&b);
	assert_int_equal(pd_build_ids_next(&it, &got, NULL), 1);
	assert_true(pd_str_eq(got.id.filename, "/bin/true"));
	assert_int_equal(got.id.build_id_len, PD_BUILD_ID_LEN_MAX);
	assert_memory_equal(got.id.build_id, id, sizeof(id));
	assert_int_equal(pd_build_ids_next(&it, &got, NULL), 1);
	assert_true(pd_str_eq(got.id.filename, "[kernel.kallsyms]"));
	assert_int_equal(pd_build_ids_next(&it, &got, NULL), 0);
	pd_buf_release(&b);
}

static void test_build_id__a_cut_payload_is_an_error(void **state)
{
	struct pd_build_id_entry got = { .misc = 0 };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_build_ids it;

	(void)state;
	put_old(&b, "/bin/true");
	b.len -= 1;
	it = over(&b);
	assert_int_equal(pd_build_ids_next(&it, &got, NULL), -ENODATA);
	pd_buf_release(&b);
}

static void test_build_id__hex(void **state)
{
	char text[PD_BUILD_ID_HEX_LEN];

	(void)state;
	pd_build_id_hex(id, sizeof(id), text);
	assert_string_equal(text, "0123456789abcdef101112131415161718191aff");
	pd_build_id_hex(id, 2, text);
	assert_string_equal(text, "0123");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build_id__what_is_written_is_read),
		cmocka_unit_test(test_build_id__is_read_as_a_map),
		cmocka_unit_test(test_build_id__old_records_have_no_pid),
		cmocka_unit_test(test_build_id__a_cut_payload_is_an_error),
		cmocka_unit_test(test_build_id__hex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
