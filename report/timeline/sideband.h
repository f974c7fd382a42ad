/* sideband.h: collects the records about tasks and maps and sorts them by
 * (time, seq).  It copies them, as the memory of compressed frames is used
 * again.  A program can change its name a million times a second: COMM records
 * that are equal but for the time share one copy.
 */
#ifndef RPT_SIDEBAND_H
#define RPT_SIDEBAND_H

#include "format/reader/reader.h"
#include "report/base/intern.h"
#include "report/timeline/timeline.h"

/* A record without its order; read it by rpt_sideband_record(). */
struct rpt_sideband_copy {
	uint16_t id_len; /* bytes of its sample_id trailer */
	uint16_t misc;
	uint32_t tid;	/* of the trailer; CALLCHAIN_DEFERRED only */
	uint8_t data[]; /* of a shared COMM the trailer's time is 0 */
};

struct rpt_sideband_item {
	struct rpt_timestamp when;
	const struct rpt_sideband_copy *copy; /* in the arena, or in shared */
};

struct rpt_sideband {
	struct rpt_arena arena;		 /* its budget is that of all */
	struct rpt_intern shared;	 /* copies of COMM records */
	struct rpt_sideband_item *items; /* owned */
	uint32_t nr;
	uint32_t cap;
	bool swap; /* of all records */
	bool is_unsorted;
};

/* Return whether records of the type are collected.  The timeline reports those
 * that are damaged. */
bool rpt_sideband_has(uint32_t type);

/* Copy the record if its type is one of these.  Return 0, or -EFBIG
 * if the budget is spent. */
int rpt_sideband_add(struct rpt_sideband *sb, const struct pd_event_set *events,
		     const struct pd_record *rec);
/* Move all of from behind what to has; from is empty then. */
void rpt_sideband_move(struct rpt_sideband *to, struct rpt_sideband *from);
/* Return the item's record, as it was added but for the time of a COMM's
 * trailer; of a compressed one file_off is the only position. */
struct pd_record rpt_sideband_record(const struct rpt_sideband *sb,
				     const struct rpt_sideband_item *item);
/* Sort the items by when. */
void rpt_sideband_sort(struct rpt_sideband *sb);
/* Free all memory; the budget remains. */
void rpt_sideband_release(struct rpt_sideband *sb);

#endif
