#include "report/input/inflated_cache.h"

#include "format/zstd_compress.h"
#include "format/layout.h"
#include "tests/unit/recorded.h"
#include "report/profile/profile_threads.h"

#include <errno.h>

#define RECORDS_NR 3000u
#define FREE_LEN   ((uint64_t)4 << 20)

/* Number i: of any length, in either byte order. */
static struct pd_record record_of(uint32_t i, bool swap, uint8_t *room)
{
	uint16_t len = (uint16_t)(i % 500 == 499 ? UINT16_MAX / 8 * 8
						 : 8 + i % 40 * 8);
	uint32_t type = PD_RECORD_SAMPLE;
	struct pd_record rec = { .seq = (uint64_t)i << 20 | 7 };

	memset(room, (int)i, len);
	if (swap) {
		uint32_t swapped_type = __builtin_bswap32(type);
		uint16_t swapped_len = __builtin_bswap16(len);

		memcpy(room, &swapped_type, sizeof(swapped_type));
		memcpy(room + 6, &swapped_len, sizeof(swapped_len));
	} else {
		memcpy(room, &type, sizeof(type));
		memcpy(room + 6, &len, sizeof(len));
	}
	assert_int_equal(
		pd_record_read(room, len, (uint64_t)i, swap, &rec, NULL), 0);
	return rec;
}

static void check_kept(const struct rpt_inflated_cache *text, bool swap)
{
	static uint8_t room[UINT16_MAX];
	uint32_t i = 0;

	for (size_t b = 0; b < text->nr; b++) {
		struct pd_record got;
		size_t at = 0;

		while (rpt_kept_block_next(&text->blocks[b], &at, swap, &got)) {
			struct pd_record want = record_of(i++, swap, room);

			assert_int_equal(got.len, want.len);
			assert_memory_equal(got.data, want.data, want.len);
			assert_int_equal(got.type, PD_RECORD_SAMPLE);
			assert_true(got.seq == want.seq);
			assert_int_equal(got.file_off, i - 1);
			assert_true(got.plain_off != PD_RECORD_NOT_COMPRESSED);
		}
	}
	assert_int_equal(i, RECORDS_NR);
}

static void test_kept_text__has_what_was_put_there(void **state)
{
	static uint8_t room[UINT16_MAX];

	(void)state;
	for (unsigned swap = 0; swap < 2; swap++) {
		struct rpt_budget budget = { .left = FREE_LEN };
		struct rpt_inflated_cache text = { .budget = &budget };

		for (uint32_t i = 0; i < RECORDS_NR; i++) {
			struct pd_record rec = record_of(i, swap, room);

			assert_int_equal(rpt_inflated_cache_add(&text, &rec),
					 0);
		}
		assert_in_range(text.nr, 3, 5);
		check_kept(&text, swap);
		assert_true(rpt_budget_left(&budget) < FREE_LEN);
		rpt_kept_block_release(&text.blocks[0]);
		rpt_inflated_cache_release(&text);
		assert_int_equal(budget.left, FREE_LEN);
	}
}

static void test_kept_text__ends_with_the_budget(void **state)
{
	struct rpt_budget budget = { .left = FREE_LEN / 8 };
	struct rpt_inflated_cache text = { .budget = &budget };
	static uint8_t room[UINT16_MAX];
	uint32_t nr = 0;
	int rc;

	(void)state;
	do {
		struct pd_record rec = record_of(nr, false, room);

		rc = rpt_inflated_cache_add(&text, &rec);
	} while (!rc && ++nr < RECORDS_NR);
	assert_int_equal(rc, -EFBIG);
	assert_in_range(nr, 500, RECORDS_NR - 1);
	rpt_inflated_cache_release(&text);
	assert_int_equal(budget.left, FREE_LEN / 8);
}

/* Samples of which no two are alike, in one zstd frame. */
static void record_many(struct recorded *r, uint32_t nr)
{
	struct taken taken = { .pid = 5, .period = 2 };
	const struct pd_buf *records;
	struct pd_zstd_compress *z;
	uint64_t hash;

	recorded_start(r);
	recorded_comm(r, 5, "shell");
	for (uint32_t i = 0; i < nr; i++) {
		taken.ip = 0x1000 + i;
		taken.time_ns = 1000 + i;
		recorded_sample(r, i % 2 ? EVENT_A : EVENT_B, &taken);
	}
	z = pd_zstd_compress_new(1, r->data.len);
	assert_non_null(z);
	assert_int_equal(pd_zstd_compress_add(z, r->data.data, r->data.len), 0);
	assert_int_equal(pd_zstd_compress_end(z, &records, &hash), 0);
	pd_buf_reset(&r->data);
	pd_buf_bytes(&r->data, records->data, records->len);
	pd_zstd_compress_free(z);
}

/* Each was counted once, by whichever thread. */
static void check_many(const struct rpt_profile *profile, uint32_t nr)
{
	uint8_t *seen = calloc(nr, sizeof(*seen));

	assert_non_null(seen);
	assert_int_equal(profile->keys.nr, nr);
	for (uint32_t i = 0; i < nr; i++) {
		const struct rpt_stack_key *key = rpt_profile_key(profile, i);
		uint64_t number = key->ip - 0x1000;

		assert_true(number < nr);
		assert_int_equal(seen[number]++, 0);
		assert_int_equal(key->event_idx,
				 number % 2 ? EVENT_A : EVENT_B);
		assert_int_equal(profile->stacks[i].nr, 1);
		assert_int_equal(profile->stacks[i].first.time_ns,
				 1000 + number);
	}
	assert_int_equal(profile->totals[EVENT_A].sample_nr, nr / 2);
	free(seen);
}

/* Of what is kept the file is not asked again. */
static void count_many(uint32_t nr, uint32_t jobs, bool is_kept)
{
	struct rpt_file_chunks pieces = { .jobs = jobs, .are_counted = true };
	struct rpt_profile_conf conf = { 0 };
	struct recorded r;

	record_many(&r, nr);
	recorded_load(&r, &pieces);
	assert_int_equal(pieces.nr, 1);
	if (is_kept) {
		assert_non_null(rpt_sample_rle_set_at(&pieces.digests, 0));
		assert_true(pieces.digests.items[0].rest.nr > 1);
		memset(r.file.data + r.file.len - r.data.len, 0xff, r.data.len);
	} else {
		assert_null(rpt_sample_rle_set_at(&pieces.digests, 0));
	}
	conf.reader = r.reader;
	conf.timeline = r.timeline;
	assert_int_equal(rpt_profile_init(&r.profile, &conf, NULL), 0);
	assert_int_equal(
		rpt_profile_threads_count(&r.profile, &pieces, NULL, NULL), 0);
	assert_int_equal(r.profile.damage.skipped_nr, 0);
	check_many(&r.profile, nr);
	rpt_file_chunks_release(&pieces);
	recorded_end(&r);
}

static void test_kept_text__is_counted_instead_of_the_file(void **state)
{
	(void)state;
	count_many(10000, 1, true);
	count_many(10000, 2, true);
	count_many(10000, 3, true);
}

/* A short file's text may not take so much. */
static void test_kept_text__of_too_many_samples_is_read_again(void **state)
{
	(void)state;
	count_many(120000, 1, false);
	count_many(120000, 2, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept_text__has_what_was_put_there),
		cmocka_unit_test(test_kept_text__ends_with_the_budget),
		cmocka_unit_test(
			test_kept_text__is_counted_instead_of_the_file),
		cmocka_unit_test(
			test_kept_text__of_too_many_samples_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
