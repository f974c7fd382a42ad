#include "report/base/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGES_NR 64u

static char folder[] = "/tmp/perfpair-test-XXXXXX";
static char path[sizeof(folder) + 16];
static size_t page_len;
static int fd;
static struct rpt_file_map *map;
static const volatile uint8_t *base;

/* Each test has one of its own, for what was told of others stays. */
static unsigned files_nr;

static void name_file(unsigned idx)
{
	snprintf(path, sizeof(path), "%s/file%u", folder, idx);
}

static int set_up(void **state)
{
	(void)state;
	page_len = (size_t)sysconf(_SC_PAGESIZE);
	if (!mkdtemp(folder))
		return -1;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < files_nr; i++) {
		name_file(i);
		unlink(path);
	}
	return rmdir(folder);
}

/* Each byte of it is the number of its page and one. */
static int make_file(void **state)
{
	uint8_t *page = malloc(page_len);
	FILE *file;

	(void)state;
	name_file(files_nr++);
	file = fopen(path, "w");
	assert_non_null(page);
	assert_non_null(file);
	for (unsigned i = 0; i < PAGES_NR; i++) {
		memset(page, (int)i + 1, page_len);
		assert_int_equal(fwrite(page, page_len, 1, file), 1);
	}
	free(page);
	assert_int_equal(fclose(file), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	map = NULL;
	return 0;
}

static int close_file(void **state)
{
	(void)state;
	rpt_file_map_close(map);
	close(fd);
	return 0;
}

/* cmocka puts handlers of its own there for each test; ours comes with the
 * first map alone. */
static void take_signal(void)
{
	static struct sigaction ours;

	if (ours.sa_sigaction)
		sigaction(SIGBUS, &ours, NULL);
	else
		sigaction(SIGBUS, NULL, &ours);
}

static void open_map(const char *name)
{
	const struct rpt_file_map_conf conf = {
		.fd = fd,
		.name = name,
		.len = PAGES_NR * page_len,
	};

	assert_int_equal(rpt_file_map_open(&map, &conf), 0);
	base = rpt_file_map_base(map);
	take_signal();
}

static void cut(size_t pages_nr)
{
	assert_int_equal(ftruncate(fd, (off_t)(pages_nr * page_len)), 0);
}

static uint8_t first_of(size_t page)
{
	return base[page * page_len];
}

/* What was told of the file at path, and how often. */
static char told[200];
static unsigned told_nr;

static void note(const char *name, const struct pd_err *err)
{
	if (strcmp(name, path) != 0)
		return;
	told_nr++;
	strcpy(told, err->text);
}

static const char *tell(void)
{
	told_nr = 0;
	told[0] = '\0';
	rpt_file_maps_report(note);
	return told;
}

static sigjmp_buf back;

static void jump(int number)
{
	siglongjmp(back, number);
}

/* In a child, whose first map puts the handler before that one. */
static int run_child(void (*child)(void))
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (!pid) {
		child();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static const volatile uint8_t *map_plain(void)
{
	void *plain = mmap(NULL, page_len, PROT_READ, MAP_PRIVATE, fd, 0);

	if (plain == MAP_FAILED)
		_exit(9);
	cut(0);
	return plain;
}

static void touch_another(void)
{
	signal(SIGBUS, SIG_DFL);
	open_map(path);
	(void)map_plain()[0];
}

static void touch_another_handled(void)
{
	signal(SIGBUS, jump);
	open_map(path);
	if (sigsetjmp(back, 1))
		_exit(7);
	(void)map_plain()[0];
}

static void send_to_self(void)
{
	signal(SIGBUS, jump);
	open_map(path);
	if (sigsetjmp(back, 1))
		_exit(7);
	raise(SIGBUS);
}

static void send_unhandled(void)
{
	signal(SIGBUS, SIG_DFL);
	open_map(path);
	raise(SIGBUS);
}

static void test_file_map__hands_on_what_is_not_its_own(void **state)
{
	int status;

	(void)state;
	status = run_child(touch_another);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	close_file(NULL);
	make_file(NULL);
	status = run_child(touch_another_handled);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	close_file(NULL);
	make_file(NULL);
	status = run_child(send_to_self);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	status = run_child(send_unhandled);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

static void test_file_map__is_the_file(void **state)
{
	(void)state;
	open_map(path);
	for (unsigned i = 0; i < PAGES_NR; i++)
		assert_int_equal(first_of(i), i + 1);
	rpt_file_map_close(map);
	map = NULL;
	tell();
	assert_int_equal(told_nr, 0);
}

static void test_file_map__is_zero_behind_a_cut(void **state)
{
	(void)state;
	open_map(path);
	cut(40);
	assert_int_equal(first_of(50), 0);
	assert_int_equal(base[PAGES_NR * page_len - 1], 0);
	assert_int_equal(first_of(45), 0);
	assert_int_equal(first_of(40), 0);
	assert_int_equal(first_of(39), 40);
	assert_string_equal(tell(), "was cut while it was read: zeros were "
				    "read instead of what is gone");
	assert_int_equal(told_nr, 1);
}

/* The kernel fills up the last page by itself. */
static void test_file_map__tells_of_a_cut_within_its_last_page(void **state)
{
	(void)state;
	open_map(path);
	assert_int_equal(ftruncate(fd, (off_t)(PAGES_NR * page_len - 9)), 0);
	assert_int_equal(base[PAGES_NR * page_len - 10], PAGES_NR);
	assert_int_equal(base[PAGES_NR * page_len - 9], 0);
	rpt_file_map_close(map);
	map = NULL;
	tell();
	assert_int_equal(told_nr, 1);
}

static void test_file_map__tells_of_a_file_once(void **state)
{
	struct rpt_file_map *first;

	(void)state;
	open_map(path);
	first = map;
	open_map(path);
	cut(1);
	assert_int_equal(first_of(1), 0);
	assert_int_equal(rpt_file_map_base(first)[5 * page_len], 0);
	rpt_file_map_close(first);
	tell();
	assert_int_equal(told_nr, 1);
}

/* Nothing tells that the rest is gone as well. */
static void test_file_map__loses_single_pages_of_a_removed_file(void **state)
{
	(void)state;
	open_map(path);
	cut(0);
	unlink(path);
	assert_int_equal(first_of(3), 0);
	assert_int_equal(first_of(2), 0);
	assert_int_equal(first_of(PAGES_NR - 1), 0);
	assert_string_equal(tell(), "could not be read: zeros were read "
				    "instead of a part of it");
}

static void *read_all(void *ctx)
{
	uint64_t *sum = ctx;

	for (unsigned round = 0; round < 200; round++)
		for (unsigned i = PAGES_NR; i--;)
			*sum += first_of((i * 7 + round) % PAGES_NR);
	return NULL;
}

static void test_file_map__is_cut_under_many_threads(void **state)
{
	pthread_t threads[8];
	uint64_t sums[8] = { 0 };

	(void)state;
	open_map(path);
	for (unsigned t = 0; t < 8; t++)
		assert_int_equal(
			pthread_create(&threads[t], NULL, read_all, &sums[t]),
			0);
	for (size_t nr = PAGES_NR; nr--;)
		cut(nr);
	for (unsigned t = 0; t < 8; t++)
		assert_int_equal(pthread_join(threads[t], NULL), 0);
	for (unsigned i = 0; i < PAGES_NR; i++)
		assert_int_equal(first_of(i), 0);
}

/* While other maps come and go, places of closed ones are used again. */
static void *open_and_close(void *ctx)
{
	const struct rpt_file_map_conf conf = {
		.fd = *(const int *)ctx,
		.name = "/dev/null", /* never told of: another file */
		.len = page_len,
	};
	struct rpt_file_map *mine;

	for (unsigned i = 0; i < 2000; i++) {
		if (rpt_file_map_open(&mine, &conf))
			return ctx;
		rpt_file_map_close(mine);
	}
	return NULL;
}

static void test_file_map__is_found_among_others_that_come_and_go(void **state)
{
	int other = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	pthread_t threads[4];
	void *failed;

	(void)state;
	assert_true(other >= 0);
	for (unsigned t = 0; t < 4; t++)
		assert_int_equal(pthread_create(&threads[t], NULL,
						open_and_close, &other),
				 0);
	open_map(path);
	for (size_t nr = PAGES_NR; nr--;) {
		cut(nr);
		assert_int_equal(first_of(nr), 0);
	}
	for (unsigned t = 0; t < 4; t++) {
		assert_int_equal(pthread_join(threads[t], &failed), 0);
		assert_null(failed);
	}
	tell();
	assert_int_equal(told_nr, 1);
}

static void test_file_map__is_anothers_to_unmap(void **state)
{
	const size_t len = PAGES_NR * page_len;
	void *theirs;

	(void)state;
	map = rpt_file_map_expect(fd, path);
	assert_non_null(map);
	take_signal();
	theirs = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	base = theirs;
	cut(10);
	assert_int_equal(first_of(20), 0);
	rpt_file_map_found(map, theirs, len);
	assert_int_equal(first_of(30), 0);
	assert_int_equal(first_of(9), 10);
	rpt_file_map_close(map);
	map = NULL;
	assert_int_equal(first_of(9), 10);
	assert_int_equal(munmap(theirs, len), 0);
	tell();
	assert_int_equal(told_nr, 1);
}

static void test_file_map__keeps_to_its_place(void **state)
{
	struct rpt_file_map_conf conf = { .fd = fd, .len = 2 * page_len };
	void *room = mmap(NULL, 4 * page_len, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	conf.fd = fd;
	conf.at = (uint8_t *)room + page_len;
	assert_int_equal(rpt_file_map_open(&map, &conf), 0);
	take_signal();
	base = rpt_file_map_base(map);
	assert_ptr_equal(base, conf.at);
	cut(1);
	assert_int_equal(first_of(0), 1);
	assert_int_equal(first_of(1), 0);
	rpt_file_map_close(map);
	map = NULL;
	assert_int_equal(first_of(0), 1);
	assert_int_equal(munmap(room, 4 * page_len), 0);
}

static void test_file_map__says_why_not(void **state)
{
	const struct rpt_file_map_conf conf = { .fd = -1, .len = 1 };

	(void)state;
	assert_int_equal(rpt_file_map_open(&map, &conf), -EBADF);
	assert_null(map);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_file, close_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* first: in its children no handler is installed yet */
		CASE(test_file_map__hands_on_what_is_not_its_own),
		CASE(test_file_map__is_the_file),
		CASE(test_file_map__is_zero_behind_a_cut),
		CASE(test_file_map__tells_of_a_cut_within_its_last_page),
		CASE(test_file_map__tells_of_a_file_once),
		CASE(test_file_map__is_cut_under_many_threads),
		CASE(test_file_map__is_found_among_others_that_come_and_go),
		CASE(test_file_map__is_anothers_to_unmap),
		CASE(test_file_map__keeps_to_its_place),
		CASE(test_file_map__says_why_not),
		/* last: its file's number is free then */
		CASE(test_file_map__loses_single_pages_of_a_removed_file),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
