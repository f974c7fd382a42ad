/* order.h: sorts records by time in the memory of a few rounds.
 *
 *	rpt_order_init(&order, deliver, ctx);
 *	rpt_order_allow(&order, reader);
 *	rpt_order_add(&order, &rec, time_ns, is_lasting);	in file order
 *	rpt_order_round(&order);			at FINISHED_ROUND
 *	rpt_order_finish(&order);			at the end
 *	rpt_order_release(&order);
 *
 * A FINISHED_ROUND record promises that records behind it are not older than
 * any before the previous round.  So the n-th round delivers everything up to
 * the highest time that had been seen at round n - 1.  Equal times come in file
 * order.  Between two rounds the records are runs that are sorted already, one
 * for each ring buffer that was emptied: the runs are merged, and what is left
 * over from rounds before is one more run.
 *
 * Without rounds, or with long ones, waiting records go to disk when
 * they take more memory than a recording of that length may.
 */
#ifndef RPT_ORDER_H
#define RPT_ORDER_H

#include "format/reader/reader.h"
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

/* Sorted runs of records, held on disk instead of in memory.  A zeroed struct
 * is empty. */
struct rpt_disk_runs {
	struct rpt_disk_run *runs; /* a heap, the earliest first */
	uint32_t nr;
	uint32_t cap;
	uint64_t len; /* of the file */
	int fd;
	bool is_open;
};

/* Return the earliest entry, or NULL if there is none.  It is good until the
 * next disk_runs_pop(); its chunk says only whether the record lasts. */
const struct rpt_order_entry *
rpt_disk_runs_first(const struct rpt_disk_runs *disk);

/* Take the next record.  Return 0, or a negative errno, which ends the
 * delivery. */
typedef int rpt_order_deliver(void *ctx, const struct pd_record *rec,
			      uint64_t time_ns);

struct rpt_order {
	rpt_order_deliver *deliver;
	void *ctx;
	struct rpt_order_entry *entries; /* owned */
	uint32_t nr;
	uint32_t cap;
	uint32_t sorted_nr;	       /* of entries: the run left over */
	struct rpt_order_entry *spare; /* owned; for merging */
	uint32_t spare_cap;
	struct rpt_order_chunk *open_chunk; /* where copies go */
	size_t chunk_nr;		    /* that are in use */
	struct rpt_order_chunk *free_chunks;
	size_t free_chunk_nr;
	uint64_t memory_max_len; /* with more, waiting records go to disk */
	uint64_t disk_max_len;	 /* at most so many bytes there */
	bool has_no_disk;	 /* use memory instead, up to disk_max_len */
	struct rpt_disk_runs disk;
	uint64_t max_time_ns;
	uint64_t deliver_ns; /* the next round delivers up to here */
};

/* Begin; deliver is called with ctx. */
void rpt_order_init(struct rpt_order *order, rpt_order_deliver *deliver,
		    void *ctx);
/* Free all memory and disk space; nothing is delivered. */
void rpt_order_release(struct rpt_order *order);

/* Allow as much memory and disk as is right for the length of the reader's
 * file; without this call the least is allowed.  Call it before the first
 * record. */
void rpt_order_allow(struct rpt_order *order, const struct pd_reader *reader);

/* Add a record.  is_lasting: its bytes stay where they are until the end;
 * others are copied.  Return 0, or -EFBIG if more waits than a file of that
 * length may have: nothing was added then, and what is there can be delivered.
 */
int rpt_order_add(struct rpt_order *order, const struct pd_record *rec,
		  uint64_t time_ns, bool is_lasting);

/* At the end of a round, deliver the records that no older one can follow.
 * Return 0, the negative errno of reading back from disk, or what deliver
 * returned. */
int rpt_order_round(struct rpt_order *order);
/* Deliver all records.  Return the same. */
int rpt_order_finish(struct rpt_order *order);

#endif
