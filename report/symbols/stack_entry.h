/* stack_entry.h: the code in which stacks begin: the entries of programs, of
 * threads, and of the kernel's tasks.
 *
 * Such code is known by, in this order,
 *   - its name
 *   - .eh_frame, by which its return address is undefined (the x86-64 ABI,
 *     3.4.1: so does the deepest frame end)
 *   - the entry of the ELF header
 *   - its neighbour, since distributions strip glibc of these names: the caller
 *     of main() stands in front of __libc_start_main(), that of a thread's
 *     function in front of pthread_create().  Frame pointers lead no further.
 */
#ifndef RPT_STACK_ENTRY_H
#define RPT_STACK_ENTRY_H

#include "report/symbols/symbols.h"

enum rpt_stack_entry {
	RPT_ENTRY_NO,
	RPT_ENTRY_YES,
	RPT_ENTRY_UNKNOWN, /* it has neither a name nor a file to look at */
};

/* Return whether the code at a dso address is such an entry. */
enum rpt_stack_entry rpt_dso_stack_entry(struct rpt_dso *dso, uint64_t addr);

#endif
