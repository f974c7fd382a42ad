/* elf_bounds.h: the functions that were hit and have no symbol: of Go programs
 * by their own table (format/symtab/go_table.h), with names, of others their
 * bounds, as .eh_frame tells them. */
#ifndef REC_ELF_BOUNDS_H
#define REC_ELF_BOUNDS_H

#include "format/symtab/elf_image.h"
#include "record/names/name_list.h"

/* Add the functions of which hits[0..nr), ascending offsets in the file, are in
 * none of the names of list, which ascend: bounds as names without text.  Files
 * without .eh_frame_hdr of the usual form have none of these.  spans, unless it
 * is NULL, is cut to the addresses that have the same function.  Return 0,
 * -ETIME after until_ns (rec_now_ns()), -EFBIG, or -ENOMEM. */
int rec_elf_bounds(const struct pd_elf_image *elf, const uint64_t *hits,
		   size_t nr, uint64_t until_ns, struct rec_name_span *spans,
		   struct rec_name_list *list);

#endif
