/* recent_samples.h: finds samples that are equal, but for the time, to one of
 * the last few.
 *
 * Loops of system calls, idle CPUs and spinning threads give such samples one
 * after the other.  report counts them together (sample_rle.h), script prints
 * one line again.
 */
#ifndef RPT_RECENT_SAMPLES_H
#define RPT_RECENT_SAMPLES_H

#include "format/file/layout.h"
#include "format/reader/reader.h"

#include <string.h>

#define RPT_RECENT_SAMPLES_NR 4u /* different records that may alternate */

/* A record and its parts that are compared: up to the time, from there to the
 * raw data, and what is behind them. */
struct rpt_recent_sample {
	const uint8_t *data; /* the caller's copy; NULL: none */
	int32_t time_off;    /* -1: it has no time that counts */
	uint16_t len, head_len, middle_off, middle_len, tail_off, tail_len;
};

struct rpt_recent_samples {
	const struct pd_event_set *events;
	bool by_raw; /* raw data count */
	uint8_t idx; /* of the item that was found last */
	struct rpt_recent_sample items[RPT_RECENT_SAMPLES_NR];
};

/* Return true if data, a record of recent->len bytes, is equal where it
 * counts. */
static inline bool
rpt_recent_sample_equals(const struct rpt_recent_sample *recent,
			 const uint8_t *data)
{
	const uint8_t *other = recent->data;

	return !memcmp(data, other, recent->head_len) &&
	       !memcmp(data + recent->middle_off, other + recent->middle_off,
		       recent->middle_len) &&
	       (!recent->tail_len ||
		!memcmp(data + recent->tail_off, other + recent->tail_off,
			recent->tail_len));
}

/* Set recent->idx to the item that is equal to rec and return true.  If there
 * is none, set it to the item that rec replaces, whose data the caller must
 * then set to a copy of rec that lasts. */
bool rpt_recent_samples_find(struct rpt_recent_samples *recent,
			     const struct pd_record *rec);

/* Return where the time stands in a record; -1: it has none that counts. */
int32_t rpt_sample_time_off(const struct pd_event_set *events,
			    const struct pd_record *rec);

#endif
