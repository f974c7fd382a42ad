/* kallsyms_cache.h: names of the running kernel's image, from a copy of
 * /proc/kallsyms that perf record left in the build-id cache.
 *
 * The kernel takes 35 to 45 ms to write /proc/kallsyms; a copy is mapped, and
 * only its addresses are read at first.  A symbol is made of its line when an
 * address of it is looked up.
 *
 * The lines before the first one of a module are the image's symbols, sorted.
 * Two boots of one build differ there only by where the image was put (KASLR).
 * The first lines of the live file show where it is now; a copy is used only if
 * it begins with the same symbols.  Modules, BPF programs and trampolines
 * differ in each boot, so the live file has to be asked about addresses outside
 * of the image.  If the image is in the upper half of all addresses, nothing of
 * the kernel is in the lower half.
 *
 * Answers are those of rpt_kallsyms_read() of the live file.
 */
#ifndef RPT_KALLSYMS_CACHE_H
#define RPT_KALLSYMS_CACHE_H

#include "report/elf/symbol_table.h"

struct rpt_kallsyms_cache;

/* Open the copy of the running build, whose build-id the caller has compared.
 * live_path is "/proc/kallsyms"; raw_names as for rpt_kallsyms_read().  Return
 * NULL if the copy cannot be used. */
struct rpt_kallsyms_cache *rpt_kallsyms_cache_open(const char *path,
						   const char *live_path,
						   bool raw_names);
void rpt_kallsyms_cache_free(struct rpt_kallsyms_cache *copy);

/* Set *ret to the symbol at an address of the running kernel, or NULL, and
 * narrow range to addresses with the same answer.  Return false if the live
 * file has to be asked. */
bool rpt_kallsyms_cache_find(struct rpt_kallsyms_cache *copy, uint64_t addr,
			     struct rpt_addr_range *range,
			     const struct rpt_symbol **ret);

#endif
