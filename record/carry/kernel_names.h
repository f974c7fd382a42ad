/* kernel_names.h: the lines of /proc/kallsyms around addresses that were hit.
 *
 * For each address these are the symbols that start last before it, with all
 * their aliases; the last of them has the length up to the next symbol.  The
 * file, which the kernel
 * makes line by line, is read once, in pieces, from its start.
 */
#ifndef REC_KERNEL_NAMES_H
#define REC_KERNEL_NAMES_H

#include "record/names/name_list.h"

/* Add the lines around hits[0..nr), which ascend, and those of _text and
 * _stext.  Return 0, -EACCES if addresses are hidden from us, or a negative
 * errno. */
int rec_kernel_names(int kallsyms_fd, const uint64_t *hits, size_t nr,
		     struct rec_name_list *list);

#endif
