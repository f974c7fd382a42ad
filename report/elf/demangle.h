/* demangle.h: turns C++ and Rust symbols into source names.
 *
 * C++ names lose their parameters and return types ("ns::Foo<int>::bar"), as in
 * perf 6.1, unless with_parameters is set (perf -v).  Rust names of both
 * schemes lose the crate's hash.
 */
#ifndef RPT_DEMANGLE_H
#define RPT_DEMANGLE_H

#include <stdbool.h>

/* Return the demangled name, which the caller frees, or NULL if name is not
 * mangled, or if one of them has 64 KiB or more. */
char *rpt_demangle(const char *name, bool with_parameters);

#endif
