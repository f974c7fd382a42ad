/* diff_inline.h: functions that one build has inlined into others.
 *
 * A row that is gone, or much smaller, may live on inside its callers, whose
 * rows have grown by it; and the other way round.  Where files of a side have
 * debug information, its first run is counted once more, and each address in
 * them is asked for the functions that were inlined there (inline_frames.h).
 * What a function has in a holder on one side more than on the other has moved.
 *
 * Only rows that are gone, new, or changed for sure are sought, and only in
 * files with debug information: without such rows nothing is read again.
 */
#ifndef RPT_DIFF_INLINE_H
#define RPT_DIFF_INLINE_H

#include "report/diff/diff_args.h"
#include "report/diff/diff_run.h"

/* What the tables and the search have in common. */
struct rpt_inlined_input {
	const struct rpt_diff_args *args;
	const struct rpt_side *sides;	 /* args->side_nr */
	const struct rpt_labels *labels; /* of the tables */
	struct rpt_symbols *lender;	 /* of the first run, or NULL */
};

/* Fills table->inlined of each table.  A run that can no longer be read tells
 * nothing.  0 or -ENOMEM. */
int rpt_inlined_find(struct rpt_table *tables, size_t table_nr,
		     const struct rpt_inlined_input *input);

#endif
