/* report_warnings.h: what report and export say on stderr of the recordings
 * that they have read: what was lost, damaged, or has no name.
 */
#ifndef RPT_REPORT_WARNINGS_H
#define RPT_REPORT_WARNINGS_H

#include "report/cli/problem_list.h"
#include "report/report/report_files.h"

/* Print all warnings about a recording that was counted, but add why files have
 * no names to the list (NULL: print that, too).  Return the exit code:
 * RPT_EXIT_OK, or RPT_EXIT_DAMAGED. */
int rpt_report_warn(const struct rpt_report *report,
		    struct rpt_problem_list *list);

/* Do so for all recordings of a report that was printed, and say why none of
 * their samples is shown. */
int rpt_report_files_warn(const struct rpt_report_files *inputs);

/* Return whether intervals without a CPU are not known, since it is surely not
 * recorded when a thread got a CPU again: perf's sched:sched_switch of a
 * command, without -a and PERF_RECORD_SWITCH. */
bool rpt_report_misses_returns(const struct rpt_report *report);

#endif
