#include "report/profile/profile.h"

#include "tests/unit/recorded.h"
#include "report/timeline/timeline.h"

static void test_profile__adds_up_equal_stacks(void **state)
{
	static const struct taken here = {
		.pid = 5,
		.time_ns = 100,
		.ip = 0x1010,
		.period = 3,
	};
	struct taken later = here, elsewhere = here;
	struct rpt_profile_conf conf = { 0 };
	struct recorded r;

	(void)state;
	later.time_ns = 300;
	later.period = 4;
	elsewhere.ip = 0x1020;
	recorded_start(&r);
	recorded_comm(&r, 5, "shell");
	recorded_sample(&r, EVENT_A, &later);
	recorded_sample(&r, EVENT_A, &here);
	recorded_sample(&r, EVENT_A, &elsewhere);
	recorded_sample(&r, EVENT_B, &here);
	recorded_count(&r, &conf);
	assert_int_equal(r.profile.keys.nr, 3);
	assert_int_equal(r.profile.stacks[0].nr, 2);
	assert_int_equal(r.profile.stacks[0].period, 7);
	assert_int_equal(r.profile.stacks[0].first.time_ns, 100);
	assert_int_equal(rpt_profile_key(&r.profile, 2)->event_idx, EVENT_B);
	assert_int_equal(r.profile.totals[EVENT_A].sample_nr, 3);
	assert_int_equal(r.profile.totals[EVENT_A].period, 10);
	assert_int_equal(r.profile.totals[EVENT_B].period, 3);
	assert_int_equal(rpt_profile_sample_nr(&r.profile), 4);
	recorded_end(&r);
}

static void test_profile__distinguishes_stacks_by_conf(void **state)
{
	static const struct taken taken[] = {
		{ .pid = 5, .cpu = 0, .time_ns = 1, .ip = 0x10, .period = 1 },
		{ .pid = 5, .cpu = 1, .time_ns = 2, .ip = 0x10, .period = 1 },
		{ .pid = 5, .cpu = 1, .time_ns = 4, .ip = 0x10, .period = 1 },
	};
	static const struct {
		struct rpt_profile_conf conf;
		uint32_t nr;
	} cases[] = {
		{ { 0 }, 1 },
		{ { .by_cpu = true }, 2 },
		{ { .blocks = { 9, 1, 1, 0 } }, 3 },
		{ { .blocks = { 9, 2, 1, 0 } }, 2 },
		{ { .blocks = { 2, 1, 1, 0 } }, 2 },
		{ { .blocks = { 1, 9, 1, 0 } }, 1 },
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct recorded r;

		recorded_start(&r);
		for (size_t i = 0; i < 3; i++)
			recorded_sample(&r, EVENT_A, &taken[i]);
		recorded_count(&r, &cases[c].conf);
		assert_int_equal(r.profile.keys.nr, cases[c].nr);
		recorded_end(&r);
	}
}

static void test_profile__has_chains_if_they_are_shown(void **state)
{
	static const struct taken taken[] = {
		{ .pid = 5,
		  .time_ns = 1,
		  .ip = 0x10,
		  .period = 1,
		  .chain = { PD_CONTEXT_USER, 0x10, 0x20 } },
		{ .pid = 5,
		  .time_ns = 2,
		  .ip = 0x10,
		  .period = 1,
		  .chain = { PD_CONTEXT_USER, 0x10, 0x30 } },
	};
	static const struct rpt_profile_conf confs[] = {
		{ .with_chains = true }, { .with_chains = false }
	};

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		const struct rpt_stack_key *key;
		struct recorded r;

		recorded_start(&r);
		recorded_sample(&r, EVENT_A, &taken[0]);
		recorded_sample(&r, EVENT_A, &taken[1]);
		recorded_count(&r, &confs[c]);
		assert_int_equal(r.profile.keys.nr, c ? 1 : 2);
		key = rpt_profile_key(&r.profile, 0);
		assert_int_equal(key->chain_nr, c ? 0 : 3);
		if (!c)
			assert_int_equal(key->chain[2], 0x20);
		recorded_end(&r);
	}
}

/* Samples alike, but some in another block of time, and the earliest not the
 * first in the file. */
static void test_profile__counts_repeats_in_their_block_of_time(void **state)
{
	static const uint64_t times[] = { 300, 100, 310, 520, 110, 990 };
	static const struct rpt_profile_conf conf = {
		.blocks = { 2, 500, 0, 1000 },
	};
	struct taken taken = { .pid = 5, .ip = 0x10, .period = 2 };
	struct recorded r;

	(void)state;
	recorded_start(&r);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		taken.time_ns = times[i];
		recorded_sample(&r, EVENT_B, &taken);
	}
	recorded_count(&r, &conf);
	assert_int_equal(r.profile.keys.nr, 2);
	assert_int_equal(r.profile.stacks[0].nr, 4);
	assert_int_equal(r.profile.stacks[0].period, 8);
	assert_int_equal(r.profile.stacks[0].first.time_ns, 100);
	assert_int_equal(r.profile.stacks[1].nr, 2);
	assert_int_equal(r.profile.stacks[1].first.time_ns, 520);
	assert_int_equal(r.profile.totals[2 * EVENT_B].sample_nr, 4);
	assert_int_equal(r.profile.totals[2 * EVENT_B + 1].sample_nr, 2);
	assert_int_equal(r.profile.totals[2 * EVENT_B + 1].period, 4);
	recorded_end(&r);
}

/* Arguments of system calls, where rows do not show them. */
static void test_profile__distinguishes_raw_data_if_asked(void **state)
{
	static const char *const raw[] = { "ab", "ab", "cd", "ab", "cd" };
	struct taken taken = { .pid = 5, .ip = 0x10, .period = 2 };

	(void)state;
	for (unsigned c = 0; c < 2; c++) {
		struct rpt_profile_conf conf = { .by_raw = c };
		struct recorded r;

		recorded_start_with(&r, PD_SAMPLE_RAW);
		for (size_t i = 0; i < 5; i++) {
			taken.time_ns++;
			taken.raw = raw[i];
			recorded_sample(&r, EVENT_A, &taken);
		}
		recorded_count(&r, &conf);
		assert_int_equal(r.profile.keys.nr, 1 + c);
		assert_int_equal(r.profile.stacks[0].nr, c ? 3 : 5);
		recorded_end(&r);
	}
}

static void count_two(struct recorded *r, struct rpt_stack_bases *bases)
{
	struct rpt_profile_conf conf = { .bases = bases };
	struct taken taken = {
		.pid = 5, .time_ns = 9, .ip = 0x10, .period = 2
	};

	recorded_start(r);
	recorded_sample(r, EVENT_A, &taken);
	taken.ip = 0x20;
	taken.time_ns = 5;
	recorded_sample(r, EVENT_B, &taken);
	recorded_count(r, &conf);
}

/* Threads count parts of a file: together they are the whole. */
static void test_profile__merged_parts_equal_one_profile(void **state)
{
	struct rpt_stack_bases *bases = rpt_stack_bases_new();
	struct recorded a, b;
	struct rpt_profile whole;

	(void)state;
	assert_non_null(bases);
	count_two(&a, bases);
	count_two(&b, bases);
	rpt_profile_init(&whole, &a.profile.conf);
	assert_int_equal(rpt_profile_merge(&whole, &a.profile, NULL), 0);
	assert_int_equal(rpt_profile_merge(&whole, &b.profile, NULL), 0);
	rpt_profile_release(&a.profile);
	rpt_profile_release(&b.profile);
	assert_int_equal(whole.keys.nr, 2);
	assert_int_equal(rpt_profile_key(&whole, 1)->ip, 0x20);
	assert_int_equal(whole.stacks[1].nr, 2);
	assert_int_equal(whole.stacks[1].period, 4);
	assert_int_equal(whole.stacks[1].first.time_ns, 5);
	assert_int_equal(whole.totals[EVENT_A].sample_nr, 2);
	rpt_profile_release(&whole);
	recorded_end(&a);
	recorded_end(&b);
	rpt_stack_bases_free(bases);
}

static void test_profile__counts_samples_of_unknown_events(void **state)
{
	static const struct rpt_profile_conf none = { 0 };
	struct taken taken = {
		.pid = 5, .time_ns = 9, .ip = 0x10, .period = 2
	};
	struct pd_body lost = { .type = PD_RECORD_LOST };
	struct recorded r;

	(void)state;
	recorded_start(&r);
	recorded_sample(&r, EVENT_NR + 5, &taken); /* an id that no event has */
	lost.u.lost = (struct pd_lost){ recorded_id(EVENT_A), 12 };
	recorded_body(&r, 0, &lost);
	recorded_count(&r, &none);
	assert_int_equal(r.profile.keys.nr, 0);
	assert_int_equal(r.profile.samples.unknown_id_nr, 1);
	assert_int_equal(r.profile.lost_nr, 12);
	assert_int_equal(r.profile.lost_chunk_nr, 1);
	recorded_end(&r);
}

#define BUDGET_LEN 90000u

/* What stacks may take ends where that of rows begins: a third. */
static void test_profile__leaves_a_third_of_memory_to_rows(void **state)
{
	struct rpt_file_chunks pieces = { .jobs = 1 };
	struct rpt_profile_conf conf = { 0 };
	struct rpt_budget *budget;
	struct recorded r;

	(void)state;
	recorded_start(&r);
	for (uint32_t i = 0; i < 1000; i++)
		recorded_sample(
			&r, EVENT_A,
			&(struct taken){
				.pid = 5, .time_ns = i, .ip = i, .period = 1 });
	recorded_load(&r, &pieces);
	conf.reader = r.reader;
	conf.timeline = r.timeline;
	budget = rpt_timeline_budget(r.timeline);
	atomic_store(&budget->left, BUDGET_LEN);
	rpt_profile_init(&r.profile, &conf);
	assert_int_equal(rpt_profile_add_chunk(&r.profile,
					       pd_reader_data(r.reader), NULL),
			 0);
	assert_true(r.profile.is_left_out);
	assert_in_range(budget->left, BUDGET_LEN / 3, BUDGET_LEN / 3 + 300);
	assert_in_range(r.profile.keys.nr, 200, 999);
	assert_int_equal(rpt_profile_sample_nr(&r.profile), 1000);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile__adds_up_equal_stacks),
		cmocka_unit_test(test_profile__distinguishes_stacks_by_conf),
		cmocka_unit_test(test_profile__has_chains_if_they_are_shown),
		cmocka_unit_test(test_profile__merged_parts_equal_one_profile),
		cmocka_unit_test(
			test_profile__counts_repeats_in_their_block_of_time),
		cmocka_unit_test(test_profile__distinguishes_raw_data_if_asked),
		cmocka_unit_test(
			test_profile__counts_samples_of_unknown_events),
		cmocka_unit_test(
			test_profile__leaves_a_third_of_memory_to_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
