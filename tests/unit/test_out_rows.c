#include "report/out_rows.h"

#include "recorded.h"

#define ROWS_NR 70000u /* more than are in memory at a time */

/* A row for each sample: of three tasks, one of them without a name, in a file
 * and where nothing is mapped. */
static void make_rows(struct recorded *r, struct rpt_columns *columns,
		      struct rpt_rows *rows)
{
	struct rpt_rows_conf conf = {
		.order = { { .weight = RPT_WEIGHT_SELF } },
		.order_nr = 1,
	};

	recorded_start(r);
	recorded_comm(r, 5, "sh");
	recorded_comm(r, 6, "make\033[7m");
	for (uint32_t pid = 5; pid <= 7; pid++)
		recorded_map(r, pid, 0x1000, "/usr/bin/tool");
	for (uint32_t i = 0; i < ROWS_NR; i++)
		recorded_sample(
			r, EVENT_A,
			&(struct taken){ .pid = 5 + i % 3,
					 .time_ns = i + 1,
					 .ip = (i % 5 ? 0x1000 : 0x10000) + i,
					 .period = 1 + i % 7 });
	recorded_count(r, &(struct rpt_profile_conf){ 0 });
	assert_int_equal(
		rpt_columns_parse(columns, "overhead,comm,dso,sym", "", NULL),
		0);
	conf.by = rpt_columns_by(columns);
	assert_int_equal(rpt_rows_init(rows, &conf, &r->profile, &r->frames, 1),
			 0);
	for (uint32_t i = 0; i < ROWS_NR; i++)
		assert_int_equal(rpt_rows_add(rows, i, 0), 0);
	assert_int_equal(rpt_rows_end(rows), 0);
	assert_int_equal(rpt_rows_sort(rows), 0);
	assert_int_equal(rpt_rows_nr(rows), ROWS_NR);
	assert_true(rpt_columns_are_plain(columns));
	assert_int_equal(
		rpt_columns_fit(columns, rows,
				&(struct rpt_columns_fit){ .jobs = 3 }),
		0);
}

/* The rows printed one by one, as they are safe for a terminal. */
static char *one_by_one(const struct rpt_columns *columns,
			const struct rpt_rows *rows, size_t *ret_len)
{
	struct rpt_text_string *string = rpt_text_string_new();
	char *text;

	assert_non_null(string);
	string->text.is_safe = true;
	for (uint32_t i = 0; i < ROWS_NR; i++)
		rpt_columns_print_row(columns, rows, rows->order[i],
				      &string->text);
	assert_int_equal(rpt_text_flush(&string->text), 0);
	*ret_len = string->heap.len;
	text = string->heap.data;
	string->heap = (struct rpt_text_heap){ 0 };
	rpt_text_string_free(string);
	return text;
}

static void test_out_rows__are_those_of_one_thread(void **state)
{
	struct rpt_text_string *got = rpt_text_string_new();
	struct rpt_columns columns = { 0 };
	struct rpt_out_rows_conf conf = { .columns = &columns };
	struct rpt_out_rows *all;
	size_t want_len;
	char *want;
	struct recorded r;
	struct rpt_rows rows;

	(void)state;
	assert_non_null(got);
	make_rows(&r, &columns, &rows);
	want = one_by_one(&columns, &rows, &want_len);
	conf.rows = &rows;
	conf.list = rows.order;
	conf.nr = ROWS_NR;
	got->text.is_safe = true;
	for (conf.jobs = 1; conf.jobs <= 3; conf.jobs++) {
		got->heap.len = 0;
		all = rpt_out_rows_new(&conf);
		assert_non_null(all);
		assert_int_equal(rpt_out_rows_print(all, &got->text), 0);
		rpt_out_rows_free(all);
		assert_int_equal(rpt_text_flush(&got->text), 0);
		assert_int_equal(got->heap.len, want_len);
		assert_memory_equal(got->heap.data, want, want_len);
		rpt_out_rows_free(rpt_out_rows_new(&conf)); /* begun only */
	}
	rpt_text_string_free(got);
	free(want);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_out_rows__are_those_of_one_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
