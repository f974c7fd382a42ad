/* fetch_debug.h: fetches debug files from a server for the files with most of a
 * recording's samples, before symbols are looked up. */
#ifndef RPT_FETCH_DEBUG_H
#define RPT_FETCH_DEBUG_H

#include "report/symbols/debuginfod.h"
#include "report/profile/profile.h"

/* A DSO is hot if at least this share of all periods goes through it. */
#define RPT_HOT_SHARE 0.01

struct rpt_hot_dso {
	struct rpt_dso *dso;
	uint64_t period; /* of the stacks that go through it */
};

/* Return the hot user DSOs of a profile, the hottest first, *ret_nr of them.
 * The caller frees them. */
struct rpt_hot_dso *rpt_hot_dsos(const struct rpt_profile *profile,
				 size_t *ret_nr);

struct rpt_fetched {
	uint32_t asked_nr;   /* files that servers were asked for ... */
	uint32_t found_nr;   /* ... and that came */
	uint32_t left_nr;    /* not asked for, since time was up */
	bool is_unreachable; /* no server answered */
};

/* Fetch what the hot DSOs lack, and add to *ret. */
void rpt_fetch_debug(struct rpt_debuginfod *d,
		     const struct rpt_profile *profile, bool are_lines_wanted,
		     struct rpt_fetched *ret);

#endif
