/* carried_section.h: the sections of carried names that perfpair carry adds to
 * a recording, as plain texts: carried_lines.h, carried_code.h,
 * carried_sources.h read and write what is in them.
 *
 *	pd_carried_text_read(base, len, trailer, kind, &text, &err)
 *	... a reader of the kind takes the text over
 *
 *	pd_carried_text_write(&b, off, kind, &plain, &sections)
 */
#ifndef PD_CARRIED_SECTION_H
#define PD_CARRIED_SECTION_H

#include "format/carried/carried.h"

/* Kinds, besides those of enum pd_carried_section. */
enum {
	PD_CARRIED_LINES = 5,
	PD_CARRIED_BYTES = 6,
	PD_CARRIED_SOURCES = 7,
};

struct pd_carried_text {
	uint8_t *data; /* malloc'ed, with a NUL behind it; NULL: none */
	size_t len;
	uint64_t off; /* of the section, for messages */
};

/* Read the text of a section of the file base[0..len); it has no data if there
 * is no such section.  Return 0, -EBADMSG, -EFBIG, or -ENOMEM. */
int pd_carried_text_read(const uint8_t *base, uint64_t len,
			 const struct pd_trailer *trailer, uint32_t kind,
			 struct pd_carried_text *ret, struct pd_err *err);

/* Read a section of a recording that carries file_nr files to its end.  Return
 * 0 if it is whole, or there is none. */
int pd_carried_text_check(const uint8_t *base, uint64_t len,
			  const struct pd_trailer *trailer, uint32_t kind,
			  uint32_t file_nr, struct pd_err *err);

/* Append a section, which will stand at off in the file from b's start on, to
 * b, and add it to sections.  Errors latch in b; -EFBIG: no reader would take
 * such a long one. */
void pd_carried_text_write(struct pd_buf *b, uint64_t off, uint32_t kind,
			   const struct pd_buf *plain,
			   struct pd_carried_sections *sections);

/* Read how many items follow, a varint; each takes len_min bytes or more.
 * Return room for them and one more, all zero, which the caller frees; NULL
 * with *ret_nr 0 if that fails. */
void *pd_carried_list(struct pd_cursor *c, size_t len_min, size_t item_len,
		      uint64_t *ret_nr);

#endif
