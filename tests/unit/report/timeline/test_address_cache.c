#include "report/timeline/address_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

enum { CONTEXT = 3, OTHER_CONTEXT = 4 };

static struct rpt_location location_at(uint64_t first, uint64_t last)
{
	return (struct rpt_location){ .range = { first, last } };
}

static int64_t add(struct rpt_address_cache *cache, uint64_t first,
		   uint64_t last, uint64_t ip)
{
	struct rpt_location location = location_at(first, last);

	return rpt_address_cache_add(cache, CONTEXT, ip, &location);
}

static void test_address_cache__finds_what_lies_in_the_range(void **state)
{
	struct rpt_address_cache cache = { 0 };

	(void)state;
	assert_int_equal(rpt_address_cache_find(&cache, CONTEXT, 0x1010), -1);
	assert_int_equal(add(&cache, 0x1000, 0x103f, 0x1010), 0);
	assert_int_equal(add(&cache, 0x1040, 0x104f, 0x1040), 1);
	assert_int_equal(rpt_address_cache_find(&cache, CONTEXT, 0xfff), -1);
	assert_int_equal(rpt_address_cache_find(&cache, CONTEXT, 0x1000), 0);
	assert_int_equal(rpt_address_cache_find(&cache, CONTEXT, 0x103f), 0);
	assert_int_equal(rpt_address_cache_find(&cache, CONTEXT, 0x1040), 1);
	assert_int_equal(rpt_address_cache_find(&cache, CONTEXT, 0x1050), -1);
	assert_int_equal(rpt_address_cache_find(&cache, OTHER_CONTEXT, 0x1010),
			 -1);
	assert_int_equal(cache.locations[1].range.first, 0x1040);
	rpt_address_cache_release(&cache);
}

/* However many others were asked for meanwhile. */
static void test_address_cache__location_has_one_number(void **state)
{
	const uint64_t widths[] = { 0x5000, UINT64_C(1) << 32 };
	struct rpt_address_cache cache = { 0 };

	(void)state;
	for (size_t w = 0; w < 2; w++) {
		uint64_t first = UINT64_C(0x1000000000) * (w + 1);
		uint64_t last = first + widths[w] - 1;
		int64_t number = add(&cache, first, last, first + 0x123);

		for (uint64_t i = 0; i < 100; i++)
			add(&cache, i << 40, (i << 40) + widths[w], i << 40);
		assert_int_equal(add(&cache, first, last, last), number);
		assert_int_equal(rpt_address_cache_find(&cache, CONTEXT, last),
				 number);
	}
	rpt_address_cache_release(&cache);
}

static void test_address_cache__gap_reaches_to_both_ends(void **state)
{
	static const uint64_t ips[] = { 0, 0x401010, UINT64_C(1) << 40,
					UINT64_MAX };
	struct rpt_address_cache cache = { 0 };

	(void)state;
	assert_int_equal(add(&cache, 0, UINT64_MAX, 0x401010), 0);
	for (size_t i = 0; i < sizeof(ips) / sizeof(ips[0]); i++)
		assert_int_equal(
			rpt_address_cache_find(&cache, CONTEXT, ips[i]), 0);
	rpt_address_cache_release(&cache);
}

static void test_address_cache__keeps_thousands(void **state)
{
	struct rpt_address_cache cache = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(add(&cache, i * 24, i * 24 + 23, i * 24 + 7),
				 i);
	for (uint64_t i = 0; i < 5000; i++) {
		assert_int_equal(
			rpt_address_cache_find(&cache, CONTEXT, i * 24), i);
		assert_int_equal(
			rpt_address_cache_find(&cache, CONTEXT, i * 24 + 7), i);
	}
	rpt_address_cache_release(&cache);
}

static void test_address_cache__contexts_are_told_apart(void **state)
{
	struct rpt_address_cache cache = { 0 };

	(void)state;
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 300; i++) {
			struct rpt_address_context key = { i % 10, i / 10 % 6,
							   i / 60 };

			assert_int_equal(
				rpt_address_cache_context(&cache, &key), i);
		}
	}
	rpt_address_cache_release(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_address_cache__finds_what_lies_in_the_range),
		cmocka_unit_test(test_address_cache__location_has_one_number),
		cmocka_unit_test(test_address_cache__gap_reaches_to_both_ends),
		cmocka_unit_test(test_address_cache__keeps_thousands),
		cmocka_unit_test(test_address_cache__contexts_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
