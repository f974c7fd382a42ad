/* carried_stream.h: names of a pipe know the recording that they are of. */
#include "format/carried/carried_stream.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t recording[300] = { 1, 2, 3 };

struct made {
	struct pd_buf b;
	struct pd_carried_sections sections;
};

static void make(struct made *m, size_t len)
{
	*m = (struct made){ .sections.nr = 1 };
	pd_buf_bytes(&m->b, "head", 4);
	pd_carried_stream_write(&m->b, 0, recording, len, &m->sections);
	assert_int_equal(pd_buf_status(&m->b), 0);
	assert_int_equal(m->sections.nr, 2);
	assert_int_equal(m->sections.items[1].off, 4);
}

static int read_stream(const struct made *m, struct pd_carried_stream *ret)
{
	const struct pd_trailer trailer = {
		.sections = (struct pd_trailer_section *)(uintptr_t)
				    m->sections.items,
		.section_nr = m->sections.nr,
	};

	return pd_carried_stream_read(m->b.data, m->b.len, &trailer, ret, NULL);
}

static bool is_of(const struct made *m, const uint8_t *bytes, size_t len)
{
	struct pd_carried_stream stream;

	assert_int_equal(read_stream(m, &stream), 0);
	return pd_carried_stream_is_of(&stream, bytes, len);
}

static void test_carried_stream__is_known_by_its_start(void **state)
{
	uint8_t other[300];
	struct made m;

	(void)state;
	make(&m, 200);
	assert_true(is_of(&m, recording, 300));
	assert_true(is_of(&m, recording, 200));
	assert_false(is_of(&m, recording, 199));
	memcpy(other, recording, sizeof(other));
	other[200]++;
	assert_true(is_of(&m, other, sizeof(other)));
	other[199]++;
	assert_false(is_of(&m, other, sizeof(other)));
	pd_buf_release(&m.b);
}

static void test_carried_stream__nothing_is_no_start(void **state)
{
	struct made m;

	(void)state;
	make(&m, 0);
	assert_false(is_of(&m, recording, 300));
	m.sections.nr = 1; /* of another kind */
	assert_false(is_of(&m, recording, 300));
	pd_buf_release(&m.b);
}

static void test_carried_stream__damage_is_an_error(void **state)
{
	struct pd_carried_stream stream;
	struct pd_trailer_section *s;
	struct made m;

	(void)state;
	make(&m, 200);
	s = &m.sections.items[1];
	for (size_t bit = 32; bit < 8 * m.b.len; bit++) {
		m.b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(read_stream(&m, &stream), -EBADMSG);
		m.b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	s->off = UINT64_MAX;
	assert_int_equal(read_stream(&m, &stream), -EBADMSG);
	s->off = 4;
	s->len++;
	assert_int_equal(read_stream(&m, &stream), -EBADMSG);
	s->len = UINT64_MAX;
	assert_int_equal(read_stream(&m, &stream), -EBADMSG);
	pd_buf_release(&m.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carried_stream__is_known_by_its_start),
		cmocka_unit_test(test_carried_stream__nothing_is_no_start),
		cmocka_unit_test(test_carried_stream__damage_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
