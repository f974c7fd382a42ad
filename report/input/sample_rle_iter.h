/* sample_rle_iter.h: the runs of a digest that was closed, in their order.
 *
 *	struct rpt_sample_rle_iter it = { .digest = d };
 *	while (rpt_sample_rle_iter_next(&it, &run))
 *		...
 *
 * A run is written when it is over, as numbers of 7 bits a byte:
 *
 *	record_idx << 2 | is_plain << 1 | is_alone
 *	first time - last one of the run before		zigzag
 *	seq - what would have come next			zigzag
 *	and if it is not alone: nr, last time - first, bytes of its deltas
 */
#ifndef RPT_SAMPLE_RLE_ITER_H
#define RPT_SAMPLE_RLE_ITER_H

#include "report/input/sample_rle.h"

struct rpt_sample_rle_iter {
	const struct rpt_sample_rle *digest;
	size_t run_at; /* in its texts */
	size_t deltas_at;
	uint64_t before_ns;
	uint64_t before_seq;
};

bool rpt_sample_rle_iter_next(struct rpt_sample_rle_iter *it,
			      struct rpt_sample_rle_run *ret);

/* A number, 7 bits a byte, the low ones first. */
static inline uint64_t rpt_sample_rle_number(const uint8_t **at)
{
	const uint8_t *p = *at;
	uint64_t v = *p & 0x7f;

	for (unsigned shift = 7; *p++ & 0x80; shift += 7)
		v |= (uint64_t)(*p & 0x7f) << shift;
	*at = p;
	return v;
}

#endif
