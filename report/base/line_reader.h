/* line_reader.h: a text file that is read and parsed block by block, each of
 * whole lines, so that a long one never lies in memory as a whole.
 */
#ifndef RPT_LINE_READER_H
#define RPT_LINE_READER_H

#include "format/err.h"

#include <stdatomic.h>
#include <stddef.h>

/* Parses whole lines (the file's last line, and one that is longer than a
 * block, may be cut), which end in a NUL at lines[len].  The function may
 * change them.  Returns 0, or a negative errno, which ends the reading. */
typedef int rpt_lines_fn(void *ctx, char *lines, size_t len);

struct rpt_line_reader_conf {
	const char *path;
	size_t max_len;			/* of the file */
	const atomic_bool *is_unwanted; /* set by another thread; or NULL */
	rpt_lines_fn *fn;
	void *ctx;
};

/* Give each block of the file at conf->path to conf->fn.  Return 0, what
 * conf->fn returned, or the error of reading: -ECANCELED if *conf->is_unwanted
 * became true, -EFBIG if the file is longer than conf->max_len. */
int rpt_line_reader_run(const struct rpt_line_reader_conf *conf,
			struct pd_err *err);

#endif
