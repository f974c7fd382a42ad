/* carried_lines.h: what debug information says of the addresses that were hit:
 * their source lines, and the functions that are inlined there.  FORMAT.md
 * "Carried lines".
 *
 * Recorders do not write it: perfpair carry does, where the debug information
 * is.
 *
 * The writer fills the arrays of a struct pd_carried_lines:
 *	pd_carried_lines_write(&b, &lines)
 * The reader:
 *	pd_carried_text_read(base, len, trailer, PD_CARRIED_LINES, &text, &err)
 *	pd_carried_lines_read(&text, file_nr, &lines, &err)
 *	place = pd_carried_lines_at(&lines, file_idx, addr)
 *	pd_carried_lines_release(&lines)
 */
#ifndef PD_CARRIED_LINES_H
#define PD_CARRIED_LINES_H

#include "format/carried/carried_section.h"

/* A function that holds an address. */
struct pd_carried_function {
	uint32_t name;	    /* a text; 0: it has none */
	uint32_t call_file; /* a text: the file from which it is called, ... */
	uint32_t call_line; /* ... and the line there; file 0: not known */
	uint32_t flags;	    /* PD_CARRIED_IS_LINKAGE, PD_CARRIED_IS_SYMBOL */
};

/* The name is the linker's, not the source's. */
#define PD_CARRIED_IS_LINKAGE 1u
/* The function starts where the symbol of the address does. */
#define PD_CARRIED_IS_SYMBOL 2u

enum { PD_CARRIED_FUNCTIONS_MAX = 64 };

struct pd_carried_place {
	uint64_t addr;		 /* as names have them (carried.h) */
	uint32_t file;		 /* a text: its source file; 0: not known */
	uint32_t line;		 /* in that file */
	uint32_t function_start; /* its functions: the innermost first */
	uint32_t function_nr;	 /* at most PD_CARRIED_FUNCTIONS_MAX */
};

struct pd_carried_lines_file {
	uint32_t file_idx; /* in the list of carried files */
	uint32_t place_start;
	uint32_t place_nr; /* 0: the file was looked at */
};

struct pd_carried_lines {
	struct pd_str *texts; /* texts[0] is empty; each has a NUL behind it */
	uint32_t text_nr;     /* with texts[0] */
	struct pd_carried_lines_file *files; /* by file_idx */
	uint32_t file_nr;
	struct pd_carried_place *places; /* of each file by addr */
	uint32_t place_nr;
	struct pd_carried_function *functions;
	uint32_t function_nr;
	uint8_t *data; /* the reader's: texts lie in it */
};

/* Read the section, whose text is taken over in any case, of a recording that
 * carries file_nr files; nothing if there is none.  Return 0, -EBADMSG,
 * -ENODATA, or -ENOMEM. */
int pd_carried_lines_read(struct pd_carried_text *text, uint32_t file_nr,
			  struct pd_carried_lines *ret, struct pd_err *err);
/* Free what the reader made.  Safe on a zeroed struct. */
void pd_carried_lines_release(struct pd_carried_lines *lines);

/* Return the files[] of a carried file, or NULL. */
const struct pd_carried_lines_file *
pd_carried_lines_of(const struct pd_carried_lines *lines, uint32_t file_idx);
/* Return what is known of an address in a carried file, or NULL. */
const struct pd_carried_place *
pd_carried_lines_at(const struct pd_carried_lines *lines, uint32_t file_idx,
		    uint64_t addr);

/* Append the plain text of the section. */
void pd_carried_lines_write(struct pd_buf *b,
			    const struct pd_carried_lines *lines);

#endif
