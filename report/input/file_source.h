/* file_source.h: the bytes of a recording as one span, wherever it comes from.
 *
 * A regular file is mapped.  A pipe or "-" is copied into an unlinked temporary
 * file first (TMPDIR, else /tmp), which is mapped then: both passes of the
 * reader walk the same bytes, and memory stays with the page cache.  What is
 * packed (unpack.h) becomes such a file, too.  Of a directory, base and len are
 * its file "data"; the others follow as parts.
 *
 * Pages of a long recording are unmapped once they were read, so that it takes
 * only a few MiB of memory for each thread.  Mapping them again for the second
 * pass costs less than their memory would.
 *
 *	rpt_file_source_open(&src, path, &err);
 *	rpt_file_source_reader(&src, NULL, &reader, &err);
 *	...
 *	pd_reader_close(reader);
 *	rpt_file_source_close(&src);
 */
#ifndef RPT_FILE_SOURCE_H
#define RPT_FILE_SOURCE_H

#include "format/reader/reader.h"
#include "report/base/file_map.h"
#include "report/input/dir_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rpt_file_source {
	const uint8_t *base; /* len bytes; never NULL once open */
	uint64_t len;
	struct rpt_file_map *map;  /* base; NULL: a directory, or memory */
	bool is_piped;		   /* it was copied from a pipe */
	uid_t user;		   /* whose it is; SUP_ANYBODY: a pipe's */
	int64_t mtime_s;	   /* last change, since 1970; 0 for a pipe */
	struct rpt_dir_source dir; /* file_nr 0: it is a file */
	struct pd_read_progress
		progress; /* gives back pages; its ctx is this */
};

/* Open the file or directory at path; "-" is stdin.  ret must stay where it is.
 * Return 0, -ENODATA for an empty file, or the errno of a system call. */
int rpt_file_source_open(struct rpt_file_source *ret, const char *path,
			 struct pd_err *err);
/* Take a recording that is in memory, len bytes at base, which are borrowed. */
void rpt_file_source_memory(struct rpt_file_source *ret, const uint8_t *base,
			    uint64_t len);
/* Unmap it.  Safe on a zeroed struct. */
void rpt_file_source_close(struct rpt_file_source *src);

/* Open a reader over all of it, as pd_reader_open() does. */
int rpt_file_source_reader(const struct rpt_file_source *src,
			   const struct pd_watch *watch, struct pd_reader **ret,
			   struct pd_err *err);

/* Return true if the bytes at data are the file's: they stay where they are
 * until the source is closed. */
bool rpt_file_source_holds(const struct rpt_file_source *src,
			   const uint8_t *data);

/* Return true if path is a file that begins as recordings do, or as packed
 * files do, a directory with such a file "data", or a pipe, which is not read.
 */
bool rpt_is_recording(const char *path);

/* Return true if a and b are the same file, by whatever name or link, or have
 * the same bytes; of directories, their files "data".  False if one of them
 * cannot be read, or is no regular file. */
bool rpt_is_same_recording(const char *a, const char *b);

#endif
