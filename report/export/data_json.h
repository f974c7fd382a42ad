/* data_json.h: the samples of a recording as JSON, in the form of perf's
 * linux-perf-json version 1:
 *
 *	{ "linux-perf-json-version": 1,
 *	  "headers": { "hostname": "vm", ... },
 *	  "samples": [ { "timestamp": ns, "pid": .., "tid": .., "cpu": ..,
 *	                 "comm": "..", "callchain": [ { "ip": "0x..",
 *	                 "symbol": "..", "dso": ".." }, .. ] }, .. ] }
 *
 * All items stand on lines of their own, as perf puts them.
 */
#ifndef RPT_DATA_JSON_H
#define RPT_DATA_JSON_H

#include "report/cli/recording_input.h"
#include "report/events/filter.h"
#include "report/timeline/timeline.h"

#include <stdio.h>

/* Write what passes filter (NULL: all) of in to out, and count the samples in
 * *ret_nr.  What could not be
 * read goes to in->damage.  Return 0, or what reading or writing failed with.
 */
int rpt_data_json_write(struct rpt_recording_input *in,
			const struct rpt_timeline *timeline,
			const struct rpt_filter *filter, FILE *out,
			uint64_t *ret_nr, struct pd_err *err);

#endif
