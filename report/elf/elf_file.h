/* elf_file.h: one ELF file, opened for symbols, CFI and DWARF.
 *
 * All numbers of the file are checked by libelf or here; a damaged file gives
 * less, or an error, never a crash.
 */
#ifndef RPT_ELF_FILE_H
#define RPT_ELF_FILE_H

#include "format/symtab/eh_frame.h"
#include "format/symtab/go_table.h"
#include "report/elf/compressed_sections.h"

#include "format/base/err.h"
#include "format/support/read_for.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_file_map;

struct rpt_elf {
	Elf *elf;
	struct rpt_file_map *map; /* libelf's; NULL: in memory */
	struct rpt_elf *alt;	  /* of .gnu_debugaltlink; NULL: none, yet */
	Dwarf *alt_debug;
	int fd;	      /* -1: in memory */
	uid_t user;   /* whose the file is; SUP_ANYBODY: in memory */
	char *root;   /* owned; a folder that it may not lead out of; NULL */
	char *memory; /* malloc'ed bytes of a file in memory */
	size_t memory_len;
	struct pd_elf_image image; /* without sections if it is damaged */
	GElf_Ehdr ehdr;
	GElf_Phdr *loads; /* PT_LOAD headers, in file order */
	size_t loads_nr;
	struct rpt_compressed_sections packed;
	struct pd_eh_frame *eh_frame; /* NULL: none, or not asked yet */
	bool is_eh_frame_asked;
	struct pd_go_table *go_table; /* the same */
	bool is_go_table_asked;
	int go_table_rc; /* of its opening */
};

/* Valid until rpt_elf_close(). */
struct rpt_elf_section {
	Elf_Scn *scn;
	GElf_Shdr shdr;
	size_t idx;
	const char *name;
};

/* Open a file with the rights of whoever chose the name (read_for.h).  Return
 * NULL with err filled if it is not there, is no ELF file, or has damaged
 * headers. */
struct rpt_elf *rpt_elf_open_for(const struct sup_name *name,
				 struct pd_err *err);

/* The same from memory; image is malloc'ed and taken over in any case. */
struct rpt_elf *rpt_elf_open_memory(char *image, size_t image_len,
				    struct pd_err *err);
/* As rpt_elf_open_for(), of a file that may be compressed as a whole (.ko.xz).
 */
struct rpt_elf *rpt_elf_open_packed(const struct sup_name *name,
				    struct pd_err *err);
/* The same for a compressed file in memory, which stays the caller's. */
struct rpt_elf *rpt_elf_open_packed_memory(const uint8_t *data, size_t len,
					   struct pd_err *err);

/* The same for a descriptor, which is taken over in any case. */
struct rpt_elf *rpt_elf_open_fd(int fd, struct pd_err *err);

/* Open a file again, for another thread. */
struct rpt_elf *rpt_elf_open_again(const struct rpt_elf *file,
				   struct pd_err *err);

/* Open the small symbol table that distributions leave in stripped files
 * (.gnu_debugdata, "MiniDebugInfo"), with the symbols that .dynsym lacks.
 * Return NULL if there is none, or it cannot be read. */
struct rpt_elf *rpt_elf_open_minidebug(const struct rpt_elf *file);
void rpt_elf_close(struct rpt_elf *file);

/* Return the debug information, which dwarf_end() frees before the file is
 * closed; or NULL if there is none, or it is too long to decompress
 * (rpt_elf_over_limit()).  Like the file, it is for one thread.  What it shares
 * with others (.gnu_debugaltlink, dwz) is read with the rights of its owner. */
Dwarf *rpt_elf_dwarf(struct rpt_elf *file);

/* Return why a file's compressed sections are not read, in one line; or NULL if
 * they are within the limit. */
const char *rpt_elf_over_limit(const struct rpt_elf *file);

/* Return how many bytes of the file are there, without its holes: what is made
 * of it is limited by that. */
size_t rpt_elf_there_len(const struct rpt_elf *file);

/* Fill ret with the GNU build-id, at most 20 bytes, as in perf.  Return the
 * length; 0 if there is none. */
uint8_t rpt_elf_build_id(const struct rpt_elf *file, uint8_t ret[20]);

/* Return its functions as .eh_frame_hdr lists them; or NULL if it does not. For
 * one thread. */
struct pd_eh_frame *rpt_elf_eh_frame(struct rpt_elf *file);
/* Return the functions of a Go program; or NULL, if it is none or go_table_rc
 * is set.  For one thread. */
struct pd_go_table *rpt_elf_go_table(struct rpt_elf *file);

/* Find a section.  Return false if it does not exist. */
bool rpt_elf_section(const struct rpt_elf *file, const char *name,
		     struct rpt_elf_section *ret);
bool rpt_elf_section_at(const struct rpt_elf *file, size_t idx,
			struct rpt_elf_section *ret);

/* Translate a virtual address to an offset in the file, and back, by the
 * program headers.  Return false if no segment holds it. */
static inline bool rpt_elf_addr_to_off(const struct rpt_elf *file,
				       uint64_t addr, uint64_t *ret_off)
{
	return pd_elf_addr_to_off(&file->image, addr, ret_off);
}

static inline bool rpt_elf_off_to_addr(const struct rpt_elf *file, uint64_t off,
				       uint64_t *ret_addr)
{
	return pd_elf_off_to_addr(&file->image, off, ret_addr);
}

#endif
