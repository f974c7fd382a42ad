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

/* Fill table->inlined of each table.  sides: args->side_nr; shared_from: the
 * symbols of the first run, or NULL.  0 or -ENOMEM. */
int rpt_inlined_find(struct rpt_table *tables, size_t table_nr,
		     const struct rpt_diff_args *args,
		     const struct rpt_side *sides,
		     struct rpt_symbols *shared_from);

#endif
