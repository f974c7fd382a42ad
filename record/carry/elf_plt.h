/* elf_plt.h: which function a slot of the PLT calls.
 *
 * The n-th entry of .rela.plt belongs to the n-th slot of .plt behind its
 * header (System V ABI, "Procedure Linkage Table").
 */
#ifndef REC_ELF_PLT_H
#define REC_ELF_PLT_H

#include "format/symtab/elf_image.h"

struct rec_elf_plt {
	const struct pd_elf_image *elf;
	const struct pd_elf_section *relocs;
	const struct pd_elf_section *dynsym;
	const struct pd_elf_section *dynstr;
	uint64_t first; /* offset in the file of the first slot */
	uint64_t slot_len;
	uint64_t nr;
};

/* Return false if the file has no PLT of a known shape. */
bool rec_elf_plt_find(const struct pd_elf_image *elf, struct rec_elf_plt *ret);

/* Read the name of the idx-th slot's function into ret, NUL-terminated; it is
 * empty if only the start of the program tells which function it is.  Return
 * false if it has none, or one that does not fit. */
bool rec_elf_plt_name(const struct rec_elf_plt *plt, uint64_t idx, char *ret,
		      size_t cap);

#endif
