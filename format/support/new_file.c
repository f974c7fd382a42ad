#include "format/support/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TRIES = 1000 };

static int refuse_there(int kind, bool force, struct pd_err *err)
{
	if (kind == SUP_THERE_LINK && force) {
		pd_err_set(err, -EEXIST, "is a link, which is not replaced");
		pd_err_hint(err, "name the file that it leads to");
	} else {
		pd_err_set(err, -EEXIST, "the file is there already");
		pd_err_hint(err, "-f overwrites it");
	}
	return -EEXIST;
}

static const char *temp_name(const struct sup_new_file *file)
{
	return file->temp + (file->place.name - file->place.path);
}

enum { FD_PATH_LEN = 32 };

static void fd_path(int fd, char ret[FD_PATH_LEN])
{
	snprintf(ret, FD_PATH_LEN, "/proc/self/fd/%d", fd);
}

/* Give the file without a name that one.  Return 0 or a negative errno. */
static int link_name(const struct sup_new_file *file, const char *name)
{
	char path[FD_PATH_LEN];

	fd_path(file->nameless_fd, path);
	return linkat(AT_FDCWD, path, file->place.dir_fd, name,
		      AT_SYMLINK_FOLLOW)
		       ? -errno
		       : 0;
}

/* Create the file without a name.  Return its descriptor, or a negative errno
 * if that, or giving it a name later, is not possible here. */
static int create_nameless(struct sup_new_file *file, mode_t mode)
{
	int fd = openat(file->place.dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC,
			mode);
	char path[FD_PATH_LEN];

	if (fd < 0)
		return -errno;
	fd_path(fd, path);
	if (!access(path, F_OK))
		file->nameless_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (file->nameless_fd > 0)
		return fd;
	file->nameless_fd = 0;
	close(fd);
	return -ENOENT;
}

static int create_named(struct sup_new_file *file, mode_t mode)
{
	struct sup_place temp = file->place;

	temp.name = temp_name(file);
	return sup_place_create(&temp, mode);
}

static int link_temp(struct sup_new_file *file, mode_t mode)
{
	(void)mode;
	return link_name(file, temp_name(file));
}

/* Make the file, or its link, under another name in the same folder.  Return
 * what make() returns. */
static int make_temp(struct sup_new_file *file, mode_t mode,
		     int (*make)(struct sup_new_file *file, mode_t mode))
{
	int rc = -EEXIST;

	for (int i = 0; rc == -EEXIST && i < TRIES; i++) {
		free(file->temp);
		if (asprintf(&file->temp, "%s.%d-%d", file->place.path,
			     (int)getpid(), i) < 0) {
			file->temp = NULL;
			return -ENOMEM;
		}
		rc = make(file, mode);
	}
	if (rc < 0) {
		free(file->temp);
		file->temp = NULL;
	}
	return rc;
}

/* Create the file and return its descriptor. */
static int create(struct sup_new_file *file, mode_t mode, struct pd_err *err)
{
	int fd = create_nameless(file, mode);

	if (fd < 0)
		fd = make_temp(file, mode, create_named);
	return fd < 0 ? pd_err_set(err, fd, "%s", strerror(-fd)) : fd;
}

int sup_new_file_open(struct sup_new_file *ret, const char *path, mode_t mode,
		      bool force, struct pd_err *err)
{
	int kind, fd;

	*ret = (struct sup_new_file){ .fd = -1, .force = force };
	kind = sup_place_init(&ret->place, path, err);
	if (!kind)
		kind = sup_place_look(&ret->place, err);
	if (kind < 0)
		return kind;
	if (kind == SUP_THERE_LINK || (kind == SUP_THERE_FILE && !force))
		return refuse_there(kind, force, err);
	ret->is_stream = kind == SUP_THERE_STREAM || kind == SUP_THERE_STDOUT;
	if (kind == SUP_THERE_STREAM)
		fd = sup_place_open_stream(&ret->place, err);
	else if (kind == SUP_THERE_STDOUT)
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = create(ret, mode, err);
	if (fd == -1 && kind == SUP_THERE_STDOUT)
		fd = pd_err_set(err, -errno, "%s", strerror(errno));
	if (fd < 0)
		return fd;
	ret->fd = fd;
	return 0;
}

int sup_rename_noreplace(int from_fd, const char *from, int to_fd,
			 const char *to)
{
#ifdef RENAME_NOREPLACE
	return renameat2(from_fd, from, to_fd, to, RENAME_NOREPLACE);
#else
	/* include/uapi/linux/fs.h: RENAME_NOREPLACE */
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, 1u);
#endif
}

/* Rename without overwriting; use link(2) if the file system cannot do that. */
static int rename_new(int dir_fd, const char *from, const char *to)
{
	if (!sup_rename_noreplace(dir_fd, from, dir_fd, to))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (linkat(dir_fd, from, dir_fd, to, 0))
		return -errno;
	return unlinkat(dir_fd, from, 0) ? -errno : 0;
}

static int rename_over(struct sup_new_file *file, struct pd_err *err)
{
	int kind = sup_place_look(&file->place, err);

	if (kind < 0)
		return kind;
	if (kind != SUP_THERE_FILE && kind != SUP_THERE_NOTHING)
		return pd_err_set(err, -EEXIST, "is no regular file any more");
	return renameat(file->place.dir_fd, temp_name(file), file->place.dir_fd,
			file->place.name)
		       ? -errno
		       : 0;
}

/* Give a file that has another name its own. */
static int rename_temp(struct sup_new_file *file, struct pd_err *err)
{
	int rc = file->force ? rename_over(file, err)
			     : rename_new(file->place.dir_fd, temp_name(file),
					  file->place.name);

	if (rc)
		return rc;
	free(file->temp);
	file->temp = NULL;
	return 0;
}

int sup_new_file_name(struct sup_new_file *file, struct pd_err *err)
{
	bool is_nameless = file->nameless_fd;
	int rc = 0;

	if (is_nameless)
		rc = link_name(file, file->place.name);
	if (rc == -EEXIST && file->force)
		rc = make_temp(file, 0, link_temp);
	if (!rc && file->temp)
		rc = rename_temp(file, err);
	if (rc)
		return pd_err_set(err, rc, "%s", strerror(-rc));
	if (is_nameless)
		close(file->nameless_fd);
	file->nameless_fd = 0;
	return 0;
}

void sup_new_file_release(struct sup_new_file *file)
{
	if (!file->place.path)
		return;
	if (file->fd >= 0)
		close(file->fd);
	if (file->nameless_fd)
		close(file->nameless_fd);
	if (file->temp)
		unlinkat(file->place.dir_fd, temp_name(file), 0);
	free(file->temp);
	sup_place_release(&file->place);
	*file = (struct sup_new_file){ .fd = -1 };
}
