/* demangle.h: linker names as a person writes them.
 *
 * C++ names lose their parameters and return types ("ns::Foo<int>::bar"), as
 * perf 6.1 prints them, but where these are asked for, as perf does with -v;
 * Rust names of both schemes lose the crate's hash.
 */
#ifndef RPT_DEMANGLE_H
#define RPT_DEMANGLE_H

#include <stdbool.h>

/* True where rpt_demangle() can have an answer; costs two comparisons. */
bool rpt_is_mangled(const char *name);

/* The demangled name, to be freed by the caller; NULL where name is not a
 * mangled one. */
char *rpt_demangle(const char *name, bool with_parameters);

#endif
