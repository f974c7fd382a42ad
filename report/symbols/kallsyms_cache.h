/* kallsyms_cache.h: names of the running kernel's image, out of a copy of
 * /proc/kallsyms in the build-id cache, where perf record leaves one.
 *
 * The kernel takes 35 to 45 ms to write /proc/kallsyms; a copy is mapped.  Its
 * lines are walked once, for their addresses; symbols are made of the few lines
 * around an address that is asked about.
 *
 * What a copy can tell: the first lines of kallsyms, until one of a module, are
 * the image's symbols.  They are linked into it, sorted, so that those of one
 * build-id differ by where the image was put alone (KASLR).  The first lines of
 * the live file say where that is now, and that it is not hidden; a copy is
 * taken only if it begins with the same symbols.  Modules, BPF programs and
 * trampolines are another boot's: about whatever lies outside of the image the
 * live file is to be asked; but where the image lies in the upper half of all
 * addresses, nothing of the kernel's is in the lower one.
 *
 * Answers are those of rpt_kallsyms_read() on the live file, which gives names
 * to the lines around an address here, too.
 */
#ifndef RPT_KALLSYMS_CACHE_H
#define RPT_KALLSYMS_CACHE_H

#include "report/elf/symbol_table.h"

struct rpt_kallsyms_cache;

/* Of the build that runs here: who calls has compared build-ids.  live_path:
 * "/proc/kallsyms".  raw_names: as rpt_kallsyms_read() has it.  NULL: there is
 * none that serves. */
struct rpt_kallsyms_cache *rpt_kallsyms_cache_open(const char *path,
						   const char *live_path,
						   bool raw_names);
void rpt_kallsyms_cache_free(struct rpt_kallsyms_cache *copy);

/* Where the symbol name ("_text", "_stext": those that a recording may name) is
 * now; false: the live file's first lines do not tell. */
bool rpt_kallsyms_cache_ref(const struct rpt_kallsyms_cache *copy,
			    const char *name, uint64_t *ret_addr);

/* The symbols around an address of now, for look-ups of that one; NULL: the
 * copy does not tell.  It is the copy's, the same for all
 * addresses of a symbol. */
struct rpt_symbol_table *rpt_kallsyms_cache_at(struct rpt_kallsyms_cache *copy,
					       uint64_t addr);

#endif
