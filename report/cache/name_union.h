/* name_union.h: the names of a file in a cache, out of several recordings, each
 * of which carries those that it hit.
 *
 *	rpt_name_union_add(&names, name)
 *	rpt_name_union_add_elf(&names, file)	those of an entry that we wrote
 *	rpt_name_union_sort(&names)
 *	names.items[0..names.nr)
 *	rpt_name_union_release(&names)
 *
 * Texts stay the caller's: they have to be valid until then.  Those of PLT
 * slots are demangled: perf demangles a function's name before it adds "@plt",
 * and drops that suffix from a mangled name that has it already.
 */
#ifndef RPT_NAME_UNION_H
#define RPT_NAME_UNION_H

#include "format/carried/carried.h"
#include "report/base/arena.h"
#include "report/elf/elf_file.h"

struct rpt_name_union {
	struct pd_carried_name *items; /* owned */
	uint32_t nr;
	uint32_t cap;
	struct rpt_arena texts; /* demangled */
};

void rpt_name_union_add(struct rpt_name_union *names,
			const struct pd_carried_name *name);
/* Add the symbols of a file's .symtab, by offsets in the file. */
void rpt_name_union_add_elf(struct rpt_name_union *names,
			    const struct rpt_elf *file);
/* Sort by start, aliases as they came, and keep each name once, with the
 * longest length. */
void rpt_name_union_sort(struct rpt_name_union *names);
/* Safe on a zeroed struct. */
void rpt_name_union_release(struct rpt_name_union *names);

#endif
