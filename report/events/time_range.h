/* time_range.h: the slices of a recording that --time names.
 *
 *	10.5,11			from second 10.5 to 11, both included
 *	,11  10.5,		open at an end
 *	"1,2 5,6"		several, in order and apart
 *	10%/2  10%		the second tenth; the first
 *	0%-10%,30%-40%		of the time from the first sample to the last
 *
 * These are perf's spellings; what perf reads half and passes over the rest of
 * is an error here.  Text becomes slices in two steps, because percents need
 * the file:
 *
 *	rpt_time_ranges_parse(&ranges, text, &err);
 *	rpt_time_ranges_settle(&ranges, is_relative, reader, &err);
 *	rpt_time_ranges_hold(&ranges, time_ns);
 */
#ifndef RPT_TIME_RANGE_H
#define RPT_TIME_RANGE_H

#include "format/reader.h"

#include <stdbool.h>

/* Both ends included. */
struct rpt_time_range {
	uint64_t start_ns;
	uint64_t end_ns; /* UINT64_MAX: open */
	double start_pct;
	double end_pct;
};

struct rpt_time_ranges {
	struct rpt_time_range *items; /* owned */
	size_t nr;
	bool is_percent;
};

/* -EINVAL says what is wrong with text. */
int rpt_time_ranges_parse(struct rpt_time_ranges *ret, const char *text,
			  struct pd_err *err);
void rpt_time_ranges_release(struct rpt_time_ranges *ranges);

/* Makes times of percents and, where is_relative, of times since the first
 * sample.  Reads the whole file where neither was recorded in its header. */
int rpt_time_ranges_settle(struct rpt_time_ranges *ranges, bool is_relative,
			   struct pd_reader *reader, struct pd_err *err);

/* The same with the times of the first and the last sample known. */
void rpt_time_ranges_settle_at(struct rpt_time_ranges *ranges, bool is_relative,
			       uint64_t first_ns, uint64_t last_ns);

/* Is a record of that time looked at?  As in perf, always where it has none
 * (0). */
bool rpt_time_ranges_hold(const struct rpt_time_ranges *ranges,
			  uint64_t time_ns);

#endif
