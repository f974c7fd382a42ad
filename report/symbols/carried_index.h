/* carried_index.h: finds which carried file is meant by a map or a DSO.
 *
 * The map's record says which file it is by its key, or by its build-id
 * (format/carried/carried_identity.h).  If the recording does not know keys, or
 * the record has none, a DSO's carried file has its path, and its build-id if
 * both have one; a perf map is that of its pid; the kernel and its modules have
 * one file together.  An ELF file is the same at another path if both have one
 * build-id.
 */
#ifndef RPT_CARRIED_INDEX_H
#define RPT_CARRIED_INDEX_H

#include "format/carried/carried.h"
#include "format/records/record_body.h"

struct rpt_dso;

/* A key of a file. */
struct rpt_carried_key {
	uint32_t file_idx;
	struct pd_file_key key;
};

struct rpt_carried_index {
	const struct pd_carried *carried;
	/* Owned: numbers of files by kind; then by path and build-id, or by
	 * pid. */
	uint32_t *order;
	uint32_t *by_id;		/* owned: numbers of all by build-id */
	struct rpt_carried_key *by_key; /* owned: by path, then key */
	uint32_t key_nr;
};

/* Sort the files of carried, which must outlive the index. */
void rpt_carried_index_init(struct rpt_carried_index *index,
			    const struct pd_carried *carried);
/* Safe on a zeroed struct. */
void rpt_carried_index_release(struct rpt_carried_index *index);

/* Return 1 + the number of the file that the map's record is of; 0 if that is
 * not known.  The time is logarithmic, too. */
uint32_t rpt_carried_index_identify(const struct rpt_carried_index *index,
				    const struct pd_mmap *mmap);

/* Return whether there are several files of f's path and build-id, and records
 * that have no more of a file are of another one. */
bool rpt_carried_index_is_contested(const struct rpt_carried_index *index,
				    const struct pd_carried_file *f);

/* The verdict on an ELF file for what is known by its build-id alone. */
struct rpt_carried_verdict {
	uint32_t winner;  /* the number of the file that has the names: root's,
			   * or that with the most */
	bool is_disputed; /* it is another one, whose names disagree */
};

/* Return a verdict for each file; the caller's. */
struct rpt_carried_verdict *
rpt_carried_index_judge(const struct rpt_carried_index *index);

/* Return dso's file; NULL if there is none, or more than one.  The time is
 * logarithmic in the number of files (of kernel files linear). */
const struct pd_carried_file *
rpt_carried_index_find(const struct rpt_carried_index *index,
		       const struct rpt_dso *dso);

/* Return the ELF file with dso's build-id, at whatever path: of several root's,
 * or that with the most names.  NULL if dso has none, or there is none. */
const struct pd_carried_file *
rpt_carried_index_find_same(const struct rpt_carried_index *index,
			    const struct rpt_dso *dso);

#endif
