#include "record/slice_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HUNDREDTH_NS = 10000000,
	TRIES = 1000, /* ten seconds' worth of names */
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

void rec_slice_files_release(struct rec_slice_files *files)
{
	for (size_t i = 0;
	     files->paths && i < (files->max_nr ? files->max_nr : 1); i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct rec_slice_files){ 0 };
}
