/* sparse_elf.h: an ELF file that has the names of another one, what unwinds
 * stacks in it, and as much of its code as is known, for programs that want a
 * file.
 *
 * Program headers are those of the original's PT_LOAD segments, with offsets
 * and addresses as there.  A segment with names has a section .text of type
 * SHT_NOBITS; each run of code is a section .text of type SHT_PROGBITS, at its
 * offset in the original.  What we add (.symtab, .strtab, section headers)
 * stands behind the end of the last segment; all else is a hole.
 *
 *	0		ELF header, program headers, .note.gnu.build-id,
 *			.note.perfpair
 *	...		hole, with code and .eh_frame (sparse_cfi.h) in it
 *	end of the last segment
 *			.symtab .strtab .shstrtab, section headers
 *
 * Where code is not known, programs find zeros: libunwind in perf ends a chain
 * at a slot of a PLT.
 *
 * Source: gABI, elf(5).
 */
#ifndef RPT_SPARSE_ELF_H
#define RPT_SPARSE_ELF_H

#include "report/elf/elf_file.h"
#include "report/elf/sparse_code.h"

/* Write file->names, file->frames and code to fd, an empty regular file.  Left
 * out are bounds without a name, names with control characters, and names and
 * code that lie in no segment; *ret_nr is how many names are there.  Return 0,
 * -EFBIG if the original is longer than we make files, or what write() says. */
int rpt_sparse_elf_write(int fd, const struct pd_carried_file *file,
			 const struct rpt_sparse_code *code, uint32_t *ret_nr,
			 struct pd_err *err);

/* Return true if the text can be a symbol's name: it has no control
 * characters. */
bool rpt_sparse_elf_takes(struct pd_str text);

/* Return true if we wrote the file: it is not what its build-id stands for. */
bool rpt_elf_is_sparse(const struct rpt_elf *file);

#endif
