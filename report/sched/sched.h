/* sched.h: what the scheduler did, out of context switches: perfpair sched.
 *
 * Each function is a command of its own, with a table of its own: argv[0] is
 * its name.  It prints its results on stdout and its messages on stderr, and
 * returns the program's exit code.
 */
#ifndef RPT_SCHED_H
#define RPT_SCHED_H

#include "format/support/options.h"

/* Each switch as a line, with the waits before it (timehist.c). */
int rpt_sched_timehist(int argc, char **argv);
/* How long tasks waited for a CPU, added up by task (latency.c). */
int rpt_sched_latency(int argc, char **argv);
/* Each switch as a line, with the task that each CPU has then (map.c). */
int rpt_sched_map(int argc, char **argv);

extern const struct sup_command rpt_sched_timehist_command;
extern const struct sup_command rpt_sched_latency_command;
extern const struct sup_command rpt_sched_map_command;

#endif
