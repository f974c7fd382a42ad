/* file_source.h: the bytes of a recording as one span, wherever it comes from.
 *
 * A regular file is mapped.  A pipe or "-" is copied into an unlinked temporary
 * file first (TMPDIR, else /tmp), which is mapped then: both passes of the
 * reader walk the same bytes, and memory stays with the page cache.  Of a
 * directory, base and len are its file "data"; the others follow as parts.
 *
 *	rpt_file_source_open(&src, path, &err);
 *	rpt_file_source_reader(&src, NULL, &reader, &err);
 *	...
 *	pd_reader_close(reader);
 *	rpt_file_source_close(&src);
 */
#ifndef RPT_FILE_SOURCE_H
#define RPT_FILE_SOURCE_H

#include "format/reader.h"
#include "report/input/dir_source.h"
#include "report/base/file_map.h"
#include "report/input/file_pages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_file_source {
	const uint8_t *base; /* len bytes; never NULL once open */
	uint64_t len;
	struct rpt_file_map *map;  /* base; NULL: it is a directory */
	bool is_piped;		   /* was copied */
	int64_t mtime_s;	   /* last change, since 1970; 0 for a pipe */
	struct rpt_dir_source dir; /* file_nr 0: it is a file */
	struct rpt_file_pages pages;
};

/* ret must stay where it is.  path "-" is stdin.  -ENOENT and the like as the
 * system call said; -ENODATA for an empty file. */
int rpt_file_source_open(struct rpt_file_source *ret, const char *path,
			 struct pd_err *err);
void rpt_file_source_close(struct rpt_file_source *src);

/* A reader over all of it, as pd_reader_open_watched(). */
int rpt_file_source_reader(const struct rpt_file_source *src,
			   const struct pd_watch *watch, struct pd_reader **ret,
			   struct pd_err *err);

/* Whether path is a file that begins as recordings do, a directory with such a
 * file "data", or a pipe; nothing else is read. */
bool rpt_is_recording(const char *path);

/* True if these bytes of a record stay where they are until the source is
 * closed. */
bool rpt_file_source_holds(const struct rpt_file_source *src,
			   const uint8_t *data);

#endif
