/* carried_code.h: the instructions of functions that were hit, so that they can
 * be shown on a machine that has none of the binaries.  FORMAT.md "Carried
 * code".
 *
 * Recorders do not write it: perfpair carry does.
 *
 *	pd_carried_text_read(base, len, trailer, PD_CARRIED_BYTES, &text, &err)
 *	pd_carried_code_read(&text, file_nr, &code, &err)
 *	pd_carried_code_release(&code)
 */
#ifndef PD_CARRIED_CODE_H
#define PD_CARRIED_CODE_H

#include "format/carried/carried_section.h"

/* A run of bytes of a file. */
struct pd_carried_run {
	uint32_t file_idx; /* in the list of carried files */
	uint64_t off;	   /* in the file */
	const uint8_t *data;
	uint64_t len; /* not 0 */
};

struct pd_carried_code {
	struct pd_carried_run *runs; /* by file and offset; none overlaps
				      * another */
	uint32_t run_nr;
	uint8_t *data; /* the reader's: the bytes lie in it */
};

/* Read the section, whose text is taken over in any case, of a recording that
 * carries file_nr files; nothing if there is none.  Return 0, -EBADMSG,
 * -ENODATA, or -ENOMEM. */
int pd_carried_code_read(struct pd_carried_text *text, uint32_t file_nr,
			 struct pd_carried_code *ret, struct pd_err *err);
/* Free what the reader made.  Safe on a zeroed struct. */
void pd_carried_code_release(struct pd_carried_code *code);

/* Return the runs of a file and how many they are; NULL if there are none. */
const struct pd_carried_run *
pd_carried_code_of(const struct pd_carried_code *code, uint32_t file_idx,
		   uint32_t *ret_nr);

/* Sort runs by file and offset, and cut off what an earlier one has; *nr
 * becomes how many are left. */
void pd_carried_runs_sort(struct pd_carried_run *runs, uint32_t *nr);

/* Append the plain text of the section. */
void pd_carried_code_write(struct pd_buf *b,
			   const struct pd_carried_code *code);

#endif
