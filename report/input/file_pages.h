/* file_pages.h: a long recording does not stay mapped.
 *
 * What was read of it is given back to the page cache, so that no more of a
 * file is in our memory than a few MiB for each thread.  To map pages once more
 * for the second pass costs less than the memory that they would take.
 */
#ifndef RPT_FILE_PAGES_H
#define RPT_FILE_PAGES_H

#include "format/reader.h"

#include <stddef.h>

#define RPT_LONG_FILE_LEN ((uint64_t)64 << 20)

/* A mapping of len bytes that is only read. */
struct rpt_file_pages {
	const uint8_t *base;
	uint64_t len;
	struct pd_read_progress reading; /* whose ctx is this: it must stay */
};

void rpt_file_pages_init(struct rpt_file_pages *pages, const uint8_t *base,
			 uint64_t len);

/* For pd_reader_set_progress().  NULL: it is so short that nothing is given
 * back. */
static inline const struct pd_read_progress *
rpt_file_pages_reading(const struct rpt_file_pages *pages)
{
	return pages->len >= RPT_LONG_FILE_LEN ? &pages->reading : NULL;
}

#endif
