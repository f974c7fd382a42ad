/* order.h: records in the order of time, with the memory of a few rounds.
 *
 *	rpt_order_init(&order, deliver, ctx);
 *	rpt_order_allow(&order, reader);
 *	rpt_order_add(&order, &rec, time_ns, is_lasting);	in file order
 *	rpt_order_round(&order);			at FINISHED_ROUND
 *	rpt_order_finish(&order);			at the end
 *	rpt_order_release(&order);
 *
 * A FINISHED_ROUND record promises that what follows is not older than what
 * stood before the round before it.  So the n-th round lets go of everything up
 * to the highest time that had been seen at round n - 1.  Equal times come
 * in file order.  Between two rounds the records are runs that are sorted
 * already, one for each ring buffer that was emptied: the runs are merged, and
 * what is left over from rounds before is one more run.
 *
 * Without rounds, or with long ones, what waits goes to disk (disk_runs.h) when
 * it takes more memory than a recording of that length may.
 */
#ifndef RPT_ORDER_H
#define RPT_ORDER_H

#include "format/reader.h"
#include "report/input/disk_runs.h"

#include <stdbool.h>

/* Returns 0, or a negative errno, which ends the delivery. */
typedef int rpt_order_deliver(void *ctx, const struct pd_record *rec,
			      uint64_t time_ns);

struct rpt_order {
	rpt_order_deliver *deliver;
	void *ctx;
	struct rpt_order_entry *entries; /* owned */
	size_t nr;
	size_t cap;
	size_t sorted_nr;	       /* of entries: the run left over */
	struct rpt_order_entry *spare; /* owned; cap entries, for merging */
	size_t spare_cap;
	struct rpt_order_chunk *open_chunk; /* where copies go */
	size_t chunk_nr;		    /* that are in use */
	struct rpt_order_chunk *free_chunks;
	size_t free_chunk_nr;
	uint64_t memory_max_len; /* over it what waits goes to disk */
	uint64_t disk_max_len;	 /* there it may be so much */
	bool has_no_disk;	 /* it stays in memory, up to disk_max_len */
	struct rpt_disk_runs disk;
	uint64_t max_time_ns;
	uint64_t let_go_ns; /* what the next round lets go */
};

void rpt_order_init(struct rpt_order *order, rpt_order_deliver *deliver,
		    void *ctx);
void rpt_order_release(struct rpt_order *order);

/* What waits may take as much memory and disk as is right for the reader's
 * file; before the first record.  Else the least there is. */
void rpt_order_allow(struct rpt_order *order, const struct pd_reader *reader);

/* is_lasting: rec's bytes stay where they are until the end; others are
 * copied.  0 or -ENOMEM; -EFBIG: more waits than a file of that length may
 * have, nothing was added, and what is there can be let go. */
int rpt_order_add(struct rpt_order *order, const struct pd_record *rec,
		  uint64_t time_ns, bool is_lasting);

/* 0, -ENOMEM, what reading back from disk said, or what deliver returned. */
int rpt_order_round(struct rpt_order *order);
int rpt_order_finish(struct rpt_order *order);

#endif
