/* sample_equal.h: which bytes tell a sample's record from the others of its
 * loop: all but its time, and its raw data where nobody asks for these.
 *
 * Loops of system calls, idle CPUs and spinning threads give samples that are
 * alike by these bytes, one after the other in the buffer of their CPU; a
 * system call's arguments are raw data.
 */
#ifndef RPT_SAMPLE_EQUAL_H
#define RPT_SAMPLE_EQUAL_H

#include "format/record.h"

#include <string.h>

/* Three parts of a record, from its start: up to the time, to the raw data, and
 * behind them.  Parts can be empty. */
struct rpt_sample_equal {
	uint16_t len; /* of the record */
	uint16_t head_len;
	uint16_t middle_off;
	uint16_t middle_len;
	uint16_t tail_off;
	uint16_t tail_len;
};

/* time_off: of 8 bytes in the record; -1: it has no time.  raw: raw_len bytes
 * in the record's data behind the time, to be left out; 0: none are. */
static inline struct rpt_sample_equal
rpt_sample_equal_of(const struct pd_record *rec, int32_t time_off,
		    const uint8_t *raw, size_t raw_len)
{
	uint16_t raw_off = raw_len ? (uint16_t)(raw - rec->data) : rec->len;
	uint16_t head_len = time_off < 0 ? 0 : (uint16_t)time_off;
	uint16_t middle_off =
		time_off < 0 ? 0 : (uint16_t)(head_len + sizeof(uint64_t));
	uint16_t tail_off = (uint16_t)(raw_off + raw_len);

	return (struct rpt_sample_equal){
		.len = rec->len,
		.head_len = head_len,
		.middle_off = middle_off,
		.middle_len = (uint16_t)(raw_off - middle_off),
		.tail_off = tail_off,
		.tail_len = (uint16_t)(rec->len - tail_off),
	};
}

/* Two records, the data of both as long as one of them is. */
static inline bool rpt_are_alike(const struct rpt_sample_equal *l,
				 const uint8_t *a, const uint8_t *b)
{
	return !memcmp(a, b, l->head_len) &&
	       !memcmp(a + l->middle_off, b + l->middle_off, l->middle_len) &&
	       (!l->tail_len ||
		!memcmp(a + l->tail_off, b + l->tail_off, l->tail_len));
}

/* Zeroes what does not count. */
static inline void rpt_sample_equal_blank(const struct rpt_sample_equal *l,
					  uint8_t *data)
{
	uint16_t middle_end = (uint16_t)(l->middle_off + l->middle_len);

	memset(data + l->head_len, 0, l->middle_off - l->head_len);
	memset(data + middle_end, 0, l->tail_off - middle_end);
}

#endif
