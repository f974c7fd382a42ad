/* asked_code.h: the instructions that an unwinder looks at, besides call frame
 * information: a slot of a PLT if no information covers it; with information,
 * on aarch64, what is in front of where a function links its frame record.
 */
#ifndef PD_ASKED_CODE_H
#define PD_ASKED_CODE_H

#include "format/symtab/aarch64_code.h"
#include "format/symtab/elf_image.h"

enum { PD_ASKED_CODE_LEN = PD_AARCH64_CODE_LEN }; /* as many on x86_64 */

/* Read the code at an offset in the file.  Return whether an unwinder asks for
 * it; is_covered: an FDE covers it. */
bool pd_asked_code(const struct pd_elf_image *elf, uint64_t off,
		   bool is_covered, uint8_t ret[PD_ASKED_CODE_LEN]);

#endif
