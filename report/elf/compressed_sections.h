/* compressed_sections.h: how long the compressed sections of an ELF file
 * become.
 *
 * libelf and libdw inflate what is marked SHF_COMPRESSED or called .zdebug_* as
 * a whole, whatever length it says: a thousand times what any user may let run.
 * So the lengths are added up before they see the file, against the limits of
 * what we unpack ourselves (limits.h): for each file, and for all that are
 * open.
 */
#ifndef RPT_COMPRESSED_SECTIONS_H
#define RPT_COMPRESSED_SECTIONS_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct rpt_compressed_sections {
	uint64_t packed_len;
	uint64_t plain_len; /* as the sections say */
	bool has_strings;   /* names of symbols or sections are among them */
	bool is_over;	    /* over a limit: not to be inflated */
};

/* Adds them up and takes their room out of that of all files.  The names of
 * sections are not read if is_over and has_strings. */
void rpt_compressed_sections_take(struct rpt_compressed_sections *ret,
				  Elf *elf);
/* Gives it back. */
void rpt_compressed_sections_release(struct rpt_compressed_sections *sections);

#endif
