/* dwarf_functions.h: which functions hold an address, by debug information.
 *
 * The tree of a compilation unit is walked once, at the first address in it;
 * later questions are answered from flat tables.
 */
#ifndef RPT_DWARF_FUNCTIONS_H
#define RPT_DWARF_FUNCTIONS_H

#include "report/elf/elf_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_dwarf_functions;

struct rpt_dwarf_function {
	size_t parent;	  /* index of what it is inlined into */
	uint64_t start;	  /* of its first stretch of code */
	uint64_t die_off; /* of its own entry */
	const char *name; /* NULL: none */
	bool is_linkage;  /* name is the linker's, not only the source's */
};

/* NULL: the file has no debug information. */
struct rpt_dwarf_functions *rpt_dwarf_functions_new(struct rpt_elf *file);
void rpt_dwarf_functions_free(struct rpt_dwarf_functions *functions);

/* Fill found with the functions that hold a virtual address, the innermost
 * inlined one first, the real one last.  Returns how many, at most max.  They
 * belong to functions. */
size_t rpt_dwarf_functions_at(struct rpt_dwarf_functions *functions,
			      uint64_t addr,
			      const struct rpt_dwarf_function **found,
			      size_t max);

/* Where an inlined function is called, by its die_off; the file's name belongs
 * to functions.  False: none is told. */
bool rpt_dwarf_functions_call(struct rpt_dwarf_functions *functions,
			      uint64_t die_off, const char **ret_file,
			      int *ret_line);

/* The offset of the DIE of the unit that holds a virtual address; false: none
 * does. */
bool rpt_dwarf_functions_unit(const struct rpt_dwarf_functions *functions,
			      uint64_t addr, uint64_t *ret_die_off);

/* The source line of a virtual address, from the line table of its unit; the
 * file's name belongs to functions.  False: none is told. */
bool rpt_dwarf_functions_line(struct rpt_dwarf_functions *functions,
			      uint64_t addr, const char **ret_file,
			      int *ret_line);

#endif
