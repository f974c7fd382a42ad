/* symbol_table.h: the symbols of one file, sorted, and perf's rules of choice.
 *
 *	rpt_symbol_table_add() ...	in the order of the file
 *	rpt_symbol_table_settle()	sorts, gives ends, drops aliases
 *	rpt_symbol_table_add() ...	PLT slots: no rules apply to them
 *	rpt_symbol_table_index()	sorts once more, then look-ups may begin
 *
 * Rules, found by feeding perf 6.1 made-up ELF files (tests/unit/elf):
 *  - A symbol without size ends where the next one starts; the last of all,
 *    at the end of the page after its own.  In kallsyms, where nothing has a
 *    size, the last symbol of the kernel before one of a module ends so, too,
 *    and the other way round.
 *  - Of those that start at the same address stays, in this order: the sized,
 *    the one that is not weak, the global, the one with fewer leading
 *    underscores, the longer name (demangled), the earlier in the file.
 *  - Where symbols overlap (PLT slots do with an unsized _init before them),
 *    perf's answer depends on the shape that its red-black tree has after
 *    these insertions and removals; symbol_tree.h repeats them.
 */
#ifndef RPT_SYMBOL_TABLE_H
#define RPT_SYMBOL_TABLE_H

#include "report/base/addr_range.h"
#include "report/elf/symbol_index.h"

struct rpt_symbol_chunk;
struct rpt_symbol_overlap;

/* An alias that went: what the tree of symbol_tree.h needs of it. */
struct rpt_symbol_dropped {
	uint64_t start;
	uint32_t order;
};

struct rpt_symbol_table {
	struct rpt_symbol *syms;
	size_t nr;
	size_t cap;
	struct rpt_symbol_chunk *chunks; /* names that the table owns */
	uint32_t added_nr;
	uint32_t settled_nr; /* added before the rules were applied */
	struct rpt_symbol_dropped *dropped; /* in the order they went */
	size_t dropped_nr;
	struct rpt_symbol_overlap *overlap; /* only where symbols overlap */
	struct rpt_symbol_index index;
	bool raw_names;	      /* names are never demangled */
	bool with_parameters; /* rpt_demangle() */
};

enum rpt_symbol_ends {
	RPT_ENDS_ELF,
	RPT_ENDS_KALLSYMS, /* "[module]" behind a tab follows the name */
};

void rpt_symbol_table_init(struct rpt_symbol_table *table, bool raw_names);
void rpt_symbol_table_release(struct rpt_symbol_table *table);

/* Copies sym; its name must live as long as the table.  0 or -ENOMEM. */
int rpt_symbol_table_add(struct rpt_symbol_table *table,
			 const struct rpt_symbol *sym);

/* len bytes that the table owns, to be filled; NULL: no memory. */
char *rpt_symbol_table_room(struct rpt_symbol_table *table, size_t len);

/* A copy of text (not NUL terminated) that the table owns; NULL: no memory. */
char *rpt_symbol_table_keep(struct rpt_symbol_table *table, const char *text,
			    size_t len);

int rpt_symbol_table_settle(struct rpt_symbol_table *table,
			    enum rpt_symbol_ends ends);
int rpt_symbol_table_index(struct rpt_symbol_table *table);

/* The first nr symbols stay, as if no other had ever been added. */
void rpt_symbol_table_keep_first(struct rpt_symbol_table *table, size_t nr);

/* The symbol at addr with its name demangled, or NULL. */
const struct rpt_symbol *rpt_symbol_table_find(struct rpt_symbol_table *table,
					       uint64_t addr);

/* The same; range is narrowed. */
const struct rpt_symbol *
rpt_symbol_table_find_range(struct rpt_symbol_table *table, uint64_t addr,
			    struct rpt_addr_range *range);

#endif
