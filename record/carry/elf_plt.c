#include "record/carry/elf_plt.h"

#include <elf.h>

/* Slot shapes that the section header does not tell. */
static const struct {
	uint16_t machine;
	uint64_t header_len;
	uint64_t slot_len;
} shapes[] = {
	{ EM_ARM, 20, 12 },
	{ EM_AARCH64, 32, 16 },
};

bool rec_elf_plt_find(const struct pd_elf_image *elf, struct rec_elf_plt *ret)
{
	const struct pd_elf_section *slots = pd_elf_image_find(elf, ".plt");
	uint64_t header_len;

	*ret = (struct rec_elf_plt){ .elf = elf };
	ret->dynsym = pd_elf_image_find(elf, ".dynsym");
	ret->relocs = pd_elf_image_find(elf, ".rela.plt");
	if (!ret->relocs)
		ret->relocs = pd_elf_image_find(elf, ".rel.plt");
	if (!slots || !ret->dynsym || !ret->relocs ||
	    ret->relocs->link >= elf->section_nr ||
	    &elf->sections[ret->relocs->link] != ret->dynsym ||
	    ret->dynsym->link >= elf->section_nr || !ret->relocs->entry_len)
		return false;
	ret->dynstr = &elf->sections[ret->dynsym->link];
	ret->slot_len = header_len = slots->entry_len;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (shapes[i].machine != elf->machine)
			continue;
		header_len = shapes[i].header_len;
		ret->slot_len = shapes[i].slot_len;
	}
	ret->first = slots->off + header_len;
	ret->nr = ret->relocs->len / ret->relocs->entry_len;
	return ret->slot_len;
}

/* Read the index of the dynamic symbol of a relocation; 0 if its target is
 * found out when the program starts. */
static bool read_symbol(const struct rec_elf_plt *plt, uint64_t idx,
			uint64_t *ret)
{
	const struct pd_elf_image *elf = plt->elf;
	uint8_t raw[2 * sizeof(uint64_t)];
	size_t len = elf->is_64 ? 16 : 8;
	struct pd_cursor c;
	uint64_t info;

	if (plt->relocs->entry_len < len ||
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

bool rec_elf_plt_name(const struct rec_elf_plt *plt, uint64_t idx, char *ret,
		      size_t cap)
{
	const struct pd_elf_image *elf = plt->elf;
	size_t entry_len = elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t sym;
	struct pd_cursor c;
	uint8_t raw[4];
	uint32_t name;
	size_t len;

	if (idx >= plt->nr || !read_symbol(plt, idx, &sym) ||
	    sym >= plt->dynsym->len / entry_len ||
	    pd_elf_image_bytes(elf, plt->dynsym->off + sym * entry_len, raw,
				sizeof(raw)))
		return false;
	pd_cursor_init(&c, raw, sizeof(raw), 0, "symbol");
	c.swap = elf->swap;
	name = pd_cursor_u32(&c);
	if (name >= plt->dynstr->len)
		return false;
	len = plt->dynstr->len - name < cap ? (size_t)(plt->dynstr->len - name)
					    : cap;
	return !pd_elf_image_bytes(elf, plt->dynstr->off + name, ret, len) &&
	       memchr(ret, 0, len);
}
