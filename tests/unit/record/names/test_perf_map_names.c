/* perf_map_names.h: whose maps are believed, and how much of them. */
#include "record/names/perf_map_names.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int proc_fd;
static char path[64];
static uint64_t until_ns = UINT64_MAX;
static const struct rec_map_notes *map_notes;
static size_t code_budget = 1 << 20;
static struct rec_jit_codes codes = { .budget = &code_budget };

/* A map of this process, in /tmp, where its program would put it. */
static void write_map(const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static int names_at(const uint64_t *hits, size_t nr, struct rec_name_list *list)
{
	int fd = rec_perf_map_find(proc_fd, (uint32_t)getpid()), rc;
	struct rec_unnamed_hits unnamed;

	*list = (struct rec_name_list){ .items = NULL };
	if (fd < 0)
		return fd;
	assert_int_equal(rec_unnamed_hits_init(&unnamed, hits, nr), 0);
	rc = rec_perf_map_names(fd, map_notes, &unnamed, until_ns, list,
				&codes);
	list->named_nr = unnamed.named_nr;
	rec_unnamed_hits_release(&unnamed);
	close(fd);
	return rc;
}

static int refused(void)
{
	const uint64_t hit = 0x1010;
	struct rec_name_list list;
	int rc = names_at(&hit, 1, &list);

	assert_int_equal(list.nr, 0);
	rec_name_list_release(&list);
	return rc;
}

static void test_perf_map__functions_that_were_hit(void **state)
{
	static const char text[] = "1000 20 one\n"
				   "0x2000 0x10 two words\n"
				   "no line\n"
				   "3000\n"
				   "3000 zz x\n"
				   "1008 4 inner\n"
				   "5000 10 not hit\n"
				   "2000 8 later\n"
				   "6000 10 without a newline";
	static const uint64_t hits[] = { 0x1010, 0x2004, 0x200f, 0x2010,
					 0x6000 };
	struct rec_name_list list;

	(void)state;
	write_map(text, sizeof(text) - 1);
	assert_int_equal(names_at(hits, 5, &list), 0);
	assert_int_equal(list.nr, 3);
	assert_string_equal(list.items[0].text.ptr, "one");
	assert_string_equal(list.items[1].text.ptr, "two words");
	assert_string_equal(list.items[2].text.ptr, "later");
	assert_int_equal(list.named_nr, 3);
	rec_name_list_release(&list);
}

/* A line that tells no size ends where any other one starts. */
static void test_perf_map__sizes_that_are_not_known(void **state)
{
	static const char text[] = "1000 0 unsized\r\n"
				   "1800 10 behind it\n"
				   "2000 0 gives way\n"
				   "2000 10 sized\n"
				   "3000 0 the last\n";
	static const uint64_t hits[] = { 0x1010, 0x17ff, 0x1800, 0x1900,
					 0x2004, 0x2010, 0x3fff, 0x4000 };
	struct rec_name_list list;

	(void)state;
	write_map(text, sizeof(text) - 1);
	assert_int_equal(names_at(hits, 8, &list), 0);
	assert_int_equal(list.nr, 4);
	assert_string_equal(list.items[0].text.ptr, "behind it");
	assert_string_equal(list.items[1].text.ptr, "sized");
	assert_string_equal(list.items[2].text.ptr, "unsized");
	assert_int_equal(list.items[2].start, 0x1000);
	assert_int_equal(list.items[2].len, 0x800);
	assert_string_equal(list.items[3].text.ptr, "the last");
	assert_int_equal(list.items[3].len, 0x1000);
	assert_int_equal(list.named_nr, 5);
	rec_name_list_release(&list);
}

static bool is_timed(uint32_t idx, uint64_t time_ns, const char *name)
{
	const struct pd_jit_code *code = &codes.jit.codes[idx];

	return idx < codes.jit.code_nr && code->time_ns == time_ns &&
	       pd_str_eq(code->name, name);
}

/* By what was noted of its length while it grew, and only if that tells more
 * than the order of its lines. */
static void test_perf_map__times_of_memory_that_is_used_again(void **state)
{
	static const char text[] = "1000 20 first\n"
				   "2000 20 alone\n"
				   "3000 20 with\n"
				   "3000 20 with too\n"
				   "1010 20 second\n"
				   "4000 20 later\n"
				   "0ff0 80 third\n"
				   "1000 10 last\n"
				   "1018 4 not yet noted\n";
	static const uint64_t hits[] = { 0x1004, 0x1018, 0x2004, 0x3004,
					 0x4004 };
	struct rec_map_notes notes = {
		.items = { { 60, 0, 100 },
			   { 90, 150, 200 },
			   { 120, 250, 300 } },
		.nr = 3,
	};
	struct rec_name_list list;

	(void)state;
	write_map(text, sizeof(text) - 1);
	map_notes = &notes;
	assert_int_equal(names_at(hits, 5, &list), 0);
	assert_int_equal(list.nr, 9);
	rec_name_list_release(&list);
	assert_int_equal(codes.jit.code_nr, 5);
	assert_true(is_timed(0, 0, "first"));
	assert_true(is_timed(1, 100, "second"));
	assert_true(is_timed(2, 200, "third"));
	assert_true(is_timed(3, 250, "last"));
	assert_true(is_timed(4, 300, "not yet noted"));
	rec_jit_codes_release(&codes);
	/* all was there at the first look */
	notes.items[0].len = sizeof(text) - 1;
	notes.nr = 1;
	assert_int_equal(names_at(hits, 5, &list), 0);
	rec_name_list_release(&list);
	assert_int_equal(codes.jit.code_nr, 0);
	map_notes = NULL;
}

/* A reader prefers lines with times to those without. */
static void test_perf_map__all_lines_of_a_hit_have_times(void **state)
{
	static const char text[] = "1000 200 stale\n"
				   "1100 80 current\n"
				   "3000 20 stale too\n"
				   "1000 40 later\n"
				   "2000 20 alone\n"
				   "3000 20 later too\n"
				   "3040 0 behind it\n"
				   "3000 80 wide\n";
	static const uint64_t hits[] = { 0x1010, 0x1150, 0x2010, 0x3010,
					 0x3060 };
	const struct rec_map_notes notes = {
		.items = { { 49, 0, 100 } },
		.nr = 1,
	};
	struct rec_name_list list;

	(void)state;
	write_map(text, sizeof(text) - 1);
	map_notes = &notes;
	assert_int_equal(names_at(hits, 5, &list), 0);
	assert_int_equal(list.nr, 8);
	rec_name_list_release(&list);
	assert_int_equal(codes.jit.code_nr, 3);
	assert_true(is_timed(0, 0, "stale"));
	assert_true(is_timed(1, 0, "current"));
	assert_true(is_timed(2, 100, "later"));
	rec_jit_codes_release(&codes);
	map_notes = NULL;
}

/* As many lines as hits, each of which covers all. */
static void test_perf_map__times_of_many_lines(void **state)
{
	enum { NR = 20000 };
	static uint64_t hits[NR];
	static char text[NR * 24];
	struct rec_map_notes notes = { .nr = 1 };
	struct rec_name_list list;
	size_t len = 0;

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		hits[i] = 0x1000 + i;
		len += (size_t)sprintf(text + len, "%x ffff %05zx\n", 0x1000,
				       i);
	}
	notes.items[0] = (struct rec_map_note){ len / 2, 0, 100 };
	write_map(text, len);
	map_notes = &notes;
	code_budget = 8 << 20;
	assert_int_equal(names_at(hits, NR, &list), 0);
	assert_int_equal(list.nr, NR);
	rec_name_list_release(&list);
	assert_int_equal(codes.jit.code_nr, NR);
	assert_true(is_timed(NR / 2 - 1, 0, "0270f"));
	assert_true(is_timed(NR / 2, 100, "02710"));
	rec_jit_codes_release(&codes);
	assert_int_equal(code_budget, 8 << 20); /* given back */
	/* no room: none has a time, and all are there */
	code_budget = 1 << 16;
	assert_int_equal(names_at(hits, NR, &list), 0);
	assert_int_equal(list.nr, NR);
	rec_name_list_release(&list);
	assert_int_equal(codes.jit.code_nr, 0);
	assert_int_equal(code_budget, 1 << 16);
	map_notes = NULL;
}

static void test_perf_map__what_is_no_file_of_the_user(void **state)
{
	const uint64_t hit = 0x1010;
	struct rec_name_list list;

	(void)state;
	unlink(path);
	assert_int_equal(refused(), -ENOENT);
	/* a FIFO that nobody writes to does not hold us up */
	assert_int_equal(mkfifo(path, 0644), 0);
	assert_int_equal(refused(), -EPERM);
	unlink(path);
	assert_int_equal(symlink("/proc/self/maps", path), 0);
	assert_int_equal(refused(), -EPERM);
	unlink(path);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(refused(), -EPERM);
	rmdir(path);
	write_map("1000 20 one\n", 12);
	if (geteuid())
		skip();
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(refused(), -EPERM);
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(names_at(&hit, 1, &list), 0);
	assert_int_equal(list.nr, 1);
	rec_name_list_release(&list);
}

static void test_perf_map__limits(void **state)
{
	enum { LINE_LEN = 20 * 1024, LONG_LEN = 65 << 20 };
	const uint64_t hit = 0x1010;
	struct rec_name_list list;
	char *text = malloc(LONG_LEN);

	(void)state;
	assert_non_null(text);
	/* What stands before a line that is too long counts. */
	memset(text, 'x', LINE_LEN);
	memcpy(text, "1000 20 one\n1000 20 ", 20);
	write_map(text, LINE_LEN);
	assert_int_equal(names_at(&hit, 1, &list), -EFBIG);
	assert_int_equal(list.nr, 1);
	rec_name_list_release(&list);
	/* Of a map that is too long, what was appended last counts. */
	memset(text, 'x', LONG_LEN);
	for (size_t i = 1023; i < LONG_LEN; i += 1024)
		text[i] = '\n';
	memcpy(text, "1000 20 first\n", 14);
	memcpy(text + LONG_LEN - 13, "1008 20 last\n", 13);
	text[LONG_LEN - 14] = '\n';
	write_map(text, LONG_LEN);
	assert_int_equal(names_at(&hit, 1, &list), -EFBIG);
	assert_int_equal(list.nr, 1);
	assert_string_equal(list.items[0].text.ptr, "last");
	rec_name_list_release(&list);
	until_ns = 0;
	assert_int_equal(refused(), -ETIME);
	until_ns = UINT64_MAX;
	free(text);
}

/* Each of many lines covers each of many hits. */
static void test_perf_map__lines_that_cover_all(void **state)
{
	enum { HITS = 100000, LINES = 100000, LINE_LEN = 16 };
	uint64_t *hits = calloc(HITS, sizeof(*hits));
	char *text = malloc(LINES * LINE_LEN);
	clock_t start = clock();
	struct rec_name_list list;

	(void)state;
	assert_true(hits && text);
	for (size_t i = 0; i < HITS; i++)
		hits[i] = 0x1000 + i;
	for (size_t i = 0; i < LINES; i++)
		memcpy(text + i * LINE_LEN, "1 fffffffffff a\n", LINE_LEN);
	write_map(text, LINES * LINE_LEN);
	assert_int_equal(names_at(hits, HITS, &list), 0);
	assert_int_equal(list.nr, LINES);
	assert_int_equal(list.named_nr, HITS);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 3);
	rec_name_list_release(&list);
	free(text);
	free(hits);
}

static int start(void **state)
{
	(void)state;
	proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	return proc_fd < 0;
}

static int end(void **state)
{
	(void)state;
	unlink(path);
	rmdir(path);
	return close(proc_fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_map__functions_that_were_hit),
		cmocka_unit_test(test_perf_map__sizes_that_are_not_known),
		cmocka_unit_test(
			test_perf_map__times_of_memory_that_is_used_again),
		cmocka_unit_test(test_perf_map__all_lines_of_a_hit_have_times),
		cmocka_unit_test(test_perf_map__times_of_many_lines),
		cmocka_unit_test(test_perf_map__what_is_no_file_of_the_user),
		cmocka_unit_test(test_perf_map__limits),
		cmocka_unit_test(test_perf_map__lines_that_cover_all),
	};

	return cmocka_run_group_tests(tests, start, end);
}
