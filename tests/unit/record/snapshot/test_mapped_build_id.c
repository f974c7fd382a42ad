#include "record/snapshot/mapped_build_id.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/snapshot/proc_maps.h"

/* The first executable mapping of this program that is a file; skips where the
 * kernel does not say. */
static void own_map(char path[PATH_MAX], struct rec_mapped *ret)
{
	int fd = open("/proc/self/maps", O_RDONLY);
	struct rec_map map;

	assert_true(fd >= 0);
	if (rec_map_query(fd, 0, path, PATH_MAX, &map) != 1)
		skip();
	close(fd);
	path[map.name.len] = '\0';
	*ret = (struct rec_mapped){ .pid = getpid(),
				    .start = map.start,
				    .end = map.end,
				    .ino = map.ino,
				    .maj = map.maj,
				    .min = map.min,
				    .path = path };
}

static void test_mapped_build_id__is_that_of_the_very_file(void **state)
{
	char path[PATH_MAX];
	struct rec_build_id id;
	struct rec_mapped mapped;
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY);

	(void)state;
	own_map(path, &mapped);
	assert_true(rec_mapped_build_id(proc_fd, &mapped, &id));
	/* one of that name stood there before, and had another inode */
	mapped.ino++;
	assert_false(rec_mapped_build_id(proc_fd, &mapped, &id));
	close(proc_fd);
}

/* The generation of the file, or 0 if its file system does not tell it. */
static uint32_t generation_of(const char *path)
{
	uint32_t version[2] = { 0 };
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	if (ioctl(fd, FS_IOC_GETVERSION, version))
		version[0] = 0;
	close(fd);
	return version[0];
}

/* ext4 gives the inode of a removed file to the next one. */
static void test_mapped_build_id__of_that_generation(void **state)
{
	const struct rec_build_id any = { .len = 0 };
	char path[] = "generation-XXXXXX";
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY), fd = mkstemp(path);
	struct rec_mapped mapped = { .path = path };
	struct stat st;
	uint32_t generation;

	(void)state;
	assert_true(fd >= 0 && !fstat(fd, &st));
	close(fd);
	generation = generation_of(path);
	mapped.ino = st.st_ino;
	mapped.maj = major(st.st_dev);
	mapped.min = minor(st.st_dev);
	for (unsigned i = 0; i < 3; i++) { /* not known, it, another */
		mapped.ino_generation = i ? generation + i - 1 : 0;
		fd = rec_mapped_open(proc_fd, &mapped, &any);
		assert_true(generation && i == 2 ? fd == -ENOENT : fd >= 0);
		if (fd >= 0)
			close(fd);
	}
	unlink(path);
	close(proc_fd);
	if (!generation)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_mapped_build_id__is_that_of_the_very_file),
		cmocka_unit_test(test_mapped_build_id__of_that_generation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
