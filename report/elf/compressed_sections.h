/* compressed_sections.h: limits what the compressed sections of ELF files may
 * become.
 *
 * libelf and libdw decompress sections that are marked SHF_COMPRESSED or named
 * .zdebug_* as a whole, to whatever length they claim.  So the lengths are
 * added up before the libraries see the file, and compared with the limits of
 * unpack.h (limits.h), for each file and for all open files.
 */
#ifndef RPT_COMPRESSED_SECTIONS_H
#define RPT_COMPRESSED_SECTIONS_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct rpt_compressed_sections {
	uint64_t packed_len;
	uint64_t plain_len; /* as the sections claim */
	bool has_strings;   /* names of symbols or sections are compressed */
	bool is_over;	    /* over a limit: must not be decompressed */
};

/* Add up the sections' lengths, and take them from the limit of all files.  The
 * names of sections are not read if is_over and has_strings. */
void rpt_compressed_sections_take(struct rpt_compressed_sections *ret,
				  Elf *elf);
/* Give the lengths back. */
void rpt_compressed_sections_release(struct rpt_compressed_sections *sections);

#endif
