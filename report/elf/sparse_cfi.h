/* sparse_cfi.h: the call frame information that a recording carries of a
 * file, as sections of an ELF file that has little else (sparse_elf.h).
 *
 * What is carried stands where it is in the original, since it points to code
 * and to each other by distances.  Between the pieces stand CIEs that nobody
 * refers to, for programs that read .eh_frame from its start.  A table of the
 * functions, .eh_frame_hdr, stands in front of them, where the original's was.
 * Source: Linux Standard Base, "Exception Frames".
 */
#ifndef RPT_SPARSE_CFI_H
#define RPT_SPARSE_CFI_H

#include "format/base/buf.h"
#include "format/carried/carried_cfi.h"

struct rpt_sparse_cfi {
	struct pd_buf hdr;	/* .eh_frame_hdr; owned */
	struct pd_buf eh_frame; /* owned */
	uint64_t hdr_off;	/* offset in the file, and address */
	uint64_t hdr_addr;
	uint64_t off;
	uint64_t addr;
};

/* Make them of file->frames.  Return false, with nothing in ret, if there are
 * none, or they would not lie in one segment behind the first min_off bytes of
 * the file. */
bool rpt_sparse_cfi_make(const struct pd_carried_file *file, uint64_t min_off,
			 struct rpt_sparse_cfi *ret);
/* Safe on a zeroed struct. */
void rpt_sparse_cfi_release(struct rpt_sparse_cfi *frames);

#endif
