#include "report/elf/plt.h"

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

void rpt_plt_cut(struct rpt_symbol_table *table, const struct pd_elf_plt *plt)
{
	for (size_t i = 0; i < table->nr; i++) {
		struct rpt_symbol *sym = &table->syms[i];

		if (!sym->is_plt)
			sym->end = pd_elf_plt_cut(plt, sym->start, sym->end);
	}
}

void rpt_plt_symbols_read(struct rpt_symbol_table *table,
			  const struct rpt_elf *file)
{
	struct pd_elf_plt plt;
	uint32_t name;

	pd_elf_plt_find(&file->image, &plt);
	for (uint64_t i = 0; i < plt.nr && pd_elf_plt_slot(&plt, i, &name);
	     i++) {
		uint64_t start = plt.first + i * plt.slot_len;

		if (!pd_elf_plt_gives_way(&plt, i) || !is_covered(table, start))
			rpt_plt_slot_add(table,
					 pd_elf_strings_ptr(&plt.names, name),
					 start, plt.slot_len);
	}
	rpt_plt_cut(table, &plt);
	pd_elf_plt_release(&plt);
}

const char *rpt_plt_name_at(const struct rpt_elf *file, uint64_t off)
{
	const char *text = "";
	struct pd_elf_plt plt;
	uint32_t name;

	pd_elf_plt_find(&file->image, &plt);
	if (plt.nr && off >= plt.first &&
	    pd_elf_plt_slot(&plt, (off - plt.first) / plt.slot_len, &name))
		text = pd_elf_strings_ptr(&plt.names, name);
	pd_elf_plt_release(&plt);
	return *text ? text : NULL;
}
