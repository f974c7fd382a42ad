/* rotated_files.h: name finished files FILE.YYYYMMDDhhmmsscc, as perf does, and
 * limit their number: of this recording, or in their folder.
 *
 * What a recorder left that was killed is FILE.YYYYMMDDhhmmsscc.left until it
 * is finished; the limits count it, too.
 */
#ifndef REC_ROTATED_FILES_H
#define REC_ROTATED_FILES_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Space to keep free on a file system: len bytes; with pct, that share of
 * it, len bytes at most.  Both 0: nothing. */
struct rec_keep_free {
	uint64_t len;
	unsigned pct;
};

struct rec_rotated_files {
	char **paths;  /* owned; a ring of the last max_nr if limited */
	size_t max_nr; /* 0: no limit */
	size_t nr;     /* files renamed so far */
	/* Of all files of this name in the folder; 0: no limit. */
	size_t folder_max_nr;
	uint64_t folder_max_len;
	uint64_t folder_max_age_ns; /* since the last write */
	struct rec_keep_free keep_free;
};

/* max_nr: of this recording, 0: no limit.  Return 0, or -ENOMEM. */
int rec_rotated_files_init(struct rec_rotated_files *files, size_t max_nr);

/* Rename path to path.STAMP with the local time of now, or the next hundredth
 * of a second without a file, so that nothing is overwritten.  Remove the
 * oldest of this recording if there are more than max_nr.  *ret_path is valid
 * until the next call. */
int rec_rotated_files_add(struct rec_rotated_files *files, const char *path,
			  const struct timespec *now, const char **ret_path,
			  struct pd_err *err);

/* Remove the oldest of the files named path.STAMP, of any recording, until no
 * more are left than the limits allow, and so much is free. newest is one of
 * them and stays; files with a later time, written while the clock was wrong,
 * count as old. newest NULL: by the time now; the last one stays for keep_free.
 * Return the first negative errno if a file could not be removed. */
int rec_rotated_files_bound(const struct rec_rotated_files *files,
			    const char *path, const char *newest);

/* Remove the oldest of all: the disk is full.  Return false if there is none,
 * or no limit is set: nothing says that they may go. */
bool rec_rotated_files_give_way(const struct rec_rotated_files *files,
				const char *path);

/* Return how many bytes are free to users on the file system of fd, less those
 * that are to be kept free: at least 16 MiB or a quarter of it, which ends a
 * file and begins the next.  INT64_MAX: there is no limit, or it is unknown. */
int64_t rec_rotated_files_room(const struct rec_rotated_files *files, int fd);

/* Return the length of all of them together. */
uint64_t rec_rotated_files_len(const char *path);

#define REC_LEFT_SUFFIX ".left"

/* Rename path, which was written last at that time, to path.STAMP.left.  The
 * caller frees *ret. */
int rec_rotated_files_leave(const char *path, const struct timespec *at,
			    char **ret);
/* Return the next of these names behind after (NULL: the first), which the
 * caller frees; NULL: there is none. */
char *rec_rotated_files_left(const char *path, const char *after);
/* Rename one of them to path.STAMP or, if that is taken, the next free name.
 * The caller frees *ret. */
int rec_rotated_files_adopt(const char *path, const char *left,
			    const struct timespec *at, char **ret);

void rec_rotated_files_release(struct rec_rotated_files *files);

#endif
