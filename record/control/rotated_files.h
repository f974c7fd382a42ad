/* rotated_files.h: the names of finished files: FILE.YYYYMMDDhhmmsscc, by
 * perf's rule, and how many of them stay: of this recording, or in their
 * folder.
 */
#ifndef REC_ROTATED_FILES_H
#define REC_ROTATED_FILES_H

#include "format/err.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct rec_rotated_files {
	char **paths;  /* owned; a circle of the last max_nr, where bounded */
	size_t max_nr; /* 0: all stay */
	size_t nr;     /* files renamed so far */
	size_t folder_max_nr; /* of this name in the folder; 0: all stay */
};

/* max_nr: of this recording, 0 for all.  -ENOMEM */
int rec_rotated_files_init(struct rec_rotated_files *files, size_t max_nr);

/* path becomes path.STAMP with the local time of now, or the next hundredth of
 * a second that no file has: nothing is overwritten.  Removes the oldest of
 * this recording where there are more than max_nr.  *ret_path is valid until
 * the next call. */
int rec_rotated_files_add(struct rec_rotated_files *files, const char *path,
			  const struct timespec *now, const char **ret_path,
			  struct pd_err *err);

/* Remove the oldest of the files that are named path.STAMP, whoever made them,
 * until no more than folder_max_nr are left.  newest, which is one of them,
 * stays; one that was written after it, by a clock that was wrong, counts as
 * old.  A negative errno: one that was to go stays, the first of them. */
int rec_rotated_files_bound(const struct rec_rotated_files *files,
			    const char *path, const char *newest);

void rec_rotated_files_release(struct rec_rotated_files *files);

#endif
