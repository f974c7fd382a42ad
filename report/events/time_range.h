/* time_range.h: the slices of a recording that --time names.
 *
 *	10.5,11			from second 10.5 to 11, both included
 *	,11  10.5,		open at an end
 *	"1,2 5,6"		several, in order and apart
 *	10%/2  10%		the second tenth; the first
 *	0%-10%,30%-40%		of the time from the first sample to the last
 *
 * These are perf's spellings; what perf reads in part only is an error here.
 * Text becomes slices in two steps, because percents need the file:
 *
 *	rpt_time_ranges_parse(&ranges, text, &err);
 *	rpt_time_ranges_resolve(&ranges, is_relative, reader, &err);
 *	rpt_time_ranges_hold(&ranges, time_ns);
 */
#ifndef RPT_TIME_RANGE_H
#define RPT_TIME_RANGE_H

#include "format/reader/reader.h"

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
	uint32_t nr;
	uint32_t cap;
	bool is_percent;
};

/* Read what was typed.  Return 0, or -EINVAL and what is wrong with text. */
int rpt_time_ranges_parse(struct rpt_time_ranges *ret, const char *text,
			  struct pd_err *err);
/* Free the slices.  Safe on a zeroed struct. */
void rpt_time_ranges_release(struct rpt_time_ranges *ranges);

/* Make times of percents, and, if is_relative, of times since the first sample.
 * If the file's header has no times, the whole file is read.  Return 0 or a
 * negative errno. */
int rpt_time_ranges_resolve(struct rpt_time_ranges *ranges, bool is_relative,
			    struct pd_reader *reader, struct pd_err *err);

/* The same, with the times of the first and the last sample. */
void rpt_time_ranges_resolve_at(struct rpt_time_ranges *ranges,
				bool is_relative, uint64_t first_ns,
				uint64_t last_ns);

/* Return true if a record of that time passes.  As in perf, one without a time
 * (0) does. */
bool rpt_time_ranges_hold(const struct rpt_time_ranges *ranges,
			  uint64_t time_ns);

#endif
