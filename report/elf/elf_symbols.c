#include "report/elf/elf_symbols.h"

#include "report/base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool rpt_elf_has_symtab(const struct rpt_elf *file)
{
	struct rpt_elf_section section;

	return rpt_elf_section(file, ".symtab", &section) &&
	       section.shdr.sh_type == SHT_SYMTAB;
}

static bool read_sections(struct rpt_elf_symbols *r)
{
	struct rpt_elf_section section;

	if (elf_getshdrnum(r->file->elf, &r->sections_nr) != 0)
		return false;
	r->has_labels =
		rpt_alloc_zeroed(r->sections_nr + 1, sizeof(*r->has_labels));
	for (size_t i = 1; i < r->sections_nr; i++) {
		if (!rpt_elf_section_at(r->file, i, &section))
			continue;
		r->has_labels[i] = strstr(section.name, "text") ||
				   strstr(section.name, "data");
		if (strcmp(section.name, ".text") == 0)
			r->text_idx = i;
	}
	return true;
}

/* Return whether name is a mark of the ARM linkers: "$a", "$d.12", "$x". */
static bool is_arm_mark(const struct rpt_elf *file, const char *name)
{
	GElf_Half machine = file->ehdr.e_machine;

	if (name[0] != '$' || (machine != EM_ARM && machine != EM_AARCH64))
		return false;
	return strchr("adtx", name[1]) && name[1] != '\0' &&
	       (name[2] == '\0' || name[2] == '.');
}

static bool is_label(const struct rpt_elf_symbols *r, const GElf_Sym *sym)
{
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	return visibility != STV_HIDDEN && visibility != STV_INTERNAL &&
	       sym->st_shndx < r->sections_nr && r->has_labels[sym->st_shndx];
}

static bool is_wanted(const struct rpt_elf_symbols *r, const GElf_Sym *sym)
{
	if (sym->st_name == 0 || sym->st_shndx == SHN_UNDEF ||
	    sym->st_shndx == SHN_ABS)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return is_label(r, sym);
	default:
		return false;
	}
}

/* For labels like _etext, which is one past the last byte of a segment. */
static bool translate_by_section(const struct rpt_elf_symbols *r,
				 const GElf_Sym *sym, uint64_t *ret_addr)
{
	struct rpt_elf_section section;

	if (!rpt_elf_section_at(r->runtime, sym->st_shndx, &section))
		return false;
	*ret_addr =
		sym->st_value - section.shdr.sh_addr + section.shdr.sh_offset;
	return true;
}

/* Return false if the symbol is in no mapped part of the file. */
static bool translate(const struct rpt_elf_symbols *r, const GElf_Sym *sym,
		      uint64_t *ret_addr)
{
	uint64_t addr = sym->st_value;

	/* The lowest bit marks Thumb code, the address is even. */
	if (r->file->ehdr.e_machine == EM_ARM &&
	    GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		addr &= ~(uint64_t)1;
	*ret_addr = addr;
	switch (r->space) {
	case RPT_ADDRESS_SPACE_ADDR:
		return true;
	case RPT_ADDRESS_SPACE_MODULE:
		return sym->st_shndx == r->text_idx;
	case RPT_ADDRESS_SPACE_FILE:
	default:
		return rpt_elf_addr_to_off(r->runtime, addr, ret_addr) ||
		       translate_by_section(r, sym, ret_addr);
	}
}

bool rpt_elf_symbols_open(struct rpt_elf_symbols *ret,
			  const struct rpt_elf *file,
			  const struct rpt_elf *runtime,
			  enum rpt_elf_space space)
{
	const char *name = rpt_elf_has_symtab(file) ? ".symtab" : ".dynsym";
	struct rpt_elf_section symtab;

	*ret = (struct rpt_elf_symbols){ .file = file,
					 .runtime = runtime,
					 .space = space };
	if (!rpt_elf_section(file, name, &symtab))
		return true;
	ret->data = elf_getdata(symtab.scn, NULL);
	ret->strings_idx = symtab.shdr.sh_link;
	if (!read_sections(ret) || !ret->data || symtab.shdr.sh_entsize == 0)
		return false;
	ret->nr = (size_t)(ret->data->d_size / symtab.shdr.sh_entsize);
	return true;
}

void rpt_elf_symbols_close(struct rpt_elf_symbols *symbols)
{
	free(symbols->has_labels);
	*symbols = (struct rpt_elf_symbols){ .nr = 0 };
}

/* gelf_getsym() checks the index against the section's length. */
static bool place(const struct rpt_elf_symbols *r, size_t idx, GElf_Sym *sym,
		  struct rpt_symbol *ret)
{
	*ret = (struct rpt_symbol){ 0 };
	if (idx > INT_MAX || !gelf_getsym(r->data, (int)idx, sym) ||
	    !is_wanted(r, sym) || !translate(r, sym, &ret->start))
		return false;
	ret->end = ret->start + sym->st_size;
	return ret->end >= ret->start;
}

bool rpt_elf_symbols_place(const struct rpt_elf_symbols *symbols, size_t idx,
			   struct rpt_symbol *ret)
{
	GElf_Sym sym;

	return place(symbols, idx, &sym, ret);
}

bool rpt_elf_symbols_at(const struct rpt_elf_symbols *symbols, size_t idx,
			struct rpt_symbol *ret)
{
	GElf_Sym sym;

	if (!place(symbols, idx, &sym, ret))
		return false;
	ret->name = elf_strptr(symbols->file->elf, symbols->strings_idx,
			       sym.st_name);
	ret->binding = (uint8_t)GELF_ST_BIND(sym.st_info);
	ret->type = (uint8_t)GELF_ST_TYPE(sym.st_info);
	return ret->name && ret->name[0] != '\0' &&
	       !is_arm_mark(symbols->file, ret->name);
}

bool rpt_elf_symbols_add(struct rpt_symbol_table *table,
			 const struct rpt_elf *file,
			 const struct rpt_elf *runtime,
			 enum rpt_elf_space space)
{
	struct rpt_elf_symbols symbols;
	bool is_read = rpt_elf_symbols_open(&symbols, file, runtime, space);
	struct rpt_symbol sym;

	for (size_t i = 1; i < symbols.nr; i++)
		if (rpt_elf_symbols_at(&symbols, i, &sym))
			rpt_symbol_table_add(table, &sym);
	rpt_elf_symbols_close(&symbols);
	return is_read;
}

bool rpt_elf_symbols_read(struct rpt_symbol_table *table,
			  const struct rpt_elf *file, enum rpt_elf_space space)
{
	bool is_read = rpt_elf_symbols_add(table, file, file, space);

	if (is_read)
		rpt_symbol_table_fix_up(table, RPT_ENDS_ELF);
	return is_read;
}
