/* output_open.c: create the output file, and rename a previous one. */
#include "record/ring/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

static int hint_other(struct pd_err *err, int rc)
{
	pd_err_hint(err, "give a file that can be written with -o");
	return rc;
}

static int move_aside(struct rec_output *out, struct pd_err *err)
{
	const struct sup_place *place = &out->place;
	char *old;
	int rc = 0;

	if (asprintf(&old, "%s.old", place->name) < 0)
		return pd_err_set(err, -ENOMEM, "out of memory");
	if (renameat(place->dir_fd, place->name, place->dir_fd, old)) {
		rc = pd_err_set(err, -errno, "cannot be renamed to %s: %s", old,
				strerror(errno));
		pd_err_hint(err, "give another file with -o");
	}
	out->has_old = !rc;
	free(old);
	return rc;
}

/* Open an empty file, of a mktemp or of a container, if nobody else can read it
 * and it has no other name; -EEXIST: it must be replaced. */
static int open_empty(const struct sup_place *place)
{
	int fd = openat(place->dir_fd, place->name,
			O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -EEXIST;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_size &&
	    st.st_uid == geteuid() && st.st_nlink == 1 &&
	    !(st.st_mode & (S_IRWXG | S_IRWXO)))
		return fd;
	close(fd);
	return -EEXIST;
}

/* Rename a file or a link with this name.  Return a descriptor, or -EEXIST if
 * the name is free now. */
static int take_over(struct rec_output *out, struct pd_err *err)
{
	const struct sup_place *place = &out->place;
	int rc;

	if (!S_ISREG(place->seen.st_mode) || place->seen.st_size) {
		rc = move_aside(out, err);
		return rc == -ENOENT || !rc ? -EEXIST : rc;
	}
	rc = open_empty(place);
	if (rc >= 0)
		return rc;
	/* An empty one needs no FILE.old. */
	if (unlinkat(place->dir_fd, place->name, 0) && errno != ENOENT)
		return hint_other(
			err, pd_err_set(err, -errno, "%s", strerror(errno)));
	return -EEXIST;
}

/* Open a free name or a stream. */
static int open_once(struct rec_output *out, struct pd_err *err)
{
	int kind = sup_place_look(&out->place, err);

	if (kind == SUP_THERE_STREAM)
		return sup_place_open_stream(&out->place, err);
	if (kind == SUP_THERE_FILE || kind == SUP_THERE_LINK)
		kind = take_over(out, err);
	if (kind == -EEXIST || kind == SUP_THERE_NOTHING)
		return sup_place_create(&out->place, 0600);
	return kind == SUP_THERE_STDOUT ? -EEXIST : kind;
}

static bool is_fifo(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

/* Limit the tries: others may create the name again and again. */
static int open_file(struct rec_output *out, const char *path,
		     struct pd_err *err)
{
	int fd = sup_place_init(&out->place, path, err);

	if (!fd)
		fd = -EEXIST;
	for (int i = 0; fd == -EEXIST && i < TRIES; i++)
		fd = open_once(out, err);
	if (fd < 0)
		return hint_other(err,
				  pd_err_set(err, fd, "%s", strerror(-fd)));
	out->fd = fd;
	/* The events were configured for that kind. */
	if (is_fifo(fd) != out->is_pipe)
		return pd_err_set(err, -EAGAIN,
				  "has become another kind of file");
	return 0;
}

bool rec_output_is_pipe(const char *path)
{
	struct stat st;

	if (path)
		return !strcmp(path, "-") || sup_place_is_stdout(path) ||
		       (!stat(path, &st) && S_ISFIFO(st.st_mode));
	return is_fifo(STDOUT_FILENO);
}

static int open_stdout(struct rec_output *out, struct pd_err *err)
{
	if (isatty(STDOUT_FILENO)) {
		pd_err_set(err, -EINVAL, "a terminal takes no recording");
		pd_err_hint(err, "give a file with -o, or pipe it to another "
				 "program");
		return -EINVAL;
	}
	out->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (out->fd < 0)
		return pd_err_set(err, -errno, "stdout: %s", strerror(errno));
	return 0;
}

/* Fill out; path becomes NULL for stdout. */
static int begin(struct rec_output *out, const char **path)
{
	memset(out, 0, sizeof(*out));
	out->fd = out->place.dir_fd = out->place.seen_fd = -1;
	out->is_pipe = rec_output_is_pipe(*path);
	if (!*path)
		*path = out->is_pipe ? "-" : "perf.data";
	out->path = strdup(*path);
	out->rest = pd_hash_new();
	if (!strcmp(*path, "-") || sup_place_is_stdout(*path))
		*path = NULL;
	return out->path && out->rest
		       ? 0
		       : pd_err_set(&out->err, -ENOMEM, "out of memory");
}

/* Give the caller the error that out has. */
static int end(const struct rec_output *out, int rc, struct pd_err *err)
{
	if (rc && err && !err->code)
		*err = out->err;
	return rc;
}

int rec_output_open(struct rec_output *out, const char *path,
		    struct pd_err *err)
{
	int rc = begin(out, &path);

	if (!rc)
		rc = path ? open_file(out, path, &out->err)
			  : open_stdout(out, &out->err);
	return end(out, rc, err);
}

/* Return whether the sticky bit of the folder keeps us from renaming the file
 * in it, as far as CAP_FOWNER does not allow it. */
static bool is_anothers(const struct sup_place *place)
{
	struct stat folder;

	return geteuid() && place->seen.st_uid != geteuid() &&
	       !fstat(place->dir_fd, &folder) && (folder.st_mode & S_ISVTX) &&
	       folder.st_uid != geteuid();
}

static int check_stream(const struct sup_place *place)
{
	int mode = is_fifo(place->seen_fd) ? W_OK : R_OK | W_OK;
	char again[64];

	snprintf(again, sizeof(again), "/proc/self/fd/%d", place->seen_fd);
	return faccessat(AT_FDCWD, again, mode, AT_EACCESS) ? -errno : 0;
}

static int check_file(struct rec_output *out, const char *path,
		      struct pd_err *err)
{
	const struct sup_place *place = &out->place;
	int rc = sup_place_init(&out->place, path, err);

	if (!rc)
		rc = sup_place_look(&out->place, err);
	if (rc == SUP_THERE_STREAM)
		rc = check_stream(place);
	else if (rc >= 0 &&
		 faccessat(place->dir_fd, ".", W_OK | X_OK, AT_EACCESS))
		rc = -errno;
	else if (rc == SUP_THERE_FILE || rc == SUP_THERE_LINK)
		rc = is_anothers(place) ? -EPERM : 0;
	if (rc >= 0)
		return 0;
	return hint_other(err, pd_err_set(err, rc, "%s", strerror(-rc)));
}

int rec_output_check(struct rec_output *out, const char *path,
		     struct pd_err *err)
{
	int rc = begin(out, &path);

	if (!rc)
		rc = path ? check_file(out, path, &out->err)
			  : open_stdout(out, &out->err);
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
	return end(out, rc, err);
}

void rec_output_abandon(struct rec_output *out)
{
	const struct sup_place *place = &out->place;
	struct stat st, named;
	char *old;

	/* Do not remove a device that was named with -o, nor another file that
	 * has replaced ours. */
	if (!place->path || out->fd < 0 || fstat(out->fd, &st) ||
	    !S_ISREG(st.st_mode) ||
	    fstatat(place->dir_fd, place->name, &named, AT_SYMLINK_NOFOLLOW) ||
	    st.st_ino != named.st_ino || st.st_dev != named.st_dev)
		return;
	unlinkat(place->dir_fd, place->name, 0);
	if (!out->has_old || asprintf(&old, "%s.old", place->name) < 0)
		return;
	/* The name is free now; if this fails, FILE.old is still there. */
	(void)!renameat(place->dir_fd, old, place->dir_fd, place->name);
	free(old);
}
