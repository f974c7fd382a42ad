/* separate_symbols.h: the symbols of a stripped file that .dynsym has not,
 * where distributions put them: in a file below /usr/lib/debug, by build-id; or
 * in its .gnu_debugdata, an ELF file packed by xz, which is carried as it is:
 * whoever reads the recording unpacks it (format/carried/carried_raw.h). */
#ifndef REC_SEPARATE_SYMBOLS_H
#define REC_SEPARATE_SYMBOLS_H

#include "format/symtab/elf_image.h"
#include "record/base/elf_note.h"

/* Open the debug file of that build-id.  Return -1 if there is none. */
int rec_separate_symbols_open(const struct rec_build_id *id);

/* Bytes that the .gnu_debugdata of one recording's files may take. */
#define REC_PACKED_LEN_MAX ((size_t)8 << 20)

/* Read .gnu_debugdata to *ret, whose bytes the caller frees, and take its
 * length off *budget.  It stays empty if there is none, or it is longer than
 * that. Return 0, -ENOMEM, or what pread() says. */
int rec_separate_symbols_packed(const struct pd_elf_image *elf, size_t *budget,
				struct pd_str *ret);

#endif
