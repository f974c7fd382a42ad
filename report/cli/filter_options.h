/* filter_options.h: the options that choose samples, for the option tables of
 * report, script and diff.
 */
#ifndef RPT_FILTER_OPTIONS_H
#define RPT_FILTER_OPTIONS_H

#include "report/cli/command_options.h"
#include "report/events/filter.h"

/* The options of the struct rpt_filter_args at off; more: a literal that the
 * command adds to the help of --time. */
#define RPT_FILTER_OPT(letter, name, off, field, metavar, help)                \
	RPT_OPT_TEXT(letter, name,                                             \
		     (off) + offsetof(struct rpt_filter_args, field), metavar, \
		     help)
#define RPT_OPTS_FILTER(off, comms_letter, dsos_letter, symbols_letter,        \
			cpu_letter, more)                                      \
	RPT_FILTER_OPT(comms_letter, "comms", off, comms, "NAME,...",          \
		       "show only threads of these names; file://FILE: one "   \
		       "name a line"),                                         \
		RPT_FILTER_OPT(0, "process", off, processes, "NAME,...",       \
			       "show only threads of processes of these "      \
			       "names (--pid: of these numbers)"),             \
		RPT_FILTER_OPT(dsos_letter, "dsos", off, dsos, "NAME,...",     \
			       "show only samples in these files, named by "   \
			       "path or its last part"),                       \
		RPT_FILTER_OPT(symbols_letter, "symbols", off, symbols,        \
			       "NAME,...",                                     \
			       "show only samples in these functions, or at "  \
			       "these addresses (hex)"),                       \
		RPT_FILTER_OPT(0, "pid", off, pids, "LIST",                    \
			       "show only these processes"),                   \
		RPT_FILTER_OPT(0, "tid", off, tids, "LIST",                    \
			       "show only these threads"),                     \
		RPT_FILTER_OPT(cpu_letter, "cpu", off, cpus, "LIST",           \
			       "show only samples of these CPUs: 0,2-3"),      \
		RPT_FILTER_OPT(0, "time", off, times, "TIMES",                 \
			       "show only samples within TIMES: START,STOP "   \
			       "in seconds (either may be left out), several " \
			       "separated by blanks; or parts of the "         \
			       "recording: 10%/2, 0%-10%,30%-40%" more)

#endif
