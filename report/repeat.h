/* repeat.h: the sample that was counted last, so that what differs from it by
 * nothing but the time is counted without being decoded.  Part of the profile.
 *
 * Loops of system calls, idle CPUs and spinning threads give samples that are
 * alike, one after the other in the buffer of their CPU.
 */
#ifndef RPT_REPEAT_H
#define RPT_REPEAT_H

#include "format/sample.h"
#include "report/space.h"

#define RPT_REPEAT_LEN 1024u /* longer records are not kept */

/* Where a sample counts. */
struct rpt_repeat_place {
	struct rpt_span span; /* and when */
	size_t total_idx;
	uint32_t stack_idx;
	uint64_t period;
};

/* A zeroed struct holds none. */
struct rpt_repeat {
	const uint8_t *data; /* of the record, in the file or in room */
	uint16_t len;
	const struct pd_sample_layout *layout;
	struct rpt_repeat_place place;
	uint8_t room[RPT_REPEAT_LEN];
};

/* Keeps the record of a sample, which could be decoded; layout is its event's
 * and must stay. */
void rpt_repeat_set(struct rpt_repeat *repeat, const struct pd_record *rec,
		    const struct pd_sample_layout *layout,
		    const struct rpt_repeat_place *place);

/* True if rec is that record but for the time. */
bool rpt_repeat_is(const struct rpt_repeat *repeat,
		   const struct pd_record *rec);

#endif
