/* sideband.h: the records that tell of tasks and maps, put in time order.
 *
 * Copies of them are collected as they lie in the file (out of compressed
 * frames nothing else would stay) and sorted by (time, seq).
 */
#ifndef RPT_SIDEBAND_H
#define RPT_SIDEBAND_H

#include "format/reader.h"
#include "report/base/arena.h"
#include "report/base/memory.h"
#include "report/timeline/timeline.h"

struct rpt_sideband_item {
	struct rpt_when when;
	const uint8_t *data; /* of the record, in the arena */
	uint16_t id_len;     /* bytes of its sample_id trailer */
	uint16_t misc;
	uint32_t tid; /* of the trailer; CALLCHAIN_DEFERRED only */
};

struct rpt_sideband {
	struct rpt_arena arena;
	struct rpt_sideband_item *items;
	size_t nr;
	size_t cap;
	bool swap; /* of all records */
	bool is_unsorted;
	struct rpt_budget *budget; /* the caller's; NULL: none */
	uint64_t taken_len;	   /* of it */
};

/* Records that are kept; one that is damaged is told of in the timeline. */
bool rpt_sideband_is_kept(uint32_t type);

/* Keeps a copy of the record where its type is one of these.  0 or -ENOMEM;
 * -EFBIG: the budget does not allow it. */
int rpt_sideband_add(struct rpt_sideband *sb, const struct pd_event_set *events,
		     const struct pd_record *rec);
/* All of from goes behind what to has; from is empty then. 0 or -ENOMEM. */
int rpt_sideband_move(struct rpt_sideband *to, struct rpt_sideband *from);
/* The item's record, as it was added; where it is compressed says file_off
 * alone. */
struct pd_record rpt_sideband_record(const struct rpt_sideband *sb,
				     const struct rpt_sideband_item *item);
void rpt_sideband_sort(struct rpt_sideband *sb);
void rpt_sideband_release(struct rpt_sideband *sb);

#endif
