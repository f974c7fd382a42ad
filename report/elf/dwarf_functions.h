/* dwarf_functions.h: finds the functions that hold an address, by debug
 * information.
 *
 * A compilation unit's tree is read once, at the first look-up in it, into flat
 * tables.
 */
#ifndef RPT_DWARF_FUNCTIONS_H
#define RPT_DWARF_FUNCTIONS_H

#include "report/elf/elf_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_dwarf_functions;

struct rpt_dwarf_function {
	size_t parent;	  /* index of the function it is inlined into */
	uint64_t start;	  /* of its first range of code */
	uint64_t die_off; /* of its DIE */
	const char *name; /* NULL: none */
	bool is_linkage;  /* name is the linker's, not the source's */
};

/* Return NULL if the file has no debug information. */
struct rpt_dwarf_functions *rpt_dwarf_functions_new(struct rpt_elf *file);
void rpt_dwarf_functions_free(struct rpt_dwarf_functions *functions);

/* Fill found with at most max functions that hold a virtual address: the
 * innermost inlined one first, the real one last.  Return how many there are.
 * They belong to functions. */
size_t rpt_dwarf_functions_at(struct rpt_dwarf_functions *functions,
			      uint64_t addr,
			      const struct rpt_dwarf_function **found,
			      size_t max);

/* Return whether functions claim more ranges than the file can have: then none
 * is found. */
bool rpt_dwarf_functions_are_over(const struct rpt_dwarf_functions *functions);

/* Find the source line that calls an inlined function, by its die_off; the
 * file's name belongs to functions.  Return false if it is not known. */
bool rpt_dwarf_functions_call(struct rpt_dwarf_functions *functions,
			      uint64_t die_off, const char **ret_file,
			      int *ret_line);

/* Find the unit that holds a virtual address, by the offset of its DIE.  Return
 * false if none does. */
bool rpt_dwarf_functions_unit(const struct rpt_dwarf_functions *functions,
			      uint64_t addr, uint64_t *ret_die_off);

/* Find the source line of a virtual address in the line table of its unit; the
 * file's name belongs to functions.  Return false if it is not known. */
bool rpt_dwarf_functions_line(struct rpt_dwarf_functions *functions,
			      uint64_t addr, const char **ret_file,
			      int *ret_line);

#endif
