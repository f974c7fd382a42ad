#include "record/event/clock_period.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const uint64_t turns_ns[] = {
	250000,	  500000,   1000000,  2000000,	2500000,  4000000,   5000000,
	10000000, 16666667, 20000000, 21333333, 40000000, 100000000, 1000000000,
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* By its definition: the phases sorted, each against its place. */
static double discrepancy(uint64_t period_ns, uint64_t turn_ns, size_t nr)
{
	uint64_t *phases = calloc(nr, sizeof(*phases));
	double ret = 0;

	assert_non_null(phases);
	for (size_t i = 0; i < nr; i++)
		phases[i] = i * period_ns % turn_ns;
	qsort(phases, nr, sizeof(*phases), compare);
	for (size_t i = 0; i < nr; i++) {
		double at = (double)phases[i] / (double)turn_ns;
		double above = (double)(i + 1) / (double)nr - at;
		double below = at - (double)i / (double)nr;

		ret = above > ret ? above : ret;
		ret = below > ret ? below : ret;
	}
	free(phases);
	return ret;
}

static void test_clock_period__samples_are_spread_over_each_timer(void **state)
{
	static const struct {
		uint64_t freq_hz;
		double limit; /* of the discrepancy in five seconds */
	} cases[] = {
		{ 19, 0.09 },	{ 49, 0.05 },	{ 99, 0.03 },	{ 199, 0.03 },
		{ 250, 0.02 },	{ 499, 0.02 },	{ 500, 0.02 },	{ 997, 0.02 },
		{ 999, 0.02 },	{ 1000, 0.02 }, { 1999, 0.01 }, { 2000, 0.01 },
		{ 4000, 0.01 }, { 5000, 0.01 }, { 8000, 0.01 }, { 10000, 0.01 },
	};

	(void)state;
	for (size_t i = 0; i < LEN(cases); i++)
		for (uint32_t nth = 0; nth < 3; nth++)
			for (size_t k = 0; k < LEN(turns_ns); k++) {
				uint64_t period =
					rec_clock_period(cases[i].freq_hz, nth);
				double found = discrepancy(
					period, turns_ns[k],
					UINT64_C(5000000000) / period);

				if (found > cases[i].limit)
					fail_msg("%u Hz, the period of %u ns "
						 "over turns of %u ns: %f",
						 (unsigned)cases[i].freq_hz,
						 (unsigned)period,
						 (unsigned)turns_ns[k], found);
			}
}

/* Sweeps of a second, as 1 / 999 s makes over a millisecond, are even at 1 and
 * at 5 seconds alone. */
static void test_clock_period__is_even_after_any_time(void **state)
{
	static const uint64_t freqs_hz[] = { 499, 500,	501,  997,  998,
					     999, 1000, 1001, 1999, 3999 };

	(void)state;
	for (size_t i = 0; i < LEN(freqs_hz); i++)
		for (uint32_t nth = 0; nth < 3; nth++)
			for (uint64_t ms = 1000; ms < 5000; ms += 370) {
				uint64_t period =
					rec_clock_period(freqs_hz[i], nth);
				double found = discrepancy(
					period, 1000000, ms * 1000000 / period);

				if (found > 0.02)
					fail_msg("%u Hz, the period of %u ns "
						 "for %u ms: %f",
						 (unsigned)freqs_hz[i],
						 (unsigned)period, (unsigned)ms,
						 found);
			}
}

static void test_clock_period__each_number_has_another_one(void **state)
{
	uint64_t periods[64];

	(void)state;
	for (uint32_t nth = 0; nth < 64; nth++) {
		periods[nth] = rec_clock_period(4000, nth);
		assert_in_range(periods[nth], 250000, 260000);
		for (uint32_t i = 0; i < nth; i++)
			assert_int_not_equal(periods[nth], periods[i]);
	}
	assert_int_equal(rec_clock_period(4000, 64), periods[0]);
	assert_int_equal(rec_clock_period(4000, UINT32_MAX), periods[63]);
}

static void
test_clock_period__discrepancy_is_that_of_its_definition(void **state)
{
	static const uint64_t periods[] = { 250000,  250001,  250019,	 254711,
					    1000000, 1000200, 52631578,	 1,
					    7,	     999999,  1000000000 };

	(void)state;
	for (size_t i = 0; i < LEN(periods); i++)
		for (size_t k = 0; k < LEN(turns_ns); k++)
			for (size_t nr = 2; nr < 3000; nr = nr * 3 / 2 + 1) {
				double about = rec_clock_discrepancy(
					periods[i], turns_ns[k], nr);
				double exact = discrepancy(periods[i],
							   turns_ns[k], nr);

				double slack = 2.0 / (double)nr;

				assert_true(about <= 2 * exact + slack);
				assert_true(exact <= 2 * about + slack);
			}
}

static void test_clock_period__any_frequency_has_one(void **state)
{
	(void)state;
	for (uint64_t hz = 1; hz < 1000000000; hz = hz * 3 + 1)
		assert_in_range(rec_clock_period(hz, 5), 1000000000 / hz,
				1040000000 / hz);
	assert_int_equal(rec_clock_period(UINT64_MAX, 5), 1);
	assert_in_range(rec_clock_period(0, 0), 1000000000, 1040000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_period__is_even_after_any_time),
		cmocka_unit_test(
			test_clock_period__samples_are_spread_over_each_timer),
		cmocka_unit_test(
			test_clock_period__each_number_has_another_one),
		cmocka_unit_test(
			test_clock_period__discrepancy_is_that_of_its_definition),
		cmocka_unit_test(test_clock_period__any_frequency_has_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
