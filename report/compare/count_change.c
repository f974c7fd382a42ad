#include "report/compare/count_change.h"

#include "report/base/memory.h"
#include "report/stats/t_test.h"

#include <math.h>
#include <stdlib.h>

#define ERROR_RATE 0.05

struct mean {
	double mean;
	double variance; /* of the mean */
	double df;
};

static struct mean mean_of(const struct rpt_count_runs *runs)
{
	struct mean ret = { .mean = NAN, .variance = NAN };
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < runs->nr; i++)
		sum += runs->values[i];
	if (!runs->nr)
		return ret;
	ret.mean = sum / runs->nr;
	ret.df = runs->nr - 1.0;
	if (runs->nr < 2)
		return ret;
	for (uint32_t i = 0; i < runs->nr; i++) {
		double d = runs->values[i] - ret.mean;

		squares += d * d;
	}
	ret.variance = squares / ret.df / runs->nr;
	return ret;
}

static struct rpt_count_change change_of(const struct rpt_count_row *row)
{
	struct mean old = mean_of(&row->sides[RPT_COUNT_OLD]);
	struct mean new = mean_of(&row->sides[RPT_COUNT_NEW]);
	double variance = old.variance + new.variance;
	double difference = new.mean - old.mean;
	double scale = old.mean != 0 ? 100 / fabs(old.mean) : NAN;
	double error = 0, df;
	struct rpt_count_change ret = {
		.old_mean = old.mean,
		.new_mean = new.mean,
		.pct = difference *scale,
		.low_pct = NAN,
		.high_pct = NAN,
		.p = NAN,
	};

	if (!isfinite(variance))
		return ret;
	if (variance > 0) {
		df = rpt_welch_df(old.variance, old.df, new.variance, new.df);
		error = rpt_t_test_critical(ERROR_RATE, df) * sqrt(variance);
		ret.p = rpt_t_test_two_sided(fabs(difference) / sqrt(variance),
					     df);
	} else {
		ret.p = difference != 0 ? 0 : 1;
	}
	ret.low_pct = (difference - error) * scale;
	ret.high_pct = (difference + error) * scale;
	return ret;
}

size_t rpt_count_changes(const struct rpt_count_table *table,
			 struct rpt_count_change *ret)
{
	uint32_t nr = rpt_count_table_nr(table);
	double *p = rpt_alloc(2 * sizeof(*p) * (nr + (size_t)1));
	bool *marks = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*marks));
	size_t significant_nr = 0;

	for (uint32_t i = 0; i < nr; i++) {
		ret[i] = change_of(&table->rows[i]);
		p[i] = ret[i].p;
	}
	rpt_benjamini_hochberg(p, nr, ERROR_RATE, p + nr, marks);
	for (uint32_t i = 0; i < nr; i++) {
		ret[i].is_significant = marks[i];
		significant_nr += marks[i];
	}
	free(marks);
	free(p);
	return significant_nr;
}
