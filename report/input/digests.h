/* digests.h: those of a file's pieces, by their numbers. */
#ifndef RPT_DIGESTS_H
#define RPT_DIGESTS_H

#include "report/input/digest.h"

struct rpt_digests {
	struct rpt_digest *items; /* owned */
	size_t nr;
	struct rpt_budget budget;
	struct rpt_budget texts; /* for what is kept as it is */
};

/* kept_limit: pd_reader_kept_limit().  0 or -ENOMEM. */
int rpt_digests_init(struct rpt_digests *digests, size_t nr,
		     uint64_t kept_limit);
void rpt_digests_release(struct rpt_digests *digests);

/* That of piece idx, if it is to be used; else NULL. */
static inline struct rpt_digest *rpt_digests_at(struct rpt_digests *digests,
						size_t idx)
{
	return idx < digests->nr && digests->items[idx].is_closed
		       ? &digests->items[idx]
		       : NULL;
}

#endif
