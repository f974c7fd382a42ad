/* length_stats.h: sum, extremes and scatter of lengths of time.
 *
 * The variance by Welford's method loses nothing to large means (Knuth, The Art
 * of Computer Programming, 4.2.2).
 */
#ifndef RPT_LENGTH_STATS_H
#define RPT_LENGTH_STATS_H

#include <math.h>
#include <stdint.h>

/* Empty if zeroed. */
struct rpt_length_stats {
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	double mean_ns;
	double square; /* sum of the squares of differences from the mean */
};

static inline void rpt_length_stats_add(struct rpt_length_stats *stats,
					uint64_t ns)
{
	double delta = (double)ns - stats->mean_ns;

	if (!stats->nr || ns < stats->min_ns)
		stats->min_ns = ns;
	if (ns > stats->max_ns)
		stats->max_ns = ns;
	stats->nr++;
	stats->sum_ns += ns;
	stats->mean_ns += delta / (double)stats->nr;
	stats->square += delta * ((double)ns - stats->mean_ns);
}

/* Return the standard error of the mean, in per cent of it. */
static inline double
rpt_length_stats_error_pct(const struct rpt_length_stats *stats)
{
	double nr = (double)stats->nr;

	if (stats->nr < 2 || stats->mean_ns <= 0)
		return 0;
	return 100 * sqrt(stats->square / (nr - 1) / nr) / stats->mean_ns;
}

#endif
