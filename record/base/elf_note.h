/* elf_note.h: the GNU build-id in a file's ELF notes.
 *
 * It reads only what the recorder needs if the kernel does not give the
 * build-id: the program headers and notes, but no sections.
 */
#ifndef REC_ELF_NOTE_H
#define REC_ELF_NOTE_H

#include "format/file/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_build_id {
	uint8_t len; /* 0: none */
	uint8_t bytes[PD_BUILD_ID_LEN_MAX];
};

/* Look for the build-id in notes, as pd_note_build_id() does.  Return false if
 * there is none. */
bool rec_note_build_id(const void *notes, size_t len, bool swap, size_t align,
		       struct rec_build_id *ret);

/* Read the build-id of an ELF file; reads some hundred bytes of it with
 * pread().  Return false if it is no ELF file or has none. */
bool rec_elf_build_id(int fd, struct rec_build_id *ret);

#endif
