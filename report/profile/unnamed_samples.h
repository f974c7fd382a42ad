/* unnamed_samples.h: how many samples lie in files whose names the recording
 * could not carry (format/carried/carried.h), or does not, since it was not
 * finished, and which are not here either. */
#ifndef RPT_UNNAMED_SAMPLES_H
#define RPT_UNNAMED_SAMPLES_H

#include "report/profile/profile.h"

enum { RPT_UNNAMED_SHOWN = 3 };

struct rpt_unnamed_samples {
	bool is_unfinished;
	uint64_t nr;	 /* samples without a name in such a file */
	uint64_t all_nr; /* samples of the profile */
	uint32_t file_nr;
	struct rpt_dso *files[RPT_UNNAMED_SHOWN]; /* the first of them */
};

/* Count them after all stacks are counted.  It costs nothing if the recording
 * carries all names, or none though it was finished. */
void rpt_unnamed_samples_count(const struct rpt_profile *profile,
			       bool is_unfinished,
			       struct rpt_unnamed_samples *ret);

/* Get the mapping in which the samples of a stack were taken; false if there is
 * none. */
bool rpt_unnamed_samples_map(const struct rpt_profile *profile,
			     uint32_t stack_idx, struct rpt_map *ret);

#endif
