/* function_stem.h: what stays of a function's and a file's name from build to
 * build.
 *
 * Compilers put what they did to a function behind its name, and a number that
 * changes with the rest of the file: GCC's .constprop.0, .isra.1, .part.2,
 * .cold, .lto_priv.3, LLVM's .llvm.123, .__uniq.456; Rust its hash
 * (::h0123456789abcdef). Shared libraries carry versions (libssl.so.1.1),
 * kernel modules and executables do not.
 */
#ifndef RPT_FUNCTION_STEM_H
#define RPT_FUNCTION_STEM_H

#include <stdbool.h>
#include <stddef.h>

enum rpt_name_match {
	RPT_NAME_EXACT,	   /* letter for letter */
	RPT_NAME_STEM,	   /* but for what compilers put behind it */
	RPT_NAME_TEMPLATE, /* and for template arguments and parameters */
	RPT_NAME_MATCHES,
};

/* What is compared of a symbol at a level; writes at most len bytes with NUL
 * (a longer name is cut), returns buf. */
char *rpt_diff_symbol(const char *name, enum rpt_name_match level, char *buf,
		      size_t len);

/* "libssl.so" of "libssl.so.1.1" and of "libssl-1.1.so", from
 * RPT_NAME_STEM on. */
char *rpt_diff_dso(const char *name, enum rpt_name_match level, char *buf,
		   size_t len);

/* Whether a DSO, by the name of its file, is code that its process made: of
 * /tmp/perf-12.map, of a jitdump's function 3, /tmp/jitted-12-3.so.  These are
 * other names in each run. */
bool rpt_diff_is_jit(const char *path);
#define RPT_DIFF_JIT "[JIT]"

/* What a function of such code is called whatever it was compiled by: V8 says
 * "JS:~f", "JS:^f", "JS:*f" as it gets hot, which it does at another time in
 * each run, and older ones "LazyCompile:*f", "Function:~f": all "JS:f".  Other
 * names as they are.  As rpt_diff_symbol(). */
char *rpt_diff_jit_symbol(const char *name, char *buf, size_t len);

#endif
