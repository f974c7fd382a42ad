#include "report/carry/hit_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

static void test_hit_files__an_address_is_there_once(void **state)
{
	struct rpt_hit_file f = { .hits = calloc(4, sizeof(struct rpt_hit)),
				  .hit_nr = 4,
				  .hit_cap = 4 };

	(void)state;
	f.hits[0] = (struct rpt_hit){ .addr = 7, .is_code = true };
	f.hits[1] = (struct rpt_hit){ .addr = 3, .self_nr = 1 };
	f.hits[2] = (struct rpt_hit){ .addr = 9, .is_code = true };
	f.hits[3] = (struct rpt_hit){ .addr = 3, .self_nr = 2 };
	rpt_hit_file_sort(&f);
	assert_int_equal(f.hit_nr, 3);
	assert_int_equal(f.code_nr, 2);
	assert_int_equal(f.hits[0].addr, 3);
	assert_int_equal(f.hits[0].self_nr, 3);
	assert_int_equal(f.hits[1].addr, 7);
	assert_int_equal(f.hits[2].addr, 9);
	free(f.hits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hit_files__an_address_is_there_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
