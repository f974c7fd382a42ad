/* elf_symtab.h: the symbols of an ELF file, as perf 6.1 picks them.
 *
 * They come from .symtab, or from .dynsym if the file has no .symtab.
 * Functions, indirect functions and data objects count, and those labels
 * without type that are visible and lie in a section with "text" or "data" in
 * its name.  The marks of the ARM linkers ("$a", "$d.12", "$x"), which have no
 * type, are no names.
 */
#ifndef PD_ELF_SYMTAB_H
#define PD_ELF_SYMTAB_H

#include "format/symtab/elf_image.h"

enum pd_elf_space {
	PD_ELF_SPACE_FILE,   /* file offsets, by the program headers */
	PD_ELF_SPACE_ADDR,   /* st_value as it stands (vmlinux) */
	PD_ELF_SPACE_MODULE, /* offsets in .text (.ko files) */
};

/* A string table.  In memory its texts are where they lie; else a block of it
 * is read at a time, or all of it if much is asked for. */
struct pd_elf_strings {
	const struct pd_elf_image *elf;
	const struct pd_elf_section *section;
	const char *bytes; /* of the whole, if it lies in memory */
	uint64_t len;	   /* of bytes up to the last NUL */
	char *block;	   /* owned */
	uint64_t block_off;
	size_t block_len;
	uint64_t read_len; /* so far */
};

void pd_elf_strings_init(struct pd_elf_strings *ret,
			 const struct pd_elf_image *elf,
			 const struct pd_elf_section *section);
/* Return the text at off, which is valid until the next call, and in memory as
 * long as the file.  It is empty if there is none, and cut at 64 KiB.  A NUL
 * follows it unless it is cut. */
struct pd_str pd_elf_strings_at(struct pd_elf_strings *s, uint64_t off);
/* The same of a file in memory, without a look at what follows it; "" if there
 * is none. */
static inline const char *pd_elf_strings_ptr(const struct pd_elf_strings *s,
					     uint64_t off)
{
	return off < s->len ? s->bytes + off : "";
}
/* Safe on a zeroed struct. */
void pd_elf_strings_release(struct pd_elf_strings *s);

/* A symbol that counts. */
struct pd_elf_symbol {
	uint64_t start; /* in the space of the table */
	uint64_t len;	/* start + len does not wrap */
	uint32_t idx;	/* in the table */
	uint32_t name;	/* in its strings */
	uint8_t info;	/* st_info */
};

struct pd_elf_symtab {
	const struct pd_elf_image *elf;
	const struct pd_elf_image *mapped;
	enum pd_elf_space space;
	const struct pd_elf_section *table;
	const struct pd_elf_section *strings;
	uint32_t nr; /* entries, the first of which is none; 0: no table */
};

/* Return whether the file has a .symtab. */
bool pd_elf_has_symtab(const struct pd_elf_image *elf);

/* Find the table of elf.  mapped is the file that was mapped, whose program
 * headers count (those of a debug file can differ).  Both must outlive it.
 * Return 0, -EBADMSG, or -EFBIG if the table is longer than the file allows. */
int pd_elf_symtab_open(struct pd_elf_symtab *ret,
		       const struct pd_elf_image *elf,
		       const struct pd_elf_image *mapped,
		       enum pd_elf_space space);

/* Fill ret with symbol idx.  Return false if it does not count.  Its name is
 * not looked at: some count that pd_elf_symtab_takes() refuses. */
bool pd_elf_symtab_at(const struct pd_elf_symtab *symtab, uint32_t idx,
		      struct pd_elf_symbol *ret);

/* Call take with each symbol that counts, likewise, in the order of the table,
 * until it does not return 0.  Return what take or the reading returned.  A
 * zeroed table has none. */
int pd_elf_symtab_each(const struct pd_elf_symtab *symtab,
		       int (*take)(void *ctx, const struct pd_elf_symbol *sym),
		       void *ctx);

/* Return whether a symbol of that name counts. */
bool pd_elf_symtab_takes(const struct pd_elf_symtab *symtab,
			 const struct pd_elf_symbol *sym, const char *name);
/* Return whether it could be a mark, which its name tells. */
bool pd_elf_symtab_doubts(const struct pd_elf_symtab *symtab,
			  const struct pd_elf_symbol *sym);

#endif
