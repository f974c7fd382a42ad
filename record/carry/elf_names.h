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
#include "record/carry/symbol_index.h"
#include "record/names/name_list.h"

struct rec_elf_names_from {
	const struct pd_elf_image *mapped;
	/* The same, or the file with its .symtab. */
	const struct pd_elf_image *symbols;
	/* The place of an index of the symbols; NULL: none. */
	const struct rec_symbol_index_place *place;
	/* Make one if there is none, and clear this, unless the table is too
	 * short or too long; NULL: not. */
	bool *makes_index;
};

/* Add the symbols around hits[0..nr), ascending offsets in the file that was
 * mapped.  spans[0..nr), unless it is NULL, is set to the addresses around
 * each hit for which the same symbols count: all of them without an index.
 * Return 0, -EBADMSG, -EFBIG, or -ENOMEM; what was found until then is in the
 * list. */
int rec_elf_names(const struct rec_elf_names_from *from, const uint64_t *hits,
		  size_t nr, struct rec_name_span *spans,
		  struct rec_name_list *list);

#endif
