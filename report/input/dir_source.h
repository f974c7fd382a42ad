/* dir_source.h: maps a recording that is a directory (perf record --threads,
 * --kcore): its files one behind the other, as one span with gaps.
 *
 *	data		header, events, features, records of tasks
 *	data.0 ...	the records of one buffer each, without a header
 *	kcore_dir/	kallsyms, modules, kcore as they were
 */
#ifndef RPT_DIR_SOURCE_H
#define RPT_DIR_SOURCE_H

#include "format/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct rpt_file_map;

struct rpt_dir_file {
	char *name;   /* "data", "data.0"; owned */
	uint64_t off; /* of its first byte in the span */
	uint64_t len;
	struct rpt_file_map *map; /* NULL: it is empty */
};

struct rpt_dir_source {
	uint8_t *base; /* span_len bytes of address space */
	uint64_t span_len;
	struct rpt_dir_file *files; /* "data" first, then by number; owned */
	size_t file_nr;
	char *kallsyms; /* path of the copy; NULL: there is none.  Owned */
};

/* Map the files of the directory at path.  Return 0, -ENOENT if it has no file
 * "data", or another negative errno. */
int rpt_dir_source_open(struct rpt_dir_source *ret, const char *path,
			struct pd_err *err);
/* Unmap the files.  Safe on a zeroed struct. */
void rpt_dir_source_close(struct rpt_dir_source *dir);

/* Return the file with byte off of the span. */
const struct rpt_dir_file *rpt_dir_source_at(const struct rpt_dir_source *dir,
					     uint64_t off);

/* Return that file's name, and make *off an offset in it.  Return NULL if dir
 * is not open. */
const char *rpt_dir_source_place(const struct rpt_dir_source *dir,
				 uint64_t *off);

#endif
