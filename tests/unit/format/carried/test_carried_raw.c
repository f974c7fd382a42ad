#include "format/carried/carried_raw.h"
#include "format/carried/carried.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct pd_carried_file files[4] = {
	{ .path = { "/bin/t", 6 } },
	{ .path = { "/lib/a.so", 9 }, .packed = { "\0xz\0a", 5 } },
	{ .path = { "/lib/b.so", 9 } },
	{ .path = { "/lib/c.so", 9 }, .packed = { "c", 1 } },
};

struct made {
	struct pd_buf b;
	struct pd_carried_sections sections;
	struct pd_trailer trailer;
};

static void make(struct made *m, uint32_t nr)
{
	static const struct pd_carried_account account;

	*m = (struct made){ .b = PD_BUF_INIT };
	pd_carried_write(&m->b, 0, files, nr, &account, &m->sections);
	m->trailer.section_nr = m->sections.nr;
	m->trailer.sections = m->sections.items;
	assert_int_equal(pd_buf_status(&m->b), 0);
}

static int read_made(const struct made *m, struct pd_carried *ret)
{
	return pd_carried_read(m->b.data, m->b.len, &m->trailer, ret, NULL);
}

static void test_carried_raw__reads_what_was_written(void **state)
{
	const struct pd_trailer_section *s;
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m, 4);
	s = &m.sections.items[3];
	assert_int_equal(s->kind, PD_CARRIED_RAW);
	assert_int_equal(s->flags, 0);
	assert_int_equal(s->len, 5 + 6);
	assert_int_equal(read_made(&m, &carried), 0);
	for (uint32_t i = 0; i < 4; i++) {
		const struct pd_str *got = &carried.files[i].packed;

		assert_int_equal(got->len, files[i].packed.len);
		if (got->len)
			assert_memory_equal(got->ptr, files[i].packed.ptr,
					    got->len);
	}
	pd_carried_release(&carried);
	pd_buf_release(&m.b);
}

static void test_carried_raw__no_section_without_any(void **state)
{
	struct made m;

	(void)state;
	make(&m, 1);
	assert_int_equal(m.sections.nr, 3);
	pd_buf_release(&m.b);
}

/* Damage of one section takes no other one with it. */
static void test_carried_raw__a_damaged_section_is_lost_alone(void **state)
{
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m, 4);
	m.b.data[m.sections.items[3].off] ^= 1;
	assert_int_equal(read_made(&m, &carried), -EBADMSG);
	assert_int_equal(carried.lost_kinds, 1 << PD_CARRIED_RAW);
	assert_int_equal(carried.file_nr, 4);
	assert_int_equal(carried.files[1].packed.len, 0);
	pd_carried_release(&carried);
	pd_buf_release(&m.b);
}

static int read_text(const char *text, size_t len)
{
	struct pd_carried carried = {
		.files = calloc(4, sizeof(*carried.files)),
		.file_nr = 4,
	};
	uint8_t *copy = malloc(len + 1);
	int rc;

	for (size_t i = 0; i < len; i++)
		copy[i] = (uint8_t)text[i];
	rc = pd_carried_raw_read(&carried, copy, len, 0, NULL);
	for (uint32_t i = 0; i < 4 && rc; i++)
		assert_int_equal(carried.files[i].packed.len, 0);
	pd_carried_release(&carried);
	return rc;
}

static void test_carried_raw__lists_that_cannot_be_are_damaged(void **state)
{
	(void)state;
	assert_int_equal(read_text("\2\1\1\2\1ab", 7), 0);
	assert_int_equal(read_text("\2\1\1\2\1a", 6), -ENODATA);
	assert_int_equal(read_text("\2\1\1\0\1ab", 7), -EBADMSG);
	assert_int_equal(read_text("\2\1\1\3\1ab", 7), -EBADMSG);
	assert_int_equal(read_text("\1\4\1a", 4), -EBADMSG);
	assert_int_equal(read_text("\2\1\1", 3), -ENODATA);
	assert_int_equal(read_text("\1\1\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
				   "a",
				   12),
			 -ENODATA);
	assert_int_equal(read_text("", 0), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carried_raw__reads_what_was_written),
		cmocka_unit_test(test_carried_raw__no_section_without_any),
		cmocka_unit_test(
			test_carried_raw__a_damaged_section_is_lost_alone),
		cmocka_unit_test(
			test_carried_raw__lists_that_cannot_be_are_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
