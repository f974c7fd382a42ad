/* line_reader.h: a text file of lines read by a thread of its own, block by
 * block, while the caller's looks at the block before: files of /proc take the
 * kernel longer to write than us to parse.
 */
#ifndef RPT_LINE_READER_H
#define RPT_LINE_READER_H

#include "format/err.h"

#include <stdatomic.h>
#include <stddef.h>

/* Whole lines (but for one that is longer than a block, and the file's last),
 * with a NUL behind them; the callee's to change, until it returns.  0 or a
 * negative errno, which ends it all. */
typedef int rpt_lines_fn(void *ctx, char *lines, size_t len);

struct rpt_line_reader_conf {
	const char *path;
	size_t max_len;			/* of the file */
	const atomic_bool *is_unwanted; /* set by another thread; NULL: never */
	rpt_lines_fn *fn;
	void *ctx;
};

/* 0, what fn said, or what reading said: -ECANCELED once it is unwanted, -EFBIG
 * where there is more than max_len. */
int rpt_line_reader_run(const struct rpt_line_reader_conf *conf,
			struct pd_err *err);

#endif
