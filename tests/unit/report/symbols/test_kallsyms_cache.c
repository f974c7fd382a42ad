/* Every answer is that of the live file, read whole. */
#include "report/symbols/kallsyms_cache.h"

#include "report/symbols/kallsyms.h"
#include "report/base/whole_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IMAGE                              \
	"ffffffff81000000 T startup_64\n"  \
	"ffffffff81000000 T _stext\n"      \
	"ffffffff81000000 T _text\n"       \
	"ffffffff81000100 t local_a\n"     \
	"ffffffff81000100 T global_a\n"    \
	"ffffffff81000180 t __pfx_b\n"     \
	"ffffffff81000200 W weak_b\n"      \
	"ffffffff81000200 t $x\n"          \
	"ffffffff81000200 r rodata\n"      \
	"ffffffff81000300 T _ZN1a1bEv\n"   \
	"ffffffff81000500 D table\n"       \
	"ffffffff81000600 R more_rodata\n" \
	"ffffffff81000800 b last\n"
#define OTHERS                                  \
	"ffffffff81000810 t mod_init\t[ext4]\n" \
	"ffffffffc0004000 t jbd_a\t[jbd2]\n"
static const char live[] = IMAGE OTHERS;

#define TEXT "ffffffff81000000 T _text\n"
#define ONE  "ffffffff81000100 T one\n"

#define START 0xffffffff81000000u
#define LAST  0xffffffff81000800u

struct paths {
	char live[32];
	char copy[32];
};

static int setup(void **state)
{
	struct paths *paths = malloc(sizeof(*paths));

	if (!paths)
		return -1;
	strcpy(paths->live, "/tmp/perfpair-live-XXXXXX");
	strcpy(paths->copy, "/tmp/perfpair-copy-XXXXXX");
	close(mkstemp(paths->live));
	close(mkstemp(paths->copy));
	*state = paths;
	return 0;
}

static int teardown(void **state)
{
	struct paths *paths = *state;

	unlink(paths->live);
	unlink(paths->copy);
	free(paths);
	return 0;
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) < 0, 0);
	assert_int_equal(fclose(file), 0);
}

static struct rpt_kallsyms_cache *open_copy(void **state, const char *now,
					    const char *then)
{
	const struct paths *paths = *state;

	write_file(paths->live, now);
	write_file(paths->copy, then);
	return rpt_kallsyms_cache_open(paths->copy, paths->live, true);
}

static void assert_refused(void **state, const char *now, const char *then)
{
	assert_null(open_copy(state, now, then));
}

static const char *name_at(struct rpt_kallsyms_cache *copy, uint64_t addr)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	const struct rpt_symbol *sym;

	if (!rpt_kallsyms_cache_find(copy, addr, &range, &sym))
		return "unknown";
	return sym ? sym->name : "none";
}

/* Says of addr what all of the file says, for as many addresses. */
static void assert_same_answer(struct rpt_kallsyms_cache *copy,
			       struct rpt_symbol_table *whole, uint64_t addr)
{
	struct rpt_addr_range got_range = RPT_RANGE_ALL;
	struct rpt_addr_range range = RPT_RANGE_ALL;
	const struct rpt_symbol *sym, *got, *again;

	assert_true(rpt_kallsyms_cache_find(copy, addr, &got_range, &got));
	sym = rpt_symbol_table_find_range(whole, addr, &range);
	assert_non_null(sym);
	assert_non_null(got);
	assert_string_equal(got->name, sym->name);
	assert_int_equal(got->start, sym->start);
	assert_int_equal(got->end, sym->end);
	assert_int_equal(got->type, sym->type);
	assert_int_equal(got->binding, sym->binding);
	assert_int_equal(got_range.first, range.first);
	assert_int_equal(got_range.last, range.last);
	assert_true(rpt_kallsyms_cache_find(copy, sym->start, &range, &again));
	assert_ptr_equal(got, again);
}

static void assert_same_answers(struct rpt_kallsyms_cache *copy,
				const char *path)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_symbol_table *whole;
	struct rpt_kallsyms kallsyms;
	uint64_t start;

	assert_int_equal(rpt_kallsyms_read(&kallsyms, path, true, &err), 0);
	assert_true(rpt_kallsyms_look_for(path, "_text", &start));
	whole = &kallsyms.kernel;
	for (size_t i = 0; i + 1 < whole->nr; i++) {
		if (whole->syms[i].start < start)
			continue;
		assert_same_answer(copy, whole, whole->syms[i].start);
		assert_same_answer(copy, whole, whole->syms[i].end - 1);
	}
	rpt_kallsyms_release(&kallsyms);
}

static void test_kallsyms_cache__answers_as_the_live_file(void **state)
{
	const struct paths *paths = *state;
	struct rpt_kallsyms_cache *copy = open_copy(state, live, live);

	assert_non_null(copy);
	assert_same_answers(copy, paths->live);
	assert_string_equal(name_at(copy, 0xffffffff81000105), "global_a");
	assert_string_equal(name_at(copy, 0xffffffff810007ff), "table");
	rpt_kallsyms_cache_free(copy);
}

/* Put elsewhere by this boot, and other modules. */
static void test_kallsyms_cache__kernel_that_was_moved(void **state)
{
	static const char then[] = "0000000000001000 A percpu\n"
				   "ffffffff92000000 T _text\n"
				   "ffffffff92000100 T one\n"
				   "ffffffff92000200 T two\n"
				   "ffffffff92000300 B _end\n"
				   "ffffffffa0000000 t old\t[old]\n";
	static const char now[] = "0000000000001000 A percpu\n"
				  "ffffffff81000000 T _text\n"
				  "ffffffff81000100 T one\n"
				  "ffffffff81000200 T two\n"
				  "ffffffff81000300 B _end\n"
				  "ffffffffc0000000 t new\t[new]\n";
	const struct paths *paths = *state;
	struct rpt_kallsyms_cache *copy = open_copy(state, now, then);

	assert_non_null(copy);
	assert_same_answers(copy, paths->live);
	assert_string_equal(name_at(copy, 0xffffffff92000100), "unknown");
	rpt_kallsyms_cache_free(copy);
}

static void test_kallsyms_cache__addresses_outside_of_the_image(void **state)
{
	struct rpt_kallsyms_cache *copy = open_copy(state, live, live);

	assert_non_null(copy);
	assert_string_equal(name_at(copy, START - 1), "unknown");
	assert_string_equal(name_at(copy, LAST), "unknown");
	assert_string_equal(name_at(copy, 0xffffffff81000810), "unknown");
	assert_string_equal(name_at(copy, 0xffffffffc0004000), "unknown");
	assert_string_equal(name_at(copy, UINT64_MAX), "unknown");
	rpt_kallsyms_cache_free(copy);
}

static void test_kallsyms_cache__lower_half(void **state)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	struct rpt_kallsyms_cache *copy = open_copy(state, live, live);
	const struct rpt_symbol *sym;

	assert_non_null(copy);
	assert_true(rpt_kallsyms_cache_find(copy, 0x1234, &range, &sym));
	assert_null(sym);
	assert_int_equal(range.first, 0);
	assert_int_equal(range.last, INT64_MAX);
	rpt_kallsyms_cache_free(copy);
	copy = open_copy(state, "0000000000001000 D percpu\n" IMAGE,
			 "0000000000001000 D percpu\n" IMAGE);
	assert_non_null(copy);
	assert_string_equal(name_at(copy, 0x1234), "unknown");
	rpt_kallsyms_cache_free(copy);
	copy = open_copy(state,
			 "0000000000100000 T _text\n0000000000200000 T x\n",
			 "0000000000100000 T _text\n0000000000200000 T x\n");
	assert_non_null(copy);
	assert_string_equal(name_at(copy, 0x100000), "_text");
	assert_string_equal(name_at(copy, 0x1234), "unknown");
	rpt_kallsyms_cache_free(copy);
}

/* As far as it goes, without the line that is cut. */
static void test_kallsyms_cache__file_that_was_cut(void **state)
{
	static const char head[] = TEXT ONE;
	char text[200];
	struct rpt_kallsyms_cache *copy;

	snprintf(text, sizeof(text), "%sffffffff81000200 T two\nffffffff8100",
		 head);
	/* the live file is read up to a reference symbol */
	copy = open_copy(state, head, head);
	assert_non_null(copy);
	rpt_kallsyms_cache_free(copy);
	assert_refused(state, text, head);
	copy = open_copy(state, head, text);
	assert_non_null(copy);
	assert_string_equal(name_at(copy, 0xffffffff810001ff), "one");
	assert_string_equal(name_at(copy, 0xffffffff81000200), "unknown");
	rpt_kallsyms_cache_free(copy);
}

static void test_kallsyms_cache__another_kernel(void **state)
{
	static const char *const copies[] = {
		/* another name, another type, one more, one less */
		TEXT "ffffffff81000100 T another\n",
		TEXT "ffffffff81000100 t one\n",
		TEXT "ffffffff81000080 T zero\n" ONE,
		TEXT,
		"ffffffff81000000 T startup\n" TEXT ONE,
		/* another distance */
		TEXT "ffffffff81000200 T one\n",
		/* hidden */
		"0000000000000000 T _text\n0000000000000000 T one\n",
		/* none */
		"",
		"one\n",
		"ffffffff81000000 T _text",
	};
	static const char now[] = TEXT ONE;

	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		assert_refused(state, now, copies[i]);
	/* hidden here; no reference symbol */
	assert_refused(state, copies[6], now);
	assert_refused(state, copies[6], copies[6]);
	assert_refused(state, "", now);
	assert_refused(state, "ffffffff81000100 T one\n",
		       "ffffffff81000100 T one\n");
	assert_null(
		rpt_kallsyms_cache_open("/nowhere", "/proc/kallsyms", true));
}

static void test_kallsyms_cache__invalid_lines(void **state)
{
	assert_refused(state, live, IMAGE "ffffffff81000900 T\n");
	assert_refused(state, live, IMAGE "ffffffff8100090 T short\n");
	assert_refused(state, live, IMAGE "\n");
	assert_refused(state, live, IMAGE "ffffffff81000900 T a[b]\n");
	assert_refused(state, live, IMAGE "ffffffff81000700 T back\n");
}

/* That it is the copy which is asked: only its first lines are compared. */
static void test_kallsyms_cache__compares_only_the_head(void **state)
{
	const size_t len = (size_t)200 * 1024;
	char *now = malloc(len), *then;
	struct rpt_kallsyms_cache *copy;
	size_t at = 0, nr = 0;

	assert_non_null(now);
	for (; at + 64 < len; nr++)
		at += (size_t)snprintf(
			now + at, len - at, "ffffffff81%06zx T %s%zu\n",
			nr * 16, nr == 3 ? "_text\nffffffff81000030 T " : "f",
			nr);
	then = strdup(now);
	assert_non_null(then);
	strstr(then, " f5000\n")[1] = 'g';
	copy = open_copy(state, now, then);
	assert_non_null(copy);
	assert_string_equal(name_at(copy, START + 5000 * 16 + 3), "g5000");
	assert_string_equal(name_at(copy, START + 5001 * 16), "f5001");
	rpt_kallsyms_cache_free(copy);
	free(then);
	free(now);
}

static void test_kallsyms_cache__demangles_if_asked(void **state)
{
	const struct paths *paths = *state;
	struct rpt_kallsyms_cache *copy = open_copy(state, live, live);

	assert_string_equal(name_at(copy, 0xffffffff81000310), "_ZN1a1bEv");
	rpt_kallsyms_cache_free(copy);
	copy = rpt_kallsyms_cache_open(paths->copy, paths->live, false);
	assert_string_equal(name_at(copy, 0xffffffff81000310), "a::b");
	rpt_kallsyms_cache_free(copy);
}

/* The kernel that runs the test. */
static void test_kallsyms_cache__running_kernel(void **state)
{
	static const char path[] = "/proc/kallsyms";
	const struct paths *paths = *state;
	struct pd_err err = PD_ERR_INIT;
	struct rpt_kallsyms_cache *copy;
	size_t len;
	char *text = rpt_whole_file(path, (size_t)1 << 28, &len, &err);

	bool is_visible = text && strstr(text, " _text\n") &&
			  !strstr(text, "0000000000000000 T _text\n");

	if (is_visible)
		write_file(paths->copy, text);
	free(text);
	if (!is_visible)
		skip(); /* it hides its addresses */
	copy = rpt_kallsyms_cache_open(paths->copy, path, true);
	assert_non_null(copy);
	assert_same_answers(copy, path);
	rpt_kallsyms_cache_free(copy);
}

/* Of what is gone the live file is to be asked; what is known stays. */
static void test_kallsyms_cache__file_cut_while_it_is_read(void **state)
{
	const struct paths *paths = *state;
	struct rpt_kallsyms_cache *copy = open_copy(state, live, live);

	assert_non_null(copy);
	assert_string_equal(name_at(copy, START + 0x300), "_ZN1a1bEv");
	assert_int_equal(truncate(paths->copy, 0), 0);
	assert_string_equal(name_at(copy, LAST - 1), "unknown");
	assert_string_equal(name_at(copy, START + 0x300), "_ZN1a1bEv");
	rpt_kallsyms_cache_free(copy);
}

#define WITH_FILES(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* first: cmocka has a handler of its own for each test, and
		 * file_map's comes with the first map alone */
		WITH_FILES(test_kallsyms_cache__file_cut_while_it_is_read),
		WITH_FILES(test_kallsyms_cache__answers_as_the_live_file),
		WITH_FILES(test_kallsyms_cache__kernel_that_was_moved),
		WITH_FILES(test_kallsyms_cache__addresses_outside_of_the_image),
		WITH_FILES(test_kallsyms_cache__lower_half),
		WITH_FILES(test_kallsyms_cache__file_that_was_cut),
		WITH_FILES(test_kallsyms_cache__another_kernel),
		WITH_FILES(test_kallsyms_cache__invalid_lines),
		WITH_FILES(test_kallsyms_cache__compares_only_the_head),
		WITH_FILES(test_kallsyms_cache__demangles_if_asked),
		WITH_FILES(test_kallsyms_cache__running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
