/* kernel_names.h: the lines of /proc/kallsyms around addresses that were hit.
 *
 * For each address that is the symbol that starts last before it, as
 * format/symtab/kallsyms_line.h says.
 *
 * The kernel makes that file line by line, 0.4 us each.  So it is read once, in
 * pieces, from its start; a recorder that writes several files keeps a copy of
 * what counts, by address, of which it reads the blocks around the hits.
 */
#ifndef REC_KERNEL_NAMES_H
#define REC_KERNEL_NAMES_H

#include "record/names/name_list.h"

struct rec_kallsyms_block;

struct rec_kallsyms {
	int fd;				   /* owned; -1: it cannot be read */
	bool keeps;			   /* a copy, for the next file */
	int copy_fd;			   /* owned; -1: there is none */
	struct rec_kallsyms_block *blocks; /* owned; of the copy, by address,
					    * and one that is its end */
	size_t block_nr;
	int modules_fd;	   /* of /proc/modules, owned; -1: it is not there */
	uint64_t modules;  /* a hash of the modules when it was made */
	uint64_t taken_ns; /* when it was made; rec_now_ns() */
};

/* Open /proc/kallsyms.  Who opens it sees addresses or not, whoever reads it
 * later: Linux v6.12 kernel/kallsyms.c, kallsyms_open(). */
void rec_kallsyms_open(struct rec_kallsyms *kallsyms, bool keeps);
void rec_kallsyms_close(struct rec_kallsyms *kallsyms);

/* Add the lines around hits[0..nr), which ascend, and those of _text and
 * _stext.  Return 0, -EACCES if addresses are hidden from us, or a negative
 * errno.  A copy is made anew if modules came or went, and each hour. */
int rec_kernel_names(struct rec_kallsyms *kallsyms, const uint64_t *hits,
		     size_t nr, struct rec_name_list *list);

#endif
