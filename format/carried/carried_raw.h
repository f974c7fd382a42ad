/* carried_raw.h: the .gnu_debugdata of stripped files, as it is: an ELF file
 * with their .symtab, packed by xz.  FORMAT.md "Carried .gnu_debugdata".
 *
 * The recorder does not unpack what others wrote; the reader does.
 *
 * The writer sets file.packed before pd_carried_write(); pd_carried_read() sets
 * it to what is carried.
 */
#ifndef PD_CARRIED_RAW_H
#define PD_CARRIED_RAW_H

#include "format/carried/carried.h"

/* Private to the format: the plain text of the section, empty if no file has
 * any; and its mirror, which takes text over in any case: it is carried's. */
void pd_carried_raw_write(struct pd_buf *b, const struct pd_carried_file *files,
			  uint32_t file_nr);
int pd_carried_raw_read(struct pd_carried *carried, uint8_t *text, size_t len,
			uint64_t file_off, struct pd_err *err);

#endif
