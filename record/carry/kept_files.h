/* kept_files.h: descriptors of mapped files, so that these can be read when
 * their paths are gone.
 *
 * If there are too many, those go first that can be had again by their paths:
 * of what ran when the recording began, then others, the oldest of them first.
 */
#ifndef REC_KEPT_FILES_H
#define REC_KEPT_FILES_H

#include "record/snapshot/mapped_build_id.h"

#include <stddef.h>

enum rec_kept_worth {
	REC_KEPT_OLD,  /* mapped before, and in reach by its path */
	REC_KEPT_NEW,  /* in reach by its path */
	REC_KEPT_RARE, /* in no reach: deleted, in a container */
};

struct rec_kept_file {
	int fd; /* owned */
	uint32_t maj;
	uint32_t min;
	uint64_t ino; /* 0: of a record that has the build-id */
	uint64_t ino_generation;
	uint64_t st_dev; /* by stat(2), which may have others */
	uint64_t st_ino;
	uint64_t path_hash;	/* of its record's path */
	struct rec_build_id id; /* what stands in the file */
	enum rec_kept_worth worth;
};

struct rec_kept_files {
	struct rec_kept_file *items; /* owned; the oldest first */
	size_t nr;
	size_t cap;
};

/* Return 0 or -ENOMEM. */
int rec_kept_files_init(struct rec_kept_files *files, size_t cap);
void rec_kept_files_release(struct rec_kept_files *files);

uint64_t rec_kept_path_hash(const char *path);

/* Return the descriptor, which stays the table's, or -1.  id->len 0: device,
 * inode and generation are asked for; else the file of that path and build-id,
 * or root's file with the build-id. */
int rec_kept_files_find(const struct rec_kept_files *files,
			const struct rec_mapped *mapped,
			const struct rec_build_id *id);
/* Take a file.  Return a descriptor that the caller has to close: that of
 * another one, its own if there is no place, or -1. */
int rec_kept_files_add(struct rec_kept_files *files,
		       const struct rec_kept_file *file);

#endif
