/* profile_hints.h: what a profile shows that another way of recording would
 * show better, and the samples that have no names.
 */
#ifndef RPT_PROFILE_HINTS_H
#define RPT_PROFILE_HINTS_H

#include "report/profile/profile.h"

enum { RPT_UNNAMED_SHOWN = 3 };

/* Samples in files whose names the recording could not carry
 * (format/carried/carried.h), or does not, since it was not finished, and which
 * are not here either. */
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

/* Return whether rpt_profile_hints_warn() tells of samples of dso that have no
 * name: it is code that its process made, and no perf map was kept from us. */
bool rpt_is_for_jit_hint(struct rpt_dso *dso);

/* Profiles that are shown as one. */
struct rpt_profile_list {
	const char *name; /* of their recordings, for messages */
	const struct rpt_profile *const *at;
	size_t nr;
};

/* Print to stderr how to record what is missing, if that is much, once for all
 * profiles; of stacks only if functions are looked up in any case (has_names).
 */
void rpt_profile_hints_warn(const struct rpt_profile_list *profiles,
			    bool has_names);

#endif
