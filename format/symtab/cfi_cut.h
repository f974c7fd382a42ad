/* cfi_cut.h: of an FDE, what concerns the addresses that were hit.
 *
 * An FDE has a program that tells from the function's start to its end how to
 * unwind (DWARF 5, 6.4.2).  What is carried covers the function from the
 * first address that was hit to the last, and says the same about each address
 * that it covers.
 */
#ifndef PD_CFI_CUT_H
#define PD_CFI_CUT_H

#include "format/symtab/cfi_entry.h"

/* The parts of an FDE that are wanted, and their encoding in its CIE. */
struct pd_cfi_cut {
	uint64_t start; /* of the FDE, an address */
	uint64_t len;	/* that it covers */
	uint64_t first; /* addresses in it that were hit */
	uint64_t last;
	uint64_t code_align; /* pd_cfi_code_align() */
	int encoding;	     /* pd_cfi_encoding() */
};

/* Cut the entry in room, which is fde->data: set fde->len to what is left, and
 * cut->start to where it starts then.  Return false with nothing changed if the
 * FDE has something unusual. */
bool pd_cfi_cut(const struct pd_cfi_section *eh_frame, struct pd_cfi_entry *fde,
		uint8_t *room, struct pd_cfi_cut *cut);

#endif
