/* symbol_aliases.h: the symbols of a file as they stand in it: mangled, with
 * all that start at the same address.
 */
#ifndef RPT_SYMBOL_ALIASES_H
#define RPT_SYMBOL_ALIASES_H

#include "report/carry/found_names.h"
#include "report/elf/symbol_table.h"

struct rpt_symbol_aliases {
	struct rpt_symbol_table table; /* neither sorted nor chosen from */
	uint32_t *order; /* owned: by start, then as in the file */
	uint32_t nr;
};

/* Read the symbols of a loaded DSO's files. */
void rpt_symbol_aliases_read(struct rpt_symbol_aliases *aliases,
			     const struct rpt_dso *dso);

/* Add sym and all that start with it to a list; texts are found's. */
void rpt_symbol_aliases_add(const struct rpt_symbol_aliases *aliases,
			    const struct rpt_symbol *sym,
			    struct rpt_found_names *found,
			    struct rpt_found_file *list);
/* Safe on a zeroed struct. */
void rpt_symbol_aliases_release(struct rpt_symbol_aliases *aliases);

#endif
