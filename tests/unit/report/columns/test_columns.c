#include "report/columns/columns.h"

/* for recorded.h */
#define RECORDED_WITH_FRAMES
#include "tests/unit/recorded.h"

#include <errno.h>
#include <stdio.h>

static void test_columns__are_found_by_the_start_of_a_name(void **state)
{
	struct rpt_columns columns = { 0 };
	struct rpt_sort_keys keys = { 0 };

	(void)state;
	assert_int_equal(rpt_columns_parse(&columns, "Over,samp comm,DSO,sym",
					   "--fields key", NULL),
			 0);
	assert_int_equal(columns.nr, 5);
	rpt_columns_keys(&columns, &keys);
	assert_int_equal(keys.by, RPT_BY_COMM | RPT_BY_DSO | RPT_BY_SYMBOL);
	assert_int_equal(keys.nr, 3);
	assert_string_equal(keys.items[2].dim->name, "symbol");
	rpt_columns_order(&columns, &columns, &keys);
	assert_int_equal(keys.order_nr, 5);
	assert_string_equal(keys.order[0].dim->name, "overhead");
	assert_string_equal(keys.order[1].dim->name, "sample");
	assert_string_equal(keys.order[2].dim->name, "comm");
	assert_int_equal(rpt_columns_by_at(&columns, 0), 0);
	assert_int_equal(rpt_columns_by_at(&columns, 3), RPT_BY_DSO);
}

/* A name that is cut short is the first of perf's list. */
static void test_columns__short_names_are_perfs(void **state)
{
	static const struct {
		const char *text;
		const char *name;
	} cases[] = {
		{ "p", "pid" },
		{ "pa", "parent" },
		{ "pag", "page" },
		{ "c", "comm" },
		{ "d", "dso" },
		{ "s", "symbol" },
		{ "symbol_", "symbol_size" },
		{ "so", "socket" },
		{ "src", "srcline" },
		{ "l", "local_weight" },
		{ "t", "transaction" },
		{ "ti", "time" },
		{ "tid", "tid" },
		{ "tr", "transaction" },
		{ "trace", "trace" },
		{ "i", "ipc_null" },
		{ "in", "ins_lat" },
		{ "a", "addr" },
		{ "cg", "cgroup" },
		{ "co", "comm" },
		{ "h", "host" },
		{ "o", "overhead" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rpt_columns columns = { 0 };

		assert_int_equal(
			rpt_columns_parse(&columns, cases[i].text, "", NULL),
			0);
		assert_string_equal(columns.items[0].dim->name, cases[i].name);
	}
}

static void test_columns__appear_once(void **state)
{
	struct rpt_columns columns = { 0 };

	(void)state;
	assert_int_equal(rpt_columns_parse(&columns, "comm,comm,dso,comm",
					   "--sort key", NULL),
			 0);
	assert_int_equal(columns.nr, 2);
}

static void test_columns__that_are_not_there_are_named(void **state)
{
	struct rpt_columns columns = { 0 };
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	assert_int_equal(
		rpt_columns_parse(&columns, "comm,quux", "--sort key", &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "--sort key"));
	assert_non_null(strstr(err.text, "quux"));
}

static char *printed(void (*print)(struct rpt_text *out, void *ctx), void *ctx)
{
	struct rpt_text *out = malloc(sizeof(*out));
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(out);
	rpt_text_init(out, file);
	print(out, ctx);
	assert_int_equal(rpt_text_flush(out), 0);
	fclose(file);
	free(out);
	return text;
}

struct shown {
	struct rpt_columns *columns;
	struct rpt_rows *rows;
};

static void print_table(struct rpt_text *out, void *ctx)
{
	struct shown *shown = ctx;

	rpt_columns_print_header(shown->columns, out);
	for (uint32_t i = 0; i < rpt_rows_nr(shown->rows); i++) {
		rpt_columns_print_row(shown->columns, shown->rows,
				      shown->rows->order[i], out);
	}
}

static void test_columns__are_as_wide_as_what_they_show(void **state)
{
	static const struct taken taken[] = {
		{ .pid = 5, .time_ns = 1, .ip = 0x1010, .period = 1 },
		{ .pid = 6, .time_ns = 2, .ip = 0x1010, .period = 3 },
	};
	struct rpt_columns columns = { 0 };
	struct rpt_rows_conf conf = { 0 };
	struct recorded r;
	struct rpt_rows rows;
	struct shown shown = { &columns, &rows };
	struct rpt_column_widths widths = { 0 };
	char *text;

	(void)state;
	recorded_start(&r);
	recorded_comm(&r, 5, "sh");
	recorded_comm(&r, 6, "a-long-name");
	recorded_map(&r, 5, 0x1000, "/usr/bin/tool-of-long-name");
	recorded_sample(&r, EVENT_A, &taken[0]);
	recorded_sample(&r, EVENT_A, &taken[1]);
	recorded_count(&r, &(struct rpt_profile_conf){ 0 });
	assert_int_equal(rpt_columns_parse(&columns, "overhead,sample,comm,dso",
					   "", NULL),
			 0);
	rpt_columns_keys(&columns, &conf.keys);
	rpt_columns_order(&columns, &columns, &conf.keys);
	rpt_rows_init(&rows, &conf, &r.profile, &r.frames, 1);
	assert_int_equal(rpt_rows_add(&rows, 0, 0), 0);
	assert_int_equal(rpt_rows_add(&rows, 1, 0), 0);
	assert_int_equal(rpt_rows_end(&rows), 0);
	rpt_rows_sort(&rows);
	assert_int_equal(rpt_column_fit_piece_nr(&rows), 1);
	rpt_columns_hide(&columns, &rows);
	rpt_column_fit_piece(&columns, &rows, 0, &widths);
	rpt_column_fit_end(&columns, &rows, &widths, 1);
	text = printed(print_table, &shown);
	assert_string_equal(
		text,
		"# Overhead       Samples  Command      Shared Object    \n"
		"# ........  ............  ...........  .................\n"
		"#\n"
		"    75.00%             1  a-long-name  [unknown]        \n"
		"    25.00%             1  sh           tool-of-long-name\n");
	free(text);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

/* Two addresses of a function are two rows, of two tasks one. */
static void test_columns__symoff_is_the_offset_in_the_symbol(void **state)
{
	static const struct taken taken[] = {
		{ .pid = 5, .time_ns = 2, .ip = 0x1010, .period = 1 },
		{ .pid = 5, .time_ns = 3, .ip = 0x1018, .period = 3 },
		{ .pid = 6, .time_ns = 4, .ip = 0x2018, .period = 2 },
		{ .pid = 6, .time_ns = 5, .ip = 0x2040, .period = 2 },
	};
	struct rpt_columns columns = { 0 };
	struct rpt_rows_conf conf = { 0 };
	const struct rpt_timestamp when = { .time_ns = 2 };
	struct rpt_column_widths widths = { 0 };
	struct recorded r;
	struct rpt_rows rows;
	struct shown shown = { &columns, &rows };
	struct rpt_task_ref ref;
	struct rpt_map map;
	char *text;

	(void)state;
	recorded_start(&r);
	recorded_map(&r, 5, 0x1000, "/bin/none");
	recorded_map(&r, 6, 0x2000, "/bin/none");
	for (size_t i = 0; i < 4; i++)
		recorded_sample(&r, EVENT_A, &taken[i]);
	recorded_count(&r, &(struct rpt_profile_conf){ 0 });
	rpt_timeline_task(r.timeline, 5, 5, when, &ref);
	assert_true(rpt_timeline_map(r.timeline, &ref, PD_CPUMODE_USER, 0x1010,
				     when, &map));
	rpt_dso_add_symbol(map.dso, 0x10, 0x20, "work", 4);
	assert_int_equal(
		rpt_columns_parse(&columns, "sample,symoff,dso", "", NULL), 0);
	rpt_columns_keys(&columns, &conf.keys);
	rpt_columns_order(&columns, &columns, &conf.keys);
	rpt_rows_init(&rows, &conf, &r.profile, &r.frames, 1);
	for (uint32_t i = 0; i < r.profile.keys.nr; i++)
		assert_int_equal(rpt_rows_add(&rows, i, 0), 0);
	assert_int_equal(rpt_rows_end(&rows), 0);
	rpt_rows_sort(&rows);
	rpt_columns_hide(&columns, &rows);
	rpt_column_fit_piece(&columns, &rows, 0, &widths);
	rpt_column_fit_end(&columns, &rows, &widths, 1);
	text = printed(print_table, &shown);
	assert_string_equal(
		text,
		"#      Samples  Symbol Offset           Shared Object   \n"
		"# ............  ......................  ................\n"
		"#\n"
		"             2  [.] work+0x8            none            \n"
		"             1  [.] work+0x0            none            \n"
		"             1  [.] 0x0000000000000040  none            \n");
	free(text);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_columns__are_found_by_the_start_of_a_name),
		cmocka_unit_test(test_columns__short_names_are_perfs),
		cmocka_unit_test(test_columns__appear_once),
		cmocka_unit_test(test_columns__that_are_not_there_are_named),
		cmocka_unit_test(test_columns__are_as_wide_as_what_they_show),
		cmocka_unit_test(
			test_columns__symoff_is_the_offset_in_the_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
