/* diff_duplicates.h: one recording given as several runs.
 *
 * Runs that are replicates say how much runs differ.  One that is given twice,
 * by whatever name, link or copy, does not differ from itself, and would make
 * what is compared look surer than it is.  Different parts of one (--time, with
 * a colon between files) are different runs.
 */
#ifndef RPT_DIFF_DUPLICATES_H
#define RPT_DIFF_DUPLICATES_H

#include "report/diff/diff_args.h"

/* -EINVAL, with both names in err, where a side has several runs and two of all
 * are one recording.  What cannot be opened is passed over: it is an error
 * elsewhere. */
int rpt_diff_refuse_twins(const struct rpt_diff_args *args, struct pd_err *err);

#endif
