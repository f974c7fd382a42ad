/* code_bytes.h: finds the bytes of a function. */
#ifndef RPT_CODE_BYTES_H
#define RPT_CODE_BYTES_H

#include "format/carried/carried_code.h"
#include "report/annotate/annotation.h"

enum rpt_code_arch {
	RPT_CODE_X86_64,
	RPT_CODE_X86_32,
	RPT_CODE_ARM64,
};

struct rpt_code_bytes {
	uint8_t *data;	/* owned */
	size_t len;	/* at most RPT_ANNOTATION_LEN_MAX */
	uint64_t start; /* the address of the first byte, as objdump shows
			 * it */
	bool is_carried;
	enum rpt_code_arch arch;
};

/* Find the code of a symbol.  carried: what the recording of the DSO carries,
 * or NULL.  Return 0; -ENOENT or -ENOTSUP as
 * rpt_annotate().  The caller frees ret->data. */
int rpt_code_bytes_find(struct rpt_dso *dso, const struct rpt_symbol *sym,
			const struct pd_carried_code *carried,
			struct rpt_code_bytes *ret, struct pd_err *err);

/* The code of the kernel and of its modules, from a vmlinux or, if the recorded
 * kernel runs here or its kcore was kept, from its memory. */

struct rpt_elf;

/* Copy len bytes at an address of memory out of an ELF core file, kcore. */
bool rpt_kcore_take(const char *path, uint64_t addr, uint64_t len,
		    struct rpt_code_bytes *ret, uint16_t *ret_machine);

#endif
