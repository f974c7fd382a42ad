#include "record/names/perf_map_place.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

struct folder {
	char path[64];
	struct rec_perf_map_place place;
};

static int make_folder(void **state)
{
	static struct folder f;

	f = (struct folder){ .path = "/tmp/perf_map_place.XXXXXX" };
	assert_non_null(mkdtemp(f.path));
	f.place = (struct rec_perf_map_place){
		.tmp_fd = open(f.path, O_PATH | O_DIRECTORY),
		.pid = 7,
		.user = geteuid(),
	};
	*state = &f;
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *f = *state;

	unlinkat(f->place.tmp_fd, "perf-7.map", 0);
	unlinkat(f->place.tmp_fd, "other", 0);
	rec_perf_map_place_close(&f->place);
	return rmdir(f->path);
}

static void make_file(const struct folder *f, const char *name)
{
	int fd = openat(f->place.tmp_fd, name, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void write_to(const struct folder *f, const char *name)
{
	int fd = openat(f->place.tmp_fd, name, O_WRONLY);

	assert_int_equal(write(fd, "1 1 x\n", 6), 6);
	close(fd);
}

static void test_perf_map_place__own_file_counts(void **state)
{
	struct folder *f = *state;
	int fd;

	assert_int_equal(rec_perf_map_open(&f->place), -ENOENT);
	make_file(f, "perf-7.map");
	fd = rec_perf_map_open(&f->place);
	assert_true(fd >= 0);
	close(fd);
}

static void test_perf_map_place__of_another_user_does_not(void **state)
{
	struct folder *f = *state;

	make_file(f, "perf-7.map");
	if (fchownat(f->place.tmp_fd, "perf-7.map", 1, 1, 0))
		skip();
	assert_int_equal(rec_perf_map_open(&f->place), -EPERM);
	f->place.user = 1;
	assert_int_equal(close(rec_perf_map_open(&f->place)), 0);
}

/* As is in reach of whoever mounts or links it there. */
static void test_perf_map_place__of_root_alone_does_not(void **state)
{
	struct folder *f = *state;

	make_file(f, "perf-7.map");
	if (geteuid())
		skip();
	f->place.user = 1;
	assert_int_equal(rec_perf_map_open(&f->place), -EPERM);
	assert_int_equal(fchmodat(f->place.tmp_fd, "perf-7.map", 0644, 0), 0);
	assert_int_equal(rec_perf_map_open(&f->place), -EPERM); /* empty */
	write_to(f, "perf-7.map");
	assert_int_equal(close(rec_perf_map_open(&f->place)), 0);
	assert_int_equal(linkat(f->place.tmp_fd, "perf-7.map", f->place.tmp_fd,
				"other", 0),
			 0);
	assert_int_equal(rec_perf_map_open(&f->place), -EPERM);
}

static void test_perf_map_place__link_fifo_folder_do_not(void **state)
{
	struct folder *f = *state;

	make_file(f, "other");
	assert_int_equal(symlinkat("other", f->place.tmp_fd, "perf-7.map"), 0);
	assert_int_equal(rec_perf_map_open(&f->place), -EPERM);
	unlinkat(f->place.tmp_fd, "perf-7.map", 0);
	assert_int_equal(mkfifoat(f->place.tmp_fd, "perf-7.map", 0600), 0);
	assert_int_equal(rec_perf_map_open(&f->place), -EPERM);
	unlinkat(f->place.tmp_fd, "perf-7.map", 0);
	assert_int_equal(mkdirat(f->place.tmp_fd, "perf-7.map", 0700), 0);
	assert_int_equal(rec_perf_map_open(&f->place), -EPERM);
	unlinkat(f->place.tmp_fd, "perf-7.map", AT_REMOVEDIR);
}

static void test_perf_map_place__is_that_of_the_process(void **state)
{
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY);
	struct rec_perf_map_place place;
	struct stat own, tmp;

	(void)state;
	assert_int_equal(
		rec_perf_map_place_open(proc_fd, (uint32_t)getpid(), &place),
		0);
	assert_int_equal(place.user, geteuid());
	assert_int_equal(place.pid, getpid());
	assert_int_equal(fstat(place.tmp_fd, &own), 0);
	assert_int_equal(stat("/tmp", &tmp), 0);
	assert_true(own.st_ino == tmp.st_ino && own.st_dev == tmp.st_dev);
	rec_perf_map_place_close(&place);
	assert_int_equal(rec_perf_map_place_open(proc_fd, 0x7fffffff, &place),
			 -ENOENT);
	close(proc_fd);
}

#define WITH_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(test_perf_map_place__own_file_counts),
		WITH_FOLDER(test_perf_map_place__of_another_user_does_not),
		WITH_FOLDER(test_perf_map_place__of_root_alone_does_not),
		WITH_FOLDER(test_perf_map_place__link_fifo_folder_do_not),
		cmocka_unit_test(test_perf_map_place__is_that_of_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
