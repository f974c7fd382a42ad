/* thread_counts.h: the counts of each event over the life of each thread, from
 * the READ records that the kernel writes when a thread ends (record -s).
 *
 *	rpt_thread_counts_load(&counts, reader, budget, &err);
 *	rpt_thread_counts_print(&counts, events, is_raw, stdout);
 *	rpt_thread_counts_release(&counts);
 *
 * Records of one thread and event (one for each CPU that it was opened on) are
 * added up.  Threads and events are ordered by their first READ record.
 */
#ifndef RPT_THREAD_COUNTS_H
#define RPT_THREAD_COUNTS_H

#include "format/base/damage.h"
#include "format/reader/reader.h"
#include "report/base/intern.h"
#include "report/base/memory.h"
#include "report/timeline/timeline.h"

#include <stdio.h>

/* A row (thread) or a column (event), and its first count. */
struct rpt_counted {
	struct rpt_timestamp first;
	uint32_t number; /* of the thread or event */
};

struct rpt_thread_counts {
	struct rpt_intern threads;   /* pid, tid */
	struct rpt_intern cells;     /* thread, event */
	uint64_t *values;	     /* by number of the cell */
	struct rpt_counted *rows;    /* by number of the thread */
	struct rpt_counted *columns; /* events with counts: column_nr */
	uint32_t values_cap, rows_cap;
	uint32_t column_nr;
	struct rpt_budget *budget;
	struct pd_damage damage; /* what could not be read or shown */
};

/* Read the whole file.  Return 0 or the negative errno of reading; ret must be
 * released in any case. */
int rpt_thread_counts_load(struct rpt_thread_counts *ret,
			   struct pd_reader *reader, struct rpt_budget *budget,
			   struct pd_err *err);
/* Print a line for each thread, or with is_raw a line for each count, as far as
 * the budget allows so much text. */
void rpt_thread_counts_print(struct rpt_thread_counts *counts,
			     const struct pd_event_set *events, bool is_raw,
			     FILE *out);
/* Free what counts owns. */
void rpt_thread_counts_release(struct rpt_thread_counts *counts);

#endif
