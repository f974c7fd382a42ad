#include "report/report/print_pipeline.h"

#include "tests/unit/many_rows.h"

/* As if these had call graphs: a few on top, and some below other rows. */
static bool has_graph(uint32_t at)
{
	return at < 3 || at == 100 || at == 9000;
}

static bool is_shown(uint32_t at)
{
	return at % 11 != 7;
}

static void print_graph(const void *ctx, uint32_t row, struct rpt_text *out)
{
	(void)ctx;
	rpt_text_str(out, "graph of ");
	rpt_text_dec(out, row, 0);
	rpt_text_char(out, '\n');
}

static char *one_by_one(const struct rpt_print_pipeline *steps, size_t *ret_len)
{
	struct rpt_text_string *string = many_rows_string();

	for (uint32_t i = 0; i < ROWS_NR; i++) {
		uint32_t row = steps->rows->order[i];

		if (!is_shown(i))
			continue;
		rpt_columns_print_row(steps->columns, steps->rows, row,
				      &string->text);
		if (has_graph(i))
			print_graph(NULL, row, &string->text);
	}
	return many_rows_text(string, ret_len);
}

/* What was decided of rows; the caller's. */
static uint8_t *kinds_of(const struct rpt_rows *rows)
{
	uint8_t *kinds = calloc(ROWS_NR, sizeof(*kinds));

	assert_non_null(kinds);
	for (uint32_t i = 0; i < ROWS_NR; i++) {
		if (is_shown(i))
			kinds[rows->order[i]] = has_graph(i)
							? RPT_OUT_WITH_GRAPH
							: RPT_OUT_PLAIN;
	}
	return kinds;
}

static void check_print(const struct rpt_print_pipeline *steps,
			const char *want, size_t want_len, const uint8_t *kinds)
{
	struct rpt_text_string *string = many_rows_string();
	struct rpt_out_table table = {
		.kinds = kinds,
		.graph = print_graph,
	};
	size_t len;
	char *got;

	rpt_print_pipeline_print(steps, &table, &string->text);
	got = many_rows_text(string, &len);
	assert_int_equal(len, want_len);
	assert_memory_equal(got, want, want_len);
	free(got);
}

static void check_steps(uint32_t jobs)
{
	struct rpt_columns columns = { 0 };
	struct rpt_rows rows;
	struct rpt_print_pipeline steps = {
		.columns = &columns,
		.rows = &rows,
		.jobs = jobs,
	};
	struct recorded r;
	uint8_t *kinds;
	size_t len;
	char *want;

	many_rows_make(&r, &columns, &rows);
	assert_true(rpt_columns_may_be_shared(&columns));
	rpt_print_pipeline_ready(&steps);
	for (uint32_t i = 1; i < ROWS_NR; i++)
		assert_true(rpt_rows_stat(&rows, rows.order[i - 1], 0)->self >=
			    rpt_rows_stat(&rows, rows.order[i], 0)->self);
	assert_int_equal(columns.items[0].width, strlen("Overhead"));
	assert_int_equal(columns.items[1].width, strlen("make\\x1b[7m"));
	assert_int_equal(columns.items[2].width,
			 16); /* where nothing is mapped */
	assert_int_equal(columns.items[3].width,
			 strlen("[k] 0x0000000000000000"));
	kinds = kinds_of(&rows);
	want = one_by_one(&steps, &len);
	check_print(&steps, want, len, kinds);
	columns.is_verbose = true; /* one thread may, then */
	free(want);
	want = one_by_one(&steps, &len);
	check_print(&steps, want, len, kinds);
	free(want);
	free(kinds);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

static void test_out_steps__are_those_of_one_thread(void **state)
{
	(void)state;
	for (uint32_t jobs = 1; jobs <= 3; jobs += 2)
		check_steps(jobs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_out_steps__are_those_of_one_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
