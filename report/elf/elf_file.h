/* elf_file.h: one ELF file, opened for symbols, CFI and DWARF.
 *
 * Whatever the file says is checked by libelf or here; a damaged file gives
 * less, or an error, never a crash.
 */
#ifndef RPT_ELF_FILE_H
#define RPT_ELF_FILE_H

#include "report/elf/compressed_sections.h"

#include "format/err.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_file_map;

/* .eh_frame_hdr's, as function_bounds.c reads it. */
struct rpt_function_table {
	const uint8_t *bytes; /* libelf's */
	uint32_t nr;	      /* 0: none that can be used */
	uint64_t addr;	      /* that entries count from */
	bool is_swapped;
	bool is_looked_for;
};

struct rpt_elf {
	Elf *elf;
	struct rpt_file_map *map;     /* libelf's; NULL: in memory */
	struct rpt_file_map *alt_map; /* what its DWARF refers to; NULL: none */
	int fd;			      /* -1: in memory */
	char *image; /* malloc'ed bytes of an image in memory */
	GElf_Ehdr ehdr;
	GElf_Phdr *loads; /* PT_LOAD headers, in file order */
	size_t loads_nr;
	struct rpt_compressed_sections packed;
	struct rpt_function_table functions;
};

/* Sections hold what elf_getscn() gives and stay valid until the close. */
struct rpt_elf_section {
	Elf_Scn *scn;
	GElf_Shdr shdr;
	size_t idx;
	const char *name;
};

/* NULL with err filled: not there, no ELF file, damaged headers. */
struct rpt_elf *rpt_elf_open(const char *path, struct pd_err *err);

/* Takes over image (malloc'ed) in any case. */
struct rpt_elf *rpt_elf_open_memory(char *image, size_t image_len,
				    struct pd_err *err);
/* The same of a file that may be compressed as a whole (.ko.xz). */
struct rpt_elf *rpt_elf_open_packed(const char *path, struct pd_err *err);

/* Takes over fd in any case. */
struct rpt_elf *rpt_elf_open_fd(int fd, struct pd_err *err);

/* The small symbol table that distributions leave in stripped files
 * (.gnu_debugdata, "MiniDebugInfo": what .dynsym does not have).  NULL: none,
 * or it cannot be read. */
struct rpt_elf *rpt_elf_open_minidebug(const struct rpt_elf *file);
void rpt_elf_close(struct rpt_elf *file);

/* Its debug information, to be freed by dwarf_end() before the file is closed;
 * NULL: none, or compressed and longer than we inflate (rpt_elf_over_limit()).
 * To be used by one thread, as the file. */
Dwarf *rpt_elf_dwarf(struct rpt_elf *file);

/* Why there is no debug information of a file whose compressed sections are
 * longer than we inflate, one line; NULL: they are not. */
const char *rpt_elf_over_limit(const struct rpt_elf *file);

/* The GNU build-id note: its length (0: none), bytes in ret[]. At most
 * 20 bytes are taken, as perf does. */
uint8_t rpt_elf_build_id(const struct rpt_elf *file, uint8_t ret[20]);

/* False: no such section. */
bool rpt_elf_section(const struct rpt_elf *file, const char *name,
		     struct rpt_elf_section *ret);
bool rpt_elf_section_at(const struct rpt_elf *file, size_t idx,
			struct rpt_elf_section *ret);

/* Virtual address to offset in the file and back, by the program headers;
 * false: no segment holds it. */
bool rpt_elf_addr_to_off(const struct rpt_elf *file, uint64_t addr,
			 uint64_t *ret_off);
bool rpt_elf_off_to_addr(const struct rpt_elf *file, uint64_t off,
			 uint64_t *ret_addr);

#endif
