/* trace_summary.h: perfpair trace -s: a table of each thread's system calls.
 */
#ifndef RPT_TRACE_SUMMARY_H
#define RPT_TRACE_SUMMARY_H

#include "format/support/options.h"

extern const struct sup_command rpt_trace_command;

/* Run the command.  Return its exit code. */
int rpt_trace_summary(int argc, char **argv);

#endif
