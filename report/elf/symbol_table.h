/* symbol_table.h: the symbols of one file, and the rules that choose between
 * them.
 *
 *	rpt_symbol_table_add() ...	in the order of the file
 *	rpt_symbol_table_fix_up()	sort, give ends, drop aliases
 *	rpt_symbol_table_add() ...	PLT slots: no rules apply to them
 *	rpt_symbol_table_find() ...
 *
 * The rules are those of perf 6.1, except the last two:
 *  - A symbol without size ends as format/symtab/symbol_search.h says.
 *  - Of the symbols of an ELF file that start at the same address one stays, by
 *    the first of these that differs: it has a size; it is not weak; it is
 *    global; it has fewer leading underscores; its demangled name is longer; it
 *    comes first in the file.  Of those of kallsyms the last one stays.  Of
 *    those of a perf map all that have a size stay, or else the last one.
 *  - If symbols overlap (PLT slots overlap an unsized _init before them), an
 *    address belongs to the one that starts last, and of several that start
 *    there, to the one that was added last.  In perf the answer depends on the
 *    shape of its red-black tree.
 *  - But a local label (no type) has only what no other symbol holds: what an
 *    assembler leaves inside a function is a part of it.
 */
#ifndef RPT_SYMBOL_TABLE_H
#define RPT_SYMBOL_TABLE_H

#include "report/base/addr_range.h"
#include "report/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_symbol {
	uint64_t start;
	uint64_t end;	     /* one past the last byte */
	const char *name;    /* demangled unless the table has raw_names */
	uint8_t binding;     /* STB_*: 0 local, 1 global, 2 weak, 10 unique */
	uint8_t type;	     /* STT_* */
	uint8_t mark_len;    /* length of "\t[ext4]", cut off from the name */
	bool is_plt : 1;     /* made up for a PLT slot; its name, once it is
			      * final, is "name@plt" */
	bool is_named : 1;   /* name is final; always after a look-up */
	bool is_made_up : 1; /* no name is known: dso_bounds.h */
	bool is_go : 1;	     /* of a Go program's own table: dso_go.h */
};

/* Return true for the symbol of a whole file (rpt_dso_file_symbol()). */
static inline bool rpt_symbol_is_file(const struct rpt_symbol *sym)
{
	return sym->is_made_up && sym->end == UINT64_MAX;
}

/* Addresses from start up to the next span's start belong to one symbol. */
struct rpt_symbol_span {
	uint64_t start;
	uint32_t idx; /* RPT_NO_SYMBOL: to none */
};

#define RPT_NO_SYMBOL UINT32_MAX

struct rpt_symbol_table {
	struct rpt_symbol *syms;
	size_t nr;
	uint32_t cap;
	struct rpt_symbol_span *spans; /* by start; NULL: to be made */
	size_t spans_nr;
	struct rpt_arena names; /* owned by the table */
	bool raw_names;		/* names are never demangled */
	bool with_parameters;	/* rpt_demangle() */
};

enum rpt_symbol_ends {
	RPT_ENDS_ELF,
	RPT_ENDS_KALLSYMS, /* "[module]" behind a tab follows the name */
	RPT_ENDS_PERF_MAP, /* functions may be made where others were */
};

void rpt_symbol_table_init(struct rpt_symbol_table *table, bool raw_names);
void rpt_symbol_table_release(struct rpt_symbol_table *table);

/* Add a copy of sym; its name must live as long as the table. */
void rpt_symbol_table_add(struct rpt_symbol_table *table,
			  const struct rpt_symbol *sym);
void rpt_symbol_table_fix_up(struct rpt_symbol_table *table,
			     enum rpt_symbol_ends ends);
/* Prepare for look-ups, which otherwise the first one does. */
void rpt_symbol_table_index(struct rpt_symbol_table *table);

/* Return the symbol at addr with its final name, or NULL. */
const struct rpt_symbol *rpt_symbol_table_find(struct rpt_symbol_table *table,
					       uint64_t addr);

/* The same; also narrow range to addresses with the same answer. */
const struct rpt_symbol *
rpt_symbol_table_find_range(struct rpt_symbol_table *table, uint64_t addr,
			    struct rpt_addr_range *range);

#endif
