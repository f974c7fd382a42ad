#include "format/file/trailer.h"

#include "format/file/layout.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <xxhash.h>

enum {
	OLD_BODY_LEN = 72 + 8 + 2 * 64 + 8 + 32,
	NO_SUMS_LEN = OLD_BODY_LEN + 56 + 8 + 24,
	BODY_LEN = NO_SUMS_LEN + 8 + 8 + 2 * 32,
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
	{ .file_off = 340,
	  .cpu = PD_TRAILER_ANY_CPU,
	  .has_sideband = true,
	  .has_sample_nr = true,
	  .sample_nr = 4711,
	  .is_plain = true },
};

static struct pd_trailer_sum sums[2] = {
	{ .off = 0, .len = 104, .hash = 31, .part = PD_PART_HEADER },
	{ .off = 104, .len = 8, .hash = 37, .part = PD_FEATURE_EVENT_DESC },
};

static struct pd_trailer_loss loss = {
	.cpu = 1, .event_idx = 2, .lost_nr = 3, .time_lo_ns = 4, .time_hi_ns = 5
};

static struct pd_trailer_rate rate = {
	.event_idx = 1, .flags = PD_RATE_IS_FREQ, .time_ns = 8, .value = 250
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
				.has_sums = true,
				.rest_hash = 41,
				.sums = sums,
				.sum_nr = 2,
				.cost = { .user_ns = 11,
					  .startup_ns = 19,
					  .recorded_ns = 23,
					  .thread_nr = 2,
					  .max_rate_after_hz = 29 },
				.whole_command = 5 };
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
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(t.frames[i].file_off, frames[i].file_off);
		assert_int_equal(t.frames[i].plain_hash, frames[i].plain_hash);
		assert_int_equal(t.frames[i].record_nr, frames[i].record_nr);
		assert_int_equal(t.frames[i].time_hi_ns, frames[i].time_hi_ns);
		assert_int_equal(t.frames[i].cpu, frames[i].cpu);
		assert_int_equal(t.frames[i].has_sideband,
				 frames[i].has_sideband);
		assert_int_equal(t.frames[i].has_sample_nr,
				 frames[i].has_sample_nr);
		assert_int_equal(t.frames[i].sample_nr, frames[i].sample_nr);
		assert_int_equal(t.frames[i].is_plain, frames[i].is_plain);
	}
	assert_int_equal(t.loss_nr, 1);
	assert_memory_equal(t.losses, &loss, sizeof(loss));
	assert_int_equal(t.cost.user_ns, 11);
	assert_int_equal(t.cost.startup_ns, 19);
	assert_int_equal(t.cost.recorded_ns, 23);
	assert_int_equal(t.cost.max_rate_after_hz, 29);
	assert_int_equal(t.cost.thread_nr, 2);
	assert_int_equal(t.whole_command, 5);
	assert_int_equal(t.rate_nr, 1);
	assert_memory_equal(t.rates, &rate, sizeof(rate));
	assert_true(t.has_sums);
	assert_int_equal(t.rest_hash, 41);
	assert_int_equal(t.sum_nr, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(t.sums[i].off, sums[i].off);
		assert_int_equal(t.sums[i].len, sums[i].len);
		assert_int_equal(t.sums[i].hash, sums[i].hash);
		assert_int_equal(t.sums[i].part, sums[i].part);
	}
	pd_trailer_release(&t);
	pd_buf_release(&b);
}

static void test_trailer__unwound_events_need_no_sections(void **state)
{
	struct pd_trailer_unwound unwound[] = { { 3 }, { 5 } };
	const struct pd_trailer in = {
		.has_sums = true,
		.unwound = unwound,
		.unwound_nr = 2,
		.left_task_nr = 7,
		.left_record_nr = 1234567890123,
		.start = { 1764500000000000001,
			   42,
			   { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
			     16 } },
	};
	struct pd_buf b = { .swap = true };
	struct pd_trailer t;

	(void)state;
	pd_trailer_write(&b, &in);
	assert_int_equal(pd_trailer_read(b.data, b.len, &t, NULL), 0);
	assert_int_equal(t.section_nr, 0);
	assert_int_equal(t.unwound_nr, 2);
	assert_int_equal(t.unwound[0].event_idx, 3);
	assert_int_equal(t.unwound[1].event_idx, 5);
	assert_int_equal(t.left_task_nr, 7);
	assert_int_equal(t.left_record_nr, 1234567890123);
	assert_memory_equal(&t.start, &in.start, sizeof(t.start));
	pd_trailer_release(&t);
	pd_buf_release(&b);
}

static void test_trailer__a_start_needs_no_lists(void **state)
{
	const struct pd_trailer in = {
		.has_sums = true,
		.start = { 1764500000000000001, 42, { 7 } },
	};
	struct pd_buf b = PD_BUF_INIT;
	struct pd_trailer t;

	(void)state;
	pd_trailer_write(&b, &in);
	assert_int_equal(pd_trailer_read(b.data, b.len, &t, NULL), 0);
	assert_int_equal(t.left_task_nr, 0);
	assert_memory_equal(&t.start, &in.start, sizeof(t.start));
	pd_trailer_release(&t);
	pd_buf_release(&b);
}

static void test_trailer__none_without_a_footer(void **state)
{
	struct pd_buf b = made();
	struct pd_trailer t;

	(void)state;
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(pd_trailer_read(b.data, len, &t, NULL),
				 -ENOENT);
	pd_buf_release(&b);
}

static void test_trailer__every_changed_byte_is_found(void **state)
{
	struct pd_buf b = made();
	struct pd_trailer t;

	(void)state;
	for (size_t at = 8; at < b.len; at++) {
		b.data[at] ^= 0x10;
		assert_int_equal(pd_trailer_read(b.data, b.len, &t, NULL),
				 -EBADMSG);
		b.data[at] ^= 0x10;
	}
	pd_buf_release(&b);
}

/* The footer as older recorders wrote it, with a body that ends earlier. */
static struct pd_buf shorter(const struct pd_buf *b, uint64_t body_len)
{
	struct pd_buf old = PD_BUF_INIT;

	pd_buf_bytes(&old, b->data + 8, body_len);
	pd_buf_u64(&old, body_len);
	pd_buf_u64(&old, XXH3_64bits(b->data + 8, body_len));
	pd_buf_u32(&old, 1);
	pd_buf_u32(&old, 0);
	pd_buf_bytes(&old, b->data + b->len - 8, 8);
	return old;
}

/* As recorders wrote it that told less. */
static void test_trailer__a_body_may_end_behind_the_losses(void **state)
{
	struct pd_buf b = made(), old = shorter(&b, OLD_BODY_LEN);
	struct pd_trailer t;

	(void)state;
	assert_int_equal(pd_trailer_read(old.data, old.len, &t, NULL), 0);
	assert_int_equal(t.cost.startup_ns, 19);
	assert_int_equal(t.cost.recorded_ns, 0);
	assert_int_equal(t.loss_nr, 1);
	assert_int_equal(t.rate_nr, 0);
	assert_false(t.has_sums);
	pd_trailer_release(&t);
	pd_buf_release(&old);
	pd_buf_release(&b);
}

static void test_trailer__a_body_may_end_behind_the_rates(void **state)
{
	struct pd_buf b = made(), old = shorter(&b, NO_SUMS_LEN);
	struct pd_trailer t;

	(void)state;
	assert_int_equal(pd_trailer_read(old.data, old.len, &t, NULL), 0);
	assert_int_equal(t.rate_nr, 1);
	assert_false(t.has_sums);
	assert_int_equal(t.sum_nr, 0);
	pd_trailer_release(&t);
	pd_buf_release(&old);
	pd_buf_release(&b);
}

static void test_trailer__a_newer_version_is_not_read(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct pd_buf b = made();
	struct pd_trailer t;
	uint32_t sum;

	(void)state;
	b.data[b.len - 16] ^= 3;
	/* with a checksum that is not the footer's it is damage */
	assert_int_equal(pd_trailer_read(b.data, b.len, &t, NULL), -EBADMSG);
	sum = (uint32_t)XXH3_64bits(b.data + b.len - 32, 20);
	memcpy(b.data + b.len - 12, &sum, sizeof(sum));
	assert_int_equal(pd_trailer_read(b.data, b.len, &t, &err), -ENOTSUP);
	assert_string_equal(err.text, "trailer of version 2");
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trailer__what_is_written_is_read),
		cmocka_unit_test(test_trailer__unwound_events_need_no_sections),
		cmocka_unit_test(test_trailer__a_start_needs_no_lists),
		cmocka_unit_test(test_trailer__none_without_a_footer),
		cmocka_unit_test(test_trailer__every_changed_byte_is_found),
		cmocka_unit_test(
			test_trailer__a_body_may_end_behind_the_losses),
		cmocka_unit_test(test_trailer__a_body_may_end_behind_the_rates),
		cmocka_unit_test(test_trailer__a_newer_version_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
