/* disk_runs.h: records that wait for their turn on disk instead of in memory.
 *
 *	rpt_disk_runs_add(&disk, entries, nr);	a run of them, sorted
 *	while ((first = rpt_disk_runs_first(&disk)))
 *		...				of all runs the earliest
 *		rpt_disk_runs_pop(&disk);
 *	rpt_disk_runs_release(&disk);
 *
 * The second half of order.h: what does not fit into its memory is an external
 * merge sort.  The runs lie one behind the other in a nameless file, which
 * begins anew when all were read; each run has ROOM_LEN of memory once it is
 * asked for.
 */
#ifndef RPT_DISK_RUNS_H
#define RPT_DISK_RUNS_H

#include "format/record.h"

#include <stdbool.h>

struct rpt_order_entry {
	uint64_t time_ns;
	struct pd_record rec;
	struct rpt_order_chunk *chunk; /* holds rec.data; NULL: lasting */
};

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
	size_t nr;
	size_t cap;
	uint64_t len; /* of the file */
	int fd;
	bool is_open;
};

/* Copies entries, which are in order, and the bytes of those that do not last.
 * On failure nothing was added: -ENOMEM, or what the file said. */
int rpt_disk_runs_add(struct rpt_disk_runs *disk,
		      const struct rpt_order_entry *entries, size_t nr);

/* NULL: empty.  Its bytes are good until the next rpt_disk_runs_pop(); chunk
 * says only whether the record lasts. */
const struct rpt_order_entry *
rpt_disk_runs_first(const struct rpt_disk_runs *disk);

/* Drops the first.  0, or what reading said. */
int rpt_disk_runs_pop(struct rpt_disk_runs *disk);

void rpt_disk_runs_release(struct rpt_disk_runs *disk);

#endif
