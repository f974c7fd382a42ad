#include "format/support/out_place.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Open the folder of the path: its first len bytes. */
static int open_folder(const char *path, size_t len)
{
	char *folder = len ? strndup(path, len) : strdup(".");
	int fd = -1;

	if (!folder)
		return -ENOMEM;
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return fd < 0 ? -errno : fd;
}

int sup_place_init(struct sup_place *ret, const char *path, struct pd_err *err)
{
	const char *slash;
	int fd;

	*ret = (struct sup_place){ .dir_fd = -1, .seen_fd = -1 };
	ret->path = strdup(path);
	if (!ret->path)
		return pd_err_set(err, -ENOMEM, "out of memory");
	slash = strrchr(ret->path, '/');
	ret->name = slash ? slash + 1 : ret->path;
	if (!*ret->name)
		return pd_err_set(err, *path ? -EISDIR : -ENOENT, "%s",
				  strerror(*path ? EISDIR : ENOENT));
	fd = open_folder(ret->path, (size_t)(ret->name - ret->path));
	if (fd < 0)
		return pd_err_set(err, fd, "%s", strerror(-fd));
	ret->dir_fd = fd;
	return 0;
}

static void forget(struct sup_place *place)
{
	if (place->seen_fd >= 0)
		close(place->seen_fd);
	place->seen_fd = -1;
}

void sup_place_release(struct sup_place *place)
{
	if (!place->path)
		return;
	forget(place);
	if (place->dir_fd >= 0)
		close(place->dir_fd);
	free(place->path);
	*place = (struct sup_place){ .dir_fd = -1, .seen_fd = -1 };
}

static bool is_trusted(const struct stat *link)
{
	return !link->st_uid || link->st_uid == geteuid();
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_stdout(const struct stat *st)
{
	struct stat out;

	return !fstat(STDOUT_FILENO, &out) && is_same(st, &out);
}

/* Open what the link that was looked at leads to; return -1 if it leads
 * nowhere. */
static int follow(const struct sup_place *place, int link_fd)
{
	char to[PATH_MAX];
	ssize_t len = readlinkat(link_fd, "", to, sizeof(to) - 1);

	if (len <= 0)
		return -1;
	to[len] = '\0';
	return openat(place->dir_fd, to, O_PATH | O_CLOEXEC);
}

static int refuse(int rc, const char *text, struct pd_err *err)
{
	pd_err_set(err, rc, "%s", text);
	pd_err_hint(err, "name a file, a FIFO or a character device");
	return rc;
}

/* Return what fd, which is no link, is; close fd or keep it in place. */
static int kind_of(struct sup_place *place, int fd, const struct stat *st,
		   struct pd_err *err)
{
	if (S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode)) {
		place->seen_fd = fd;
		return SUP_THERE_STREAM;
	}
	close(fd);
	if (S_ISREG(st->st_mode))
		return SUP_THERE_FILE;
	if (S_ISDIR(st->st_mode))
		return pd_err_set(err, -EISDIR, "%s", strerror(EISDIR));
	return refuse(-ENOTSUP,
		      S_ISBLK(st->st_mode)
			      ? "is a block device, which would lose what it "
				"holds"
			      : "is a socket",
		      err);
}

static int look_behind(struct sup_place *place, int link_fd, struct pd_err *err)
{
	struct stat st;
	int fd, kind;

	if (!is_trusted(&place->seen))
		return SUP_THERE_LINK;
	fd = follow(place, link_fd);
	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return SUP_THERE_LINK;
	}
	if (is_stdout(&st)) {
		close(fd);
		return SUP_THERE_STDOUT;
	}
	kind = kind_of(place, fd, &st, err);
	return kind == SUP_THERE_FILE ? SUP_THERE_LINK : kind;
}

int sup_place_look(struct sup_place *place, struct pd_err *err)
{
	int kind, fd;

	assert(place->name);
	forget(place);
	fd = openat(place->dir_fd, place->name,
		    O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return SUP_THERE_NOTHING;
	if (fd < 0 || fstat(fd, &place->seen)) {
		kind = pd_err_set(err, -errno, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return kind;
	}
	if (!S_ISLNK(place->seen.st_mode))
		return kind_of(place, fd, &place->seen, err);
	kind = look_behind(place, fd, err);
	close(fd);
	return kind;
}

bool sup_place_is_stdout(const char *path)
{
	struct sup_place place;
	bool found = !sup_place_init(&place, path, NULL) &&
		     sup_place_look(&place, NULL) == SUP_THERE_STDOUT;

	sup_place_release(&place);
	return found;
}

int sup_place_open_stream(struct sup_place *place, struct pd_err *err)
{
	char again[64];
	struct stat st;
	bool is_fifo;
	int fd;

	is_fifo = !fstat(place->seen_fd, &st) && S_ISFIFO(st.st_mode);
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place->seen_fd);
	fd = open(again, is_fifo ? O_WRONLY | O_NONBLOCK | O_CLOEXEC
				 : O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && is_fifo && errno == ENXIO) {
		pd_err_set(err, -ENXIO, "nobody reads this FIFO");
		pd_err_hint(err, "start what reads it first");
		return -ENXIO;
	}
	if (fd < 0)
		return pd_err_set(err, -errno, "%s", strerror(errno));
	if (is_fifo)
		(void)fcntl(fd, F_SETFL, O_WRONLY);
	return fd;
}

/* Open it as it was looked at: a link that is there by now is not followed. */
static int open_named(const struct sup_place *place, int kind, bool append)
{
	const bool is_link =
		kind != SUP_THERE_NOTHING && S_ISLNK(place->seen.st_mode);

	assert(place->name);
	if (kind == SUP_THERE_LINK && !is_trusted(&place->seen)) {
		errno = ELOOP;
		return -1;
	}
	return openat(place->dir_fd, place->name,
		      O_WRONLY | O_CREAT | O_CLOEXEC |
			      (append ? O_APPEND : O_TRUNC) |
			      (is_link ? 0 : O_NOFOLLOW),
		      0666);
}

FILE *sup_place_fopen(const char *path, bool append, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	struct sup_place place;
	FILE *file = NULL;
	int rc = sup_place_init(&place, path, &why), fd;

	if (!rc)
		rc = sup_place_look(&place, &why);
	if (rc >= 0) {
		fd = open_named(&place, rc, append);
		file = fd < 0 ? NULL : fdopen(fd, append ? "a" : "w");
		if (!file)
			pd_err_set(&why, -errno, "%s",
				   errno == ELOOP ? "is a link of another user"
						  : strerror(errno));
	}
	if (!file) {
		pd_err_set(err, why.code, "%s: %s", path, why.text);
		pd_err_hint(err, "%s", why.hint);
	}
	sup_place_release(&place);
	return file;
}

int sup_place_create(const struct sup_place *place, mode_t mode)
{
	int fd = openat(place->dir_fd, place->name,
			O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC,
			mode);

	return fd < 0 ? -errno : fd;
}
