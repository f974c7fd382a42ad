/* kernel_bytes.h: the code of the kernel and of its modules, from a vmlinux or,
 * if the recorded kernel runs here or its kcore was kept, from its memory.
 */
#ifndef RPT_KERNEL_BYTES_H
#define RPT_KERNEL_BYTES_H

#include "report/annotate/code_bytes.h"

struct rpt_elf;

/* Copy len bytes at an address of the file's sections.  Return false if it has
 * none; it may have fewer. */
bool rpt_code_take(const struct rpt_elf *file, uint64_t addr, uint64_t len,
		   struct rpt_code_bytes *ret);

/* Copy len bytes at an address of memory out of an ELF core file, kcore. */
bool rpt_kcore_take(const char *path, uint64_t addr, uint64_t len,
		    struct rpt_code_bytes *ret, uint16_t *ret_machine);

/* Find the code of a symbol of the kernel or of a module.  Return false if
 * there is none. */
bool rpt_kernel_bytes_find(struct rpt_dso *dso, const struct rpt_symbol *sym,
			   uint64_t len, struct rpt_code_bytes *ret,
			   uint16_t *ret_machine);

#endif
