/* shortage.h: what this machine ran out of while an answer was made.
 *
 * Who reads names, CFI, line tables or formats goes on where there are none,
 * and the libraries that do it take what failed for just that, or crash
 * (libdw's hash tables).  Out of memory is never a different answer:
 *
 *   malloc   perfpair's own (watched_malloc.c) ends the program with an error,
 *            whoever called it
 *   others   (descriptors, a disk that cannot be read) are noted here by
 * whoever would go on without the file, and main() ends with an error
 */
#ifndef RPT_SHORTAGE_H
#define RPT_SHORTAGE_H

#include <stdbool.h>

/* Notes errno's value where it tells of the machine, not of the file that was
 * asked for: ENOMEM, EMFILE, ENFILE, EIO.  The first counts.  From any thread.
 */
void rpt_shortage_note(int error);

/* The first one noted, as errno has it; 0: none. */
int rpt_shortage(void);

/* The file that must not stay behind if the program ends so; NULL: there is
 * none any more.  The caller's; one at a time. */
void rpt_shortage_unlinks(const char *path);

/* A malloc failed: ends the program. */
void rpt_shortage_of_memory(void) __attribute__((noreturn));

#endif
