#include "record/snapshot/mapped_build_id.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_mapped_build_id__is_that_of_the_very_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
