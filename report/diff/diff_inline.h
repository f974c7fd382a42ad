/* diff_inline.h: finds functions that one build has inlined into others.
 *
 * A row that is gone, or much smaller, may live on inside its callers, whose
 * rows have grown by it; and the other way round.  If files of a side have
 * debug information, its first run is counted once more, and the functions that
 * were inlined at each sampled address are looked up (inline_frames.h). Samples
 * that a function has in a holder on one side, and not on the other, have
 * moved.
 *
 * Only rows that are gone, new or significantly changed are looked for, and
 * only in files with debug information; without such rows nothing is read
 * again.
 */
#ifndef RPT_DIFF_INLINE_H
#define RPT_DIFF_INLINE_H

#include "report/diff/diff_args.h"
#include "report/diff/diff_run.h"

/* Fill table->inlined of each table.  sides: args->side_nr; shared_from: the
 * symbols of the first run, or NULL. */
void rpt_inlined_find(struct rpt_table *tables, size_t table_nr,
		      const struct rpt_diff_args *args,
		      const struct rpt_side *sides,
		      struct rpt_symbols *shared_from);

#endif
