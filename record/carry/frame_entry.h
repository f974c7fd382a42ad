/* frame_entry.h: one entry of .eh_frame, a CIE or an FDE, and what of it is
 * needed to know which addresses an FDE covers. */
#ifndef REC_FRAME_ENTRY_H
#define REC_FRAME_ENTRY_H

#include "record/carry/elf_image.h"

enum { REC_FRAME_ENTRY_LEN_MAX = 64 * 1024 };

struct rec_frame_entry {
	uint64_t off; /* in the file */
	uint32_t len; /* with its length field; 4: the end mark */
	bool is_cie;
	uint64_t cie_off; /* of an FDE, in the file */
	size_t body;	  /* in data: behind the pointer to the CIE */
	const uint8_t *data;
};

/* Read the entry at off of .eh_frame, whose bytes from off on are
 * data[0..len), or as many as there are.  Return false if there is none, or
 * not whole. */
bool rec_frame_entry_read(const struct rec_elf_image *elf,
			  const struct rec_elf_section *eh_frame, uint64_t off,
			  const uint8_t *data, size_t len,
			  struct rec_frame_entry *ret);

/* Return how a CIE's FDEs write addresses (DW_EH_PE_*); -1 if it is not known.
 */
int rec_frame_encoding(const struct rec_elf_image *elf,
		       const struct rec_frame_entry *cie);

/* Read from which address on an FDE covers how many bytes.  Return false if
 * that is written in an unusual way. */
bool rec_frame_range(const struct rec_elf_image *elf,
		     const struct rec_elf_section *eh_frame,
		     const struct rec_frame_entry *fde, int encoding,
		     uint64_t *ret_start, uint64_t *ret_len);

#endif
