/* cfi_pieces.h: the pieces of an ELF file that carried_cfi.h carries for
 * addresses that were hit: the FDEs of .eh_frame that cover them (eh_frame.h),
 * cut to what lies between the hits (cfi_cut.h), with their CIEs, and code.
 */
#ifndef PD_CFI_PIECES_H
#define PD_CFI_PIECES_H

#include "format/carried/carried_cfi.h"

struct pd_cfi_pieces {
	struct pd_carried_cfi frames;	 /* pieces are those below */
	struct pd_carried_piece *pieces; /* owned */
	uint32_t cap;
	uint8_t *text; /* owned: their data lie in it */
	size_t text_len;
	size_t text_cap;
	bool is_there; /* the file has an .eh_frame */
};

/* Bounds of the search. */
struct pd_cfi_limits {
	size_t *budget; /* bytes that pieces may still take, of all files */
	/* Return whether to stop; asked now and then.  NULL: never. */
	bool (*is_over)(void *ctx);
	void *ctx;
};

/* Find the pieces for hits[0..nr), ascending offsets in the file; also for the
 * byte behind each, where an interrupted function may go on.  An .eh_frame
 * longer than PD_LIMIT_CARRIED_SPAN counts as none.  Return 0, -EBADMSG,
 * -EFBIG, -ETIME if it is over, or -ENOMEM; what was found until then is in
 * ret. */
int pd_cfi_pieces_find(const struct pd_elf_image *elf, const uint64_t *hits,
		       size_t nr, const struct pd_cfi_limits *limits,
		       struct pd_cfi_pieces *ret);

/* Safe on a zeroed struct. */
void pd_cfi_pieces_release(struct pd_cfi_pieces *pieces);

#endif
