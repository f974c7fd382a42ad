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
#include <stddef.h>

/* Note an errno that is about the machine, not the file: ENOMEM, EMFILE, ENFILE
 * or EIO; others are ignored.  The first counts.  Any thread may call this. */
void rpt_shortage_note(int error);

/* Return the first errno that was noted, or 0. */
int rpt_shortage(void);

/* A library's call for a file that may be made to harm: it gets so many bytes
 * of memory in all (realloc() counts what it asks for), then its allocations
 * fail as if there were no more.  Only for calls that are known to stand that.
 * It holds for the calling thread until rpt_shortage_lend_end(), which returns
 * whether an allocation failed.  Builds with a sanitizer have no such limit. */
void rpt_shortage_lend(size_t len);
bool rpt_shortage_lend_end(void);
/* Take len bytes from what is lent, for perfpair's malloc.  Return false if
 * they are not there. */
bool rpt_shortage_take(size_t len);

/* Set the file to unlink if the program runs out of memory; NULL for none. path
 * is borrowed. */
void rpt_shortage_unlinks(const char *path);

/* Set what is called before the program ends for want of memory; NULL for
 * nothing.  It may only do what a handler of a signal may. */
void rpt_shortage_calls(void (*call)(void));

/* End the program, as an allocation failed. */
void rpt_shortage_of_memory(void) __attribute__((noreturn));

#endif
