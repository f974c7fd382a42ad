/* stat.h: perfpair-record stat: count events, as perf stat does. */
#ifndef REC_STAT_H
#define REC_STAT_H

#include "format/support/options.h"

/* stat_args.c; its conf is a struct rec_stat_args. */
extern const struct sup_command rec_stat_command;
/* Of stat report; the same conf. */
extern const struct sup_command rec_stat_report_command;

/* Run the command; argv[0] is the program, argv[1] is "stat".  Return the exit
 * status of the program: the command's, 255 for our own errors, 2 for a wrong
 * option.  Returns not at all if a signal ended the command or the counting:
 * then it ends this program, too. */
int rec_stat_main(int argc, char **argv);

#endif
