/* sample_pass.h: reads all samples of a recording in the order of time, and
 * other records, if asked for. */
#ifndef RPT_SAMPLE_PASS_H
#define RPT_SAMPLE_PASS_H

#include "report/input/file_source.h"
#include "report/input/order.h"

/* The recording: its file, and what reads it. */
struct rpt_pass_input {
	const struct rpt_file_source *source;
	struct pd_reader *reader;
	struct pd_damage *damage; /* unreadable records are added here, ... */
	bool is_extra; /* ... except for what another pass finds as well */
	uint64_t
		types; /* bits (1 << PD_RECORD_*) of other records to deliver */
};

/* Call deliver for each sample, and for each record of in->types.  If a record
 * cannot be read, those before it are delivered.  Return 0, what deliver
 * returned, or the negative errno. */
int rpt_sample_pass(const struct rpt_pass_input *in, rpt_order_deliver *deliver,
		    void *ctx, struct pd_err *err);

#define RPT_PASS_STOP 1

/* Add a record of in to order.  Return 0, or RPT_PASS_STOP if no more of them
 * can be taken: that was added to in->damage, and those that wait are to be
 * delivered. */
int rpt_pass_add(const struct rpt_pass_input *in, struct rpt_order *order,
		 const struct pd_record *rec, uint64_t time_ns);

/* Return how many events were lost, of the sums of all LOST and of all
 * LOST_SAMPLES records: recorders on Linux 6.0 and later write the latter at
 * the end, by event, of what LOST records have counted by ring before. */
static inline uint64_t rpt_lost_samples(uint64_t lost_nr,
					uint64_t lost_samples_nr)
{
	return lost_nr > lost_samples_nr ? lost_nr : lost_samples_nr;
}

#endif
