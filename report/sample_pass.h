/* sample_pass.h: every sample of a recording, in the order of time. */
#ifndef RPT_SAMPLE_PASS_H
#define RPT_SAMPLE_PASS_H

#include "report/input.h"
#include "report/order.h"

/* Calls deliver for each; what was passed over on the way is added to
 * in->damage.  What could be read before trouble is delivered.  0, what deliver
 * returned, or the negative errno of the trouble. */
int rpt_sample_pass(struct rpt_input *in, rpt_order_deliver *deliver, void *ctx,
		    struct pd_err *err);

#define RPT_PASS_STOP 1

/* rpt_order_add() for records of in.  RPT_PASS_STOP: no more of them can be
 * taken, which in->damage tells; those that wait are to be delivered. */
int rpt_pass_add(struct rpt_input *in, struct rpt_order *order,
		 const struct pd_record *rec, uint64_t time_ns);

#endif
