/* plt.h: names the slots through which a file calls functions of other files
 * (format/symtab/elf_plt.h): "function@plt".
 */
#ifndef RPT_PLT_H
#define RPT_PLT_H

#include "format/symtab/elf_plt.h"
#include "report/elf/elf_file.h"
#include "report/elf/symbol_table.h"

/* Add the slots of the mapped file, as file offsets.  Call this after
 * rpt_symbol_table_fix_up(). */
void rpt_plt_symbols_read(struct rpt_symbol_table *table,
			  const struct rpt_elf *file);

/* End the symbols that reach over all slots behind the first, as
 * rpt_plt_symbols_read() does. */
void rpt_plt_cut(struct rpt_symbol_table *table, const struct pd_elf_plt *plt);

/* Return the function, as the linker names it, whose slot a file offset lies
 * in; NULL: it is in none, or that has no name. */
const char *rpt_plt_name_at(const struct rpt_elf *file, uint64_t off);

/* Add a slot: the symbol "NAME@plt" of NAME, which must live as long as the
 * table, and is demangled if the table's names are. */
void rpt_plt_slot_add(struct rpt_symbol_table *table, const char *name,
		      uint64_t start, uint64_t len);

#endif
