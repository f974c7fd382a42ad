#include "format/symtab/elf_plt.h"

#include <elf.h>

/* Shapes of slots by machine.  For others, and unless is_fixed, the section
 * says how long a slot is, and the header is as long. */
static const struct {
	uint16_t machine;
	bool is_fixed;
	uint64_t header_len;
	uint64_t slot_len;
} shapes[] = {
	{ EM_ARM, true, 20, 12 },
	{ EM_AARCH64, true, 32, 16 },
	/* lld does not say */
	{ EM_X86_64, false, 16, 16 },
	{ EM_386, false, 16, 16 },
};

static void find_shape(const struct pd_elf_section *slots,
		       struct pd_elf_plt *plt)
{
	uint64_t header_len = plt->slot_len = slots->entry_len;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (shapes[i].machine != plt->elf->machine ||
		    (slots->entry_len && !shapes[i].is_fixed))
			continue;
		header_len = shapes[i].header_len;
		plt->slot_len = shapes[i].slot_len;
	}
	plt->first = slots->off + header_len;
}

/* Return how long an entry is, by its two or three words. */
static uint64_t entry_len_of(const struct pd_elf_plt *plt)
{
	uint64_t word_len = plt->elf->is_64 ? 8 : 4;

	switch (plt->relocs->type) {
	case SHT_RELA:
		return 3 * word_len;
	case SHT_REL:
		return 2 * word_len;
	default:
		return 0;
	}
}

void pd_elf_plt_find(const struct pd_elf_image *elf, struct pd_elf_plt *ret)
{
	const struct pd_elf_section *slots = pd_elf_image_find(elf, ".plt");

	*ret = (struct pd_elf_plt){ .elf = elf };
	ret->dynsym = pd_elf_image_find(elf, ".dynsym");
	ret->relocs = pd_elf_image_find(elf, ".rela.plt");
	if (!ret->relocs)
		ret->relocs = pd_elf_image_find(elf, ".rel.plt");
	if (!slots || !ret->dynsym || !ret->relocs ||
	    ret->relocs->link >= elf->section_nr ||
	    &elf->sections[ret->relocs->link] != ret->dynsym ||
	    ret->dynsym->link >= elf->section_nr || !ret->relocs->entry_len ||
	    elf->sections[ret->dynsym->link].flags & SHF_COMPRESSED)
		return;
	pd_elf_strings_init(&ret->names, elf,
			    &elf->sections[ret->dynsym->link]);
	find_shape(slots, ret);
	if (ret->slot_len && pd_elf_image_allows(elf, ret->relocs->len))
		ret->nr = ret->relocs->len / ret->relocs->entry_len;
}

void pd_elf_plt_release(struct pd_elf_plt *plt)
{
	pd_elf_strings_release(&plt->names);
}

/* Read the index of the dynamic symbol of a relocation; 0 if its target is
 * found out when the program starts. */
static bool read_symbol(const struct pd_elf_plt *plt, uint64_t idx,
			uint64_t *ret)
{
	const struct pd_elf_image *elf = plt->elf;
	uint8_t raw[2 * sizeof(uint64_t)];
	size_t len = elf->is_64 ? 16 : 8;
	struct pd_cursor c;
	uint64_t info;

	if (plt->relocs->entry_len != entry_len_of(plt) ||
	    pd_elf_image_bytes(elf,
			       plt->relocs->off + idx * plt->relocs->entry_len,
			       raw, len))
		return false;
	pd_cursor_init(&c, raw, len, 0, "relocation");
	c.swap = elf->swap;
	pd_elf_word(elf, &c); /* offset */
	info = pd_elf_word(elf, &c);
	*ret = elf->is_64 ? info >> 32 : info >> 8;
	return true;
}

bool pd_elf_plt_slot(const struct pd_elf_plt *plt, uint64_t idx, uint32_t *ret)
{
	const struct pd_elf_image *elf = plt->elf;
	size_t entry_len = elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t sym;
	struct pd_cursor c;
	uint8_t raw[4];

	if (idx >= plt->nr || !read_symbol(plt, idx, &sym) ||
	    plt->dynsym->type != SHT_DYNSYM ||
	    sym >= plt->dynsym->len / entry_len ||
	    pd_elf_image_bytes(elf, plt->dynsym->off + sym * entry_len, raw,
			       sizeof(raw)))
		return false;
	pd_cursor_init(&c, raw, sizeof(raw), 0, "symbol");
	c.swap = elf->swap;
	*ret = pd_cursor_u32(&c);
	return *ret < plt->names.section->len;
}

uint64_t pd_elf_plt_cut(const struct pd_elf_plt *plt, uint64_t start,
			uint64_t end)
{
	if (plt->nr > 2 && start <= plt->first &&
	    end > plt->first + plt->nr * plt->slot_len)
		return plt->first + plt->slot_len;
	return end;
}
