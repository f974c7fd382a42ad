#include "report/callchain/frame_range_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct rpt_address at = { .ip = 0x401010, .scope = 3 };

/* Mapped at 0x400000 from offset 0x1000 of its file, in a function that lies at
 * 0x2000 to 0x203f there. */
static const struct rpt_frame_place place = {
	.frame = 7,
	.addr = 0x2010,
	.map_range = { 0x400000, 0x40ffff },
	.symbol_range = { 0x2000, 0x203f },
};

static bool finds(const struct rpt_frame_range_cache *spots, uint64_t ip)
{
	struct rpt_address address = { .ip = ip, .scope = at.scope };
	const struct rpt_frame_spot *found =
		rpt_frame_range_cache_find(spots, &address);

	if (!found)
		return false;
	assert_int_equal(ip + found->add, ip - 0x3ff000);
	assert_int_equal(found->frame, 7);
	return true;
}

static void test_frame_spots__function_is_one_spot(void **state)
{
	struct rpt_frame_range_cache spots = { 0 };

	(void)state;
	assert_false(finds(&spots, 0x401010));
	rpt_frame_range_cache_keep(&spots, &at, &place);
	assert_true(finds(&spots, 0x401010));
	assert_true(finds(&spots, 0x401000));
	assert_true(finds(&spots, 0x40103f));
	assert_false(finds(&spots, 0x400fff));
	assert_false(finds(&spots, 0x401040));
}

static void test_frame_spots__map_ends_a_function(void **state)
{
	struct rpt_frame_place narrow = place;
	struct rpt_frame_range_cache spots = { 0 };

	(void)state;
	narrow.map_range = (struct rpt_addr_range){ 0x401008, 0x401011 };
	rpt_frame_range_cache_keep(&spots, &at, &narrow);
	assert_true(finds(&spots, 0x401008));
	assert_true(finds(&spots, 0x401011));
	assert_false(finds(&spots, 0x401007));
	assert_false(finds(&spots, 0x401012));
}

/* Far from the address that was asked for, too. */
static void test_frame_spots__gap_reaches_to_both_ends(void **state)
{
	static const uint64_t ips[] = { 0, 0x401010, 1ull << 40, UINT64_MAX };
	static const struct rpt_frame_place gap = {
		.frame = 8,
		.addr = 0x401010,
		.map_range = { 0, UINT64_MAX },
		.symbol_range = { 0, UINT64_MAX },
	};
	struct rpt_frame_range_cache spots = { 0 };

	(void)state;
	rpt_frame_range_cache_keep(&spots, &at, &gap);
	for (size_t i = 0; i < sizeof(ips) / sizeof(ips[0]); i++) {
		struct rpt_address address = { .ip = ips[i],
					       .scope = at.scope };
		const struct rpt_frame_spot *found =
			rpt_frame_range_cache_find(&spots, &address);

		assert_non_null(found);
		assert_int_equal(found->frame, 8);
		assert_int_equal(found->add, 0);
	}
}

static void test_frame_spots__other_maps_are_others(void **state)
{
	struct rpt_address other = at;
	struct rpt_frame_range_cache spots = { 0 };

	(void)state;
	other.scope++;
	rpt_frame_range_cache_keep(&spots, &at, &place);
	assert_null(rpt_frame_range_cache_find(&spots, &other));
}

/* Of what is wide, so many are kept; of functions the last one of a piece of
 * memory. */
static void test_frame_spots__the_oldest_goes(void **state)
{
	struct rpt_frame_place wide = place;
	struct rpt_address address = at;
	struct rpt_frame_range_cache spots = { 0 };

	(void)state;
	wide.symbol_range = (struct rpt_addr_range){ 0x1000, 0x10fff };
	rpt_frame_range_cache_keep(&spots, &at, &wide);
	for (uint32_t i = 1; i < RPT_FRAME_RANGE_CACHE_WIDE; i++) {
		address.scope = at.scope + i;
		rpt_frame_range_cache_keep(&spots, &address, &wide);
	}
	assert_true(finds(&spots, 0x401010));
	address.scope++;
	rpt_frame_range_cache_keep(&spots, &address, &wide);
	assert_false(finds(&spots, 0x401010));
	assert_non_null(rpt_frame_range_cache_find(&spots, &address));

	rpt_frame_range_cache_keep(&spots, &at, &place);
	assert_true(finds(&spots, 0x401010));
	wide.symbol_range = (struct rpt_addr_range){ 0x2040, 0x2050 };
	wide.addr = 0x2040;
	address.scope = at.scope;
	address.ip = 0x401040;
	rpt_frame_range_cache_keep(&spots, &address, &wide);
	assert_false(finds(&spots, 0x401010));
	assert_true(finds(&spots, 0x401040));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_spots__function_is_one_spot),
		cmocka_unit_test(test_frame_spots__map_ends_a_function),
		cmocka_unit_test(test_frame_spots__gap_reaches_to_both_ends),
		cmocka_unit_test(test_frame_spots__other_maps_are_others),
		cmocka_unit_test(test_frame_spots__the_oldest_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
