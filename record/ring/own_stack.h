/* own_stack.h: where in a stack copy the program's own stack ends, and its
 * arguments and environment begin.
 *
 * execve() puts these on top of the first thread's stack (Linux v6.12
 * fs/binfmt_elf.c, create_elf_tables()), in words of the program's width:
 *
 *	  low    argc                <- start_stack: no frame lies above
 *	         argv ... NULL
 *	         environ ... NULL
 *	         (type, value) ...   the auxiliary vector, up to AT_NULL
 *	         16 random bytes     <- the value of AT_RANDOM
 *	  high   the strings
 *
 * The AT_RANDOM entry points to what is right above its vector, and a copy of
 * the vector elsewhere does not: so it tells where the block is.  It is looked
 * for in the copy itself.  /proc/PID/stat has start_stack, too, but may tell of
 * the program before or after an exec, or of none any more.
 *
 * Copies without a whole vector have no strings: they are of another stack, or
 * end before these.
 */
#ifndef REC_OWN_STACK_H
#define REC_OWN_STACK_H

#include "format/records/sample.h"

/* perf 6.1 does not read the last 8 bytes of a copy: so these are argc, and in
 * a 32-bit program the address of its name. */
enum { REC_OWN_STACK_MORE_LEN = 8 };

/* Return how many bytes of a sample's stack copy, at most stack_dyn_len, are
 * the program's own stack, with REC_OWN_STACK_MORE_LEN more. */
uint64_t rec_own_stack_len(const struct pd_sample *sample);

#endif
