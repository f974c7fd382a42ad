/* sample_pass.h: every sample of a recording, in the order of time. */
#ifndef RPT_SAMPLE_PASS_H
#define RPT_SAMPLE_PASS_H

#include "report/input/file_source.h"
#include "report/input/order.h"

/* The recording: its file, and what reads it. */
struct rpt_pass_input {
	const struct rpt_file_source *source;
	struct pd_reader *reader;
	struct pd_damage *damage; /* is told of what was passed over ... */
	bool is_extra; /* ... but for what another pass finds as well */
};

/* Calls deliver for each.  What could be read before trouble is delivered.  0,
 * what deliver returned, or the negative errno of the trouble. */
int rpt_sample_pass(const struct rpt_pass_input *in, rpt_order_deliver *deliver,
		    void *ctx, struct pd_err *err);

#define RPT_PASS_STOP 1

/* rpt_order_add() for records of in.  RPT_PASS_STOP: no more of them can be
 * taken, which in->damage is told; those that wait are to be delivered. */
int rpt_pass_add(const struct rpt_pass_input *in, struct rpt_order *order,
		 const struct pd_record *rec, uint64_t time_ns);

#endif
