/* cfi_entry.h: one entry of .eh_frame, a CIE or an FDE, and what of it is
 * needed to know which addresses an FDE covers.
 *
 * The recorder carries entries and what they cover (carried_cfi.h,
 * carried.h), and the reader asks files on its machine for the same.  Source:
 * Linux Standard Base, "Exception Frames".
 */
#ifndef PD_CFI_ENTRY_H
#define PD_CFI_ENTRY_H

#include "format/base/cursor.h"

enum { PD_CFI_ENTRY_LEN_MAX = 64 * 1024 };

/* A section .eh_frame. */
struct pd_cfi_section {
	uint64_t off; /* in the file */
	uint64_t addr;
	uint64_t len;
	bool is_64; /* words of the file have 8 bytes, not 4 */
	bool swap;  /* they are of the other byte order */
};

struct pd_cfi_entry {
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
bool pd_cfi_entry_read(const struct pd_cfi_section *eh_frame, uint64_t off,
		       const uint8_t *data, uint64_t len,
		       struct pd_cfi_entry *ret);

/* Return how a CIE's FDEs write addresses (DW_EH_PE_*); -1 if it is not known.
 */
int pd_cfi_encoding(const struct pd_cfi_section *s,
		    const struct pd_cfi_entry *cie);

/* Return by what its FDEs multiply steps from address to address; 0 if it is
 * not known, or they have no field of augmentation. */
uint64_t pd_cfi_code_align(const struct pd_cfi_section *s,
			   const struct pd_cfi_entry *cie);
/* Return the bytes of an address of that encoding; 0: any number. */
size_t pd_cfi_address_len(const struct pd_cfi_section *s, int encoding);

/* Read from which address on an FDE covers how many bytes.  Return false if
 * that is written in an unusual way. */
bool pd_cfi_range(const struct pd_cfi_section *eh_frame,
		  const struct pd_cfi_entry *fde, int encoding,
		  uint64_t *ret_start, uint64_t *ret_len);

#endif
