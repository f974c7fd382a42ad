/* fetch_debug.h: debug files from a server for the files that a recording's
 * samples lie in mostly, before symbols are looked up.
 */
#ifndef RPT_FETCH_DEBUG_H
#define RPT_FETCH_DEBUG_H

#include "report/symbols/debuginfod.h"
#include "report/profile/profile.h"

/* Share of all periods that go through a DSO from which on it is hot. */
#define RPT_HOT_SHARE 0.01

struct rpt_hot_dso {
	struct rpt_dso *dso;
	uint64_t period; /* of the stacks that go through it */
};

/* The hot user DSOs of a profile, the hottest first; to be freed.  NULL with
 * *ret_nr 0: none, or no memory. */
struct rpt_hot_dso *rpt_hot_dsos(const struct rpt_profile *profile,
				 size_t *ret_nr);

struct rpt_fetched {
	uint32_t asked_nr;   /* files that servers were asked for ... */
	uint32_t found_nr;   /* ... and that came */
	uint32_t left_nr;    /* not asked for: the time was over */
	bool is_unreachable; /* no server answered */
};

/* Fetches what the hot DSOs lack; adds to *ret. */
void rpt_fetch_debug(struct rpt_debuginfod *d,
		     const struct rpt_profile *profile, bool are_lines_wanted,
		     struct rpt_fetched *ret);

#endif
