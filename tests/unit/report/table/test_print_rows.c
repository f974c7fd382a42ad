#include "report/table/print_rows.h"

#include "tests/unit/many_rows.h"

#include "report/table/print_pipeline.h"

static char *one_by_one(const struct rpt_columns *columns,
			const struct rpt_rows *rows, size_t *ret_len)
{
	struct rpt_text_string *string = many_rows_string();

	for (uint32_t i = 0; i < ROWS_NR; i++)
		rpt_columns_print_row(columns, rows, rows->order[i],
				      &string->text);
	return many_rows_text(string, ret_len);
}

/* The last one is made first. */
static char *by_pieces(const struct rpt_print_rows *all, size_t *ret_len)
{
	struct rpt_text_string *string = many_rows_string();
	uint32_t nr = rpt_print_rows_piece_nr(all);
	struct rpt_out_piece *pieces = calloc(nr, sizeof(*pieces));

	assert_non_null(pieces);
	for (uint32_t i = nr; i-- > 0;) {
		rpt_out_piece_init(&pieces[i]);
		rpt_out_piece_make(&pieces[i], all, nr / 2);
		rpt_out_piece_make(&pieces[i], all, i);
	}
	for (uint32_t i = 0; i < nr; i++) {
		rpt_out_piece_write(&pieces[i], &string->text);
		rpt_out_piece_release(&pieces[i]);
	}
	free(pieces);
	return many_rows_text(string, ret_len);
}

static void test_out_rows__pieces_are_the_rows_one_by_one(void **state)
{
	struct rpt_columns columns = { 0 };
	struct rpt_rows rows;
	struct rpt_print_pipeline steps = { .columns = &columns,
					    .rows = &rows };
	struct rpt_print_rows all = { .columns = &columns, .rows = &rows };
	struct recorded r;
	size_t want_len, got_len;
	char *want, *got;

	(void)state;
	many_rows_make(&r, &columns, &rows);
	rpt_print_pipeline_ready(&steps);
	all.list = rows.order;
	all.nr = ROWS_NR;
	want = one_by_one(&columns, &rows, &want_len);
	got = by_pieces(&all, &got_len);
	assert_int_equal(got_len, want_len);
	assert_memory_equal(got, want, want_len);
	free(got);
	free(want);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_out_rows__pieces_are_the_rows_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
