/* found_cfi.h: the call frame information that finding the callers of leaves
 * asks for (leaf_caller.h), of the files that are on this machine.
 *
 * The recorder carries it, unless it is killed or told not to; this is for such
 * recordings and perf's.  What unwinding stack copies asks for is not found
 * here.
 */
#ifndef RPT_FOUND_CFI_H
#define RPT_FOUND_CFI_H

#include "format/carried/cfi_pieces.h"
#include "report/carry/found_names.h"
#include "report/carry/hit_files.h"

struct rpt_found_cfi {
	struct pd_cfi_pieces *lists; /* owned; as the found files */
	uint32_t nr;
};

/* Set the frames of the files in names that were hit, and are aarch64's or
 * x86_64's. */
void rpt_found_cfi_find(struct rpt_found_cfi *found,
			struct rpt_found_names *names,
			const struct rpt_hit_files *hits);
/* Safe on a zeroed struct. */
void rpt_found_cfi_release(struct rpt_found_cfi *found);

#endif
