/* count_change.h: whether the mean count of an event changed by more than
 * chance.
 *
 * The 95 % interval of the difference of two means by Welch's t, in percent of
 * the old mean (the old mean's own error is not part of it), and the event's
 * mark: the p value among those of all events, at a false discovery rate of 5 %
 * (t_test.h).  Counts that are the same number in each run have no scatter; if
 * both sides are such, any difference is one.
 */
#ifndef RPT_COUNT_CHANGE_H
#define RPT_COUNT_CHANGE_H

#include "report/compare/count_file.h"

struct rpt_count_change {
	double old_mean, new_mean; /* NaN: the side was not counted */
	double pct;		   /* of old_mean; NaN: it is 0, or no number */
	double low_pct, high_pct;  /* NaN: a side has less than two runs */
	double p;		   /* NaN: likewise */
	bool is_significant;
};

/* Compute the change of each row; ret has room for all.  Return how many are
 * significant. */
size_t rpt_count_changes(const struct rpt_count_table *table,
			 struct rpt_count_change *ret);

#endif
