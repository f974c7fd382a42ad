/* What perf 6.1 printed of these words, put into a recording of its own. */
#include "report/events/data_src.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(uint64_t data_src, const char *want)
{
	char buf[RPT_DATA_SRC_LEN];

	assert_int_equal(rpt_data_src_text(data_src, PD_PERF_6_1, buf),
			 strlen(want));
	assert_string_equal(buf, want);
}

static void test_data_src__names_all_parts(void **state)
{
	(void)state;
	assert_text(0, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A");
	assert_text(0x5080144,
		    "|OP STORE|LVL L1 hit|SNP N/A|TLB N/A|LCK N/A|BLK  N/A");
	assert_text(0x26a100142, "|OP LOAD|LVL L1 or L1 hit|SNP None|"
				 "TLB L1 or L2 hit|LCK Yes|BLK  N/A");
	assert_text(0x60000000000,
		    "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  Data Addr");
	assert_text(0xc000000000,
		    "|OP No|LVL N/A|SNP Fwd or Peer|TLB N/A|LCK No|BLK  N/A");
}

static void test_data_src__hops_take_the_place_of_levels(void **state)
{
	(void)state;
	assert_text(0x180200000a00, "|OP No|LVL socket, same board L1|SNP N/A|"
				    "TLB N/A|LCK No|BLK  N/A");
	assert_text(0x20000000c0, "|OP No|LVL Remote  hit miss|SNP N/A|"
				  "TLB N/A|LCK No|BLK  N/A");
}

static void test_data_src__is_cut_where_perf_cuts(void **state)
{
	(void)state;
	assert_text(0x7ffe0, "|OP No|LVL N/A or L1 or LFB/MAB or L2 or L3 or "
			     "Local RAM or Remote RAM (1 hop) or ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_src__names_all_parts),
		cmocka_unit_test(test_data_src__hops_take_the_place_of_levels),
		cmocka_unit_test(test_data_src__is_cut_where_perf_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
