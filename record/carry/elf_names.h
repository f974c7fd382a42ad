/* elf_names.h: the symbols of an ELF file around addresses that were hit.
 *
 * The reader chooses between symbols by rules of its own (aliases, symbols
 * without a size, symbols that overlap).  So all that its rules could look at
 * for these addresses is carried, as it stands in the file:
 *  - the symbols that start last before an address, with all their aliases,
 *    and if they have no size with that up to the next symbol;
 *  - every symbol whose size reaches over the address, with its aliases.
 * PLT slots get the names of the functions that they call.
 */
#ifndef REC_ELF_NAMES_H
#define REC_ELF_NAMES_H

#include "format/symtab/elf_image.h"
#include "record/names/name_list.h"

/* Add the symbols around hits[0..nr), ascending offsets in the file that was
 * mapped.  Names are of symbols, which is the same file or the one with its
 * .symtab.  spans[0..nr), unless it is NULL, is set to the addresses around
 * each hit for which the same symbols count.  Return 0, -EBADMSG, -EFBIG, or
 * -ENOMEM; what was found until then is in the list. */
int rec_elf_names(const struct pd_elf_image *mapped,
		  const struct pd_elf_image *symbols, const uint64_t *hits,
		  size_t nr, struct rec_name_span *spans,
		  struct rec_name_list *list);

#endif
