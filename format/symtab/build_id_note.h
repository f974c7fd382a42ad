/* build_id_note.h: the GNU build-id in the notes of an ELF file.
 *
 * Source: gABI "Note Section", elf(5).
 */
#ifndef PD_BUILD_ID_NOTE_H
#define PD_BUILD_ID_NOTE_H

#include "format/symtab/elf_image.h"

enum { PD_NOTE_BUILD_ID_LEN = 20 };

/* Look for the build-id in notes (/sys/kernel/notes, a PT_NOTE segment).  swap:
 * they are in the other byte order.  align: 4, or 8 if the segment says so.
 * Return its length, of which ret has 20 bytes at most, as in perf; 0 if there
 * is none. */
uint8_t pd_note_build_id(const void *notes, size_t len, bool swap, size_t align,
			 uint8_t ret[PD_NOTE_BUILD_ID_LEN]);

/* The same for a file: its segments, then its sections, of each of which 64 KiB
 * are read. */
uint8_t pd_elf_build_id(const struct pd_elf_image *elf,
			uint8_t ret[PD_NOTE_BUILD_ID_LEN]);

#endif
