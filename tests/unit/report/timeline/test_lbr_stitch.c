#include "report/timeline/lbr_stitch.h"

#include "report/timeline/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#define REGISTER_NR 8
#define LOST_MAX    10
#define PLACE	    0x401000

static const struct rpt_task_ref one = { .pid = 1, .tid = 1 };
static const struct rpt_task_ref other = { .pid = 1, .tid = 2 };
static struct rpt_budget budget;

struct words {
	uint64_t words[3 * REGISTER_NR];
};

/* Calls number oldest to latest, each from a place of its own, as registers
 * have them. */
static struct pd_sample sample_of(struct words *room, uint64_t oldest,
				  uint64_t latest)
{
	size_t nr = 0;

	for (uint64_t call = latest; call + 1 > oldest; call--) {
		room->words[nr++] = PLACE + call;
		room->words[nr++] = PLACE + 0x1000;
		room->words[nr++] = 0;
	}
	return (struct pd_sample){
		.branches = { .raw = (const uint8_t *)room->words, .nr = nr },
		.branch_hw_idx = latest % REGISTER_NR,
	};
}

static int add(struct rpt_lbr_stitch *stitch, const struct rpt_task_ref *ref,
	       uint64_t oldest, uint64_t latest, uint64_t seq)
{
	struct words room;
	struct pd_sample sample = sample_of(&room, oldest, latest);

	return rpt_lbr_stitch_add(stitch, ref, &sample, seq);
}

/* Callers number first, first - 1, ... nr of them, and no others. */
static void has_lost(const struct rpt_lbr_stitch *stitch, uint64_t seq,
		     uint64_t first, size_t nr)
{
	static uint64_t room[RPT_CHAIN_NR];
	struct pd_sample sample = {
		.callchain = { .raw = (const uint8_t *)room, .nr = 1 },
		.is_chain_of_branches = true,
	};

	assert_int_equal(rpt_lbr_stitch_lost_nr(stitch, seq), nr);
	rpt_lbr_stitch_join(stitch, seq, &sample, room);
	assert_int_equal(sample.callchain.nr, 1 + nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(room[1 + i], PLACE + first - i);
}

static struct rpt_lbr_stitch *stitch_of(uint64_t budget_len)
{
	struct rpt_lbr_stitch *stitch;

	rpt_budget_set(&budget, budget_len);
	stitch = rpt_lbr_stitch_new(REGISTER_NR, LOST_MAX, &budget);
	assert_non_null(stitch);
	return stitch;
}

static void test_lbr_stitch__what_was_lost_is_taken_from_before(void **state)
{
	struct rpt_lbr_stitch *stitch = stitch_of(1 << 20);

	(void)state;
	assert_int_equal(add(stitch, &one, 3, 10, 100), 0);
	assert_int_equal(add(stitch, &one, 5, 12, 90), 0);
	/* what was put to a chain stands behind the next one, too */
	assert_int_equal(add(stitch, &one, 6, 13, 300), 0);
	assert_int_equal(add(stitch, &one, 6, 9, 400), 0);
	rpt_lbr_stitch_finish(stitch);
	has_lost(stitch, 100, 0, 0);
	has_lost(stitch, 90, 4, 2);
	has_lost(stitch, 300, 5, 3);
	has_lost(stitch, 400, 5, 3);
	has_lost(stitch, 500, 0, 0);
	rpt_lbr_stitch_free(stitch);
}

static void test_lbr_stitch__tasks_have_nothing_of_each_other(void **state)
{
	struct rpt_lbr_stitch *stitch = stitch_of(1 << 20);

	(void)state;
	assert_int_equal(add(stitch, &one, 3, 10, 1), 0);
	assert_int_equal(add(stitch, &other, 5, 12, 2), 0);
	assert_int_equal(add(stitch, &one, 4, 11, 3), 0);
	rpt_lbr_stitch_finish(stitch);
	has_lost(stitch, 2, 0, 0);
	has_lost(stitch, 3, 3, 1);
	rpt_lbr_stitch_free(stitch);
}

static void test_lbr_stitch__another_stack_forgets(void **state)
{
	struct rpt_lbr_stitch *stitch = stitch_of(1 << 20);

	(void)state;
	assert_int_equal(add(stitch, &one, 3, 10, 1), 0);
	assert_int_equal(add(stitch, &one, 5, 12, 2), 0);
	/* all of its registers are new ones */
	assert_int_equal(add(stitch, &one, 21, 28, 3), 0);
	assert_int_equal(add(stitch, &one, 22, 29, 4), 0);
	/* no branches at all */
	assert_int_equal(add(stitch, &one, 30, 29, 5), 0);
	assert_int_equal(add(stitch, &one, 22, 29, 6), 0);
	rpt_lbr_stitch_finish(stitch);
	has_lost(stitch, 2, 4, 2);
	has_lost(stitch, 3, 0, 0);
	has_lost(stitch, 4, 21, 1);
	has_lost(stitch, 5, 0, 0);
	has_lost(stitch, 6, 0, 0);
	rpt_lbr_stitch_free(stitch);
}

static void test_lbr_stitch__any_register_number_is_an_answer(void **state)
{
	static const uint64_t odd[] = { UINT64_MAX, UINT64_MAX - 6, 1u << 31,
					0,	    REGISTER_NR,    1 };
	struct rpt_lbr_stitch *stitch = stitch_of(1 << 20);
	struct words room;
	struct pd_sample sample = sample_of(&room, 1, 8);

	(void)state;
	for (size_t i = 0; i < 36; i++) {
		sample.branch_hw_idx = odd[i % 6];
		sample.branches.nr = 3 * (1 + i % 8);
		assert_int_equal(rpt_lbr_stitch_add(stitch, &one, &sample, i),
				 0);
		sample.branch_hw_idx = odd[i / 6];
		assert_int_equal(rpt_lbr_stitch_add(stitch, &one, &sample, i),
				 0);
	}
	rpt_lbr_stitch_free(stitch);
}

/* Those that are nearest to the branches. */
static void test_lbr_stitch__no_more_than_asked_for(void **state)
{
	struct rpt_lbr_stitch *stitch = stitch_of(1 << 20);
	uint64_t i;

	(void)state;
	for (i = 0; i < 20; i++)
		assert_int_equal(add(stitch, &one, i, i + 7, i), 0);
	rpt_lbr_stitch_finish(stitch);
	has_lost(stitch, LOST_MAX - 1, LOST_MAX - 2, LOST_MAX - 1);
	has_lost(stitch, LOST_MAX, LOST_MAX - 1, LOST_MAX);
	has_lost(stitch, 19, 18, LOST_MAX);
	rpt_lbr_stitch_free(stitch);
}

static void test_lbr_stitch__memory_is_from_the_budget(void **state)
{
	struct rpt_lbr_stitch *stitch = stitch_of(1000);
	int rc = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000 && !rc; i++)
		rc = add(stitch, &one, i, i + 7, i);
	assert_int_equal(rc, -EFBIG);
	rpt_lbr_stitch_finish(stitch);
	rpt_lbr_stitch_free(stitch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_lbr_stitch__what_was_lost_is_taken_from_before),
		cmocka_unit_test(
			test_lbr_stitch__tasks_have_nothing_of_each_other),
		cmocka_unit_test(test_lbr_stitch__another_stack_forgets),
		cmocka_unit_test(
			test_lbr_stitch__any_register_number_is_an_answer),
		cmocka_unit_test(test_lbr_stitch__no_more_than_asked_for),
		cmocka_unit_test(test_lbr_stitch__memory_is_from_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
