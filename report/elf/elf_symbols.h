/* elf_symbols.h: the symbols of an ELF file, as perf 6.1 picks them.
 *
 * They come from .symtab, or from .dynsym if the file has no .symtab.
 * Functions, indirect functions and data objects count, and those labels
 * without type that are visible and lie in a section with "text" or "data" in
 * its name.
 */
#ifndef RPT_ELF_SYMBOLS_H
#define RPT_ELF_SYMBOLS_H

#include "report/elf/elf_file.h"
#include "report/elf/symbol_table.h"

enum rpt_elf_space {
	RPT_ADDRESS_SPACE_FILE,	  /* file offsets, by the program headers */
	RPT_ADDRESS_SPACE_ADDR,	  /* st_value as it stands (vmlinux) */
	RPT_ADDRESS_SPACE_MODULE, /* offsets in .text (.ko files) */
};

bool rpt_elf_has_symtab(const struct rpt_elf *file);

/* Add the symbols of file to table.  runtime is the file that was mapped, whose
 * program headers count (those of a debug file can differ).  Return false if
 * the file is damaged. */
bool rpt_elf_symbols_add(struct rpt_symbol_table *table,
			 const struct rpt_elf *file,
			 const struct rpt_elf *runtime,
			 enum rpt_elf_space space);

/* The same for the file that was mapped, and fix up the table. */
bool rpt_elf_symbols_read(struct rpt_symbol_table *table,
			  const struct rpt_elf *file, enum rpt_elf_space space);

#endif
