#include "report/elf/elf_symbols.h"

#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct reader {
	struct rpt_symbol_table *table;
	const struct rpt_elf *file;
	const struct rpt_elf *runtime;
	enum rpt_elf_space space;
	struct rpt_elf_section symtab;
	bool *has_labels; /* by section: "text" or "data" is in its name */
	size_t sections_nr;
	size_t text_idx; /* .text */
};

bool rpt_elf_has_symtab(const struct rpt_elf *file)
{
	struct rpt_elf_section section;

	return rpt_elf_section(file, ".symtab", &section) &&
	       section.shdr.sh_type == SHT_SYMTAB;
}

static bool read_sections(struct reader *r)
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

static bool is_label(const struct reader *r, const GElf_Sym *sym)
{
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	return visibility != STV_HIDDEN && visibility != STV_INTERNAL &&
	       sym->st_shndx < r->sections_nr && r->has_labels[sym->st_shndx];
}

static bool is_wanted(const struct reader *r, const GElf_Sym *sym)
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
static bool translate_by_section(const struct reader *r, const GElf_Sym *sym,
				 uint64_t *ret_addr)
{
	struct rpt_elf_section section;

	if (!rpt_elf_section_at(r->runtime, sym->st_shndx, &section))
		return false;
	*ret_addr =
		sym->st_value - section.shdr.sh_addr + section.shdr.sh_offset;
	return true;
}

/* Return false if the symbol is in no mapped part of the file. */
static bool translate(const struct reader *r, const GElf_Sym *sym,
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

static void add_symbol(struct reader *r, const GElf_Sym *sym)
{
	struct rpt_symbol entry = { 0 };

	if (!is_wanted(r, sym))
		return;
	entry.name =
		elf_strptr(r->file->elf, r->symtab.shdr.sh_link, sym->st_name);
	if (!entry.name || entry.name[0] == '\0' ||
	    is_arm_mark(r->file, entry.name) ||
	    !translate(r, sym, &entry.start))
		return;
	entry.end = entry.start + sym->st_size;
	if (entry.end < entry.start)
		return;
	entry.binding = (uint8_t)GELF_ST_BIND(sym->st_info);
	entry.type = (uint8_t)GELF_ST_TYPE(sym->st_info);
	rpt_symbol_table_add(r->table, &entry);
}

/* gelf_getsym() checks the index against the section's length. */
static bool read_table(struct reader *r)
{
	Elf_Data *data = elf_getdata(r->symtab.scn, NULL);
	GElf_Sym sym;
	size_t i, nr;

	if (!data || r->symtab.shdr.sh_entsize == 0)
		return false;
	nr = data->d_size / r->symtab.shdr.sh_entsize;
	for (i = 1; i < nr && gelf_getsym(data, (int)i, &sym); i++)
		add_symbol(r, &sym);
	return true;
}

bool rpt_elf_symbols_add(struct rpt_symbol_table *table,
			 const struct rpt_elf *file,
			 const struct rpt_elf *runtime,
			 enum rpt_elf_space space)
{
	struct reader r = {
		.table = table, .file = file, .runtime = runtime, .space = space
	};
	const char *name = rpt_elf_has_symtab(file) ? ".symtab" : ".dynsym";
	bool is_read;

	if (!rpt_elf_section(file, name, &r.symtab))
		return true;
	is_read = read_sections(&r) && read_table(&r);
	free(r.has_labels);
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
