#include "report/sample_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_sample_value__is_the_record_s_own(void **state)
{
	static const struct pd_sample sample = {
		.time_ns = 15361754321000,
		.weight = 7,
		.ins_lat = 8,
		.cgroup_id = 9,
		.code_page_size = 4096,
	};

	(void)state;
	assert_int_equal(rpt_value_of(RPT_VALUE_WEIGHT, &sample, NULL), 7);
	assert_int_equal(rpt_value_of(RPT_VALUE_INS_LAT, &sample, NULL), 8);
	assert_int_equal(rpt_value_of(RPT_VALUE_CGROUP, &sample, NULL), 9);
	assert_int_equal(rpt_value_of(RPT_VALUE_CODE_PAGE, &sample, NULL),
			 4096);
	assert_int_equal(rpt_value_of(RPT_VALUE_TIME, &sample, NULL),
			 15361700000000);
}

static void test_sample_value__of_a_socket_needs_cpu_and_table(void **state)
{
	uint32_t of_cpu[] = { 0, 1 };
	const struct rpt_sockets sockets = { of_cpu, 2 };
	const struct rpt_sockets none = { NULL, 0 };
	struct pd_sample sample = { .cpu = 1, .present = PD_SAMPLE_CPU };

	(void)state;
	assert_int_equal(rpt_socket_of(&sockets, &sample), 1);
	assert_int_equal(rpt_value_of(RPT_VALUE_SOCKET, &sample, &sockets), 1);
	assert_int_equal(rpt_socket_of(&none, &sample), UINT32_MAX);
	sample.cpu = 2;
	assert_int_equal(rpt_socket_of(&sockets, &sample), UINT32_MAX);
	sample.cpu = 0;
	assert_int_equal(rpt_socket_of(&sockets, &sample), 0);
	sample.present = 0;
	assert_int_equal(rpt_socket_of(&sockets, &sample), UINT32_MAX);
}

static void test_sample_value__orders_rows(void **state)
{
	(void)state;
	assert_true(rpt_value_compare(RPT_VALUE_WEIGHT, 9, 5) < 0);
	assert_true(rpt_value_compare(RPT_VALUE_TIME, 5, 9) < 0);
	assert_true(rpt_value_compare(RPT_VALUE_TIME, UINT64_MAX, 9) > 0);
	assert_true(rpt_value_compare(RPT_VALUE_SOCKET, UINT32_MAX, 0) < 0);
	assert_int_equal(rpt_value_compare(RPT_VALUE_CGROUP, 4, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample_value__is_the_record_s_own),
		cmocka_unit_test(
			test_sample_value__of_a_socket_needs_cpu_and_table),
		cmocka_unit_test(test_sample_value__orders_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
