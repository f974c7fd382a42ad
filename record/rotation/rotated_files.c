#include "record/rotation/rotated_files.h"

#include "format/support/new_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
	HUNDREDTH_NS = 10000000,
	TRIES = 1000,	/* ten seconds' worth of names */
	STAMP_LEN = 16, /* digits of stamped() */
	RESERVE_LEN = 16 << 20,
	RESERVE_SHARE = 4,
};

int rec_rotated_files_init(struct rec_rotated_files *files, size_t max_nr)
{
	*files = (struct rec_rotated_files){ .max_nr = max_nr };
	/* At least one, for ret_path. */
	files->paths = calloc(max_nr ? max_nr : 1, sizeof(*files->paths));
	return files->paths ? 0 : -ENOMEM;
}

static int stamped(char **ret, const char *path, const struct timespec *at,
		   const char *suffix)
{
	struct tm tm;
	char date[32];

	if (!localtime_r(&at->tv_sec, &tm) ||
	    !strftime(date, sizeof(date), "%Y%m%d%H%M%S", &tm))
		return -EINVAL;
	if (asprintf(ret, "%s.%s%02ld%s", path, date,
		     at->tv_nsec / HUNDREDTH_NS, suffix) < 0)
		return -ENOMEM;
	return 0;
}

/* Rename without overwriting: by link(2) if the file system cannot do so in a
 * rename, and with a check first if it has no links either. */
static int rename_new(const char *from, const char *to)
{
	struct stat st;

	if (!sup_rename_noreplace(AT_FDCWD, from, AT_FDCWD, to))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (!link(from, to))
		return unlink(from) ? -errno : 0;
	if (errno == EEXIST)
		return -EEXIST;
	if (!lstat(to, &st))
		return -EEXIST;
	return rename(from, to) ? -errno : 0;
}

/* Rename from to path.STAMP with the suffix, or the next free name; the caller
 * frees *ret. */
static int rename_free(const char *from, const char *path, struct timespec at,
		       const char *suffix, char **ret)
{
	int rc = -EEXIST;

	for (int i = 0; rc == -EEXIST && i < TRIES; i++) {
		rc = stamped(ret, path, &at, suffix);
		if (!rc)
			rc = rename_new(from, *ret);
		if (rc) {
			free(*ret);
			*ret = NULL;
		}
		at.tv_nsec += HUNDREDTH_NS;
		if (at.tv_nsec >= 1000000000) {
			at.tv_nsec -= 1000000000;
			at.tv_sec++;
		}
	}
	return rc;
}

int rec_rotated_files_add(struct rec_rotated_files *files, const char *path,
			  const struct timespec *now, const char **ret_path,
			  struct pd_err *err)
{
	size_t slot = files->max_nr ? files->nr % files->max_nr : 0;
	char *name = NULL;
	int rc = rename_free(path, path, *now, "", &name);

	if (rc)
		return pd_err_set(err, rc, "cannot be renamed: %s",
				  strerror(-rc));
	if (files->max_nr && files->paths[slot])
		unlink(files->paths[slot]);
	free(files->paths[slot]);
	files->paths[slot] = name;
	files->nr++;
	*ret_path = name;
	return 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static DIR *open_folder(const char *path)
{
	size_t len = (size_t)(base_of(path) - path);
	char *folder = len ? strndup(path, len) : strdup(".");
	DIR *dir = folder ? opendir(folder) : NULL;

	free(folder);
	return dir;
}

/* True if name is base.STAMP with the suffix. */
static bool is_stamped(const char *name, const char *base, const char *suffix)
{
	size_t len = strlen(base);

	if (strncmp(name, base, len) != 0 || name[len] != '.')
		return false;
	name += len + 1;
	for (len = 0; isdigit((unsigned char)name[len]); len++)
		;
	return len == STAMP_LEN && !strcmp(name + len, suffix);
}

/* A finished file; without a name: none. */
struct finished {
	char name[NAME_MAX + 1];
	uint64_t len;
	uint64_t freed_len; /* on the disk, if it is removed */
	struct timespec mtim;
	bool is_ahead; /* later than the newest: the clock was wrong */
};

/* Compare times of the last write: local time goes back in autumn. */
static int compare_times(const struct timespec *a, const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

static bool is_older(const struct finished *a, const struct finished *b)
{
	int order = compare_times(&a->mtim, &b->mtim);

	if (a->is_ahead != b->is_ahead)
		return a->is_ahead;
	return order ? order < 0 : strcmp(a->name, b->name) < 0;
}

/* Return false if it is no finished file of that base. */
static bool look_at(DIR *dir, const char *name, const char *base,
		    struct finished *ret)
{
	struct stat st;

	if (!(is_stamped(name, base, "") ||
	      is_stamped(name, base, REC_LEFT_SUFFIX)) ||
	    strlen(name) > NAME_MAX ||
	    fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return false;
	memcpy(ret->name, name, strlen(name) + 1);
	ret->len = (uint64_t)st.st_size;
	ret->freed_len = st.st_nlink > 1 ? 0 : (uint64_t)st.st_blocks * 512;
	ret->mtim = st.st_mtim;
	ret->is_ahead = false;
	return true;
}

/* All finished files. */
struct finished_sum {
	size_t nr;
	uint64_t len;
};

/* Add them up; set *ret to the oldest after this one except newest. */
static struct finished_sum find_oldest(DIR *dir, const char *base,
				       const struct finished *newest,
				       const struct finished *after,
				       struct finished *ret)
{
	const struct dirent *entry;
	struct finished_sum sum = { 0 };

	ret->name[0] = '\0';
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		struct finished file;

		if (!look_at(dir, entry->d_name, base, &file))
			continue;
		sum.nr++;
		sum.len += file.len;
		file.is_ahead = compare_times(&file.mtim, &newest->mtim) > 0;
		if (strcmp(file.name, newest->name) != 0 &&
		    (!after->name[0] || is_older(after, &file)) &&
		    (!ret->name[0] || is_older(&file, ret)))
			*ret = file;
	}
	return sum;
}

static uint64_t age_ns(const struct finished *file,
		       const struct finished *newest)
{
	int64_t s = newest->mtim.tv_sec - file->mtim.tv_sec;
	int64_t ns = newest->mtim.tv_nsec - file->mtim.tv_nsec;

	if (compare_times(&file->mtim, &newest->mtim) >= 0)
		return 0;
	return (uint64_t)s * 1000000000 + (uint64_t)ns;
}

/* True if there is a limit for the folder. */
static bool is_bound(const struct rec_rotated_files *files)
{
	return files->folder_max_nr || files->folder_max_len ||
	       files->folder_max_age_ns || files->keep_free.len;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int64_t rec_rotated_files_room(const struct rec_rotated_files *files, int fd)
{
	const struct rec_keep_free *keep = &files->keep_free;
	uint64_t all_len, keep_len = keep->len, reserve_len;
	struct statvfs fs;

	if (!is_bound(files) || fstatvfs(fd, &fs))
		return INT64_MAX;
	all_len = (uint64_t)fs.f_blocks * fs.f_frsize;
	if (keep->pct)
		keep_len = least(keep_len, all_len / 100 * keep->pct);
	reserve_len = least(RESERVE_LEN, all_len / RESERVE_SHARE);
	if (keep_len < reserve_len)
		keep_len = reserve_len;
	return (int64_t)((uint64_t)fs.f_bavail * fs.f_frsize - keep_len);
}

/* True if the oldest is one too many; room_len: what is free beside what is to
 * be kept free. */
static bool is_beyond(const struct rec_rotated_files *files,
		      const struct finished_sum *sum, int64_t room_len,
		      const struct finished *oldest,
		      const struct finished *newest)
{
	return (room_len < 0 && sum->nr > 1) ||
	       (files->folder_max_nr && sum->nr > files->folder_max_nr) ||
	       (files->folder_max_len && sum->len > files->folder_max_len) ||
	       (files->folder_max_age_ns &&
		age_ns(oldest, newest) > files->folder_max_age_ns);
}

/* Remove until few enough are left; what cannot be removed counts, too. */
static int remove_oldest(const struct rec_rotated_files *files, DIR *dir,
			 const char *base, const char *newest_name)
{
	struct finished newest = { .name = "" }, oldest, after = newest;
	int64_t room_len = rec_rotated_files_room(files, dirfd(dir));
	struct finished_sum sum;
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &newest.mtim);
	if (newest_name && !look_at(dir, newest_name, base, &newest))
		return -ENOENT;
	while (sum = find_oldest(dir, base, &newest, &after, &oldest),
	       oldest.name[0]) {
		bool is_bad =
			is_beyond(files, &sum, room_len, &oldest, &newest);

		/* A file with a time in the future has no age, but one behind
		 * it may have. */
		if (!is_bad && !oldest.is_ahead)
			break;
		if (!is_bad)
			;
		else if (!unlinkat(dirfd(dir), oldest.name, 0))
			/* The file system may do it a little later. */
			room_len += (int64_t)oldest.freed_len;
		else if (errno != ENOENT && !rc)
			rc = -errno;
		after = oldest;
	}
	return rc;
}

int rec_rotated_files_bound(const struct rec_rotated_files *files,
			    const char *path, const char *newest)
{
	DIR *dir = is_bound(files) ? open_folder(path) : NULL;
	int rc;

	if (!is_bound(files))
		return 0;
	if (!dir)
		return -errno;
	rc = remove_oldest(files, dir, base_of(path),
			   newest ? base_of(newest) : NULL);
	closedir(dir);
	return rc;
}

bool rec_rotated_files_give_way(const struct rec_rotated_files *files,
				const char *path)
{
	struct finished now = { .name = "" }, none = now, oldest;
	DIR *dir = is_bound(files) ? open_folder(path) : NULL;
	bool is_gone;

	if (!dir)
		return false;
	clock_gettime(CLOCK_REALTIME, &now.mtim);
	find_oldest(dir, base_of(path), &now, &none, &oldest);
	is_gone = oldest.name[0] && !unlinkat(dirfd(dir), oldest.name, 0);
	closedir(dir);
	return is_gone;
}

uint64_t rec_rotated_files_len(const char *path)
{
	struct finished none = { .name = "" }, oldest;
	struct finished_sum sum = { 0 };
	DIR *dir = open_folder(path);

	if (!dir)
		return 0;
	sum = find_oldest(dir, base_of(path), &none, &none, &oldest);
	closedir(dir);
	return sum.len;
}

int rec_rotated_files_leave(const char *path, const struct timespec *at,
			    char **ret)
{
	return rename_free(path, path, *at, REC_LEFT_SUFFIX, ret);
}

/* Return the folder's part of path with that name behind it. */
static char *beside(const char *path, const char *name)
{
	char *ret;

	if (asprintf(&ret, "%.*s%s", (int)(base_of(path) - path), path, name) <
	    0)
		return NULL;
	return ret;
}

char *rec_rotated_files_left(const char *path, const char *after)
{
	DIR *dir = open_folder(path);
	char first[NAME_MAX + 1] = "";
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_stamped(entry->d_name, base_of(path), REC_LEFT_SUFFIX) &&
		    (!after || strcmp(entry->d_name, base_of(after)) > 0) &&
		    (!*first || strcmp(entry->d_name, first) < 0))
			snprintf(first, sizeof(first), "%s", entry->d_name);
	if (dir)
		closedir(dir);
	return *first ? beside(path, first) : NULL;
}

int rec_rotated_files_adopt(const char *path, const char *left,
			    const struct timespec *at, char **ret)
{
	size_t len = strlen(left) - strlen(REC_LEFT_SUFFIX);
	int rc;

	*ret = strndup(left, len);
	if (!*ret)
		return -ENOMEM;
	rc = rename_new(left, *ret);
	if (!rc)
		return 0;
	free(*ret);
	*ret = NULL;
	return rc == -EEXIST ? rename_free(left, path, *at, "", ret) : rc;
}

void rec_rotated_files_release(struct rec_rotated_files *files)
{
	for (size_t i = 0;
	     files->paths && i < (files->max_nr ? files->max_nr : 1); i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct rec_rotated_files){ 0 };
}
