/* pager.h: sends stdout through a pager, if it is a terminal.
 *
 *	sup_terminal_init();
 *	sup_pager_start();		before any thread and any output
 *	... print to stdout ...
 *	exit_code = sup_pager_end(exit_code);
 *
 * The pager is the first of PERFPAIR_PAGER, PERF_PAGER and PAGER that is set,
 * else "less -FRX"; LESS is FRX unless it is set.  There is none if that is
 * empty or "cat", if the command is not there, if the terminal knows no escape
 * sequences, or if nothing is printed: it starts with the first byte.
 *
 * Messages (message.h) are held back until the pager has ended: the user sees
 * them below, not over or far behind what it shows.  If the user quits it
 * early, the program ends at its next write with exit code 0.  If a signal
 * ends the program, the pager still shows what came, and the program dies of
 * the signal when that has ended.
 */
#ifndef SUP_PAGER_H
#define SUP_PAGER_H

#include <stdbool.h>

void sup_pager_start(void);

/* Note that the user chose whether there is a pager, so that what is shown is
 * to be text. */
void sup_pager_note_choice(void);
bool sup_pager_is_chosen(void);

/* Give stdout back to the terminal before anything is printed.  Messages are
 * still held until sup_pager_end(). */
void sup_pager_cancel(void);

/* Close stdout, wait for the pager and print the messages.  Return exit_code.
 * Without a pager do nothing. */
int sup_pager_end(int exit_code);

#endif
