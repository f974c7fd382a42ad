/* carried_write.h: the mirror of carried.h.
 *
 *	pd_carried_write(&b, off, files, file_nr, account, &sections)
 *	trailer.sections = sections.items
 */
#ifndef PD_CARRIED_WRITE_H
#define PD_CARRIED_WRITE_H

#include "format/carried/carried.h"

enum { PD_CARRIED_SECTIONS_MAX = 12 };

/* The sections of one file, as its trailer lists them. */
struct pd_carried_sections {
	struct pd_trailer_section items[PD_CARRIED_SECTIONS_MAX];
	size_t nr;
};

/* Append the sections, which will stand at off in the file from b's start on,
 * to b, and fill in ret_sections.  Errors latch in b. */
void pd_carried_write(struct pd_buf *b, uint64_t off,
		      const struct pd_carried_file *files, uint32_t file_nr,
		      const struct pd_carried_account *account,
		      struct pd_carried_sections *ret_sections);

#endif
