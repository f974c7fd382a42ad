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
	recorded_comm(r, 6, "make");
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

static void test_out_rows__are_those_of_one_thread(void **state)
{
	struct rpt_text_string *want = rpt_text_string_new();
	struct rpt_text_string *got = rpt_text_string_new();
	struct rpt_columns columns = { 0 };
	struct rpt_out_rows what = { .columns = &columns };
	size_t want_len, got_len;
	struct recorded r;
	struct rpt_rows rows;

	(void)state;
	assert_true(want && got);
	make_rows(&r, &columns, &rows);
	for (uint32_t i = 0; i < ROWS_NR; i++)
		rpt_columns_print_row(&columns, &rows, rows.order[i],
				      &want->text);
	assert_non_null(rpt_text_string_take(want, &want_len));
	what.rows = &rows;
	what.list = rows.order;
	what.nr = ROWS_NR;
	for (what.jobs = 1; what.jobs <= 3; what.jobs++) {
		assert_int_equal(rpt_out_rows_print(&what, &got->text), 0);
		assert_non_null(rpt_text_string_take(got, &got_len));
		assert_int_equal(got_len, want_len);
		assert_memory_equal(got->heap.data, want->heap.data, want_len);
	}
	rpt_text_string_free(want);
	rpt_text_string_free(got);
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
