/* diff_load.h: loads all recordings of a diff, and finds functions that one of
 * the builds has inlined.
 *
 * Files are counted in threads, then get their labels in their order, so that
 * neither the result nor the first error depends on the number of threads.
 */
#ifndef RPT_DIFF_LOAD_H
#define RPT_DIFF_LOAD_H

#include "report/diff/diff_args.h"
#include "report/diff/diff_run.h"

/* Return -EINVAL, with both names in err, if a side has several runs and two of
 * all are the same recording or copies of it: they do not differ, which would
 * make intervals too narrow.  Different parts of one recording (--time with
 * colons) are different runs.  Files that cannot be opened are passed over:
 * rpt_runs_load() reports them. */
int rpt_diff_check_duplicates(const struct rpt_diff_args *args,
			      struct pd_err *err);

/* Load all files into runs, which are args->path_nr and zeroed; the caller
 * releases each in any case, the first one last.  On an error *ret_path names
 * the file. */
int rpt_runs_load(struct rpt_run *runs, struct rpt_labels *labels,
		  const struct rpt_diff_args *args, const char **ret_path,
		  struct pd_err *err);

/* Set args->workload and, if none was given, the measure: docs/diff.md.  The
 * trailer tells whether a run is of a whole command (FORMAT.md). */
void rpt_diff_choose_measure(struct rpt_diff_args *args,
			     const struct rpt_run *runs, size_t run_nr);

/* diff_inline.c: fill table->inlined of each table.  sides: args->side_nr;
 * shared_from: the symbols of the first run, or NULL.
 *
 * A row that is gone, or much smaller, may be a part of its callers now, whose
 * rows have grown; and the other way round.  If there are rows that are gone,
 * new or significantly changed, and files of a side have debug information, its
 * first run is counted once more, and the functions that were inlined at each
 * sampled address are looked up (inline_frames.h).  Samples that a function has
 * in a holder on one side, and not on the other, have moved. */
void rpt_inlined_find(struct rpt_diff_table *tables, size_t table_nr,
		      const struct rpt_diff_args *args,
		      const struct rpt_side *sides,
		      struct rpt_symbols *shared_from);

#endif
