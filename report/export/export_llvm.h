/* export_llvm.h: branch stacks for llvm-profgen --perfscript. */
#ifndef RPT_EXPORT_LLVM_H
#define RPT_EXPORT_LLVM_H

#include "report/report/report.h"

/* Read the samples of all parts of a counted report once more, and print their
 * branch stacks.  Return 0 or a negative errno, with err set; -ENODATA if no
 * sample that the filters leave has branches. */
int rpt_export_llvm(struct rpt_report *report, FILE *out, struct pd_err *err);

#endif
