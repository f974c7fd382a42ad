/* repeat_sample.h: the sample that was counted last, so that what is like it
 * (sample_equal.h) is counted without being decoded.  Part of the profile.
 */
#ifndef RPT_REPEAT_SAMPLE_H
#define RPT_REPEAT_SAMPLE_H

#include "format/sample.h"
#include "report/input/sample_equal.h"
#include "report/timeline/address_space.h"

#define RPT_REPEAT_SAMPLE_LEN 1024u /* longer records are not kept */

/* Where a sample counts. */
struct rpt_repeat_sample_place {
	struct rpt_span span; /* and when */
	size_t total_idx;
	uint32_t stack_idx;
	uint64_t period;
};

/* A zeroed struct holds none. */
struct rpt_repeat_sample {
	const uint8_t *data; /* of the record, in the file or in room */
	struct rpt_sample_equal like;
	const struct pd_sample_layout *layout;
	struct rpt_repeat_sample_place place;
	uint8_t room[RPT_REPEAT_SAMPLE_LEN];
};

/* Keeps the record of a sample that was decoded; layout is its event's and must
 * stay.  by_raw: its raw data count too. */
void rpt_repeat_sample_set(struct rpt_repeat_sample *repeat,
			   const struct pd_record *rec,
			   const struct pd_sample_layout *layout,
			   const struct pd_sample *sample, bool by_raw,
			   const struct rpt_repeat_sample_place *place);

/* True if rec is like that record. */
static inline bool rpt_repeat_sample_is(const struct rpt_repeat_sample *repeat,
					const struct pd_record *rec)
{
	return repeat->data && rec->len == repeat->like.len &&
	       rpt_are_alike(&repeat->like, rec->data, repeat->data);
}

#endif
