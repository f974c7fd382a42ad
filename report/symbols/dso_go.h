/* dso_go.h: what a Go program's own table says of its functions
 * (format/symtab/go_table.h): names of those that have no symbol, and lines and
 * inlined calls where there is no debug information.
 */
#ifndef RPT_DSO_GO_H
#define RPT_DSO_GO_H

#include "report/base/intern.h"
#include "report/symbols/inline_frames.h"

/* Functions that were looked up. */
struct rpt_dso_go {
	struct rpt_intern starts;	   /* of functions */
	const struct rpt_symbol **symbols; /* owned; by number of the start */
	uint32_t cap;
	struct rpt_arena texts;	  /* owned: symbols, and names made safe */
	struct rpt_intern called; /* names of inlined functions */
	uint64_t text_len;	  /* of all names */
};

/* Safe on NULL. */
void rpt_dso_go_free(struct rpt_dso_go *go);

/* For a DSO whose files are opened.  Addresses are dso addresses. */

/* Return whether the mapped file has such a table. */
bool rpt_dso_has_go(struct rpt_dso *dso);

/* Return the function around an address, or NULL; range is narrowed to
 * addresses with the same answer. */
const struct rpt_symbol *rpt_dso_go_find(struct rpt_dso *dso, uint64_t addr,
					 struct rpt_addr_range *range);

/* Find the source line of an address; the file's name is the file's.  Return
 * false if it is not known. */
bool rpt_dso_go_line(struct rpt_dso *dso, uint64_t addr, const char **ret_file,
		     int *ret_line);

/* As rpt_dso_function_facts(): the call of an inlined function is the address
 * it is made at. */
size_t rpt_dso_go_facts(struct rpt_dso *dso, const struct rpt_symbol *sym,
			uint64_t addr, struct rpt_function_facts *ret);

#endif
