/* shortage.h: a machine without memory, descriptors or a disk that can be read
 * must not change the output.
 *
 * Code that reads names, CFI, line tables or formats goes on without a file
 * that it cannot read, and libraries take a failed allocation for a missing
 * file, or crash (libdw's hash tables).  So:
 *
 *   memory   perfpair's malloc (watched_malloc.c) ends the program with an
 *            error, whoever calls it
 *   others   code that goes on without a file notes the error here, and main()
 *            ends with an error
 */
#ifndef RPT_SHORTAGE_H
#define RPT_SHORTAGE_H

#include <stdbool.h>

/* Note an errno that is about the machine, not the file: ENOMEM, EMFILE, ENFILE
 * or EIO; others are ignored.  The first counts.  Any thread may call this. */
void rpt_shortage_note(int error);

/* Return the first errno that was noted, or 0. */
int rpt_shortage(void);

/* Set the file to unlink if the program runs out of memory; NULL for none. path
 * is borrowed. */
void rpt_shortage_unlinks(const char *path);

/* Set what is called before the program ends for want of memory; NULL for
 * nothing.  It may only do what a handler of a signal may. */
void rpt_shortage_calls(void (*call)(void));

/* End the program, as an allocation failed. */
void rpt_shortage_of_memory(void) __attribute__((noreturn));

#endif
