/* kallsyms_locate.h: which file tells the names of the recorded kernel.  Part
 * of symbols.
 *
 * perf's order: --kallsyms; --vmlinux; a vmlinux of the recorded build-id, of
 * the build-id cache or from where distributions put it; and then, of kallsyms
 * files, the running kernel's where its kcore counts (kcore.h), one of the
 * build-id cache whose kcore counts, the running kernel's, the cache's.  What
 * runs here counts if it is what was recorded (kernel_origin.h).
 */
#ifndef RPT_KALLSYMS_LOCATE_H
#define RPT_KALLSYMS_LOCATE_H

#include "report/elf/elf_file.h"
#include "report/elf/kcore.h"
#include "report/symbols/symbols.h"

#define RPT_RUNNING_KALLSYMS "/proc/kallsyms"

struct rpt_kallsyms_locate {
	bool is_known;
	bool is_kcore_asked;	 /* rpt_symbols_find_kcore() */
	struct rpt_elf *vmlinux; /* with a .symtab; NULL: kallsyms counts */
	char *kallsyms;		 /* path; NULL: none */
	struct rpt_kcore kcore;	 /* beside kallsyms; nr 0: none that counts */
};

/* Look for the file, once, after the recording's records were read. */
void rpt_kallsyms_locate_find(struct rpt_symbols *symbols);

/* Go on to kallsyms, because vmlinux cannot be read. */
void rpt_kallsyms_locate_pass(struct rpt_symbols *symbols);
void rpt_kallsyms_locate_release(struct rpt_kallsyms_locate *source);

/* Return why there is neither vmlinux nor kallsyms. */
const char *rpt_kallsyms_locate_problem(const struct rpt_symbols *symbols);

/* A module's name in kallsyms: "/lib/modules/.../snd-hda.ko.xz" and "[snd_hda]"
 * are both "[snd_hda]". */
void rpt_module_name(const char *dso_name, char *ret, size_t cap);

/* Where a kcore there may be: finds out whether it counts, without reading
 * names.  Before the first look-up; from then on rpt_symbols_kcore() answers.
 */
void rpt_symbols_find_kcore(struct rpt_symbols *symbols);

/* Return the kcore that counts, or NULL if the records' maps do. */
const struct rpt_kcore *rpt_symbols_kcore(const struct rpt_symbols *symbols);

#endif
