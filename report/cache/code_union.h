/* code_union.h: the code of a file in a cache, out of several recordings, each
 * of which may carry some: as name_union.h.
 *
 *	rpt_code_union_add(&code, run)
 *	rpt_code_union_add_elf(&code, file)	of an entry that we wrote
 *	rpt_code_union_sort(&code)
 *	code.items[0..code.nr)
 *	rpt_code_union_release(&code)
 *
 * Bytes stay the caller's: they have to be valid until then.
 */
#ifndef RPT_CODE_UNION_H
#define RPT_CODE_UNION_H

#include "format/carried/carried_code.h"
#include "report/elf/elf_file.h"

struct rpt_code_union {
	struct pd_carried_run *items; /* owned; of one file */
	uint32_t nr;
	uint32_t cap;
};

void rpt_code_union_add(struct rpt_code_union *code,
			const struct pd_carried_run *run);
/* Add the code in a sparse file (sparse_elf.h). */
void rpt_code_union_add_elf(struct rpt_code_union *code,
			    const struct rpt_elf *file);
/* Sort by offset, and cut off what an earlier run has. */
void rpt_code_union_sort(struct rpt_code_union *code);
/* Safe on a zeroed struct. */
void rpt_code_union_release(struct rpt_code_union *code);

#endif
