#include "record/carry/kept_files.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static int add(struct rec_kept_files *files, uint64_t ino,
	       enum rec_kept_worth worth)
{
	struct rec_kept_file file = { .fd = open("/dev/null", O_RDONLY),
				      .ino = ino,
				      .worth = worth };
	int other;

	assert_true(file.fd >= 0);
	other = rec_kept_files_add(files, &file);
	if (other >= 0)
		close(other);
	return other == file.fd ? -1 : 0;
}

static bool has(const struct rec_kept_files *files, uint64_t ino)
{
	const struct rec_mapped mapped = { .ino = ino };
	const struct rec_build_id none = { .len = 0 };

	return rec_kept_files_find(files, &mapped, &none) >= 0;
}

static void test_kept_files__least_useful_goes_first(void **state)
{
	struct rec_kept_files files;

	(void)state;
	assert_int_equal(rec_kept_files_init(&files, 3), 0);
	assert_int_equal(add(&files, 1, REC_KEPT_RARE), 0);
	assert_int_equal(add(&files, 2, REC_KEPT_NEW), 0);
	assert_int_equal(add(&files, 3, REC_KEPT_OLD), 0);
	assert_int_equal(add(&files, 4, REC_KEPT_OLD), -1);
	assert_int_equal(add(&files, 5, REC_KEPT_NEW), 0); /* 3 goes */
	assert_false(has(&files, 3));
	assert_int_equal(add(&files, 6, REC_KEPT_NEW), 0); /* 2, the older */
	assert_false(has(&files, 2));
	assert_true(has(&files, 5));
	assert_int_equal(add(&files, 7, REC_KEPT_RARE), 0);
	assert_int_equal(add(&files, 8, REC_KEPT_RARE), 0);
	assert_int_equal(add(&files, 9, REC_KEPT_NEW), -1);
	assert_true(has(&files, 1) && has(&files, 7) && has(&files, 8));
	assert_int_equal(add(&files, 9, REC_KEPT_RARE), 0);
	assert_false(has(&files, 1));
	rec_kept_files_release(&files);
}

static void test_kept_files__one_by_build_id_and_by_inode(void **state)
{
	struct rec_kept_file by_id = { .id = { 2, { 7, 8 } } };
	struct rec_mapped mapped = { .ino = 5, .maj = 1 };
	struct rec_build_id none = { .len = 0 };
	struct rec_kept_file by_ino = { .id = { 2, { 7, 8 } },
					.ino = 5,
					.maj = 1 };
	struct rec_kept_files files;
	int fd = by_id.fd = open("/dev/null", O_RDONLY);

	(void)state;
	by_ino.fd = open("/dev/null", O_RDONLY);
	assert_int_equal(rec_kept_files_init(&files, 3), 0);
	assert_int_equal(rec_kept_files_add(&files, &by_id), -1);
	assert_int_equal(rec_kept_files_find(&files, &mapped, &none), -1);
	assert_int_equal(rec_kept_files_add(&files, &by_ino), by_ino.fd);
	close(by_ino.fd);
	assert_int_equal(rec_kept_files_find(&files, &mapped, &none), fd);
	assert_int_equal(rec_kept_files_find(&files, &mapped, &by_id.id), fd);
	mapped.maj = 2;
	assert_int_equal(rec_kept_files_find(&files, &mapped, &none), -1);
	rec_kept_files_release(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept_files__least_useful_goes_first),
		cmocka_unit_test(test_kept_files__one_by_build_id_and_by_inode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
