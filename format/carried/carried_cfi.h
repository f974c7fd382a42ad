/* carried_cfi.h: the call frame information that a recording carries, so
 * that its stack copies can be unwound, and callers of leaves be found, on a
 * machine that has none of its binaries.  FORMAT.md "Carried call frame
 * information".
 *
 * For each file these are pieces of it, by their offsets: the FDEs of its
 * .eh_frame that cover addresses which were hit, their CIEs, and code that an
 * unwinder looks at.  They are a section of the trailer beside those of names
 * (carried.h).
 *
 * The writer sets file.frames of each file before pd_carried_write().
 * The reader, after pd_carried_read():
 *	frames = pd_carried_cfi_of(&carried, idx)
 *	pd_carried_pieces(&carried, frames, pieces)
 */
#ifndef PD_CARRIED_CFI_H
#define PD_CARRIED_CFI_H

#include "format/carried/carried.h"

enum pd_carried_piece_kind {
	PD_CARRIED_CIE,
	PD_CARRIED_FRAME, /* an FDE */
	PD_CARRIED_CODE,  /* instructions that an unwinder looks at */
	PD_CARRIED_PIECE_KIND_NR,
};

struct pd_carried_piece {
	uint64_t off;	/* in the file */
	uint64_t start; /* of an FDE's function, an address; else 0 */
	const uint8_t *data;
	uint32_t len; /* at least PD_CARRIED_PIECE_LEN_MIN */
	uint8_t kind; /* enum pd_carried_piece_kind */
};

enum { PD_CARRIED_PIECE_LEN_MIN = 8 };

/* The entries of one file. */
struct pd_carried_cfi {
	uint64_t off; /* of .eh_frame in the file */
	uint64_t addr;
	uint64_t len;
	const struct pd_carried_piece *pieces; /* the writer's alone: by off,
						* none overlaps another */
	uint32_t piece_nr;
	uint32_t file_idx; /* the reader's: in carried.files */
	uint64_t text_off; /* the reader's: of the pieces in frame_text */
	uint64_t text_len;
};

/* Return what is carried for files[idx]; NULL: nothing, or the file has no
 * .eh_frame. */
const struct pd_carried_cfi *pd_carried_cfi_of(const struct pd_carried *carried,
					       uint32_t idx);

/* Read the pieces into ret[0..piece_nr), and their data into
 * room[0..text_len).  CIEs and FDEs lie in .eh_frame.  Return 0 or -EBADMSG. */
int pd_carried_pieces(const struct pd_carried *carried,
		      const struct pd_carried_cfi *frames,
		      struct pd_carried_piece *ret, uint8_t *room,
		      struct pd_err *err);

/* Private to the format: the plain text of the section, and its mirror, which
 * takes text over in any case; it is carried's then. */
void pd_carried_cfi_write(struct pd_buf *b, const struct pd_carried_file *files,
			  uint32_t file_nr);
int pd_carried_cfi_read(struct pd_carried *carried, uint8_t *text, size_t len,
			uint64_t file_off, struct pd_err *err);

#endif
