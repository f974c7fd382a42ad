#include "report/frame_spots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct rpt_address at = { .ip = 0x401010, .scope = 3 };

/* Mapped at 0x400000 from offset 0x1000 of its file, in a function that lies at
 * 0x2000 to 0x203f there. */
static const struct rpt_frame frame = { .ip = 0x401010,
					.addr = 0x2010,
					.place = 7 };
static const struct rpt_addr_range map = { 0x400000, 0x40ffff };
static const struct rpt_addr_range function = { 0x2000, 0x203f };

static bool finds(const struct rpt_frame_spots *spots, uint64_t ip)
{
	struct rpt_address address = at;
	struct rpt_frame found;

	address.ip = ip;
	if (!rpt_frame_spots_find(spots, &address, &found))
		return false;
	assert_int_equal(found.ip, ip);
	assert_int_equal(found.addr, ip - 0x3ff000);
	assert_int_equal(found.place, 7);
	return true;
}

static void test_frame_spots__function_is_one_spot(void **state)
{
	struct rpt_frame_spots spots = { 0 };

	(void)state;
	assert_false(finds(&spots, 0x401010));
	rpt_frame_spots_keep(&spots, &at, &frame, &map, &function);
	assert_true(finds(&spots, 0x401010));
	assert_true(finds(&spots, 0x401000));
	assert_true(finds(&spots, 0x40103f));
	assert_false(finds(&spots, 0x400fff));
	assert_false(finds(&spots, 0x401040));
}

static void test_frame_spots__map_ends_a_function(void **state)
{
	static const struct rpt_addr_range narrow = { 0x401008, 0x401011 };
	struct rpt_frame_spots spots = { 0 };

	(void)state;
	rpt_frame_spots_keep(&spots, &at, &frame, &narrow, &function);
	assert_true(finds(&spots, 0x401008));
	assert_true(finds(&spots, 0x401011));
	assert_false(finds(&spots, 0x401007));
	assert_false(finds(&spots, 0x401012));
}

static void test_frame_spots__gap_reaches_to_both_ends(void **state)
{
	static const struct rpt_addr_range all = RPT_RANGE_ALL;
	static const struct rpt_frame bare = { .ip = 0x401010,
					       .addr = 0x401010 };
	struct rpt_frame_spots spots = { 0 };
	struct rpt_address address = at;
	struct rpt_frame found;

	(void)state;
	rpt_frame_spots_keep(&spots, &at, &bare, &all, &all);
	for (address.ip = 0; address.ip + 1 != 0; address.ip = UINT64_MAX) {
		assert_true(rpt_frame_spots_find(&spots, &address, &found));
		assert_int_equal(found.addr, address.ip);
	}
	assert_true(rpt_frame_spots_find(&spots, &address, &found));
}

static void test_frame_spots__other_maps_are_others(void **state)
{
	struct rpt_frame_spots spots = { 0 };
	struct rpt_address other = at;
	struct rpt_frame found;

	(void)state;
	rpt_frame_spots_keep(&spots, &at, &frame, &map, &function);
	other.scope++;
	assert_false(rpt_frame_spots_find(&spots, &other, &found));
}

static void test_frame_spots__the_oldest_goes(void **state)
{
	struct rpt_frame_spots spots = { 0 };
	struct rpt_address address = at;

	(void)state;
	rpt_frame_spots_keep(&spots, &at, &frame, &map, &function);
	for (uint32_t i = 1; i < RPT_FRAME_SPOTS_NR; i++) {
		address.scope = 100 + i;
		rpt_frame_spots_keep(&spots, &address, &frame, &map, &function);
		assert_true(finds(&spots, 0x401010));
	}
	rpt_frame_spots_keep(&spots, &address, &frame, &map, &function);
	assert_false(finds(&spots, 0x401010));
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
