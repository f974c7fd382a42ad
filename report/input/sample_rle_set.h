/* sample_rle_set.h: those of a file's pieces, by their numbers. */
#ifndef RPT_SAMPLE_RLE_SET_H
#define RPT_SAMPLE_RLE_SET_H

#include "report/input/sample_rle.h"

struct rpt_sample_rle_set {
	struct rpt_sample_rle *items; /* owned */
	size_t nr;
	struct rpt_budget budget;
	struct rpt_budget texts; /* for what is kept as it is */
};

/* kept_limit: pd_reader_kept_limit().  0 or -ENOMEM. */
int rpt_sample_rle_set_init(struct rpt_sample_rle_set *digests, size_t nr,
			    uint64_t kept_limit);
void rpt_sample_rle_set_release(struct rpt_sample_rle_set *digests);

/* That of piece idx, if it is to be used; else NULL. */
static inline struct rpt_sample_rle *
rpt_sample_rle_set_at(struct rpt_sample_rle_set *digests, size_t idx)
{
	return idx < digests->nr && digests->items[idx].is_closed
		       ? &digests->items[idx]
		       : NULL;
}

#endif
