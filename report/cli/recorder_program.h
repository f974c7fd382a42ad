/* recorder_program.h: starts the recorder, for commands that are its own or
 * that read what it writes.
 */
#ifndef RPT_RECORDER_PROGRAM_H
#define RPT_RECORDER_PROGRAM_H

#define RPT_RECORDER_NAME "perfpair-record"

/* Execute the recorder that lies beside this program, or else the one in PATH:
 * it replaces this process, so that exit code and signals are its own.  words
 * are its arguments from words[1] on, with a NULL behind them; words[0] is set.
 * Return the negative errno if there is none; print nothing. */
int rpt_recorder_exec(char **words);

/* Do the same, and print why it could not be executed.  Return an exit code. */
int rpt_recorder_run(char **words);

#endif
