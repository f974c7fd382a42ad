/* elf_plt.h: the slots through which a file calls functions of other files.
 *
 * The n-th entry of .rela.plt, or .rel.plt, belongs to the n-th slot of .plt
 * behind its header (System V ABI, "Procedure Linkage Table").
 */
#ifndef PD_ELF_PLT_H
#define PD_ELF_PLT_H

#include "format/symtab/elf_symtab.h"

struct pd_elf_plt {
	const struct pd_elf_image *elf;
	const struct pd_elf_section *relocs;
	const struct pd_elf_section *dynsym;
	struct pd_elf_strings names; /* owned */
	uint64_t first; /* offset in the file of the first slot; the end of the
			 * last may wrap in a hostile file */
	uint64_t slot_len;
	uint64_t nr; /* 0: the file has no slots of a known shape */
};

void pd_elf_plt_find(const struct pd_elf_image *elf, struct pd_elf_plt *ret);
/* Safe on a zeroed struct. */
void pd_elf_plt_release(struct pd_elf_plt *plt);

/* Find where in plt->names the function of slot idx stands, as the linker names
 * it.  The name is empty if only the start of the program tells which function
 * that is.  Return false if the slot has none. */
bool pd_elf_plt_slot(const struct pd_elf_plt *plt, uint64_t idx, uint32_t *ret);

/* Return whether the idx-th slot belongs to a symbol that covers its start.  As
 * in perf 6.1, _init, which has no length and so reaches up to _start, keeps
 * the first slot, or both if there are two. */
static inline bool pd_elf_plt_gives_way(const struct pd_elf_plt *plt,
					uint64_t idx)
{
	return !idx || plt->nr == 2;
}

/* Return the end of a symbol, which is behind the first slot if the symbol
 * reaches over all of them, as _init does: what lies behind the slots, in
 * .plt.got, belongs to none then. */
uint64_t pd_elf_plt_cut(const struct pd_elf_plt *plt, uint64_t start,
			uint64_t end);

#endif
