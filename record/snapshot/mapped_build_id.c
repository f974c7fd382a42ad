#include "record/snapshot/mapped_build_id.h"

#include "format/symtab/perf_map_line.h"
#include "record/base/runtime.h"
#include "record/snapshot/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#ifndef BTRFS_SUPER_MAGIC
#define BTRFS_SUPER_MAGIC 0x9123683E
#endif

/* Room for /proc/PID/... before a path. */
enum { PROC_PATH_MAX = PATH_MAX + 64 };

/* Return true if stat(2) and the kernel's records have different devices. */
static bool has_two_devices(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	return (uint32_t)fs.f_type == OVERLAYFS_SUPER_MAGIC ||
	       (uint32_t)fs.f_type == BTRFS_SUPER_MAGIC;
}

enum { SETTLED_S = 3600 };

static bool is_it(int fd, const struct rec_mapped *mapped)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	if (!mapped->ino)
		return true;
	if (st.st_ino != mapped->ino)
		return false;
	return (major(st.st_dev) == mapped->maj &&
		minor(st.st_dev) == mapped->min) ||
	       has_two_devices(fd);
}

/* Return whether the file system knows the generation of the inode, and it is
 * another one than the record's.  The kernel writes 32 bits. */
static bool is_other_generation(int fd, const struct rec_mapped *mapped)
{
	uint32_t version[2];

	return mapped->ino_generation &&
	       !rec_ioctl(fd, FS_IOC_GETVERSION, version) &&
	       version[0] != (uint32_t)mapped->ino_generation;
}

/* Open with O_PATH first: the path may name a device or a FIFO now, on which
 * open() has effects.  Return a negative errno if it is not the file. */
static int open_file(int dir_fd, const char *path,
		     const struct rec_mapped *mapped)
{
	int place = openat(dir_fd, path, O_PATH | O_CLOEXEC);
	char self[64];
	int fd = -ENOENT;

	if (place < 0)
		return -errno;
	if (is_it(place, mapped)) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			fd = -errno;
	}
	close(place);
	if (fd < 0 || !is_other_generation(fd, mapped))
		return fd;
	close(fd);
	return -ENOENT;
}

/* Call check for each file that may be the one, until it returns true.
 * is_checked: it tells files apart that the inode does not.  If none is,
 * *ret_rc is set to why: it is not here, or what kept this program from it.
 * Errors of map_files and exe do not count, as a file that they alone would
 * have is gone: unless it never stood anywhere. */
static bool try_files(int proc_fd, const struct rec_mapped *mapped,
		      bool is_checked, bool (*check)(int fd, void *ctx),
		      void *ctx, int *ret_rc)
{
	const struct pd_str name = { mapped->path, strlen(mapped->path) };
	const bool is_unlinked = pd_is_unlinked(name);
	char path[PROC_PATH_MAX];
	bool is_found = false;

	*ret_rc = -ENOENT;
	for (int i = mapped->pid > 0 ? 0 : 3; i < 4 && !is_found; i++) {
		int fd;

		if (i == 0)
			snprintf(path, sizeof(path),
				 "%d/map_files/%" PRIx64 "-%" PRIx64,
				 (int)mapped->pid, mapped->start, mapped->end);
		else if (i == 1)
			snprintf(path, sizeof(path), "%d/root%s",
				 (int)mapped->pid, mapped->path);
		else if (i == 2 && !mapped->ino && !is_checked)
			continue;
		else
			snprintf(path, sizeof(path), "%d/exe",
				 (int)mapped->pid);
		fd = i < 3 ? open_file(proc_fd, path, mapped)
			   : open_file(AT_FDCWD, mapped->path, mapped);
		if ((i % 2 || is_unlinked) && fd < 0 && fd != -ENOENT &&
		    fd != -ENOTDIR && fd != -ESRCH)
			*ret_rc = fd;
		if (fd < 0)
			continue;
		is_found = check(fd, ctx);
		close(fd);
	}
	return is_found;
}

static bool read_build_id(int fd, void *ctx)
{
	struct rec_build_id *ret = ctx;

	if (!rec_elf_build_id(fd, ret))
		ret->len = 0;
	return true;
}

bool rec_is_roots(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !st.st_uid;
}

struct wanted {
	const struct rec_build_id *id;
	int fd;
	bool is_by_id; /* nothing else is known of it */
	bool is_other; /* a file with another build-id was found */
};

static bool keep_if_wanted(int fd, void *ctx)
{
	struct wanted *wanted = ctx;
	struct rec_build_id id = { 0 };

	if (wanted->id->len &&
	    (!rec_elf_build_id(fd, &id) || id.len != wanted->id->len ||
	     memcmp(id.bytes, wanted->id->bytes, id.len) != 0)) {
		wanted->is_other = true;
		return false;
	}
	if (wanted->is_by_id && !rec_is_roots(fd)) {
		if (wanted->fd < 0)
			wanted->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		return false;
	}
	if (wanted->fd >= 0)
		close(wanted->fd);
	wanted->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return wanted->fd >= 0;
}

int rec_mapped_open(int proc_fd, const struct rec_mapped *mapped,
		    const struct rec_build_id *id)
{
	struct wanted wanted = { .id = id,
				 .fd = -1,
				 .is_by_id = id->len && !mapped->ino };
	int rc;

	try_files(proc_fd, mapped, id->len > 0, keep_if_wanted, &wanted, &rc);
	if (wanted.fd >= 0)
		return wanted.fd;
	return rc == -ENOENT && wanted.is_other ? -ESTALE : rc;
}

/* Return true if the mapping there is still that of the record. */
static bool is_still_there(const struct rec_map *map, const char *name,
			   const struct rec_mapped *mapped)
{
	size_t len = strlen(mapped->path);

	if (map->start > mapped->start || map->end <= mapped->start)
		return false;
	if (map->maj == mapped->maj && map->min == mapped->min)
		return map->ino == mapped->ino;
	/* overlay: its own device and inode, or the lower layer's */
	return map->name.len == len && !memcmp(name, mapped->path, len);
}

static bool ask_kernel(int proc_fd, const struct rec_mapped *mapped,
		       struct rec_build_id *ret)
{
	char name[PATH_MAX + 16], path[32];
	struct rec_map map;
	bool found = false;
	int fd;

	snprintf(path, sizeof(path), "%d/maps", (int)mapped->pid);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (rec_map_query(fd, mapped->start, name, sizeof(name), &map) == 1 &&
	    is_still_there(&map, name, mapped)) {
		ret->len = (uint8_t)rec_map_query_build_id(fd, mapped->start,
							   ret->bytes);
		found = ret->len > 0;
	}
	close(fd);
	return found;
}

bool rec_mapped_build_id(int proc_fd, const struct rec_mapped *mapped,
			 struct rec_build_id *ret)
{
	int rc;

	*ret = (struct rec_build_id){ 0 };
	if (mapped->pid > 0 && ask_kernel(proc_fd, mapped, ret))
		return true;
	return try_files(proc_fd, mapped, false, read_build_id, ret, &rc);
}

bool rec_mapped_stands(const struct rec_mapped *mapped, struct stat *ret)
{
	int place = open(mapped->path, O_PATH | O_CLOEXEC);
	bool is_here = place >= 0 && !fstat(place, ret) && is_it(place, mapped);

	if (place >= 0)
		close(place);
	return is_here;
}

bool rec_is_settled(const struct stat *st)
{
	return !st->st_uid && st->st_nlink &&
	       time(NULL) - st->st_ctime > SETTLED_S;
}
