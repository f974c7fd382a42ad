/* kallsyms_locate.h: finds the file with the names of the recorded kernel.
 *
 * The order is perf's: --kallsyms; --vmlinux; a vmlinux of the recorded
 * build-id, in the build-id cache or where distributions put it; then kallsyms:
 * the running kernel's if its kcore counts (kcore.h), one of the build-id cache
 * whose kcore counts, the running kernel's, the cache's.  The running kernel's
 * files count if it is the recorded one (kernel_origin.h).
 */
#ifndef RPT_KALLSYMS_LOCATE_H
#define RPT_KALLSYMS_LOCATE_H

#include "report/elf/elf_file.h"
#include "report/elf/kcore.h"
#include "report/symbols/symbols.h"

#define RPT_RUNNING_KALLSYMS "/proc/kallsyms"

struct rpt_kallsyms_locate {
	bool is_known;
	bool is_kcore_wanted;	 /* rpt_symbols_find_kcore() */
	struct rpt_elf *vmlinux; /* with a .symtab; NULL: use kallsyms */
	char *kallsyms;		 /* path; NULL: none */
	struct rpt_kcore kcore;	 /* beside kallsyms; nr 0: none counts */
};

/* Find the file, once, after the recording's records were read. */
void rpt_kallsyms_locate_find(struct rpt_symbols *symbols);

/* Go on to kallsyms, because vmlinux cannot be read. */
void rpt_kallsyms_locate_pass(struct rpt_symbols *symbols);
void rpt_kallsyms_locate_release(struct rpt_kallsyms_locate *source);

/* Return why there is neither vmlinux nor kallsyms. */
const char *rpt_kallsyms_locate_problem(const struct rpt_symbols *symbols);

/* Find out whether there is a kcore that counts, without reading names, before
 * the first look-up.  rpt_symbols_kcore() then has the answer. */
void rpt_symbols_find_kcore(struct rpt_symbols *symbols);

/* Return the kcore that counts, or NULL if the records' maps do. */
const struct rpt_kcore *rpt_symbols_kcore(const struct rpt_symbols *symbols);

#endif
