/* elf_symbols.h: the symbols of an ELF file (format/symtab/elf_symtab.h), put
 * into a table.
 */
#ifndef RPT_ELF_SYMBOLS_H
#define RPT_ELF_SYMBOLS_H

#include "format/symtab/elf_symtab.h"
#include "report/elf/elf_file.h"
#include "report/elf/symbol_table.h"

static inline bool rpt_elf_has_symtab(const struct rpt_elf *file)
{
	return pd_elf_has_symtab(&file->image);
}

/* Fill ret with a symbol of symtab, its name that of the file, in strings.
 * Return false if it does not count. */
bool rpt_elf_symbol(const struct pd_elf_symtab *symtab,
		    const struct pd_elf_strings *strings,
		    const struct pd_elf_symbol *sym, struct rpt_symbol *ret);

/* Add the symbols of file to table.  runtime is the file that was mapped, whose
 * program headers count (those of a debug file can differ).  Both must outlive
 * the table.  Return false if the file is damaged. */
bool rpt_elf_symbols_add(struct rpt_symbol_table *table,
			 const struct rpt_elf *file,
			 const struct rpt_elf *runtime,
			 enum pd_elf_space space);

/* The same for the file that was mapped, and fix up the table. */
bool rpt_elf_symbols_read(struct rpt_symbol_table *table,
			  const struct rpt_elf *file, enum pd_elf_space space);

#endif
