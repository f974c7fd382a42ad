/* export.h: a report in the formats of other tools.
 *
 * Samples are added up by stack first, as for a flame graph; README.md says
 * what goes where in each format.
 */
#ifndef RPT_EXPORT_H
#define RPT_EXPORT_H

#include "report/report/report_output.h"

extern const struct rpt_output rpt_output_pprof;
extern const struct rpt_output rpt_output_speedscope;
extern const struct rpt_output rpt_output_firefox;
extern const struct rpt_output rpt_output_otlp;
extern const struct rpt_output rpt_output_llvm;
extern const struct rpt_output rpt_output_trace;
extern const struct rpt_output rpt_output_arrow;
extern const struct rpt_output rpt_output_rows;

#endif
