/* carried_elf.h: the call frame information that a recording carries of a file
 * (format/carried/carried_cfi.h), or that a jitdump tells of a function, as an
 * ELF file in memory: what libdw reads of the file, it reads of this.
 *
 * The pieces stand where they are in .eh_frame, since they point to each other
 * and to code by distances; a table of the functions (.eh_frame_hdr) is made,
 * so that nobody looks at what is between them.
 */
#ifndef RPT_CARRIED_ELF_H
#define RPT_CARRIED_ELF_H

#include "report/elf/elf_file.h"

struct rpt_carried_elf;
struct rpt_dso;

/* Return NULL if nothing is carried for dso, or it is damaged. */
struct rpt_carried_elf *rpt_carried_elf_open(struct rpt_dso *dso);
/* The same of dso->files.jitted, by its own .eh_frame. */
struct rpt_carried_elf *rpt_carried_elf_of_jit(struct rpt_dso *dso);
/* Safe on NULL. */
void rpt_carried_elf_close(struct rpt_carried_elf *carried);

/* Return the file, which is carried's: its segments and .eh_frame. */
struct rpt_elf *rpt_carried_elf_file(const struct rpt_carried_elf *carried);

/* Return len bytes of the original file at off, or NULL if they are not
 * carried. */
const uint8_t *rpt_carried_elf_bytes(const struct rpt_carried_elf *carried,
				     uint64_t off, size_t len);

#endif
