/* elf_image.h: the headers and sections of an ELF file, read by pread(): a file
 * that others cut while it is read is no more than damaged.
 *
 * Both word sizes, both byte orders.  Source: gABI, elf(5).
 */
#ifndef REC_ELF_IMAGE_H
#define REC_ELF_IMAGE_H

#include "format/carried/carried.h"

struct rec_elf_section {
	const char *name; /* in rec_elf_image.names */
	uint32_t type;	  /* SHT_* */
	uint32_t link;
	uint64_t flags; /* SHF_* */
	uint64_t addr;
	uint64_t off;
	uint64_t len;
	uint64_t entry_len;
};

struct rec_elf_image {
	int fd; /* borrowed */
	bool is_64;
	bool swap;
	bool is_big_endian;
	uint16_t machine;
	uint16_t type;
	struct pd_carried_segment segments[PD_CARRIED_SEGMENTS_MAX];
	uint32_t segment_nr;		  /* of PT_LOAD */
	struct rec_elf_section *sections; /* owned */
	uint32_t section_nr;		  /* 0: it has none */
	char *names;			  /* owned */
};

/* Read the headers.  Return 0, -EBADMSG if it is no ELF file or a damaged one,
 * -EFBIG, -ENOMEM, or what pread() says. */
int rec_elf_image_read(int fd, struct rec_elf_image *ret);
/* Safe on a zeroed struct. */
void rec_elf_image_release(struct rec_elf_image *elf);

/* Return the section of that name, or NULL. */
const struct rec_elf_section *
rec_elf_image_find(const struct rec_elf_image *elf, const char *name);

/* Read len bytes at off.  Return 0, -EBADMSG if the file is shorter, or what
 * pread() says. */
int rec_elf_image_bytes(const struct rec_elf_image *elf, uint64_t off,
			void *ret, size_t len);

/* Return an address or offset: a word of the file's class. */
uint64_t rec_elf_word(const struct rec_elf_image *elf, struct pd_cursor *c);

/* Translate a file offset to an address by the segments; false if it lies in
 * none. */
bool rec_elf_off_to_addr(const struct rec_elf_image *elf, uint64_t off,
			 uint64_t *ret);

#endif
