/* eh_frame.h: the functions of an ELF file, as its .eh_frame tells of them:
 * from where to where each goes, and which entries say how to unwind it.
 *
 *	pd_eh_frame_open(&image, true, &frames)
 *	pd_eh_frame_bounds(frames, off, &start, &end)
 *	pd_eh_frame_close(frames)
 *
 * Functions are found by their starts, in .eh_frame_hdr; if there is no table
 * of the usual form, in one that is made by reading .eh_frame from its start,
 * up to a limit.  Whatever a file says, an address costs some 2 log2(functions)
 * reads of 4 KiB and two entries, or one read of 16 KiB for these; addresses
 * that ascend cost less.
 *
 * Source: Linux Standard Base, "Exception Frames"; DWARF 5, 6.4.1.
 */
#ifndef PD_EH_FRAME_H
#define PD_EH_FRAME_H

#include "format/symtab/cfi_entry.h"
#include "format/symtab/elf_image.h"

enum {
	PD_EH_FRAME_CIES_RECENT = 256,
	PD_EH_FRAME_BLOCK_LEN = 4096,
	PD_EH_FRAME_NEAR_LEN = 16384,
};

struct pd_eh_function {
	uint64_t start;	  /* an address, by the table */
	uint64_t fde_off; /* in the file */
};

/* How the FDEs of a CIE are written. */
struct pd_eh_cie {
	int encoding;	     /* pd_cfi_encoding() */
	uint64_t code_align; /* pd_cfi_code_align() */
	bool is_new;	     /* it was not read of late: entry is set */
	struct pd_cfi_entry entry;
};

/* For one thread at a time. */
struct pd_eh_frame {
	const struct pd_elf_image *elf; /* borrowed */
	struct pd_cfi_section section;
	struct pd_eh_function *functions; /* owned, by start; NULL: they stand
					   * in .eh_frame_hdr */
	uint64_t hdr_off;
	uint64_t hdr_addr;
	size_t nr;   /* functions */
	size_t hint; /* so many start before the address that was asked last */
	struct pd_eh_function last; /* the one that was found last, if hint */
	uint64_t last_end;	    /* to where it is the last one */
	size_t block_idx;	    /* SIZE_MAX: none */
	uint64_t near_off;	    /* in the file: of near, or read last */
	size_t near_len;	    /* 0: none */
	/* The members behind are not set at first. */
	uint8_t block[PD_EH_FRAME_BLOCK_LEN];	/* of .eh_frame_hdr */
	uint8_t near[PD_EH_FRAME_NEAR_LEN];	/* of .eh_frame */
	uint64_t cies[PD_EH_FRAME_CIES_RECENT]; /* offsets of those seen last */
	struct pd_eh_cie recent[PD_EH_FRAME_CIES_RECENT];
	uint8_t fde_room[PD_CFI_ENTRY_LEN_MAX];
	uint8_t cie_room[PD_CFI_ENTRY_LEN_MAX];
};

/* Set *ret to NULL if the file has no .eh_frame, or without is_scanned no
 * table of it.  Return 0, -EBADMSG, -EFBIG, -ENOMEM, or what the reading
 * says. */
int pd_eh_frame_open(const struct pd_elf_image *elf, bool is_scanned,
		     struct pd_eh_frame **ret);
/* Safe on NULL. */
void pd_eh_frame_close(struct pd_eh_frame *frames);

/* Find where the function around an offset in the file starts and ends there.
 * Return false if no entry covers it, or frames is NULL. */
bool pd_eh_frame_bounds(struct pd_eh_frame *frames, uint64_t off,
			uint64_t *ret_start, uint64_t *ret_end);

/* Find the function that starts last before addr, or there.  Return false if
 * there is none. */
bool pd_eh_frame_find(struct pd_eh_frame *frames, uint64_t addr,
		      struct pd_eh_function *ret);

/* Read the FDE at an offset in the file into fde_room, where it is valid until
 * the next call.  Return false if there is none. */
bool pd_eh_frame_fde(struct pd_eh_frame *frames, uint64_t off,
		     struct pd_cfi_entry *ret);

/* Read the CIE at an offset in the file; its entry is valid until the next
 * call.  Return false if there is none. */
bool pd_eh_frame_cie(struct pd_eh_frame *frames, uint64_t off,
		     struct pd_eh_cie *ret);

#endif
