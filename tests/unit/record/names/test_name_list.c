#include "record/names/name_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static struct pd_carried_name name_at(uint64_t start, const char *text)
{
	return (struct pd_carried_name){ .start = start,
					 .text = { text, strlen(text) } };
}

static void test_name_list__equal_starts_keep_their_order(void **state)
{
	static const uint64_t starts[] = { 7, 3, 7, 1, 3, 7, 1, 9, 3 };
	static const char *const texts[] = { "a", "b", "c", "d", "e",
					     "f", "g", "h", "i" };
	struct rec_name_list list = { .items = NULL };
	char got[10] = "";

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		struct pd_carried_name name = name_at(starts[i], texts[i]);

		assert_true(rec_name_list_add(&list, &name));
	}
	assert_true(rec_name_list_sort(&list));
	for (size_t i = 0; i < 9; i++)
		got[i] = list.items[i].text.ptr[0];
	assert_string_equal(got, "dgbeiacfh");
	rec_name_list_release(&list);
}

/* A perf map's owner chooses the order: half a million, the last one first. */
static void test_name_list__any_order_is_sorted_soon(void **state)
{
	enum { NR = 500000 };
	struct rec_name_list list = { .items = NULL };
	clock_t start = clock();

	(void)state;
	for (uint64_t i = NR; i; i--) {
		struct pd_carried_name name = name_at(i, "");

		assert_true(rec_name_list_add(&list, &name));
	}
	assert_true(rec_name_list_sort(&list));
	for (uint32_t i = 0; i < NR; i++)
		assert_true(list.items[i].start == i + 1);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 5);
	rec_name_list_release(&list);
}

static void test_name_list__lists_share_a_budget(void **state)
{
	struct pd_carried_name name = name_at(1, "a name of some length");
	size_t budget = 1000;
	struct rec_name_list lists[2] = { { .budget = &budget },
					  { .budget = &budget } };
	unsigned nr = 0;

	(void)state;
	while (rec_name_list_add(&lists[nr % 2], &name))
		nr++;
	assert_in_range(nr, 2, 1000 / sizeof(name));
	assert_false(rec_name_list_add(&lists[(nr + 1) % 2], &name));
	rec_name_list_release(&lists[0]);
	assert_true(rec_name_list_add(&lists[1], &name));
	rec_name_list_release(&lists[1]);
	assert_int_equal(budget, 1000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_list__equal_starts_keep_their_order),
		cmocka_unit_test(test_name_list__any_order_is_sorted_soon),
		cmocka_unit_test(test_name_list__lists_share_a_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
