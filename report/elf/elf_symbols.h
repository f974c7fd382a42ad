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

/* The table of a file, nr entries of which the first is none. */
struct rpt_elf_symbols {
	const struct rpt_elf *file;
	const struct rpt_elf *runtime;
	enum rpt_elf_space space;
	Elf_Data *data;
	size_t strings_idx; /* the section of its names */
	size_t nr;
	bool *has_labels; /* by section: "text" or "data" is in its name */
	size_t sections_nr;
	size_t text_idx; /* .text */
};

bool rpt_elf_has_symtab(const struct rpt_elf *file);

/* Open the table of file, which has nr 0 if there is none.  runtime is the file
 * that was mapped, whose program headers count (those of a debug file can
 * differ).  Both must outlive it.  Return false if the file is damaged; ret is
 * to be closed in any case. */
bool rpt_elf_symbols_open(struct rpt_elf_symbols *ret,
			  const struct rpt_elf *file,
			  const struct rpt_elf *runtime,
			  enum rpt_elf_space space);
void rpt_elf_symbols_close(struct rpt_elf_symbols *symbols);

/* Fill ret with symbol idx, its name that of the file.  Return false if it does
 * not count. */
bool rpt_elf_symbols_at(const struct rpt_elf_symbols *symbols, size_t idx,
			struct rpt_symbol *ret);
/* The same without the name, which is not looked at: some may count that
 * rpt_elf_symbols_at() refuses by their names. */
bool rpt_elf_symbols_place(const struct rpt_elf_symbols *symbols, size_t idx,
			   struct rpt_symbol *ret);

/* Add the symbols of file to table; runtime as above.  Return false if the file
 * is damaged. */
bool rpt_elf_symbols_add(struct rpt_symbol_table *table,
			 const struct rpt_elf *file,
			 const struct rpt_elf *runtime,
			 enum rpt_elf_space space);

/* The same for the file that was mapped, and fix up the table. */
bool rpt_elf_symbols_read(struct rpt_symbol_table *table,
			  const struct rpt_elf *file, enum rpt_elf_space space);

#endif
