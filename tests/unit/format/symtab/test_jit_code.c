/* jit_code.h: a dump that is cut while it is read, and read twice.  What else
 * dumps may have is in tests/unit/record/names/test_jitdump_codes.c. */
#include "format/symtab/jit_code.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "format/base/buf.h"

enum { HEAD_LEN = 40, LOAD_LEN = 56 + 2 + 64 };

static void put_dump(struct pd_buf *b)
{
	pd_buf_u32(b, 0x4a695444);
	pd_buf_u32(b, 1);
	pd_buf_u32(b, HEAD_LEN);
	pd_buf_zero(b, HEAD_LEN - 12);
	for (uint64_t i = 0; i < 3; i++) {
		pd_buf_u32(b, 0);
		pd_buf_u32(b, LOAD_LEN);
		pd_buf_u64(b, i);
		pd_buf_zero(b, 16);
		pd_buf_u64(b, 0x1000 * i);
		pd_buf_u64(b, 64);
		pd_buf_u64(b, i);
		pd_buf_bytes(b, "f", 2);
		pd_buf_zero(b, 64);
	}
}

static int read_buf(void *ctx, uint64_t off, void *ret, size_t len)
{
	const struct pd_buf *b = ctx;

	if (off > b->len || len > b->len - off)
		return -EBADMSG;
	memcpy(ret, b->data + off, len);
	return 0;
}

static unsigned code_nr(struct pd_jitdump *dump)
{
	struct pd_jit_code code;
	unsigned nr = 0;
	int rc;

	while ((rc = pd_jitdump_next(dump, &code)) > 0) {
		assert_true(pd_str_eq(code.name, "f"));
		assert_int_equal(code.idx, nr);
		nr++;
	}
	assert_int_equal(rc, 0);
	return nr;
}

/* The length was asked for before. */
static void test_jitdump__that_is_cut_while_it_is_read(void **state)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_jitdump dump;
	size_t whole;

	(void)state;
	put_dump(&b);
	whole = b.len;
	for (b.len = 0; b.len <= whole; b.len++) {
		struct pd_read_at from = { .read = read_buf, .ctx = &b };
		unsigned nr = (unsigned)((b.len - HEAD_LEN) / LOAD_LEN);
		int rc = pd_jitdump_open(&dump, from, whole, NULL);

		assert_int_equal(rc, b.len < HEAD_LEN ? -EBADMSG : 0);
		if (!rc) {
			assert_int_equal(code_nr(&dump), nr);
			pd_jitdump_rewind(&dump);
			assert_int_equal(code_nr(&dump), nr);
		}
		pd_jitdump_close(&dump);
	}
	pd_buf_release(&b);
}

static int refuse(void *ctx, uint64_t off, void *ret, size_t len)
{
	(void)ret;
	return off + len > *(const uint64_t *)ctx ? -EFBIG
	       : off + len > HEAD_LEN		  ? -ETIME
						  : -EIO;
}

static void test_jitdump__errors_of_the_reading(void **state)
{
	uint64_t limit = 0;
	struct pd_read_at from = { .read = refuse, .ctx = &limit };
	struct pd_jitdump dump;

	(void)state;
	assert_int_equal(pd_jitdump_open(&dump, from, 1000, NULL), -EFBIG);
	pd_jitdump_close(&dump);
	/* A limit within a block is no limit of what comes before it. */
	limit = HEAD_LEN;
	assert_int_equal(pd_jitdump_open(&dump, from, 1000, NULL), -EIO);
	pd_jitdump_close(&dump);
	limit = 1000;
	assert_int_equal(pd_jitdump_open(&dump, from, 39, NULL), -EBADMSG);
	pd_jitdump_close(&dump);
}

/* A record of what unwinds the next function: len bytes, of which table_len are
 * a table; it lies in front if is_table_first. */
static void put_unwinding(struct pd_buf *b, uint64_t len, uint64_t table_len,
			  bool is_table_first)
{
	static const uint8_t table[] = { 1, 0x1b, 3, 0x3b };
	uint32_t real_len = len < 100000 ? (uint32_t)len : 8;

	pd_buf_u32(b, 4);
	pd_buf_u32(b, 40 + real_len);
	pd_buf_zero(b, 8);
	pd_buf_u64(b, len);
	pd_buf_u64(b, table_len);
	pd_buf_u64(b, 0);
	if (is_table_first)
		pd_buf_bytes(b, table, sizeof(table));
	while (real_len-- > (is_table_first ? sizeof(table) : 0))
		pd_buf_u8(b, (uint8_t)real_len);
}

static void put_load(struct pd_buf *b, uint64_t len)
{
	pd_buf_u32(b, 0);
	pd_buf_u32(b, LOAD_LEN);
	pd_buf_zero(b, 24);
	pd_buf_u64(b, 0x1000);
	pd_buf_u64(b, len);
	pd_buf_u64(b, 7);
	pd_buf_bytes(b, "f", 2);
	pd_buf_zero(b, 64);
}

/* Records in front of the second function, and what is told of it: .eh_frame
 * of so many bytes, the first of which is that. */
static void test_jitdump__what_unwinds_a_function(void **state)
{
	static const struct {
		uint64_t len, table_len;
		bool is_table_first;
		size_t eh_frame_len;
		uint8_t first;
	} told[] = {
		{ 60, 20, false, 40, 59 },  { 60, 20, true, 40, 43 },
		{ 60, 0, false, 60, 59 },   { 20, 20, false, 0, 0 },
		{ 60, 61, false, 0, 0 },    { UINT64_MAX, 20, false, 0, 0 },
		{ 40000, 20, false, 0, 0 },
	};
	struct pd_jit_code code;
	struct pd_jitdump dump;

	(void)state;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct pd_buf b = PD_BUF_INIT;
		struct pd_read_at from = { .read = read_buf, .ctx = &b };

		put_dump(&b);
		b.data[12] = 62;
		b.len = HEAD_LEN;
		put_load(&b, 64);
		put_unwinding(&b, 16, 0, false); /* a later one counts */
		put_unwinding(&b, told[i].len, told[i].table_len,
			      told[i].is_table_first);
		put_load(&b, 64);
		put_load(&b, 64);
		put_unwinding(&b, 16, 0, false); /* of one that is no code */
		put_load(&b, 0);
		put_load(&b, 64);
		assert_int_equal(pd_jitdump_open(&dump, from, b.len, NULL), 0);
		for (int round = 0; round < 2; round++) {
			pd_jitdump_rewind(&dump);
			for (int nr = 0; nr < 4; nr++) {
				assert_int_equal(pd_jitdump_next(&dump, &code),
						 1);
				assert_int_equal(code.machine, 62);
				assert_int_equal(code.eh_frame.len,
						 nr == 1 ? told[i].eh_frame_len
							 : 0);
				if (code.eh_frame.len)
					assert_int_equal(
						(uint8_t)code.eh_frame.ptr[0],
						told[i].first);
			}
			assert_int_equal(pd_jitdump_next(&dump, &code), 0);
		}
		pd_jitdump_close(&dump);
		pd_buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jitdump__that_is_cut_while_it_is_read),
		cmocka_unit_test(test_jitdump__errors_of_the_reading),
		cmocka_unit_test(test_jitdump__what_unwinds_a_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
