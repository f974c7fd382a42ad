#include "format/trailer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { BODY_LEN = 72 + 8 + 2 * 64 + 8 + 32, FOOTER_LEN = 32 };

static struct pd_trailer_frame frames[2] = {
	{ .file_off = 300,
	  .file_len = 40,
	  .plain_len = 4096,
	  .plain_hash = 0x0123456789abcdef,
	  .record_nr = 9,
	  .time_lo_ns = 5,
	  .time_hi_ns = 6,
	  .cpu = 3 },
	{ .file_off = 340, .cpu = PD_TRAILER_ANY_CPU, .has_sideband = true },
};

static struct pd_trailer_loss loss = {
	.cpu = 1, .event_idx = 2, .lost_nr = 3, .time_lo_ns = 4, .time_hi_ns = 5
};

/* Some bytes of a file, then the trailer. */
static struct pd_buf made(void)
{
	struct pd_trailer t = { .frames = frames,
				.frame_nr = 2,
				.losses = &loss,
				.loss_nr = 1,
				.cost = { .user_ns = 11, .startup_ns = 19 } };
	struct pd_buf b = PD_BUF_INIT;

	pd_buf_u64(&b, 77);
	pd_trailer_write(&b, &t);
	return b;
}

static void test_trailer__what_is_written_is_read(void **state)
{
	struct pd_buf b = made();
	struct pd_trailer t;

	(void)state;
	assert_int_equal(b.len, 8 + BODY_LEN + FOOTER_LEN);
	assert_int_equal(pd_trailer_read(b.data, b.len, &t, NULL), 0);
	assert_int_equal(t.frame_nr, 2);
	assert_memory_equal(t.frames, frames, sizeof(frames));
	assert_int_equal(t.loss_nr, 1);
	assert_memory_equal(t.losses, &loss, sizeof(loss));
	assert_int_equal(t.cost.user_ns, 11);
	assert_int_equal(t.cost.startup_ns, 19);
	pd_trailer_release(&t);
	pd_buf_release(&b);
}

static void test_trailer__none_where_the_footer_is_not(void **state)
{
	struct pd_buf b = made();
	struct pd_trailer t;

	(void)state;
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(pd_trailer_read(b.data, len, &t, NULL),
				 -ENOENT);
	pd_buf_release(&b);
}

static void test_trailer__each_changed_byte_of_the_body_shows(void **state)
{
	struct pd_buf b = made();
	struct pd_trailer t;

	(void)state;
	for (size_t at = 8; at < 8 + BODY_LEN + 16; at++) {
		b.data[at] ^= 0x10;
		assert_int_equal(pd_trailer_read(b.data, b.len, &t, NULL),
				 -EBADMSG);
		b.data[at] ^= 0x10;
	}
	pd_buf_release(&b);
}

static void test_trailer__a_newer_version_is_not_read(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct pd_buf b = made();
	struct pd_trailer t;

	(void)state;
	b.data[b.len - 16] ^= 3;
	assert_int_equal(pd_trailer_read(b.data, b.len, &t, &err), -ENOTSUP);
	assert_string_equal(err.text, "trailer of version 2");
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trailer__what_is_written_is_read),
		cmocka_unit_test(test_trailer__none_where_the_footer_is_not),
		cmocka_unit_test(
			test_trailer__each_changed_byte_of_the_body_shows),
		cmocka_unit_test(test_trailer__a_newer_version_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
