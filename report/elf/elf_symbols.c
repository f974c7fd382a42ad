#include "report/elf/elf_symbols.h"

bool rpt_elf_symbol(const struct pd_elf_symtab *symtab,
		    const struct pd_elf_strings *strings,
		    const struct pd_elf_symbol *sym, struct rpt_symbol *ret)
{
	*ret = (struct rpt_symbol){
		.start = sym->start,
		.end = sym->start + sym->len,
		.name = pd_elf_strings_ptr(strings, sym->name),
		.binding = (uint8_t)GELF_ST_BIND(sym->info),
		.type = (uint8_t)GELF_ST_TYPE(sym->info),
	};
	return pd_elf_symtab_takes(symtab, sym, ret->name);
}

struct adding {
	struct rpt_symbol_table *table;
	struct pd_elf_symtab symtab;
	struct pd_elf_strings strings;
};

static int add(void *ctx, const struct pd_elf_symbol *sym)
{
	const struct adding *to = ctx;
	struct rpt_symbol symbol;

	if (rpt_elf_symbol(&to->symtab, &to->strings, sym, &symbol))
		rpt_symbol_table_add(to->table, &symbol);
	return 0;
}

bool rpt_elf_symbols_add(struct rpt_symbol_table *table,
			 const struct rpt_elf *file,
			 const struct rpt_elf *runtime, enum pd_elf_space space)
{
	struct adding to = { .table = table };

	if (pd_elf_symtab_open(&to.symtab, &file->image, &runtime->image,
			       space))
		return false;
	if (to.symtab.nr)
		pd_elf_strings_init(&to.strings, &file->image,
				    to.symtab.strings);
	return !pd_elf_symtab_each(&to.symtab, add, &to);
}

bool rpt_elf_symbols_read(struct rpt_symbol_table *table,
			  const struct rpt_elf *file, enum pd_elf_space space)
{
	bool is_read = rpt_elf_symbols_add(table, file, file, space);

	if (is_read)
		rpt_symbol_table_fix_up(table, RPT_ENDS_ELF);
	return is_read;
}
