/* function_stem.h: the parts of names of functions and files that are the same
 * in each build of a program.
 *
 * Compilers append suffixes with numbers that change with the rest of the file:
 * GCC .constprop.0, .isra.1, .part.2, .cold, .lto_priv.3; LLVM .llvm.123,
 * .__uniq.456; Rust its hash, ::h0123456789abcdef.  Shared libraries have
 * versions (libssl.so.1.1).
 */
#ifndef RPT_FUNCTION_STEM_H
#define RPT_FUNCTION_STEM_H

#include <stdbool.h>
#include <stddef.h>

enum rpt_name_match {
	RPT_NAME_EXACT,	   /* letter for letter */
	RPT_NAME_STEM,	   /* without compilers' suffixes and versions */
	RPT_NAME_TEMPLATE, /* also without template arguments, parameters */
	RPT_NAME_MATCHES,
};

/* Write the part of a symbol that is compared at a level, in at most len bytes
 * with NUL (a longer name is cut).  Return buf. */
char *rpt_diff_symbol(const char *name, enum rpt_name_match level, char *buf,
		      size_t len);

/* The same for the name of a DSO: from RPT_NAME_STEM on, "libssl.so" for
 * "libssl.so.1.1" and for "libssl-1.1.so". */
char *rpt_diff_dso(const char *name, enum rpt_name_match level, char *buf,
		   size_t len);

/* Return whether the file name of a DSO is that of code which the process made,
 * and so differs in each run: /tmp/perf-12.map, or /tmp/jitted-12-3.so for
 * function 3 of a jitdump. */
bool rpt_diff_is_jit(const char *path);
#define RPT_DIFF_JIT "[JIT]"

/* Write the name of a function in such code without the tier that compiled it,
 * as rpt_diff_symbol() does.  V8 has "JS:~f", "JS:^f" and "JS:*f", older ones
 * "LazyCompile:*f" and "Function:~f": all become "JS:f".  Others do not change.
 */
char *rpt_diff_jit_symbol(const char *name, char *buf, size_t len);

#endif
