/* disk_runs.h: sorted runs of records, held on disk instead of in memory.
 *
 *	rpt_disk_runs_add(&disk, entries, nr);	a run of them, sorted
 *	while ((first = rpt_disk_runs_first(&disk)))
 *		...				the earliest of all runs
 *		rpt_disk_runs_pop(&disk);
 *	rpt_disk_runs_release(&disk);
 *
 * order.h uses this, an external merge sort, for records that do not fit into
 * its memory.  The runs lie one behind the other in a nameless file, which is
 * emptied when all were read; each run has a buffer of BUFFER_LEN bytes.
 */
#ifndef RPT_DISK_RUNS_H
#define RPT_DISK_RUNS_H

#include "format/records/record.h"

#include <stdbool.h>

struct rpt_order_entry {
	uint64_t time_ns;
	struct pd_record rec;
	struct rpt_order_chunk *chunk; /* holds rec.data; NULL: it lasts */
};

/* Return true if a comes before b: by time, then by place in the file. */
static inline bool rpt_order_is_before(const struct rpt_order_entry *a,
				       const struct rpt_order_entry *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->rec.seq < b->rec.seq;
}

struct rpt_disk_run;

/* A zeroed struct is empty. */
struct rpt_disk_runs {
	struct rpt_disk_run *runs; /* a heap, the earliest first */
	uint32_t nr;
	uint32_t cap;
	uint64_t len; /* of the file */
	int fd;
	bool is_open;
};

/* Copy entries, which are in order, and the bytes of those that do not last.
 * Return 0, or the negative errno of the file; nothing was added then. */
int rpt_disk_runs_add(struct rpt_disk_runs *disk,
		      const struct rpt_order_entry *entries, size_t nr);

/* Return the earliest entry, or NULL if there is none.  It is good until the
 * next rpt_disk_runs_pop(); its chunk says only whether the record lasts. */
const struct rpt_order_entry *
rpt_disk_runs_first(const struct rpt_disk_runs *disk);

/* Drop the earliest entry.  Return 0, or the negative errno of reading. */
int rpt_disk_runs_pop(struct rpt_disk_runs *disk);

/* Free all entries, and close the file. */
void rpt_disk_runs_release(struct rpt_disk_runs *disk);

#endif
