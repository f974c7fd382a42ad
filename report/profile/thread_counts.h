/* thread_counts.h: what each thread counted of each event in its whole life:
 * the READ records that the kernel writes when it ends (record -s).
 *
 *	rpt_thread_counts_load(&counts, reader, budget, &err);
 *	rpt_thread_counts_print(&counts, events, is_raw, stdout);
 *	rpt_thread_counts_release(&counts);
 *
 * Records of one thread and event (one for each CPU that it was opened on) are
 * added up.  Threads, and events, stand in the order in which they first
 * counted something.
 */
#ifndef RPT_THREAD_COUNTS_H
#define RPT_THREAD_COUNTS_H

#include "format/damage.h"
#include "format/reader.h"
#include "report/base/memory.h"
#include "report/base/intern.h"
#include "report/timeline/timeline.h"

#include <stdio.h>

/* A row or a column: what was counted first of it. */
struct rpt_counted {
	struct rpt_timestamp first;
	uint32_t number; /* of the thread; of the event */
};

struct rpt_thread_counts {
	struct rpt_intern threads;   /* pid, tid */
	struct rpt_intern cells;     /* thread, event */
	uint64_t *values;	     /* by number of the cell */
	struct rpt_counted *rows;    /* by number of the thread */
	struct rpt_counted *columns; /* of events that have any: column_nr */
	uint32_t values_cap, rows_cap;
	uint32_t column_nr;
	struct rpt_budget *budget;
	struct pd_damage damage; /* what could not be read, kept or shown */
};

/* Reads the whole file.  To be released whatever comes back: 0 or a negative
 * errno. */
int rpt_thread_counts_load(struct rpt_thread_counts *ret,
			   struct pd_reader *reader, struct rpt_budget *budget,
			   struct pd_err *err);
/* A table of a line for each thread; is_raw: a line for each count.  Its text
 * is taken from the budget, too.  0 or -ENOMEM. */
int rpt_thread_counts_print(struct rpt_thread_counts *counts,
			    const struct pd_event_set *events, bool is_raw,
			    FILE *out);
void rpt_thread_counts_release(struct rpt_thread_counts *counts);

#endif
