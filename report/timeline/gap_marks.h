/* gap_marks.h: when the kernel lost records, and when it throttled an event,
 * from LOST, THROTTLE and UNTHROTTLE records.  Part of the timeline.
 */
#ifndef RPT_GAP_MARKS_H
#define RPT_GAP_MARKS_H

#include "format/reader/reader.h"
#include "report/timeline/timeline.h"

#define RPT_GAP_ANY UINT32_MAX /* a CPU or an event that is not known */

/* Marks that are kept; later ones in the file are left out. */
#define RPT_GAP_MARKS_MAX (1u << 20)

struct rpt_gap_mark {
	struct rpt_timestamp when; /* time_ns 0: not known */
	uint64_t lost_nr;	   /* LOST */
	uint64_t stream;	   /* of one event on one CPU or thread */
	uint32_t type;		   /* PD_RECORD_LOST, _THROTTLE, _UNTHROTTLE */
	uint32_t cpu;		   /* or RPT_GAP_ANY */
	uint32_t event_idx;	   /* the same */
};

/* A zeroed struct is empty. */
struct rpt_gap_marks {
	struct rpt_gap_mark *items; /* owned */
	uint32_t nr;
	uint32_t cap;
};

/* Add the record if its type is one of these and it can be read. */
void rpt_gap_marks_add(struct rpt_gap_marks *marks,
		       const struct pd_event_set *events,
		       const struct pd_record *rec);
/* Move all that from has, of another thread, to to. */
void rpt_gap_marks_move(struct rpt_gap_marks *to, struct rpt_gap_marks *from);
/* Sort by time. */
void rpt_gap_marks_sort(struct rpt_gap_marks *marks);
/* Free all. */
void rpt_gap_marks_release(struct rpt_gap_marks *marks);

/* Return the marks of the recording in the order of time, which tl owns. */
const struct rpt_gap_marks *rpt_timeline_gaps(const struct rpt_timeline *tl);

#endif
