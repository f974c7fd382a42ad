#include "report/base/memory.h"

#include "report/base/intern.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define TRIES_NR 100000

static void test_budget__takes_what_there_is(void **state)
{
	struct rpt_budget budget = { .left = 100 };

	(void)state;
	assert_true(rpt_budget_take(&budget, 60));
	assert_true(rpt_budget_take(&budget, 40));
	assert_false(budget.is_spent);
	assert_false(rpt_budget_take(&budget, 1));
	assert_true(budget.is_spent);
	rpt_budget_give(&budget, 60);
	assert_false(rpt_budget_take(&budget, 61));
	assert_int_equal(budget.left, 60);
}

static void test_budget__is_charged_with_what_is_allocated(void **state)
{
	struct rpt_budget budget = { 0 };
	struct rpt_arena arena = { .budget = &budget };
	uint64_t *items = NULL;
	uint32_t cap = 0;

	(void)state;
	rpt_budget_set(&budget, 10000);
	rpt_arena_alloc(&arena, 100);
	assert_in_range(rpt_budget_left(&budget), 1, 9900);
	rpt_arena_alloc(&arena, 10000);
	assert_int_equal(rpt_budget_left(&budget), 0);
	assert_false(budget.is_spent);
	assert_true(rpt_budget_is_spent(&budget));
	assert_true(budget.is_spent);
	rpt_arena_release(&arena);
	assert_int_equal(rpt_budget_left(&budget), 10000);
	assert_false(rpt_budget_is_spent(&budget));
	for (uint32_t nr = 0; nr < 1000; nr++) {
		items = rpt_grow_within(&budget, items, &cap, nr,
					sizeof(*items));
		items[nr] = nr;
	}
	assert_int_equal(budget.left, 10000 - (int)(cap * sizeof(*items)));
	assert_int_equal(items[999], 999);
	free(items);
	assert_false(rpt_budget_is_spent(NULL));
}

static void test_grow__makes_room_for_any_item(void **state)
{
	uint32_t cap = 0;
	uint64_t *items = rpt_grow(NULL, &cap, 1000, sizeof(*items));

	(void)state;
	assert_in_range(cap, 1001, 2048);
	items[1000] = 1;
	items = rpt_grow(items, &cap, 100000, sizeof(*items));
	assert_in_range(cap, 100001, 200000);
	assert_int_equal(items[1000], 1);
	free(items);
}

static void test_budget__a_table_takes_no_new_key_once_it_is_spent(void **state)
{
	struct rpt_budget budget = { .left = 5000 };
	struct rpt_intern table = { .keys.budget = &budget, .limit = &budget };
	uint32_t nr = 0;

	(void)state;
	while (rpt_intern(&table, &nr, sizeof(nr)) == nr)
		nr++;
	assert_in_range(nr, 1, 5000 / sizeof(struct rpt_intern_entry));
	assert_int_equal(rpt_intern(&table, &nr, sizeof(nr)), -EFBIG);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(rpt_intern(&table, &i, sizeof(i)), i);
	rpt_intern_release(&table);
	assert_int_equal(budget.left, 5000);
}

struct asker {
	struct rpt_budget *budget;
	atomic_bool is_on, is_over;
	int got_nr;
};

/* Asks for more than there is, until it is over. */
static void *ask(void *arg)
{
	struct asker *asker = arg;

	while (!asker->is_over) {
		asker->got_nr += rpt_budget_take(asker->budget, 200);
		asker->is_on = true;
	}
	return NULL;
}

static void test_budget__asking_in_vain_leaves_it_to_others(void **state)
{
	struct rpt_budget budget = { .left = 100 };
	struct asker asker = { .budget = &budget };
	pthread_t thread;
	int over_nr = 0, under_nr = 0;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, ask, &asker), 0);
	while (!asker.is_on)
		sched_yield();
	for (int i = 0; i < TRIES_NR; i++) {
		under_nr += !rpt_budget_take(&budget, 60);
		over_nr += rpt_budget_take(&budget, 60);
		rpt_budget_give(&budget, 60);
	}
	asker.is_over = true;
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(asker.got_nr, 0);
	assert_int_equal(under_nr, 0);
	assert_int_equal(over_nr, 0);
	assert_int_equal(budget.left, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grow__makes_room_for_any_item),
		cmocka_unit_test(test_budget__takes_what_there_is),
		cmocka_unit_test(
			test_budget__is_charged_with_what_is_allocated),
		cmocka_unit_test(
			test_budget__a_table_takes_no_new_key_once_it_is_spent),
		cmocka_unit_test(
			test_budget__asking_in_vain_leaves_it_to_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
