/* Filters of samples: what was typed, and who passes. */
#include "report/events/filter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))

static void parse(struct rpt_filter *filter, const struct rpt_filter_args *args)
{
	struct pd_err err = PD_ERR_INIT;

	if (rpt_filter_parse(filter, args, &err))
		fail_msg("%s", err.text);
}

static bool passes(const struct rpt_filter *filter, uint32_t pid, uint32_t tid,
		   const char *comm)
{
	const struct rpt_filtered_task task = { pid, tid, comm, "java" };

	return rpt_filter_task(filter, &task);
}

static void test_filter__lets_all_pass_when_nothing_is_asked(void **state)
{
	struct rpt_filter_args args = { 0 };
	struct rpt_filter filter;

	(void)state;
	parse(&filter, &args);
	assert_int_equal(filter.asked, 0);
	assert_true(rpt_filter_time(&filter, 1, 2));
	assert_true(passes(&filter, 1, 2, NULL));
	assert_true(rpt_filter_place(&filter, NULL, NULL, 3));
	rpt_filter_release(&filter);
}

static void test_filter__numbers_are_lists_of_ranges(void **state)
{
	struct rpt_filter_args args = { .pids = "3,7-9,-1", .cpus = "0,2-3," };
	struct rpt_filter filter;

	(void)state;
	parse(&filter, &args);
	assert_true(passes(&filter, 3, 1, "a"));
	assert_true(passes(&filter, 8, 1, "a"));
	assert_true(passes(&filter, UINT32_MAX, 1, "a"));
	assert_false(passes(&filter, 4, 3, "a"));
	assert_false(passes(&filter, 3, 0, "idle"));
	assert_true(rpt_filter_time(&filter, 5, 3));
	assert_false(rpt_filter_time(&filter, 5, 1));
	rpt_filter_release(&filter);
}

static void test_filter__each_kind_has_to_let_a_task_pass(void **state)
{
	struct rpt_filter_args args = { .pids = "3",
					.tids = "4",
					.comms = "cc1,a b" };
	struct rpt_filter filter;

	(void)state;
	parse(&filter, &args);
	assert_true(passes(&filter, 3, 4, "cc1"));
	assert_true(passes(&filter, 3, 4, "a b"));
	assert_false(passes(&filter, 3, 4, "cc"));
	assert_false(passes(&filter, 3, 5, "cc1"));
	assert_false(passes(&filter, 4, 4, "cc1"));
	rpt_filter_release(&filter);
}

static void test_filter__a_task_without_name_is_its_number(void **state)
{
	struct rpt_filter_args args = { .comms = ":12" };
	struct rpt_filter filter;

	(void)state;
	parse(&filter, &args);
	assert_true(passes(&filter, 1, 12, NULL));
	assert_false(passes(&filter, 1, 13, NULL));
	rpt_filter_release(&filter);
}

static struct rpt_dso *dso_named(struct rpt_symbols *symbols, const char *name)
{
	struct rpt_dso_key key = { .kind = RPT_DSO_USER,
				   .name = name,
				   .name_len = strlen(name) };
	struct rpt_dso *dso = rpt_symbols_dso(symbols, &key);

	assert_non_null(dso);
	return dso;
}

static void test_filter__files_by_path_or_last_part(void **state)
{
	struct rpt_symbols_conf conf = { 0 };
	struct rpt_symbols *symbols = rpt_symbols_new(&conf);
	struct rpt_filter_args args = { .dsos = "libc.so.6,/bin/b" };
	struct rpt_filter filter;

	(void)state;
	parse(&filter, &args);
	assert_true(rpt_filter_place(
		&filter, dso_named(symbols, "/usr/lib/libc.so.6"), "f", 1));
	assert_true(rpt_filter_place(&filter, dso_named(symbols, "/bin/b"),
				     NULL, 1));
	assert_false(rpt_filter_place(&filter, dso_named(symbols, "/sbin/b"),
				      NULL, 1));
	assert_false(rpt_filter_place(&filter, NULL, NULL, 1));
	rpt_filter_release(&filter);
	rpt_symbols_free(symbols);
}

static void test_filter__symbols_by_name_or_address(void **state)
{
	struct rpt_symbols_conf conf = { 0 };
	struct rpt_symbols *symbols = rpt_symbols_new(&conf);
	struct rpt_dso *dso = dso_named(symbols, "/bin/a");
	struct rpt_filter_args args = { .symbols = "main,0x1000,beef" };
	struct rpt_filter filter;

	(void)state;
	parse(&filter, &args);
	assert_true(rpt_filter_place(&filter, dso, "main", 1));
	assert_true(rpt_filter_place(&filter, NULL, "main", 1));
	assert_true(rpt_filter_place(&filter, dso, "f", 0x1000));
	assert_true(rpt_filter_place(&filter, dso, NULL, 0xbeef));
	assert_true(rpt_filter_place(&filter, dso, "beef", 1));
	assert_false(rpt_filter_place(&filter, dso, "f", 0x1001));
	assert_false(rpt_filter_place(&filter, NULL, NULL, 0x1000));
	rpt_filter_release(&filter);

	args.addr_range = 16;
	parse(&filter, &args);
	assert_true(rpt_filter_place(&filter, dso, "f", 0x100f));
	assert_false(rpt_filter_place(&filter, dso, "f", 0x1010));
	assert_false(rpt_filter_place(&filter, dso, "f", 0xfff));
	rpt_filter_release(&filter);
	rpt_symbols_free(symbols);
}

static void test_filter__names_out_of_a_file(void **state)
{
	char path[] = "/tmp/test_filter.XXXXXX", text[64];
	struct rpt_filter_args args = { .comms = text };
	struct rpt_filter filter;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "one\n\ntwo, three", 15), 15);
	close(fd);
	snprintf(text, sizeof(text), "four,file://%s", path);
	parse(&filter, &args);
	unlink(path);
	assert_true(passes(&filter, 1, 1, "one"));
	assert_true(passes(&filter, 1, 1, "two, three"));
	assert_true(passes(&filter, 1, 1, "four"));
	assert_false(passes(&filter, 1, 1, "two"));
	rpt_filter_release(&filter);
}

static void test_filter__errors_name_the_option(void **state)
{
	static const struct {
		struct rpt_filter_args args;
		const char *text;
	} cases[] = {
		{ { .pids = "" }, "--pid: '' is no list" },
		{ { .pids = "1,x" }, "--pid: '1,x' is no list" },
		{ { .tids = "5-3" }, "--tid: '5-3' is no list" },
		{ { .tids = "4294967296" }, "--tid: '4294967296' is no list" },
		{ { .cpus = "0, 1" }, "--cpu: '0, 1' is no list" },
		{ { .cpus = "1-" }, "--cpu: '1-' is no list" },
		{ { .comms = "" }, "--comms: no name" },
		{ { .dsos = "file:///not/there" }, "--dsos: /not/there: " },
		{ { .times = "1" }, "--time: '1'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct pd_err err = PD_ERR_INIT;
		struct rpt_filter filter;

		assert_int_equal(
			rpt_filter_parse(&filter, &cases[i].args, &err),
			-EINVAL);
		if (strncmp(err.text, cases[i].text, strlen(cases[i].text)) !=
		    0)
			fail_msg("%s: %s", cases[i].text, err.text);
		rpt_filter_release(&filter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_filter__lets_all_pass_when_nothing_is_asked),
		cmocka_unit_test(test_filter__numbers_are_lists_of_ranges),
		cmocka_unit_test(test_filter__each_kind_has_to_let_a_task_pass),
		cmocka_unit_test(
			test_filter__a_task_without_name_is_its_number),
		cmocka_unit_test(test_filter__files_by_path_or_last_part),
		cmocka_unit_test(test_filter__symbols_by_name_or_address),
		cmocka_unit_test(test_filter__names_out_of_a_file),
		cmocka_unit_test(test_filter__errors_name_the_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
