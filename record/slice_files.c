#include "record/slice_files.h"

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
#include <unistd.h>

enum {
	HUNDREDTH_NS = 10000000,
	TRIES = 1000,	/* ten seconds' worth of names */
	STAMP_LEN = 16, /* digits, as stamped() makes them */
};

int rec_slice_files_init(struct rec_slice_files *files, size_t max_nr)
{
	*files = (struct rec_slice_files){ .max_nr = max_nr };
	/* The last one at least, for ret_path. */
	files->paths = calloc(max_nr ? max_nr : 1, sizeof(*files->paths));
	return files->paths ? 0 : -ENOMEM;
}

static int stamped(char **ret, const char *path, const struct timespec *at)
{
	struct tm tm;
	char date[32];

	if (!localtime_r(&at->tv_sec, &tm) ||
	    !strftime(date, sizeof(date), "%Y%m%d%H%M%S", &tm))
		return -EINVAL;
	if (asprintf(ret, "%s.%s%02ld", path, date,
		     at->tv_nsec / HUNDREDTH_NS) < 0)
		return -ENOMEM;
	return 0;
}

/* Without overwriting: by link(2) where the file system cannot say so of a
 * rename, and with a look first where it has no links either. */
static int rename_new(const char *from, const char *to)
{
	struct stat st;

	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
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

/* The next name that is free; the caller frees it. */
static int rename_free(const char *path, struct timespec at, char **ret)
{
	int code = -EEXIST;

	for (int i = 0; code == -EEXIST && i < TRIES; i++) {
		code = stamped(ret, path, &at);
		if (!code)
			code = rename_new(path, *ret);
		if (code) {
			free(*ret);
			*ret = NULL;
		}
		at.tv_nsec += HUNDREDTH_NS;
		if (at.tv_nsec >= 1000000000) {
			at.tv_nsec -= 1000000000;
			at.tv_sec++;
		}
	}
	return code;
}

int rec_slice_files_add(struct rec_slice_files *files, const char *path,
			const struct timespec *now, const char **ret_path,
			struct pd_err *err)
{
	size_t slot = files->max_nr ? files->nr % files->max_nr : 0;
	char *name = NULL;
	int code = rename_free(path, *now, &name);

	if (code)
		return pd_err_set(err, code, "cannot be renamed: %s",
				  strerror(-code));
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

/* base.STAMP */
static bool is_stamped(const char *name, const char *base)
{
	size_t len = strlen(base);

	if (strncmp(name, base, len) != 0 || name[len] != '.')
		return false;
	name += len + 1;
	for (len = 0; isdigit((unsigned char)name[len]); len++)
		;
	return len == STAMP_LEN && !name[len];
}

/* By the time of the last write: local time goes back in autumn. */
static bool is_older(const struct timespec *a, const char *a_name,
		     const struct timespec *b, const char *b_name)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec;
	if (a->tv_nsec != b->tv_nsec)
		return a->tv_nsec < b->tv_nsec;
	return strcmp(a_name, b_name) < 0;
}

/* How many there are; the oldest but for newest in *ret, "" where it is the
 * only one. */
static size_t find_oldest(DIR *dir, const char *base, const char *newest,
			  char ret[NAME_MAX + 1])
{
	struct timespec oldest = { 0 };
	const struct dirent *entry;
	size_t nr = 0;

	*ret = '\0';
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		struct stat st;

		if (!is_stamped(entry->d_name, base) ||
		    fstatat(dirfd(dir), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		nr++;
		if (!strcmp(entry->d_name, newest) ||
		    (*ret &&
		     !is_older(&st.st_mtim, entry->d_name, &oldest, ret)))
			continue;
		memcpy(ret, entry->d_name, strlen(entry->d_name) + 1);
		oldest = st.st_mtim;
	}
	return nr;
}

int rec_slice_files_bound(const struct rec_slice_files *files, const char *path,
			  const char *newest)
{
	char oldest[NAME_MAX + 1];
	DIR *dir = files->folder_max_nr ? open_folder(path) : NULL;
	int code = 0;

	if (!files->folder_max_nr)
		return 0;
	if (!dir)
		return -errno;
	while (!code &&
	       find_oldest(dir, base_of(path), base_of(newest), oldest) >
		       files->folder_max_nr &&
	       *oldest)
		code = unlinkat(dirfd(dir), oldest, 0) ? -errno : 0;
	closedir(dir);
	return code;
}

void rec_slice_files_release(struct rec_slice_files *files)
{
	for (size_t i = 0;
	     files->paths && i < (files->max_nr ? files->max_nr : 1); i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct rec_slice_files){ 0 };
}
