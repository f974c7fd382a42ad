#include "report/events/sample_value.h"

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
		.p_stage_cyc = 6,
		.cgroup_id = 9,
		.code_page_size = 4096,
		.transaction = 0x2a00000004,
		.addr = 0x7f1234,
		.phys_addr = 0x1234,
		.data_page_size = 2 << 20,
	};
	static const struct rpt_value_conf conf = { 0 };
	static const struct rpt_value_conf fine = { .quantum_ns = 1000 };

	const struct rpt_timestamp when = { 0 };

	(void)state;
	assert_int_equal(rpt_value_of(RPT_VALUE_WEIGHT, &sample, when, &conf),
			 7);
	assert_int_equal(rpt_value_of(RPT_VALUE_INS_LAT, &sample, when, &conf),
			 8);
	assert_int_equal(rpt_value_of(RPT_VALUE_CGROUP, &sample, when, &conf),
			 9);
	assert_int_equal(
		rpt_value_of(RPT_VALUE_CODE_PAGE, &sample, when, &conf), 4096);
	assert_int_equal(rpt_value_of(RPT_VALUE_TIME, &sample, when, &conf),
			 15361700000000);
	assert_int_equal(rpt_value_of(RPT_VALUE_TIME, &sample, when, &fine),
			 15361754321000);
	assert_int_equal(
		rpt_value_of(RPT_VALUE_STAGE_CYC, &sample, when, &conf), 6);
	assert_int_equal(
		rpt_value_of(RPT_VALUE_TRANSACTION, &sample, when, &conf),
		0x2a00000004);
	assert_int_equal(
		rpt_value_of(RPT_VALUE_DATA_ADDR, &sample, when, &conf),
		0x7f1234);
	assert_int_equal(
		rpt_value_of(RPT_VALUE_PHYS_ADDR, &sample, when, &conf),
		0x1234);
	assert_int_equal(
		rpt_value_of(RPT_VALUE_DATA_PAGE, &sample, when, &conf),
		2 << 20);
}

/* Level and snooping have bits that are shown and tell nothing apart. */
static void test_sample_value__parts_of_a_data_source(void **state)
{
	static const struct pd_sample sample = { .present = PD_SAMPLE_DATA_SRC,
						 .data_src = UINT64_MAX };
	static const struct rpt_value_conf conf = { 0 };
	static const struct {
		enum rpt_value value;
		unsigned bit_nr, key_nr;
	} parts[] = {
		{ RPT_VALUE_LEVEL, 22, 14 }, { RPT_VALUE_SNOOP, 7, 5 },
		{ RPT_VALUE_TLB, 7, 7 },     { RPT_VALUE_LOCK, 2, 2 },
		{ RPT_VALUE_BLOCK, 3, 3 },
	};
	const struct rpt_timestamp when = { 0 };
	uint64_t all = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t v = rpt_value_of(parts[i].value, &sample, when, &conf);
		uint64_t key = rpt_value_key(parts[i].value, v);

		assert_int_equal(__builtin_popcountll(v), parts[i].bit_nr);
		assert_int_equal(__builtin_popcountll(key), parts[i].key_nr);
		assert_int_equal(all & v, 0);
		assert_int_equal(key & ~v, 0);
		all |= v;
	}
	assert_int_equal(rpt_value_key(RPT_VALUE_DATA_ADDR, 0x1234), 0);
}

static void test_sample_value__of_a_socket_needs_cpu_and_table(void **state)
{
	uint32_t of_cpu[] = { 0, 1 };
	const struct rpt_sockets sockets = { of_cpu, 2 };
	const struct rpt_sockets none = { NULL, 0 };
	const struct rpt_value_conf conf = { .sockets = &sockets };
	const struct rpt_timestamp when = { 0 };
	struct pd_sample sample = { .cpu = 1, .present = PD_SAMPLE_CPU };

	(void)state;
	assert_int_equal(rpt_socket_of(&sockets, &sample), 1);
	assert_int_equal(rpt_value_of(RPT_VALUE_SOCKET, &sample, when, &conf),
			 1);
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
		cmocka_unit_test(test_sample_value__parts_of_a_data_source),
		cmocka_unit_test(
			test_sample_value__of_a_socket_needs_cpu_and_table),
		cmocka_unit_test(test_sample_value__orders_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
