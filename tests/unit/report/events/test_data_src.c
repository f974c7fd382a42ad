/* What perf 6.1 and 6.12 printed of these words, put into recordings of the
 * size of attr that each reads. */
#include "report/events/data_src.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_text_of(uint64_t data_src, enum pd_perf perf,
			   const char *want)
{
	char buf[RPT_DATA_SRC_LEN];

	assert_int_equal(rpt_data_src_text(data_src, perf, buf), strlen(want));
	assert_string_equal(buf, want);
}

static void assert_text(uint64_t data_src, const char *want)
{
	assert_text_of(data_src, PD_PERF_6_1, want);
}

static void assert_level(uint64_t data_src, const char *want)
{
	char buf[RPT_DATA_SRC_LEN];

	rpt_data_src_level(data_src, PD_PERF_6_12, buf);
	assert_string_equal(buf, want);
	rpt_data_src_level(data_src, PD_PERF_7_2, buf);
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

static void test_data_src__level_of_newer_perf_is_number_or_bits(void **state)
{
	(void)state;
	assert_text_of(0x26a100142, PD_PERF_6_12,
		       "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK Yes|"
		       "BLK  N/A");
	assert_level(0, "N/A");
	assert_level(0x40, "N/A");
	assert_level(0x1e00000020, "N/A");
	assert_level(0x100, "L1 ");
	assert_level(0x120, "L1 ");
	assert_level(0x600, "LFB/MAB or L2 ");
	assert_level(0x1e3e7b3120df, "Remote RAM (1 hop) or Remote Cache (2 "
				     "hops) hit");
	assert_level(0x2000000000, "N/A");
	assert_level(0x102000000180, "L1 miss");
}

static void
test_data_src__level_of_newer_perf_has_words_of_its_own(void **state)
{
	(void)state;
	assert_level(0xa00000000, "L2 MHB ");
	assert_level(0xc00000080, "Memory-side Cache miss");
	assert_level(0xe00000000, "Unknown level 7 ");
	assert_level(0x1000000000, "Uncached ");
	assert_level(0x3200000000, "Remote CXL ");
	assert_level(0x10650e979cf3, "Remote node, same socket L2 hit");
	assert_level(0x3e9df21ff5eb, "(null) PMEM hit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_src__names_all_parts),
		cmocka_unit_test(test_data_src__hops_take_the_place_of_levels),
		cmocka_unit_test(test_data_src__is_cut_where_perf_cuts),
		cmocka_unit_test(
			test_data_src__level_of_newer_perf_is_number_or_bits),
		cmocka_unit_test(
			test_data_src__level_of_newer_perf_has_words_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
