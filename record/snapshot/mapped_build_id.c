#include "record/snapshot/mapped_build_id.h"

#include "record/snapshot/proc_maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef BTRFS_SUPER_MAGIC
#define BTRFS_SUPER_MAGIC 0x9123683E
#endif

/* Room for /proc/PID/... in front of a path. */
enum { PROC_PATH_MAX = PATH_MAX + 64 };

/* Return whether stat(2) and the kernel's records have different devices there.
 */
static bool has_two_devices(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	return (uint32_t)fs.f_type == OVERLAYFS_SUPER_MAGIC ||
	       (uint32_t)fs.f_type == BTRFS_SUPER_MAGIC;
}

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

/* First by O_PATH: what stands there now may be a device or a FIFO, which
 * notice that they are opened. */
static bool read_file(int dir_fd, const char *path,
		      const struct rec_mapped *mapped, struct rec_build_id *ret)
{
	int place = openat(dir_fd, path, O_PATH | O_CLOEXEC);
	char self[64];
	int fd = -1;

	if (place < 0)
		return false;
	if (is_it(place, mapped)) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	close(place);
	if (fd < 0)
		return false;
	if (!rec_elf_build_id(fd, ret))
		ret->len = 0;
	close(fd);
	return true;
}

/* Return whether what is mapped there now is what the record named. */
static bool is_still_there(const struct rec_map *map, const char *name,
			   const struct rec_mapped *mapped)
{
	size_t len = strlen(mapped->path);

	if (map->start > mapped->start || map->end <= mapped->start)
		return false;
	if (map->maj == mapped->maj && map->min == mapped->min)
		return map->ino == mapped->ino;
	/* overlay: device and inode of its own, or of the layer below */
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
	char path[PROC_PATH_MAX];

	*ret = (struct rec_build_id){ 0 };
	if (mapped->pid > 0) {
		if (ask_kernel(proc_fd, mapped, ret))
			return true;
		snprintf(path, sizeof(path),
			 "%d/map_files/%" PRIx64 "-%" PRIx64, (int)mapped->pid,
			 mapped->start, mapped->end);
		if (read_file(proc_fd, path, mapped, ret))
			return true;
		snprintf(path, sizeof(path), "%d/root%s", (int)mapped->pid,
			 mapped->path);
		if (read_file(proc_fd, path, mapped, ret))
			return true;
	}
	return read_file(AT_FDCWD, mapped->path, mapped, ret);
}
