/* carried_sources.h: the source text around lines that were hit.  FORMAT.md
 * "Carried source".
 *
 * Recorders do not write it: perfpair carry does.
 *
 *	pd_carried_text_read(base, len, trailer, kind, &text, &err)
 *	pd_carried_sources_read(&text, &source, &err)
 *	pd_carried_sources_line(&source, path, line, &found)
 *	pd_carried_sources_release(&source)
 */
#ifndef PD_CARRIED_SOURCES_H
#define PD_CARRIED_SOURCES_H

#include "format/carried/carried_section.h"

/* Lines of a file that follow each other. */
struct pd_carried_lines_run {
	struct pd_str path; /* as debug information has it */
	uint32_t line;	    /* the first, counted from 1 */
	uint32_t line_nr;   /* not 0 */
	struct pd_str text; /* with the newline behind each */
};

struct pd_carried_sources {
	struct pd_carried_lines_run *runs; /* by path and line; no line is in
					    * two of them */
	uint32_t run_nr;
	uint8_t *data; /* the reader's: paths and texts lie in it */
};

/* Read the section, whose text is taken over in any case; nothing if there is
 * none.  Return 0, -EBADMSG, -ENODATA, or -ENOMEM. */
int pd_carried_sources_read(struct pd_carried_text *text,
			    struct pd_carried_sources *ret, struct pd_err *err);
/* Free what the reader made.  Safe on a zeroed struct. */
void pd_carried_sources_release(struct pd_carried_sources *source);

/* Set *ret to a line, without its newline.  Return false if it is not carried.
 */
bool pd_carried_sources_line(const struct pd_carried_sources *source,
			     struct pd_str path, uint32_t line,
			     struct pd_str *ret);

/* Append the plain text of the section. */
void pd_carried_sources_write(struct pd_buf *b,
			      const struct pd_carried_sources *source);

#endif
