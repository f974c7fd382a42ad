#include "format/support/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	char dir[64];
	char path[80];
	char victim[80];
};

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_holds(const char *path, const char *text)
{
	char got[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	(void)!fread(got, 1, sizeof(got) - 1, file);
	fclose(file);
	assert_string_equal(got, text);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/perfpair-new-file-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/out", f->dir);
	snprintf(f->victim, sizeof(f->victim), "%s/victim", f->dir);
	put(f->victim, "precious");
	*state = f;
	return 0;
}

/* Nothing else stays. */
static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_holds(f->victim, "precious");
	unlink(f->path);
	unlink(f->victim);
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static void test_place__what_is_there(void **state)
{
	struct fixture *f = *state;
	struct sup_place place;

	assert_int_equal(sup_place_init(&place, f->path, NULL), 0);
	assert_int_equal(sup_place_look(&place, NULL), SUP_THERE_NOTHING);
	assert_int_equal(symlink(f->victim, f->path), 0);
	assert_int_equal(sup_place_look(&place, NULL), SUP_THERE_LINK);
	unlink(f->path);
	assert_int_equal(symlink("/dev/null", f->path), 0);
	assert_int_equal(sup_place_look(&place, NULL), SUP_THERE_STREAM);
	unlink(f->path);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	assert_int_equal(sup_place_look(&place, NULL), SUP_THERE_STREAM);
	assert_int_equal(sup_place_open_stream(&place, NULL), -ENXIO);
	unlink(f->path);
	assert_int_equal(mkdir(f->path, 0700), 0);
	assert_int_equal(sup_place_look(&place, NULL), -EISDIR);
	rmdir(f->path);
	sup_place_release(&place);
}

/* Root follows nobody's link, be it to a device. */
static void test_place__a_link_of_another_user(void **state)
{
	struct fixture *f = *state;
	struct sup_place place;

	if (geteuid())
		skip();
	assert_int_equal(symlink("/dev/null", f->path), 0);
	assert_int_equal(lchown(f->path, 65534, 65534), 0);
	assert_int_equal(sup_place_init(&place, f->path, NULL), 0);
	assert_int_equal(sup_place_look(&place, NULL), SUP_THERE_LINK);
	sup_place_release(&place);
}

/* Each way in which a link can come between looking and opening. */
static void test_place__a_link_that_appears_meanwhile(void **state)
{
	struct fixture *f = *state;
	struct sup_place place;
	struct stat st;
	int fd;

	assert_int_equal(sup_place_init(&place, f->path, NULL), 0);
	assert_int_equal(sup_place_look(&place, NULL), SUP_THERE_NOTHING);
	assert_int_equal(symlink(f->victim, f->path), 0);
	assert_int_equal(sup_place_create(&place, 0600), -EEXIST);
	unlink(f->path);
	assert_int_equal(symlink("/dev/null", f->path), 0);
	assert_int_equal(sup_place_look(&place, NULL), SUP_THERE_STREAM);
	unlink(f->path);
	assert_int_equal(symlink(f->victim, f->path), 0);
	fd = sup_place_open_stream(&place, NULL);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	close(fd);
	sup_place_release(&place);
}

static void test_new_file__replaces_regular_files_only(void **state)
{
	struct fixture *f = *state;
	struct sup_new_file file;
	struct stat st;

	put(f->path, "before");
	assert_int_equal(sup_new_file_open(&file, f->path, 0600, false, NULL),
			 -EEXIST);
	sup_new_file_release(&file);
	assert_int_equal(sup_new_file_open(&file, f->path, 0600, true, NULL),
			 0);
	assert_int_equal(write(file.fd, "after", 5), 5);
	assert_holds(f->path, "before");
	assert_int_equal(sup_new_file_name(&file, NULL), 0);
	sup_new_file_release(&file);
	assert_holds(f->path, "after");
	unlink(f->path);
	assert_int_equal(symlink(f->victim, f->path), 0);
	assert_int_equal(sup_new_file_open(&file, f->path, 0600, true, NULL),
			 -EEXIST);
	sup_new_file_release(&file);
	assert_int_equal(lstat(f->path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void test_new_file__a_file_that_appears_meanwhile_stays(void **state)
{
	struct fixture *f = *state;
	struct sup_new_file file;
	struct stat st;

	assert_int_equal(sup_new_file_open(&file, f->path, 0600, true, NULL),
			 0);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	assert_int_equal(sup_new_file_name(&file, NULL), -EEXIST);
	sup_new_file_release(&file);
	assert_int_equal(lstat(f->path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
}

/* Nothing is left of it: teardown() finds an empty folder. */
static void test_new_file__a_kill_leaves_nothing(void **state)
{
	struct fixture *f = *state;
	struct sup_new_file file;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (!sup_new_file_open(&file, f->path, 0600, true, NULL) &&
		    write(file.fd, "half", 4) == 4)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(access(f->path, F_OK), -1);
}

/* Its descriptor may be closed before it gets its name. */
static void test_new_file__replaces_only_with_force(void **state)
{
	struct fixture *f = *state;
	struct sup_new_file file;

	for (int i = 0; i < 3; i++) {
		char text[2] = { (char)('a' + i), '\0' };

		assert_int_equal(
			sup_new_file_open(&file, f->path, 0600, i > 0, NULL),
			0);
		assert_int_equal(write(file.fd, text, 1), 1);
		close(file.fd);
		file.fd = -1;
		if (i)
			assert_int_equal(access(f->path, F_OK), 0);
		assert_int_equal(sup_new_file_name(&file, NULL), 0);
		sup_new_file_release(&file);
		assert_holds(f->path, text);
	}
	unlink(f->path);
	assert_int_equal(sup_new_file_open(&file, f->path, 0600, false, NULL),
			 0);
	put(f->path, "theirs");
	assert_int_equal(sup_new_file_name(&file, NULL), -EEXIST);
	sup_new_file_release(&file);
	assert_holds(f->path, "theirs");
}

#define NEW_FILE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NEW_FILE_TEST(test_place__what_is_there),
		NEW_FILE_TEST(test_place__a_link_of_another_user),
		NEW_FILE_TEST(test_place__a_link_that_appears_meanwhile),
		NEW_FILE_TEST(test_new_file__replaces_regular_files_only),
		NEW_FILE_TEST(
			test_new_file__a_file_that_appears_meanwhile_stays),
		NEW_FILE_TEST(test_new_file__a_kill_leaves_nothing),
		NEW_FILE_TEST(test_new_file__replaces_only_with_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
