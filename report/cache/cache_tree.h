/* cache_tree.h: the folders of a build-id cache, as perf 6.1 has them.
 *
 *	DIR/.build-id/xx/yyyy -> ../../PATH/xxyyyy	(a build-id in hex)
 *	DIR/PATH/xxyyyy/elf
 *	DIR/[kernel.kallsyms]/xxyyyy/kallsyms
 *	DIR/[vdso]/xxyyyy/vdso
 *
 * PATH is out of a recording and not trusted: everything is opened part by
 * part, below DIR, and no link is followed.
 */
#ifndef RPT_CACHE_TREE_H
#define RPT_CACHE_TREE_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* Open the cache; make: make it if it is not there, but not the folder that it
 * is in.  Return a descriptor, or a negative errno with err filled. */
int rpt_cache_open(const char *dir, bool make, struct pd_err *err);

/* Return true if path can be one below a cache: no part is empty, "." or "..",
 * or has control characters, the first is not ".build-id", and it is not too
 * long. */
bool rpt_cache_takes(const char *path);

/* Open a folder below another one by its relative path; make: make what is
 * missing.  Return a descriptor, -ENOENT, -EINVAL for a path that is not taken,
 * or what open() says: -ENOTDIR or -ELOOP for a link. */
int rpt_cache_folder(int dir_fd, const char *path, bool make);

/* Print each entry, by build-id: "BUILDID PATH", as perf does.  Links that do
 * not look like those above are passed over. */
int rpt_cache_list(int dir_fd, FILE *out);

#endif
