/* read_values.h: periods out of counter values (PERF_SAMPLE_READ).
 *
 * Such a sample holds the values of its event, or of all members of a group;
 * what a member counted since the sample before is its period.  Records of one
 * counter lie in file order in time order.
 */
#ifndef RPT_READ_VALUES_H
#define RPT_READ_VALUES_H

#include "report/base/intern.h"

struct rpt_read_values {
	struct rpt_intern ids; /* u64 keys */
	uint64_t *last;	       /* by number */
	uint32_t cap;
};

/* *ret_delta becomes value minus the last value of that id.  0 or -ENOMEM. */
int rpt_read_values_delta(struct rpt_read_values *values, uint64_t id,
			  uint64_t value, uint64_t *ret_delta);
void rpt_read_values_release(struct rpt_read_values *values);

#endif
