/* carried_index.h: finds which carried file is meant by a DSO.
 *
 * A DSO's carried file has its path, and its build-id if both have one; a perf
 * map is that of its pid; the kernel and its modules have one file together.
 * An ELF file is the same at another path if both have one build-id.
 */
#ifndef RPT_CARRIED_INDEX_H
#define RPT_CARRIED_INDEX_H

#include "format/carried/carried.h"

struct rpt_dso;

struct rpt_carried_index {
	const struct pd_carried *carried;
	/* Owned: numbers of files by kind; then by path and build-id, or by
	 * pid. */
	uint32_t *order;
	uint32_t *by_id; /* owned: numbers of all by build-id */
};

/* Sort the files of carried, which must outlive the index. */
void rpt_carried_index_init(struct rpt_carried_index *index,
			    const struct pd_carried *carried);
/* Safe on a zeroed struct. */
void rpt_carried_index_release(struct rpt_carried_index *index);

/* Return dso's file; NULL if there is none, or more than one.  The time is
 * logarithmic in the number of files (of kernel files linear). */
const struct pd_carried_file *
rpt_carried_index_find(const struct rpt_carried_index *index,
		       const struct rpt_dso *dso);

/* Return the ELF file with dso's build-id, at whatever path; NULL if dso has
 * none, or if there is no such file, or more than one. */
const struct pd_carried_file *
rpt_carried_index_find_same(const struct rpt_carried_index *index,
			    const struct rpt_dso *dso);

#endif
