#include "record/rotation/rotated_files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

/* 2026-11-21 13:26:49.129 UTC */
static const struct timespec moment = { 1795267609, 129000000 };

/* Names that the system calls refuse to remove, or say that are gone. */
static const char *kept_name, *gone_name;

int unlinkat(int fd, const char *name, int flag)
{
	if (kept_name && !strcmp(name, kept_name)) {
		errno = EPERM;
		return -1;
	}
	if (syscall(SYS_unlinkat, fd, name, flag))
		return -1;
	if (!gone_name || strcmp(name, gone_name) != 0)
		return 0;
	errno = ENOENT;
	return -1;
}

/* What is free on the disk, which has 1 GiB; UINT64_MAX: the real one. */
static uint64_t free_len = UINT64_MAX;

int fstatvfs(int fd, struct statvfs *ret)
{
	struct statfs real;

	if (fstatfs(fd, &real))
		return -1;
	*ret = (struct statvfs){ .f_frsize = (unsigned long)real.f_bsize,
				 .f_blocks = real.f_blocks,
				 .f_bavail = real.f_bavail };
	if (free_len != UINT64_MAX)
		*ret = (struct statvfs){ .f_frsize = 1024,
					 .f_blocks = 1 << 20,
					 .f_bavail = free_len / 1024 };
	return 0;
}

static char folder[] = "/tmp/slice_filesXXXXXX";

static int enter_folder(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return !mkdtemp(folder) || chdir(folder);
}

static int leave_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return chdir("/") || system(command);
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_holds(const char *path, const char *text)
{
	char got[64] = "";
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	assert_non_null(fgets(got, sizeof(got), file));
	fclose(file);
	assert_string_equal(got, text);
}

static void test_rotated_files__names_are_dates(void **state)
{
	struct rec_rotated_files files;
	const char *path;

	(void)state;
	assert_int_equal(rec_rotated_files_init(&files, 0), 0);
	put_file("a.data", "one");
	assert_int_equal(
		rec_rotated_files_add(&files, "a.data", &moment, &path, NULL),
		0);
	assert_string_equal(path, "a.data.2026112113264912");
	assert_holds(path, "one");
	assert_int_equal(access("a.data", F_OK), -1);
	rec_rotated_files_release(&files);
}

static void test_rotated_files__nothing_is_overwritten(void **state)
{
	struct timespec late = { 1795267609, 999000000 };
	struct rec_rotated_files files;
	const char *path;

	(void)state;
	assert_int_equal(rec_rotated_files_init(&files, 0), 0);
	put_file("b.data", "new");
	put_file("b.data.2026112113264999", "old");
	assert_int_equal(
		rec_rotated_files_add(&files, "b.data", &late, &path, NULL), 0);
	assert_string_equal(path, "b.data.2026112113265000");
	assert_holds("b.data.2026112113264999", "old");
	assert_holds(path, "new");
	rec_rotated_files_release(&files);
}

static void test_rotated_files__the_oldest_go(void **state)
{
	struct timespec now = moment;
	struct rec_rotated_files files;
	const char *path;
	char text[8];

	(void)state;
	put_file("c.data.2026112113264900", "another recording's");
	assert_int_equal(rec_rotated_files_init(&files, 2), 0);
	for (int i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "%d", i);
		put_file("c.data", text);
		now.tv_sec++;
		assert_int_equal(rec_rotated_files_add(&files, "c.data", &now,
						       &path, NULL),
				 0);
	}
	assert_int_equal(files.nr, 5);
	assert_int_equal(access("c.data.2026112113265212", F_OK), -1);
	assert_holds("c.data.2026112113265312", "3");
	assert_holds("c.data.2026112113265412", "4");
	assert_holds("c.data.2026112113264900", "another recording's");
	rec_rotated_files_release(&files);
}

static void put_old_file(const char *path, time_t at)
{
	const struct timespec times[2] = { { at, 0 }, { at, 0 } };

	put_file(path, "old");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void bound_to(struct rec_rotated_files *files, unsigned max_nr,
		     const char *path, const char *newest)
{
	files->folder_max_nr = max_nr;
	assert_int_equal(rec_rotated_files_bound(files, path, newest), 0);
}

/* Of names that look alike, none. */
static void test_rotated_files__the_folder_is_bounded(void **state)
{
	static const char *const others[] = {
		"f/e.data",
		"f/e.data.old",
		"f/e.data.202611211326490",
		"f/e.data.20261121132649001",
		"f/e.data.2026112113264900x",
		"f/ee.data.2026112113264900",
	};
	struct rec_rotated_files files;

	(void)state;
	assert_int_equal(mkdir("f", 0700), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		put_old_file(others[i], 1000);
	assert_int_equal(symlink("e.data", "f/e.data.2026112113264909"), 0);
	/* made in the hour that comes twice */
	put_old_file("f/e.data.2026102502300000", 3000);
	put_old_file("f/e.data.2026102502500000", 2000);
	put_old_file("f/e.data.2026112113264900", 4000);
	put_old_file("f/e.data.2026112113264901", 4500);
	assert_int_equal(rec_rotated_files_init(&files, 0), 0);
	bound_to(&files, 3, "f/e.data", "f/e.data.2026112113264901");
	assert_int_equal(access("f/e.data.2026102502500000", F_OK), -1);
	assert_holds("f/e.data.2026102502300000", "old");
	bound_to(&files, 1, "f/e.data", "f/e.data.2026112113264901");
	assert_int_equal(access("f/e.data.2026102502300000", F_OK), -1);
	assert_int_equal(access("f/e.data.2026112113264900", F_OK), -1);
	assert_holds("f/e.data.2026112113264901", "old");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_holds(others[i], "old");
	assert_int_equal(access("f/e.data.2026112113264909", F_OK), 0);
	assert_int_equal(rec_rotated_files_bound(&files, "nowhere/e.data",
						 "nowhere/e.data.1"),
			 -ENOENT);
	rec_rotated_files_release(&files);
}

static void test_rotated_files__a_clock_that_was_wrong(void **state)
{
	struct rec_rotated_files files;

	(void)state;
	put_old_file("g.data.2036112113264900", 9000);
	put_old_file("g.data.2036112113264901", 9001);
	put_old_file("g.data.2026112113264900", 3000);
	put_old_file("g.data.2026112113264901", 4000);
	assert_int_equal(rec_rotated_files_init(&files, 0), 0);
	bound_to(&files, 3, "g.data", "g.data.2026112113264901");
	assert_int_equal(access("g.data.2036112113264900", F_OK), -1);
	assert_holds("g.data.2036112113264901", "old");
	bound_to(&files, 2, "g.data", "g.data.2026112113264901");
	assert_int_equal(access("g.data.2036112113264901", F_OK), -1);
	assert_holds("g.data.2026112113264900", "old");
	assert_holds("g.data.2026112113264901", "old");
	rec_rotated_files_release(&files);
}

/* The others are bounded all the same; one that somebody else removed just
 * before is as good as removed. */
static void
test_rotated_files__skips_a_file_that_cannot_be_removed(void **state)
{
	struct rec_rotated_files files;

	(void)state;
	put_old_file("h.data.2026112113264901", 1000);
	put_old_file("h.data.2026112113264902", 2000);
	put_old_file("h.data.2026112113264903", 3000);
	put_old_file("h.data.2026112113264904", 4000);
	put_old_file("h.data.2026112113264905", 5000);
	kept_name = "h.data.2026112113264901";
	gone_name = "h.data.2026112113264902";
	assert_int_equal(rec_rotated_files_init(&files, 0), 0);
	files.folder_max_nr = 3;
	assert_int_equal(rec_rotated_files_bound(&files, "h.data",
						 "h.data.2026112113264905"),
			 -EPERM);
	assert_int_equal(access("h.data.2026112113264902", F_OK), -1);
	assert_int_equal(access("h.data.2026112113264903", F_OK), -1);
	assert_holds("h.data.2026112113264901", "old");
	assert_holds("h.data.2026112113264904", "old");
	assert_holds("h.data.2026112113264905", "old");
	kept_name = NULL;
	put_old_file("h.data.2026112113264902", 1500);
	bound_to(&files, 1, "h.data", "h.data.2026112113264905");
	assert_int_equal(access("h.data.2026112113264904", F_OK), -1);
	assert_holds("h.data.2026112113264905", "old");
	gone_name = NULL;
	rec_rotated_files_release(&files);
}

/* A file of a wrong clock has no age, and hides none that has. */
static void test_rotated_files__their_age_is_bounded(void **state)
{
	struct rec_rotated_files files;

	(void)state;
	put_old_file("m.data.2026112113264902", 2000);
	put_old_file("m.data.2026112113264903", 2001);
	put_old_file("m.data.2026112113264904", 3000);
	put_old_file("m.data.2026112113264905", 9000);
	assert_int_equal(rec_rotated_files_init(&files, 0), 0);
	files.folder_max_age_ns = UINT64_C(999000000000);
	bound_to(&files, 0, "m.data", "m.data.2026112113264904");
	assert_int_equal(access("m.data.2026112113264902", F_OK), -1);
	assert_holds("m.data.2026112113264903", "old");
	assert_holds("m.data.2026112113264904", "old");
	assert_holds("m.data.2026112113264905", "old");
	rec_rotated_files_release(&files);
}

/* 16 MiB at least, or a quarter of a small disk; less if 4 GiB suffice. */
static void test_rotated_files__some_of_the_disk_is_kept_free(void **state)
{
	const int64_t mib = 1 << 20;
	struct rec_rotated_files files;

	(void)state;
	assert_int_equal(rec_rotated_files_init(&files, 0), 0);
	free_len = 100 << 20;
	assert_true(rec_rotated_files_room(&files, 0) == INT64_MAX);
	files.folder_max_nr = 9;
	assert_int_equal(rec_rotated_files_room(&files, 0), 84 * mib);
	files.keep_free = (struct rec_keep_free){ .len = 110 << 20 };
	assert_int_equal(rec_rotated_files_room(&files, 0), -10 * mib);
	files.keep_free.pct = 5;
	assert_int_equal(rec_rotated_files_room(&files, 0) / mib, 48);
	files.keep_free = (struct rec_keep_free){ .len = 1 };
	assert_int_equal(rec_rotated_files_room(&files, 0), 84 * mib);
	free_len = UINT64_MAX;
	rec_rotated_files_release(&files);
}

/* As many as it takes, as the file system counts them, but not the last. */
static void test_rotated_files__the_oldest_go_for_room(void **state)
{
	struct rec_rotated_files files;
	struct stat st;

	(void)state;
	put_old_file("r.data.2026112113264901", 1000);
	put_old_file("r.data.2026112113264902", 2000);
	put_old_file("r.data.2026112113264903", 3000);
	put_old_file("r.data.2026112113264904", 4000);
	put_file("r.data", "being written");
	assert_int_equal(stat("r.data.2026112113264901", &st), 0);
	assert_int_equal(rec_rotated_files_init(&files, 0), 0);
	files.keep_free.len = 64 << 20;
	free_len = (64 << 20) - (uint64_t)st.st_blocks * 512 - 1024;
	assert_int_equal(rec_rotated_files_bound(&files, "r.data", NULL), 0);
	assert_int_equal(access("r.data.2026112113264902", F_OK), -1);
	assert_holds("r.data.2026112113264903", "old");

	free_len = 0;
	assert_int_equal(rec_rotated_files_bound(&files, "r.data", NULL), 0);
	assert_int_equal(access("r.data.2026112113264903", F_OK), -1);
	assert_holds("r.data.2026112113264904", "old");
	assert_int_equal(rec_rotated_files_len("r.data"), 3);
	free_len = UINT64_MAX;
	rec_rotated_files_release(&files);
}

/* If the disk is full, the last one goes, too. */
static void test_rotated_files__give_way_if_they_are_bounded(void **state)
{
	struct rec_rotated_files files;

	(void)state;
	put_old_file("w.data.2026112113264902", 1000);
	put_old_file("w.data.2026112113264901", 2000);
	assert_int_equal(rec_rotated_files_init(&files, 0), 0);
	assert_false(rec_rotated_files_give_way(&files, "w.data"));
	files.folder_max_len = UINT64_MAX;
	assert_true(rec_rotated_files_give_way(&files, "w.data"));
	assert_holds("w.data.2026112113264901", "old");
	assert_true(rec_rotated_files_give_way(&files, "w.data"));
	assert_false(rec_rotated_files_give_way(&files, "w.data"));
	rec_rotated_files_release(&files);
}

static void test_rotated_files__fails_if_the_file_is_gone(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct rec_rotated_files files;
	const char *path;

	(void)state;
	assert_int_equal(rec_rotated_files_init(&files, 1), 0);
	assert_int_equal(
		rec_rotated_files_add(&files, "d.data", &moment, &path, &err),
		-ENOENT);
	assert_string_equal(err.text,
			    "cannot be renamed: No such file or directory");
	rec_rotated_files_release(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rotated_files__names_are_dates),
		cmocka_unit_test(test_rotated_files__nothing_is_overwritten),
		cmocka_unit_test(test_rotated_files__the_oldest_go),
		cmocka_unit_test(test_rotated_files__the_folder_is_bounded),
		cmocka_unit_test(test_rotated_files__a_clock_that_was_wrong),
		cmocka_unit_test(
			test_rotated_files__skips_a_file_that_cannot_be_removed),
		cmocka_unit_test(test_rotated_files__their_age_is_bounded),
		cmocka_unit_test(
			test_rotated_files__some_of_the_disk_is_kept_free),
		cmocka_unit_test(test_rotated_files__the_oldest_go_for_room),
		cmocka_unit_test(
			test_rotated_files__give_way_if_they_are_bounded),
		cmocka_unit_test(test_rotated_files__fails_if_the_file_is_gone),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
