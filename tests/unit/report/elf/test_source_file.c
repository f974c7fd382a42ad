#include "report/elf/source_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/source-text-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

/* A path below it; text NULL: nothing is made there. */
static char *path_of(const char *name, const char *text)
{
	char *path;
	FILE *f;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	if (!text)
		return path;
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static void drop(char *path)
{
	unlink(path);
	free(path);
}

static void expect(struct rpt_source_texts *texts, const char *path, int line,
		   const char *want)
{
	const struct sup_name name = { .path = path, .user = getuid() };
	struct pd_str got;

	if (!want) {
		assert_false(rpt_source_file_line(texts, &name, line, &got));
		return;
	}
	assert_true(rpt_source_file_line(texts, &name, line, &got));
	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.ptr, want, got.len);
}

static void test_source_file__lines_in_any_order(void **state)
{
	struct rpt_source_texts texts = { .next = 0 };
	char *path = path_of("a.c", "one\n\n\tthree\nlast");
	char *empty = path_of("empty.c", "");

	(void)state;
	expect(&texts, path, 3, "\tthree");
	expect(&texts, path, 1, "one");
	expect(&texts, path, 5, NULL);
	expect(&texts, path, 4, "last");
	expect(&texts, path, 2, "");
	expect(&texts, path, 0, NULL);
	expect(&texts, path, -7, NULL);
	expect(&texts, path, 2147483647, NULL);
	expect(&texts, path, 1, "one");
	expect(&texts, empty, 1, NULL);
	rpt_source_texts_release(&texts);
	drop(path);
	drop(empty);
}

static void test_source_file__more_files_than_slots(void **state)
{
	struct rpt_source_texts texts = { .next = 0 };
	char name[32], text[32];
	char *paths[2 * RPT_SOURCE_FILES_NR];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < 2 * RPT_SOURCE_FILES_NR; i++) {
			snprintf(name, sizeof(name), "%u.c", i);
			snprintf(text, sizeof(text), "a\nfile %u\n", i);
			if (!round)
				paths[i] = path_of(name, text);
			text[strlen(text) - 1] = '\0';
			expect(&texts, paths[i], 2, text + 2);
		}
	rpt_source_texts_release(&texts);
	for (unsigned i = 0; i < 2 * RPT_SOURCE_FILES_NR; i++)
		drop(paths[i]);
}

/* To open a fifo would wait for who writes to it. */
static void test_source_file__only_regular_files(void **state)
{
	struct rpt_source_texts texts = { .next = 0 };
	char *fifo = path_of("fifo", NULL), *none = path_of("none", NULL);

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect(&texts, fifo, 1, NULL);
	expect(&texts, none, 1, NULL);
	expect(&texts, folder, 1, NULL);
	expect(&texts, "/dev/zero", 1, NULL);
	expect(&texts, "", 1, NULL);
	rpt_source_texts_release(&texts);
	drop(fifo);
	drop(none);
}

static void test_source_file__no_long_files(void **state)
{
	struct rpt_source_texts texts = { .next = 0 };
	char *path = path_of("long.c", "one\n");

	(void)state;
	assert_int_equal(truncate(path, RPT_SOURCE_FILE_LEN + 1), 0);
	expect(&texts, path, 1, NULL);
	rpt_source_texts_release(&texts);
	drop(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source_file__lines_in_any_order),
		cmocka_unit_test(test_source_file__more_files_than_slots),
		cmocka_unit_test(test_source_file__only_regular_files),
		cmocka_unit_test(test_source_file__no_long_files),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
