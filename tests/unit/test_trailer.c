#include "format/trailer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <xxhash.h>

enum {
	OLD_BODY_LEN = 72 + 8 + 2 * 64 + 8 + 32,
	BODY_LEN = OLD_BODY_LEN + 56 + 8 + 24,
	FOOTER_LEN = 32,
};

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

static struct pd_trailer_rate rate = {
	.event_idx = 1, .is_freq = true, .time_ns = 8, .value = 250
};

/* Some bytes of a file, then the trailer. */
static struct pd_buf made(void)
{
	struct pd_trailer t = { .frames = frames,
				.frame_nr = 2,
				.losses = &loss,
				.loss_nr = 1,
				.rates = &rate,
				.rate_nr = 1,
				.cost = { .user_ns = 11,
					  .startup_ns = 19,
					  .recorded_ns = 23,
					  .max_rate_after_hz = 29 } };
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
	assert_int_equal(t.cost.recorded_ns, 23);
	assert_int_equal(t.cost.max_rate_after_hz, 29);
	assert_int_equal(t.rate_nr, 1);
	assert_memory_equal(t.rates, &rate, sizeof(rate));
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

/* As recorders wrote it that told less. */
static void test_trailer__a_body_may_end_behind_the_losses(void **state)
{
	struct pd_buf b = made(), old = PD_BUF_INIT;
	struct pd_trailer t;

	(void)state;
	pd_buf_bytes(&old, b.data + 8, OLD_BODY_LEN);
	pd_buf_u64(&old, OLD_BODY_LEN);
	pd_buf_u64(&old, XXH3_64bits(b.data + 8, OLD_BODY_LEN));
	pd_buf_bytes(&old, b.data + b.len - 16, 16);
	assert_int_equal(pd_trailer_read(old.data, old.len, &t, NULL), 0);
	assert_int_equal(t.cost.startup_ns, 19);
	assert_int_equal(t.cost.recorded_ns, 0);
	assert_int_equal(t.loss_nr, 1);
	assert_int_equal(t.rate_nr, 0);
	pd_trailer_release(&t);
	pd_buf_release(&old);
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
		cmocka_unit_test(
			test_trailer__a_body_may_end_behind_the_losses),
		cmocka_unit_test(test_trailer__a_newer_version_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
