/* elf_frames.h: the call frame information of an ELF file at addresses that
 * were hit: the FDEs of .eh_frame that cover them (frame_table.h), cut to what
 * lies between the hits (frame_cut.h), with their CIEs.
 */
#ifndef REC_ELF_FRAMES_H
#define REC_ELF_FRAMES_H

#include "format/carried/carried_frames.h"
#include "format/symtab/elf_image.h"

struct rec_frame_list {
	struct pd_carried_frames frames; /* pieces are those below */
	struct pd_carried_piece *pieces; /* owned */
	uint32_t cap;
	uint8_t *text; /* owned: their data lie in it */
	size_t text_len;
	size_t text_cap;
	bool is_there; /* the file has an .eh_frame */
};

/* What may still be taken. */
struct rec_frame_limits {
	size_t *budget;	   /* bytes of pieces, of all files */
	uint64_t until_ns; /* rec_now_ns() */
};

/* Collect for hits[0..nr), ascending offsets in the file; also for the byte
 * behind each, where an interrupted function may go on.  Return 0, -EBADMSG,
 * -EFBIG, -ETIME, or -ENOMEM; what was found until then is in the list. */
int rec_elf_frames(const struct pd_elf_image *elf, const uint64_t *hits,
		   size_t nr, const struct rec_frame_limits *limits,
		   struct rec_frame_list *ret);

/* Safe on a zeroed struct. */
void rec_frame_list_release(struct rec_frame_list *list);

#endif
