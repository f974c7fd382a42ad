#include "record/snapshot/btf_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

static const char strings[] = "\0int\0field\0a_function";

/* header; INT "int", STRUCT of one member, FUNC_PROTO, FUNC "a_function" */
static const uint32_t words[] = {
	0x0001eb9f, 24,		0,	    64,		64, sizeof(strings),
	1,	    0x01000000, 4,	    0x01000020, 0,  0x04000001,
	4,	    5,		1,	    0,		0,  0x0d000000,
	1,	    11,		0x0c000000, 3,
};

enum { BLOB_LEN = sizeof(words) + sizeof(strings) };

static void make_blob(uint8_t ret[BLOB_LEN])
{
	memcpy(ret, words, sizeof(words));
	memcpy(ret + sizeof(words), strings, sizeof(strings));
}

static void test_btf_name__type_by_type(void **state)
{
	uint8_t blob[BLOB_LEN];

	(void)state;
	make_blob(blob);
	assert_true(pd_str_eq(rec_btf_name(blob, BLOB_LEN, 1), "int"));
	assert_true(pd_str_eq(rec_btf_name(blob, BLOB_LEN, 2), ""));
	assert_true(pd_str_eq(rec_btf_name(blob, BLOB_LEN, 4), "a_function"));
	assert_int_equal(rec_btf_name(blob, BLOB_LEN, 0).len, 0);
	assert_int_equal(rec_btf_name(blob, BLOB_LEN, 99).len, 0);
}

static void
test_btf_name__cut_at_every_length_gives_a_part_or_none(void **state)
{
	uint8_t blob[BLOB_LEN];

	(void)state;
	make_blob(blob);
	for (size_t len = 0; len < BLOB_LEN; len++) {
		uint8_t *copy = malloc(len + 1);
		struct pd_str name;

		memcpy(copy, blob, len);
		name = rec_btf_name(copy, len, 4);
		assert_true(name.len <= strlen("a_function"));
		assert_memory_equal(name.ptr, "a_function", name.len);
		free(copy);
	}
}

static void test_btf_name__every_byte_changed_stays_inside(void **state)
{
	uint8_t blob[BLOB_LEN];

	(void)state;
	for (size_t i = 0; i < BLOB_LEN; i++) {
		struct pd_str name;

		make_blob(blob);
		blob[i] ^= 0xff;
		name = rec_btf_name(blob, BLOB_LEN, 4);
		assert_true(name.len <= sizeof(strings) + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_btf_name__type_by_type),
		cmocka_unit_test(
			test_btf_name__cut_at_every_length_gives_a_part_or_none),
		cmocka_unit_test(
			test_btf_name__every_byte_changed_stays_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
