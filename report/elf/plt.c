#include "report/elf/plt.h"

#include <string.h>

struct plt {
	struct rpt_elf_section slots;
	struct rpt_elf_section relocs;
	struct rpt_elf_section dynsym;
	Elf_Data *relocs_data;
	Elf_Data *syms_data;
	uint64_t header_len;
	uint64_t slot_len;
};

/* Slot lengths that the section header does not have. */
static const struct {
	GElf_Half machine;
	uint64_t header_len;
	uint64_t slot_len;
} shapes[] = {
	{ EM_ARM, 20, 12 },
	{ EM_AARCH64, 32, 16 },
};

static void find_shape(const struct rpt_elf *file, struct plt *plt)
{
	size_t i;

	plt->header_len = plt->slots.shdr.sh_entsize;
	plt->slot_len = plt->slots.shdr.sh_entsize;
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (shapes[i].machine != file->ehdr.e_machine)
			continue;
		plt->header_len = shapes[i].header_len;
		plt->slot_len = shapes[i].slot_len;
	}
}

static bool find_plt(const struct rpt_elf *file, struct plt *plt)
{
	if (!rpt_elf_section(file, ".dynsym", &plt->dynsym) ||
	    !rpt_elf_section(file, ".plt", &plt->slots))
		return false;
	if (!rpt_elf_section(file, ".rela.plt", &plt->relocs) &&
	    !rpt_elf_section(file, ".rel.plt", &plt->relocs))
		return false;
	if (plt->relocs.shdr.sh_link != plt->dynsym.idx ||
	    plt->relocs.shdr.sh_entsize == 0)
		return false;
	find_shape(file, plt);
	plt->relocs_data = elf_getdata(plt->relocs.scn, NULL);
	plt->syms_data = elf_getdata(plt->dynsym.scn, NULL);
	return plt->relocs_data && plt->syms_data;
}

/* Return the name of the idx-th slot's symbol; NULL after the last. */
static const char *slot_name(const struct rpt_elf *file, const struct plt *plt,
			     size_t idx)
{
	GElf_Rela rela;
	GElf_Rel rel;
	GElf_Sym sym;
	uint64_t info;

	if (plt->relocs.shdr.sh_type == SHT_RELA &&
	    gelf_getrela(plt->relocs_data, (int)idx, &rela))
		info = rela.r_info;
	else if (plt->relocs.shdr.sh_type == SHT_REL &&
		 gelf_getrel(plt->relocs_data, (int)idx, &rel))
		info = rel.r_info;
	else
		return NULL;
	if (!gelf_getsym(plt->syms_data, (int)GELF_R_SYM(info), &sym))
		return NULL;
	return elf_strptr(file->elf, plt->dynsym.shdr.sh_link, sym.st_name);
}

void rpt_plt_slot_add(struct rpt_symbol_table *table, const char *name,
		      uint64_t start, uint64_t len)
{
	const struct rpt_symbol sym = { .start = start,
					.end = start + len,
					.name = name,
					.binding = STB_GLOBAL,
					.type = STT_FUNC,
					.is_plt = true };

	rpt_symbol_table_add(table, &sym);
}

/* Return whether addr belongs to a symbol already. */
static bool is_covered(const struct rpt_symbol_table *table, uint64_t addr)
{
	for (size_t i = 0; i < table->nr; i++)
		if (table->syms[i].start <= addr && addr < table->syms[i].end)
			return true;
	return false;
}

/* What lies behind the slots, in .plt.got, belongs to none then. */
void rpt_plt_cut(struct rpt_symbol_table *table,
		 const struct rpt_plt_slots *slots)
{
	const uint64_t end = slots->first + slots->nr * slots->len;

	if (slots->nr <= 2)
		return;
	for (size_t i = 0; i < table->nr; i++) {
		struct rpt_symbol *sym = &table->syms[i];

		if (!sym->is_plt && sym->start <= slots->first &&
		    sym->end > end)
			sym->end = slots->first + slots->len;
	}
}

static struct rpt_plt_slots slots_of(const struct plt *plt)
{
	return (struct rpt_plt_slots){
		.first = plt->slots.shdr.sh_offset + plt->header_len,
		.len = plt->slot_len,
		.nr = plt->relocs_data->d_size / plt->relocs.shdr.sh_entsize,
	};
}

void rpt_plt_slots_find(const struct rpt_elf *file, struct rpt_plt_slots *ret)
{
	struct plt plt;

	*ret = (struct rpt_plt_slots){ .nr = 0 };
	if (find_plt(file, &plt) && plt.slot_len)
		*ret = slots_of(&plt);
}

void rpt_plt_symbols_read(struct rpt_symbol_table *table,
			  const struct rpt_elf *file)
{
	struct rpt_plt_slots slots;
	struct plt plt;
	const char *name;

	if (!find_plt(file, &plt) || plt.slot_len == 0)
		return;
	slots = slots_of(&plt);
	for (size_t i = 0; i < slots.nr && (name = slot_name(file, &plt, i));
	     i++) {
		uint64_t start = slots.first + i * slots.len;

		/* as in perf 6.1, _init, which has no length and so reaches up
		 * to _start, keeps the first slot, or both if there are two */
		if ((i && slots.nr != 2) || !is_covered(table, start))
			rpt_plt_slot_add(table, name, start, slots.len);
	}
	rpt_plt_cut(table, &slots);
}

const char *rpt_plt_name_at(const struct rpt_elf *file, uint64_t off)
{
	struct plt plt;
	const char *name;
	uint64_t start;

	if (!find_plt(file, &plt) || plt.slot_len == 0)
		return NULL;
	start = plt.slots.shdr.sh_offset + plt.header_len;
	if (off < start)
		return NULL;
	name = slot_name(file, &plt, (size_t)((off - start) / plt.slot_len));
	return name && *name ? name : NULL;
}
