/* script_compat.h: script --compat: a layout that stackcollapse-perf.pl,
 * inferno, speedscope, the Firefox Profiler and flamescope read alike.
 *
 *	COMM PID/TID [CPU] SECONDS.MICROSECONDS: EVENT:
 *		ADDRESS FUNCTION (FILE)
 *	(an empty line)
 *
 * These programs look for blanks and digits to find the parts of the first
 * line, and for a parenthesis behind a blank to find the file.  So each text is
 * one word that cannot be taken for another part:
 *
 *   - A comm has two characters or more and begins with no digit: "_" is put
 *     behind "x" and before "7z".  Blanks and control characters become "_",
 *     ";" becomes ":", a first "#", "{" or "[" becomes "_".
 *   - Colons in an event's name become ".": inferno ends the name there.
 *   - Blanks in a file's name become "_", parentheses become brackets.
 *   - "(anonymous namespace)" becomes "{anonymous}": what follows a parenthesis
 *     is cut off.  Another function that begins with one gets a "_" before it.
 *     "operator->" becomes "operator=>": inferno and flamescope split a name
 *     at "->", as perf-map-agent for java means it.
 *
 * There are no periods, since stackcollapse-perf.pl alone would add them up,
 * and no offsets in functions.  A sample without a call chain has a line for
 * its address.
 *
 * Source: the regular expressions of stackcollapse-perf.pl, inferno's
 * collapse/perf.rs, speedscope's linux-tools-perf.ts, the Firefox Profiler's
 * linux-perf.ts and flamescope's perf/regexp.py, as of 2026-11.
 */
#ifndef RPT_SCRIPT_COMPAT_H
#define RPT_SCRIPT_COMPAT_H

#include "report/script/script_line.h"

/* Return -EINVAL if another option would change the layout. */
int rpt_script_compat_check(const struct rpt_script_args *args,
			    struct pd_err *err);

/* Set the fields of all events.  Times and CPUs remain if the recording has
 * them. */
void rpt_script_compat_fields(struct rpt_script_fields *fields);

/* Return "sched.sched_switch:" for the name of an event; the caller frees it.
 */
char *rpt_script_compat_title(const char *name);

/* Print the task, the CPU, the time and the event. */
void rpt_script_compat_start(struct rpt_script *script,
			     struct rpt_script_line *line);

/* Print the name of a function, or of a file. */
void rpt_script_compat_function(struct rpt_text *text, const char *name);
void rpt_script_compat_file(struct rpt_text *text, const char *name);

#endif
