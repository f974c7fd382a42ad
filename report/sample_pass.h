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

#endif
