/* sideband.h: the records that tell of tasks and maps, put in time order.
 *
 * Copies of them are collected as they lie in the file (out of compressed
 * frames nothing else would stay) and sorted by (time, seq).
 */
#ifndef RPT_SIDEBAND_H
#define RPT_SIDEBAND_H

#include "format/reader.h"
#include "report/arena.h"
#include "report/timeline.h"

struct rpt_sideband_item {
	struct rpt_when when;
	struct pd_record rec; /* data in the arena */
	uint16_t id_len;      /* bytes of its sample_id trailer */
	uint32_t tid;	      /* of the trailer; CALLCHAIN_DEFERRED only */
};

struct rpt_sideband {
	struct rpt_arena arena;
	struct rpt_sideband_item *items;
	size_t nr;
	size_t cap;
	bool is_unsorted;
};

/* Keeps a copy of the record where its type is one of these.  0 or -ENOMEM. */
int rpt_sideband_add(struct rpt_sideband *sb, const struct pd_event_set *events,
		     const struct pd_record *rec);
void rpt_sideband_sort(struct rpt_sideband *sb);
void rpt_sideband_release(struct rpt_sideband *sb);

#endif
