#include "record/event/clock_period.h"

#include <float.h>

#define NS_PER_S UINT64_C(1000000000)
#define US	 UINT64_C(1000)
#define MS	 (1000 * US)

enum {
	DIGITS_MAX = 96, /* over log(2^64) / log(1.61) quotients */
	TRIES_NR = 64,
};

/* Tick, frame and poll intervals. */
static const uint64_t turns_ns[] = {
	250 * US, 500 * US, 1 * MS,  2 * MS,   2500 * US, 4 * MS,   5 * MS,
	10 * MS,  16666667, 20 * MS, 21333333, 40 * MS,	  100 * MS, 1000 * MS,
};

/* A period that is a little more than a turn is at each moment of it once in a
 * sweep: after a whole number of sweeps its samples are spread evenly, and far
 * from that in between. */
static const uint64_t spans_ns[] = { 500 * MS,	1000 * MS, 1300 * MS, 1700 * MS,
				     2400 * MS, 3500 * MS, 5000 * MS };

bool rec_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

double rec_clock_discrepancy(uint64_t period_ns, uint64_t turn_ns, uint64_t nr)
{
	uint64_t quotients[DIGITS_MAX], denominators[DIGITS_MAX];
	uint64_t a = turn_ns, b = period_ns % turn_ns, before = 0, q = 1;
	double sums[2] = { 0, 0 };
	uint64_t left = nr;
	unsigned digit_nr = 0;

	/* The denominators of the convergents of period / turn, up to nr; the
	 * last quotient is 0 if the samples come again after so many. */
	while (digit_nr < DIGITS_MAX && q <= nr) {
		uint64_t quotient = b ? a / b : 0;
		uint64_t next = quotient * q + before, rest;

		quotients[digit_nr] = quotient;
		denominators[digit_nr++] = q;
		if (!b || quotient > nr / q)
			break;
		rest = a % b;
		before = q;
		q = next;
		a = b;
		b = rest;
	}
	while (digit_nr--) {
		uint64_t digit = left / denominators[digit_nr];
		double part = (double)digit;

		left %= denominators[digit_nr];
		if (!quotients[digit_nr])
			part = (double)nr / (double)denominators[digit_nr];
		else if (digit)
			part += 0.25 -
				part * part / (double)quotients[digit_nr];
		sums[digit_nr & 1] += part;
	}
	return (sums[0] > sums[1] ? sums[0] : sums[1]) / (double)nr;
}

/* Return the largest discrepancy over all timers that turn four times at least,
 * squared and as a multiple of what chance gives, at least worst; anything over
 * limit if it is over it. */
static double worst_of(uint64_t period_ns, uint64_t span_ns, double worst,
		       double limit)
{
	uint64_t nr = span_ns / period_ns;

	for (unsigned i = 0; i < sizeof(turns_ns) / sizeof(turns_ns[0]); i++) {
		double found;

		if (span_ns < 4 * turns_ns[i] || nr < 2 || worst > limit)
			continue;
		found = rec_clock_discrepancy(period_ns, turns_ns[i], nr);
		found *= found * (double)nr;
		if (found > worst)
			worst = found;
	}
	return worst;
}

uint64_t rec_clock_period(uint64_t freq_hz, uint32_t nth)
{
	const uint64_t nearest_ns = NS_PER_S / (freq_hz ? freq_hz : 1);
	const uint64_t first_ns = nearest_ns ? nearest_ns : 1;
	const uint64_t room_ns = first_ns / 25;
	uint64_t ret = first_ns;
	double least = DBL_MAX;

	for (uint32_t i = 0; i < TRIES_NR; i++) {
		/* multiples of the golden ratio modulo 2^32 */
		uint32_t at = (nth % REC_CLOCK_PERIOD_NR * TRIES_NR + i) *
			      2654435769u;
		uint64_t period_ns = first_ns + (room_ns * at >> 32);
		double worst = 0;

		for (unsigned s = 0; s < sizeof(spans_ns) / sizeof(*spans_ns);
		     s++)
			worst = worst_of(period_ns, spans_ns[s], worst, least);
		if (worst < least) {
			least = worst;
			ret = period_ns;
		}
	}
	return ret;
}
