#include "report/base/line_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

struct seen {
	size_t len;
	unsigned blocks_nr;
	unsigned cut_nr; /* blocks that end inside a line */
	uint64_t sum;
	unsigned stop_at; /* that block is one too many; 0: none is */
};

static int look(void *ctx, char *lines, size_t len)
{
	struct seen *seen = ctx;

	assert_int_equal(lines[len], '\0');
	seen->cut_nr += len && lines[len - 1] != '\n';
	for (size_t i = 0; i < len; i++)
		seen->sum = seen->sum * 31 + (uint8_t)lines[i];
	seen->len += len;
	memset(lines, 'x', len);
	return ++seen->blocks_nr == seen->stop_at ? -ENOMEM : 0;
}

/* A file of lines of many lengths; its sum, as look() has it. */
static uint64_t make(char path[], size_t len, const char *end)
{
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");
	uint64_t sum = 0;

	assert_non_null(out);
	for (size_t i = 0; i < len; i++) {
		bool is_end = i % 97 == 0 || i % 1013 == 0;
		char c = is_end ? '\n' : (char)('a' + i % 26);

		if (i + 1 == len)
			c = *end;
		sum = sum * 31 + (uint8_t)c;
		fputc(c, out);
	}
	assert_int_equal(fclose(out), 0);
	return sum;
}

static int feed(const char *path, size_t max_len, struct seen *seen)
{
	struct rpt_line_reader_conf conf = {
		.path = path, .max_len = max_len, .fn = look, .ctx = seen
	};
	struct pd_err err = PD_ERR_INIT;

	return rpt_line_reader_run(&conf, &err);
}

static void test_line_feed__gives_all_bytes_in_whole_lines(void **state)
{
	static const size_t lens[] = { 0, 1, 5000, 65536, 65537, 3 * MIB + 7 };

	(void)state;
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		char path[] = "/tmp/line_feed.XXXXXX";
		uint64_t sum = make(path, lens[i], "\n");
		struct seen seen = { 0 };

		assert_int_equal(feed(path, 8 * MIB, &seen), 0);
		assert_int_equal(seen.len, lens[i]);
		assert_int_equal(seen.sum, sum);
		assert_int_equal(seen.cut_nr, 0);
		unlink(path);
	}
}

static void test_line_feed__last_line_may_lack_its_end(void **state)
{
	char path[] = "/tmp/line_feed.XXXXXX";
	uint64_t sum = make(path, 200000, "z");
	struct seen seen = { 0 };

	(void)state;
	assert_int_equal(feed(path, 8 * MIB, &seen), 0);
	assert_int_equal(seen.sum, sum);
	assert_int_equal(seen.cut_nr, 1);
	unlink(path);
}

static void test_line_feed__line_longer_than_a_block_is_cut(void **state)
{
	char path[] = "/tmp/line_feed.XXXXXX";
	int fd = mkstemp(path);
	struct seen seen = { 0 };
	char *line = malloc(MIB);

	(void)state;
	assert_non_null(line);
	memset(line, 'a', MIB);
	assert_int_equal(write(fd, line, MIB), MIB);
	close(fd);
	assert_int_equal(feed(path, 8 * MIB, &seen), 0);
	assert_int_equal(seen.len, MIB);
	assert_true(seen.cut_nr > 1);
	free(line);
	unlink(path);
}

static void test_line_feed__ends_early(void **state)
{
	char path[] = "/tmp/line_feed.XXXXXX";
	struct seen seen = { .stop_at = 2 }, all = { 0 };
	atomic_bool is_unwanted = true;
	struct rpt_line_reader_conf conf = { .path = path,
					     .max_len = 8 * MIB,
					     .is_unwanted = &is_unwanted,
					     .fn = look,
					     .ctx = &all };
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	make(path, 3 * MIB, "\n");
	assert_int_equal(feed(path, 8 * MIB, &seen), -ENOMEM);
	assert_int_equal(seen.blocks_nr, 2);
	assert_int_equal(feed(path, MIB, &all), -EFBIG);
	assert_int_equal(rpt_line_reader_run(&conf, &err), -ECANCELED);
	unlink(path);
	assert_int_equal(feed(path, MIB, &all), -ENOENT);
	assert_int_equal(feed("/dev/null", MIB, &all), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_line_feed__gives_all_bytes_in_whole_lines),
		cmocka_unit_test(test_line_feed__last_line_may_lack_its_end),
		cmocka_unit_test(
			test_line_feed__line_longer_than_a_block_is_cut),
		cmocka_unit_test(test_line_feed__ends_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
