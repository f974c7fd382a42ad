/* plt.h: names the slots through which a file calls functions of other files.
 *
 * The n-th entry of .rela.plt belongs to the n-th slot of .plt after its
 * header; the slot is named "function@plt".
 */
#ifndef RPT_PLT_H
#define RPT_PLT_H

#include "report/elf/elf_file.h"
#include "report/elf/symbol_table.h"

/* Add the slots of the mapped file, as file offsets.  Call this after
 * rpt_symbol_table_fix_up(). */
void rpt_plt_symbols_read(struct rpt_symbol_table *table,
			  const struct rpt_elf *file);

/* Where the slots lie, as far as there are entries for them. */
struct rpt_plt_slots {
	uint64_t first; /* file offset; ends may wrap in a hostile file */
	uint64_t len;	/* of one */
	uint64_t nr;	/* 0: there are none */
};

void rpt_plt_slots_find(const struct rpt_elf *file, struct rpt_plt_slots *ret);
/* End the symbols that reach over all slots, as _init does, behind the first,
 * as rpt_plt_symbols_read() does. */
void rpt_plt_cut(struct rpt_symbol_table *table,
		 const struct rpt_plt_slots *slots);

/* Return the function, as the linker names it, whose slot a file offset lies
 * in; NULL: it is in none, or that has no name. */
const char *rpt_plt_name_at(const struct rpt_elf *file, uint64_t off);

/* Add a slot: the symbol "NAME@plt" of NAME, which must live as long as the
 * table, and is demangled if the table's names are. */
void rpt_plt_slot_add(struct rpt_symbol_table *table, const char *name,
		      uint64_t start, uint64_t len);

#endif
