#include "report/stats/paired_looks.h"

#include "report/base/compare.h"
#include "report/stats/gate.h"
#include "report/stats/t_test.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRIM_PART 8 /* 1 / 8 of the values at each end */

static double spent(double part)
{
	return RPT_LOOKS_RATE * log1p(expm1(1.0) * part);
}

struct rpt_looks rpt_looks_plan(uint32_t pair_max)
{
	static const uint32_t pairs[] = { 3,  5,  8,  12,  20,
					  32, 50, 80, 125, RPT_PAIRS_MAX };
	struct rpt_looks ret = { .nr = 0 };
	double before = 0.0;

	assert(pair_max >= RPT_PAIRS_MIN && pair_max <= RPT_PAIRS_MAX);
	for (size_t i = 0; pairs[i] < pair_max; i++)
		ret.pairs[ret.nr++] = pairs[i];
	ret.pairs[ret.nr++] = pair_max;
	for (uint32_t i = 0; i < ret.nr; i++) {
		double until = spent((double)ret.pairs[i] / pair_max);

		ret.levels[i] = until - before;
		before = until;
	}
	return ret;
}

/* The mean of the middle values, and its standard error. */
struct trimmed {
	double mean;
	double error;
	double df;
};

/* A t interval's standard error of nr values is error * sqrt(nr) / sqrt(m) for
 * m values that scatter as much. */
static struct trimmed trim(const double *logs, size_t nr)
{
	size_t cut = nr / TRIM_PART, kept = nr - 2 * cut;
	double values[RPT_PAIRS_MAX], sum = 0.0, winsorized = 0.0;
	double squares = 0.0;
	struct trimmed ret = { .df = (double)kept - 1.0 };

	assert(nr && nr <= RPT_PAIRS_MAX);
	memcpy(values, logs, nr * sizeof(*values));
	qsort(values, nr, sizeof(*values), rpt_compare_doubles);
	for (size_t i = cut; i < nr - cut; i++)
		sum += values[i];
	ret.mean = sum / (double)kept;
	winsorized =
		(sum + (double)cut * (values[cut] + values[nr - 1 - cut])) /
		(double)nr;
	for (size_t i = 0; i < nr; i++) {
		size_t at = i < cut ? cut : i >= nr - cut ? nr - 1 - cut : i;
		double d = values[at] - winsorized;

		squares += d * d;
	}
	ret.error = sqrt(squares / ((double)nr - 1.0) / (double)nr) *
		    (double)nr / (double)kept;
	return ret;
}

struct rpt_paired_change rpt_paired_change(const double *logs, size_t nr,
					   double level)
{
	struct trimmed trimmed = trim(logs, nr);
	struct rpt_paired_change ret = { trimmed.mean, NAN, NAN };
	double half;

	if (nr < 2)
		return ret;
	half = rpt_t_test_critical(level, trimmed.df) * trimmed.error;
	ret.low = ret.center - half;
	ret.high = ret.center + half;
	return ret;
}

enum rpt_paired_verdict
rpt_paired_verdict(const struct rpt_paired_change *change, double limit)
{
	switch (rpt_gate_answer(change->low, change->high, limit)) {
	case RPT_GATE_WORSE:
		return RPT_PAIRED_MORE;
	case RPT_GATE_NOT_WORSE:
		return limit > 0.0 ? RPT_PAIRED_WITHIN : RPT_PAIRED_LESS;
	case RPT_GATE_UNDECIDED:
		break;
	}
	return RPT_PAIRED_UNDECIDED;
}

double rpt_paired_visible(const double *logs, size_t nr, uint32_t pair_max)
{
	struct rpt_looks looks = rpt_looks_plan(pair_max);
	uint32_t kept = pair_max - 2 * (pair_max / TRIM_PART);

	return rpt_t_test_critical(looks.levels[looks.nr - 1], kept - 1.0) *
	       trim(logs, nr).error * sqrt((double)nr / pair_max);
}

uint32_t rpt_paired_needed(const double *logs, size_t nr, double size)
{
	for (uint32_t m = RPT_PAIRS_MIN; m <= RPT_PAIRS_MAX; m++)
		if (rpt_paired_visible(logs, nr, m) < size)
			return m;
	return 0;
}
