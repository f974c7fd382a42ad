/* elf_image.h: the headers and sections of an ELF file.  A file that others cut
 * while it is read is no more than damaged.
 *
 * Both word sizes, both byte orders.  Source: gABI, elf(5).
 */
#ifndef PD_ELF_IMAGE_H
#define PD_ELF_IMAGE_H

#include "format/base/cursor.h"
#include "format/symtab/read_at.h"

enum { PD_ELF_SEGMENTS_MAX = 64, PD_ELF_NOTES_MAX = 16 };

struct pd_elf_segment {
	uint64_t off;  /* in the file */
	uint64_t addr; /* p_vaddr */
	uint64_t len;  /* p_filesz */
};

/* A PT_NOTE segment. */
struct pd_elf_notes {
	uint64_t off; /* in the file */
	uint64_t len; /* p_filesz */
	uint64_t align;
};

struct pd_elf_section {
	const char *name; /* in pd_elf_image.names */
	uint32_t type;	  /* SHT_* */
	uint32_t link;
	uint64_t flags; /* SHF_* */
	uint64_t addr;
	uint64_t off;
	uint64_t len;
	uint64_t align;
	uint64_t entry_len;
	bool has_labels; /* "text" or "data" is in its name */
};

struct pd_elf_image {
	struct pd_read_at from;
	bool is_64;
	bool swap;
	bool is_big_endian;
	uint16_t machine;
	uint16_t type;
	struct pd_elf_segment segments[PD_ELF_SEGMENTS_MAX]; /* the first */
	uint64_t memory_lens[PD_ELF_SEGMENTS_MAX];	     /* their p_memsz */
	uint32_t segment_nr;				     /* of PT_LOAD */
	struct pd_elf_notes notes[PD_ELF_NOTES_MAX];
	uint32_t notes_nr;
	struct pd_elf_section *sections; /* owned */
	uint32_t section_nr;		 /* 0: it has none */
	char *names;			 /* owned */
};

/* Read the headers.  Return 0, -EBADMSG if it is no ELF file or a damaged one,
 * -EFBIG, -ENOMEM, or what the reading says. */
int pd_elf_image_read(struct pd_read_at from, struct pd_elf_image *ret);
/* The same for its segments alone, some hundred bytes: it has no sections, and
 * nothing is to be released. */
int pd_elf_image_read_segments(struct pd_read_at from,
			       struct pd_elf_image *ret);
/* Safe on a zeroed struct. */
void pd_elf_image_release(struct pd_elf_image *elf);

/* Return the section of that name, or NULL. */
const struct pd_elf_section *pd_elf_image_find(const struct pd_elf_image *elf,
					       const char *name);

/* Read len bytes at off.  Return 0, -EBADMSG if the file is shorter, or what
 * the reading says. */
int pd_elf_image_bytes(const struct pd_elf_image *elf, uint64_t off, void *ret,
		       size_t len);

/* Return len bytes at off, which live as long as those of the file, or NULL if
 * there are fewer or they do not lie in memory. */
const uint8_t *pd_elf_image_span(const struct pd_elf_image *elf, uint64_t off,
				 uint64_t len);

/* Return whether a table of so many bytes may be read: limits.h, PD_LIMIT_ELF.
 * A file that has a longer one is given up with -EFBIG. */
bool pd_elf_image_allows(const struct pd_elf_image *elf, uint64_t len);

/* Return an address or offset: a word of the file's class. */
uint64_t pd_elf_word(const struct pd_elf_image *elf, struct pd_cursor *c);

/* Translate an address to a file offset, and back, by the segments; false if it
 * lies in none. */
bool pd_elf_addr_to_off(const struct pd_elf_image *elf, uint64_t addr,
			uint64_t *ret);
bool pd_elf_off_to_addr(const struct pd_elf_image *elf, uint64_t off,
			uint64_t *ret);

#endif
