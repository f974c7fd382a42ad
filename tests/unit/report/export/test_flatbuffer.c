#include "report/export/flatbuffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_bytes(const struct pd_buf *b, const uint8_t *wanted,
			 size_t len)
{
	assert_int_equal(pd_buf_status(b), 0);
	assert_int_equal(b->len, len);
	assert_memory_equal(b->data, wanted, len);
}

static void
test_flatbuffer__a_table_stands_behind_where_its_fields_are(void **s)
{
	const struct rpt_flat_field fields[] = {
		RPT_FLAT_NUMBER(1, 0x11),
		RPT_FLAT_NONE,
		RPT_FLAT_NUMBER(2, 0x2233),
		RPT_FLAT_NUMBER(8, UINT64_C(0x1122334455667788)),
	};
	static const uint8_t wanted[] = {
		0,    0,    0,	  0, /* the root, not set yet */
		12,   0,    16,	  0, /* lengths of this and the table */
		4,    0,    0,	  0,
		6,    0,    8,	  0,	/* where its fields are */
		12,   0,    0,	  0,	/* how far in front all that is */
		0x11, 0,    0x33, 0x22, /* aligned */
		0x88, 0x77, 0x66, 0x55,
		0x44, 0x33, 0x22, 0x11,
	};
	struct pd_buf b = PD_BUF_INIT;
	size_t places[4];

	(void)s;
	pd_buf_u32(&b, 0);
	assert_int_equal(rpt_flat_table(&b, fields, 4, places), 16);
	assert_int_equal(places[0], 20);
	assert_int_equal(places[2], 22);
	assert_int_equal(places[3], 24);
	assert_bytes(&b, wanted, sizeof(wanted));
	pd_buf_release(&b);
}

static void test_flatbuffer__a_table_may_have_no_field(void **s)
{
	static const uint8_t wanted[] = { 0, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0 };
	struct pd_buf b = PD_BUF_INIT;

	(void)s;
	pd_buf_u32(&b, 0);
	assert_int_equal(rpt_flat_table(&b, NULL, 0, NULL), 8);
	assert_bytes(&b, wanted, sizeof(wanted));
	pd_buf_release(&b);
}

static void test_flatbuffer__references_count_from_where_they_stand(void **s)
{
	static const uint8_t wanted[] = {
		2,  0, 0, 0,		     /* a list of two: */
		16, 0, 0, 0, 4,	  0,   0, 0, /* "ab" is 16 bytes on, "c" 4 */
		1,  0, 0, 0, 'c', 0,   0, 0, /* strings end with a NUL */
		2,  0, 0, 0, 'a', 'b', 0, 0,
	};
	struct pd_buf b = PD_BUF_INIT;
	size_t list = rpt_flat_references(&b, 2);

	(void)s;
	rpt_flat_refer(&b, rpt_flat_item(list, 1), rpt_flat_string(&b, "c"));
	rpt_flat_refer(&b, rpt_flat_item(list, 0), rpt_flat_string(&b, "ab"));
	rpt_flat_align(&b);
	assert_int_equal(b.len, 32);
	assert_memory_equal(b.data, wanted, sizeof(wanted));
	pd_buf_release(&b);
}

static void test_flatbuffer__pairs_are_aligned_behind_their_number(void **s)
{
	const uint64_t pairs[][2] = { { 1, 2 }, { 3, UINT64_C(4) << 56 } };
	static const uint8_t wanted[] = {
		9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, /* aligned */
		1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
		3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4,
	};
	struct pd_buf b = PD_BUF_INIT;

	(void)s;
	pd_buf_u8(&b, 9);
	pd_buf_zero(&b, 7);
	assert_int_equal(rpt_flat_pairs(&b, pairs, 2), 12);
	assert_bytes(&b, wanted, sizeof(wanted));
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_flatbuffer__a_table_stands_behind_where_its_fields_are),
		cmocka_unit_test(test_flatbuffer__a_table_may_have_no_field),
		cmocka_unit_test(
			test_flatbuffer__references_count_from_where_they_stand),
		cmocka_unit_test(
			test_flatbuffer__pairs_are_aligned_behind_their_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
