#include "report/base/ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two that are kept in the same place, and 0, have numbers of their own. */
static void test_ids__have_one_number_each(void **state)
{
	static const uint32_t items[] = { 7, 7 + RPT_RECENT_IDS_NR, 0,
					  UINT32_MAX };
	struct rpt_ids ids;

	(void)state;
	rpt_ids_init(&ids, NULL);
	assert_int_equal(rpt_ids_find(&ids, 0), -1);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 4; i++) {
			assert_int_equal(rpt_ids_number(&ids, items[i]), i);
			assert_int_equal(rpt_ids_find(&ids, items[i]), i);
			assert_int_equal(rpt_ids_at(&ids, i), items[i]);
		}
	}
	assert_int_equal(rpt_ids_find(&ids, 8), -1);
	assert_int_equal(ids.table.nr, 4);
	rpt_ids_release(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids__have_one_number_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
