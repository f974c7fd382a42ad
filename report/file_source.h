/* file_source.h: the bytes of a recording as one span, wherever it comes from.
 *
 * A regular file is mapped.  A pipe or "-" is copied into an unlinked temporary
 * file first (TMPDIR, else /tmp), which is mapped then: both passes of the
 * reader walk the same bytes, and memory stays with the page cache.
 *
 *	rpt_file_source_open(&src, path, &err);
 *	pd_reader_open(&reader, src.base, src.len, &err);
 *	...
 *	pd_reader_close(reader);
 *	rpt_file_source_close(&src);
 */
#ifndef RPT_FILE_SOURCE_H
#define RPT_FILE_SOURCE_H

#include "format/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_file_source {
	const uint8_t *base; /* len bytes; never NULL once open */
	uint64_t len;
	bool is_piped;	 /* was copied */
	int64_t mtime_s; /* last change, since 1970; 0 for a pipe */
};

/* path "-" is stdin.  -ENOENT and the like as the system call said; -EISDIR
 * for a directory; -ENODATA for an empty one. */
int rpt_file_source_open(struct rpt_file_source *ret, const char *path,
			 struct pd_err *err);
void rpt_file_source_close(struct rpt_file_source *src);

#endif
