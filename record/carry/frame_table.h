/* frame_table.h: the FDEs of an ELF file's .eh_frame, found by the addresses of
 * their functions.
 *
 * The table is that of .eh_frame_hdr, or if there is none of the usual form
 * made by reading .eh_frame from its start, up to a limit.  Source: Linux
 * Standard Base, "Exception Frames"; DWARF 5, 6.4.1.
 */
#ifndef REC_FRAME_TABLE_H
#define REC_FRAME_TABLE_H

#include "format/symtab/elf_image.h"
#include "format/symtab/frame_entry.h"

enum { REC_FRAME_CIES_RECENT = 256 };

struct rec_frame_function {
	uint64_t start;
	uint64_t fde_off; /* in the file */
};

/* How the FDEs of a CIE are written. */
struct rec_frame_cie {
	int encoding;	     /* pd_frame_encoding() */
	uint64_t code_align; /* pd_frame_code_align() */
	bool is_new;	     /* it was not read of late: entry is set */
	struct pd_frame_entry entry;
};

struct rec_frame_table {
	const struct pd_elf_image *elf; /* borrowed */
	struct pd_frame_section eh_frame;
	/* One of these is not NULL; both owned. */
	uint8_t *hdr;			      /* of .eh_frame_hdr */
	struct rec_frame_function *functions; /* by start */
	uint64_t hdr_addr;
	size_t nr;			      /* of either */
	uint64_t cies[REC_FRAME_CIES_RECENT]; /* offsets of those seen last */
	struct rec_frame_cie recent[REC_FRAME_CIES_RECENT];
	uint8_t fde_room[PD_FRAME_ENTRY_LEN_MAX];
	uint8_t cie_room[PD_FRAME_ENTRY_LEN_MAX];
};

/* Set *ret to NULL if the file has no .eh_frame, or without is_scanned no
 * table of it.  Return 0, -EBADMSG, -EFBIG, or -ENOMEM. */
int rec_frame_table_open(const struct pd_elf_image *elf, bool is_scanned,
			 struct rec_frame_table **ret);
/* Safe on NULL. */
void rec_frame_table_close(struct rec_frame_table *table);

/* Find the function that starts last before addr, or there.  Return false if
 * there is none. */
bool rec_frame_table_find(const struct rec_frame_table *table, uint64_t addr,
			  struct rec_frame_function *ret);

/* Read the FDE at an offset in the file; it is valid until the next call.
 * Return false if there is none. */
bool rec_frame_table_fde(struct rec_frame_table *table, uint64_t off,
			 struct pd_frame_entry *ret);

/* Read the CIE at an offset in the file.  Return false if there is none. */
bool rec_frame_table_cie(struct rec_frame_table *table, uint64_t off,
			 struct rec_frame_cie *ret);

#endif
