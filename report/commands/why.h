/* why.h: the output of perfpair why: sentences on where the elapsed time of a
 * process went, each with a number that perfpair report prints.
 *
 * All of it is report --latency --waits (offcpu/elapsed.h,
 * profile/wait_pass.h): the command sets these two switches and the columns
 * RPT_WHY_SORT, and runs the report with this output, which adds up the stacks
 * as report's tables do.
 */
#ifndef RPT_WHY_H
#define RPT_WHY_H

#include "report/report/report_output.h"

#define RPT_WHY_SORT "state"

extern const struct rpt_output rpt_output_why;

#endif
