/* elf_symbols.h: the symbols of an ELF file, as perf 6.1 picks them.
 *
 * .symtab where the file has one, .dynsym otherwise, never both.  Functions,
 * indirect functions, data objects; of labels without type those that are
 * visible and lie in a section with "text" or "data" in its name.
 */
#ifndef RPT_ELF_SYMBOLS_H
#define RPT_ELF_SYMBOLS_H

#include "report/elf/elf_file.h"
#include "report/elf/symbol_table.h"

enum rpt_elf_space {
	RPT_ADDRESS_SPACE_FILE,	  /* offsets in the file, by the program headers
				   */
	RPT_ADDRESS_SPACE_ADDR,	  /* st_value as it stands (vmlinux) */
	RPT_ADDRESS_SPACE_MODULE, /* offsets in .text (.ko files) */
};

bool rpt_elf_has_symtab(const struct rpt_elf *file);

/* Adds the symbols of file to table, to be settled.  runtime is the file that
 * was mapped, whose program headers count (those of a debug file can differ).
 * Return 0, or -EBADMSG. */
int rpt_elf_symbols_add(struct rpt_symbol_table *table,
			const struct rpt_elf *file,
			const struct rpt_elf *runtime,
			enum rpt_elf_space space);

/* The same, and settles them. */
int rpt_elf_symbols_read(struct rpt_symbol_table *table,
			 const struct rpt_elf *file,
			 const struct rpt_elf *runtime,
			 enum rpt_elf_space space);

#endif
