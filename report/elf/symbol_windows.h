/* symbol_windows.h: the symbols of a mapped file, read around the addresses
 * that are asked for.
 *
 * To sort all symbols of a compiler or a database, and the pages that hold
 * them, take 50 ms; a minute of samples asks for some hundred of them.  So
 * symbols are only distributed to buckets by their addresses, four bytes each,
 * without a look at their names.  A look-up makes a table (symbol_table.h) of
 * the symbols that its bucket's addresses can belong to: those that start in
 * it, those that reach into it, and where the next one starts.  Answers are
 * those of a table of all symbols: of rpt_elf_symbols_add() of each source,
 * rpt_symbol_table_fix_up() and rpt_plt_symbols_read().  Once as many
 * symbols were looked at for tables as the file has, one of all is made.
 */
#ifndef RPT_SYMBOL_WINDOWS_H
#define RPT_SYMBOL_WINDOWS_H

#include "report/elf/elf_file.h"
#include "report/elf/symbol_table.h"

/* All of them must outlive the windows. */
struct rpt_symbol_windows_conf {
	const struct rpt_elf *sources[2]; /* the second may be NULL */
	const struct rpt_elf *runtime;	  /* the file that was mapped */
	bool raw_names, with_parameters;  /* as in struct rpt_symbol_table */
};

struct rpt_symbol_windows;

/* Return NULL with err filled if a table is damaged, or longer than its file
 * allows. */
struct rpt_symbol_windows *
rpt_symbol_windows_new(const struct rpt_symbol_windows_conf *conf,
		       struct pd_err *err);
void rpt_symbol_windows_free(struct rpt_symbol_windows *windows);

/* Return the symbol at a file offset with its final name, or NULL, and narrow
 * range to addresses with the same answer.  A symbol is at one place, whatever
 * address was asked for. */
const struct rpt_symbol *
rpt_symbol_windows_find(struct rpt_symbol_windows *windows, uint64_t addr,
			struct rpt_addr_range *range);

#endif
