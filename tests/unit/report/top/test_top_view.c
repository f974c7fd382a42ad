#include "report/top/top_view.h"

#include "report/rows/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ALL_BY (RPT_BY_DSO | RPT_BY_SYMBOL | RPT_BY_COMM)

static const struct rpt_view_row in_libc = { 1, "libc.so.6", "malloc", "sh",
					     11 };
static const struct rpt_view_row in_main = { 2, "demo", "main", "demo", 12 };
static const struct rpt_view_row nowhere = { 3, NULL, NULL, NULL, 13 };

static struct rpt_view view;

static int begin(void **state)
{
	(void)state;
	rpt_view_init(&view, "dso,symbol");
	rpt_view_set_rows(&view, ALL_BY, true);
	rpt_view_list_set(&view.lists[RPT_PAGE_ROWS], 100, 10);
	return 0;
}

static int end(void **state)
{
	(void)state;
	rpt_view_release(&view);
	return 0;
}

static unsigned type(const char *text)
{
	unsigned todo = 0;

	for (; *text; text++)
		todo = rpt_view_key(&view, (unsigned char)*text, NULL);
	return todo;
}

static void expect_at(int key, uint32_t at, uint32_t first)
{
	assert_int_equal(rpt_view_key(&view, key, &in_libc), 0);
	assert_int_equal(view.lists[RPT_PAGE_ROWS].at, at);
	assert_int_equal(view.lists[RPT_PAGE_ROWS].first, first);
}

static void the_cursor_stays_on_the_screen(void **state)
{
	(void)state;
	expect_at(RPT_KEY_UP, 0, 0);
	expect_at(RPT_KEY_DOWN, 1, 0);
	expect_at(RPT_KEY_PAGE_DOWN, 10, 1);
	expect_at(' ', 19, 10);
	expect_at(RPT_KEY_END, 99, 90);
	expect_at(RPT_KEY_DOWN, 99, 90);
	expect_at(RPT_KEY_PAGE_UP, 90, 90);
	expect_at(RPT_KEY_UP, 89, 89);
	/* fewer lines, more room, none */
	rpt_view_list_set(&view.lists[RPT_PAGE_ROWS], 50, 10);
	assert_int_equal(view.lists[RPT_PAGE_ROWS].at, 49);
	assert_int_equal(view.lists[RPT_PAGE_ROWS].first, 40);
	rpt_view_list_set(&view.lists[RPT_PAGE_ROWS], 50, 60);
	assert_int_equal(view.lists[RPT_PAGE_ROWS].first, 0);
	rpt_view_list_set(&view.lists[RPT_PAGE_ROWS], 0, 10);
	expect_at(RPT_KEY_END, 0, 0);
	expect_at(RPT_KEY_PAGE_DOWN, 0, 0);
	rpt_view_list_set(&view.lists[RPT_PAGE_ROWS], 20, 0);
	expect_at(RPT_KEY_END, 19, 19);
	expect_at(RPT_KEY_HOME, 0, 0);
}

static void a_moved_cursor_holds_its_row(void **state)
{
	(void)state;
	assert_false(view.is_held);
	rpt_view_key(&view, RPT_KEY_DOWN, &in_libc);
	assert_true(view.is_held);
	rpt_view_hold(&view, &in_main);
	assert_int_equal(view.at_id, in_main.id);
	rpt_view_key(&view, RPT_KEY_HOME, &in_main);
	assert_false(view.is_held);
}

static void zooms_are_undone_from_the_last(void **state)
{
	(void)state;
	assert_int_equal(rpt_view_key(&view, 'd', &in_libc), RPT_DO_LINES);
	assert_true(rpt_view_shows(&view, &in_libc));
	assert_false(rpt_view_shows(&view, &in_main));
	assert_false(rpt_view_shows(&view, &nowhere));
	assert_int_equal(rpt_view_key(&view, 't', &in_libc), RPT_DO_LINES);
	assert_int_equal(view.zooms[1].kind, RPT_ZOOM_COMM);
	assert_int_equal(type("/all\r"), RPT_DO_LINES);
	assert_int_equal(view.zoom_nr, 3);
	assert_true(rpt_view_shows(&view, &in_libc));
	/* another text takes the place of the first */
	type("/free\r");
	assert_int_equal(view.zoom_nr, 3);
	assert_false(rpt_view_shows(&view, &in_libc));
	assert_int_equal(rpt_view_key(&view, RPT_KEY_ESC, NULL), RPT_DO_LINES);
	assert_true(rpt_view_shows(&view, &in_libc));
	assert_int_equal(rpt_view_key(&view, 'd', NULL), RPT_DO_LINES);
	assert_int_equal(view.zoom_nr, 1);
	assert_int_equal(rpt_view_key(&view, RPT_KEY_LEFT, NULL), RPT_DO_LINES);
	assert_true(rpt_view_shows(&view, &in_main));
	assert_int_equal(rpt_view_key(&view, RPT_KEY_ESC, NULL), 0);
	assert_string_equal(view.message, "q quits");
}

static void zooms_need_their_sort_keys(void **state)
{
	(void)state;
	rpt_view_key(&view, 'd', &in_libc);
	rpt_view_set_rows(&view, RPT_BY_TASK, true);
	assert_int_equal(view.zoom_nr, 0);
	assert_int_equal(rpt_view_key(&view, 'd', &in_libc), 0);
	assert_non_null(strstr(view.message, "not by file"));
	assert_int_equal(rpt_view_key(&view, '/', &in_libc), 0);
	assert_int_equal(view.prompt, RPT_ASK_NOTHING);
	assert_int_equal(rpt_view_key(&view, 't', &in_libc), RPT_DO_LINES);
	assert_int_equal(view.zooms[0].tid, in_libc.tid);
	rpt_view_set_rows(&view, RPT_BY_SYMBOL, true);
	assert_int_equal(rpt_view_key(&view, 't', &in_libc), 0);
	assert_non_null(strstr(view.message, "not by thread"));
	rpt_view_set_rows(&view, ALL_BY, true);
	assert_int_equal(rpt_view_key(&view, 'd', &nowhere), 0);
	assert_int_equal(rpt_view_key(&view, 't', &nowhere), 0);
	assert_int_equal(rpt_view_key(&view, 't', NULL), 0);
	assert_int_equal(view.zoom_nr, 0);
}

static void prompts_take_text(void **state)
{
	(void)state;
	assert_int_equal(type("s"), 0);
	assert_string_equal(view.text, "dso,symbol");
	type("\x15"
	     "comm,q\xc3\xa4\x7f\x7f");
	assert_string_equal(view.text, "comm,");
	assert_int_equal(rpt_view_key(&view, RPT_KEY_UP, &in_libc), 0);
	assert_int_equal(type("sym\r"), RPT_DO_FRAME);
	assert_string_equal(view.sort, "comm,sym");
	/* what was typed and not wanted */
	type("sdso");
	assert_int_equal(rpt_view_key(&view, RPT_KEY_ESC, NULL), 0);
	assert_string_equal(view.sort, "comm,sym");
	type("s\x15\r");
	assert_string_equal(view.sort, "comm,sym");
	/* too long */
	type("/");
	for (int i = 0; i < 1000; i++)
		type("x");
	assert_int_equal(view.text_len, RPT_VIEW_TEXT_LEN - 1);
	for (int i = 0; i < 1000; i++)
		type("\x7f");
	assert_int_equal(view.text_len, 0);
	assert_int_equal(type("\r"), 0);
	assert_int_equal(view.zoom_nr, 0);
}

static void graphs_open_and_close(void **state)
{
	(void)state;
	assert_false(rpt_view_is_open(&view, 7));
	for (uint64_t id = 0; id < RPT_VIEW_OPEN + 5; id++) {
		const struct rpt_view_row row = { .id = id };

		assert_int_equal(rpt_view_key(&view, 'e', &row), RPT_DO_LINES);
	}
	/* the first ones have made room */
	assert_false(rpt_view_is_open(&view, 4));
	assert_true(rpt_view_is_open(&view, 5));
	rpt_view_key(&view, '+', &(struct rpt_view_row){ .id = 5 });
	assert_false(rpt_view_is_open(&view, 5));
	rpt_view_key(&view, 'E', &in_libc);
	assert_true(rpt_view_is_open(&view, in_libc.id));
	rpt_view_key(&view, 'e', &in_libc);
	assert_false(rpt_view_is_open(&view, in_libc.id));
	rpt_view_key(&view, 'C', &in_libc);
	assert_false(rpt_view_is_open(&view, in_main.id));
	rpt_view_set_rows(&view, ALL_BY, false);
	assert_int_equal(rpt_view_key(&view, 'e', &in_libc), 0);
	assert_non_null(strstr(view.message, "-g"));
}

static void pages_lead_back(void **state)
{
	(void)state;
	assert_int_equal(rpt_view_key(&view, 'a', NULL), 0);
	assert_int_equal(rpt_view_key(&view, 'a', &in_libc), RPT_DO_CODE);
	assert_int_equal(rpt_view_key(&view, RPT_KEY_ENTER, &in_libc),
			 RPT_DO_CODE);
	view.page = RPT_PAGE_CODE;
	rpt_view_key(&view, '?', &in_libc);
	assert_int_equal(view.page, RPT_PAGE_HELP);
	rpt_view_key(&view, 'x', &in_libc);
	assert_int_equal(view.page, RPT_PAGE_CODE);
	assert_int_equal(rpt_view_key(&view, 'q', &in_libc), 0);
	assert_int_equal(view.page, RPT_PAGE_ROWS);
	assert_int_equal(rpt_view_key(&view, 'q', &in_libc), RPT_DO_QUIT);
}

static void switches(void **state)
{
	(void)state;
	assert_int_equal(rpt_view_key(&view, 'p', NULL), 0);
	assert_true(view.is_paused);
	assert_int_equal(rpt_view_key(&view, 'f', NULL), RPT_DO_WINDOW);
	assert_false(view.is_paused);
	assert_int_equal(rpt_view_key(&view, 'K', NULL), RPT_DO_WINDOW);
	assert_true(view.hide.kernel);
	assert_int_equal(rpt_view_key(&view, 'U', NULL), RPT_DO_WINDOW);
	assert_true(view.hide.user);
	assert_int_equal(rpt_view_key(&view, 'z', NULL), RPT_DO_WINDOW);
	assert_true(view.is_zeroed);
	assert_int_equal(rpt_view_key(&view, RPT_KEY_TAB, NULL), RPT_DO_EVENT);
	assert_int_equal(rpt_view_key(&view, RPT_KEY_BACK_TAB, NULL),
			 RPT_DO_EVENT_BACK);
	assert_int_equal(rpt_view_key(&view, 'x', NULL), 0);
	assert_string_equal(view.message, "h shows all keys");
}

static void expect_range(const char *keys, uint32_t first, uint32_t range_end)
{
	assert_int_equal(type(keys), RPT_DO_ROWS);
	assert_int_equal(view.range.first, first);
	assert_int_equal(view.range.end, range_end);
}

static void a_range_never_becomes_empty(void **state)
{
	(void)state;
	assert_int_equal(type("["), 0);
	assert_string_equal(view.message, "h shows all keys");
	view.is_finished = true;
	assert_int_equal(type("["), 0);
	assert_string_equal(view.message, "the samples have no times");
	rpt_view_set_blocks(&view, 400, 0.01);
	assert_false(rpt_view_has_range(&view));
	expect_range("[[", 40, 400);
	assert_true(rpt_view_has_range(&view));
	expect_range("]]]", 40, 340);
	expect_range("{{{", 0, 340);
	expect_range("}}}}", 0, 400);
	expect_range("[[[[[[[[[[[[[[[[[[[[[[", 399, 400);
	expect_range("]]", 399, 400);
	assert_int_equal(rpt_view_key(&view, RPT_KEY_ESC, NULL), RPT_DO_ROWS);
	expect_range("]]]]]]]]]]]]]]]]]]]]]]", 0, 1);
	rpt_view_set_blocks(&view, 7, 0.01); /* fewer than steps */
	expect_range("[[", 2, 7);
	expect_range("]", 2, 6);
}

static void a_range_is_typed(void **state)
{
	static const char *const wrong[] = { "1",    "2,1",   "1,1",   "5,6",
					     "-1,2", "1,nan", "nan,1", "1,2x" };

	(void)state;
	view.is_finished = true;
	rpt_view_set_blocks(&view, 400, 0.01);
	assert_int_equal(type("r"), 0);
	expect_range("1.004,2.996\r", 100, 300);
	type("r");
	expect_range("3.999,1e300\r", 399, 400);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		type("r");
		type(wrong[i]);
		assert_int_equal(rpt_view_key(&view, RPT_KEY_ENTER, NULL), 0);
		assert_int_equal(view.range.first, 399);
	}
	type("r");
	expect_range("\r", 0, 400);
}

static void what_is_over_does_not_move(void **state)
{
	(void)state;
	assert_int_equal(type("o"), 0);
	view.is_finished = true;
	assert_int_equal(type("o"), RPT_DO_OFF_CPU);
	assert_int_equal(type("zpf"), 0);
	assert_int_equal(type("w\r"), 0);
	assert_int_equal(type("wo\r"), RPT_DO_WRITE);
	assert_string_equal(view.text, "o");
	assert_int_equal(type("i"), 0);
	assert_int_equal(view.page, RPT_PAGE_FACTS);
	type("q");
	assert_int_equal(view.page, RPT_PAGE_ROWS);
	assert_false(view.is_paused);
	assert_false(view.is_zeroed);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(the_cursor_stays_on_the_screen),
		TEST(a_moved_cursor_holds_its_row),
		TEST(zooms_are_undone_from_the_last),
		TEST(zooms_need_their_sort_keys),
		TEST(prompts_take_text),
		TEST(graphs_open_and_close),
		TEST(pages_lead_back),
		TEST(switches),
		TEST(a_range_never_becomes_empty),
		TEST(a_range_is_typed),
		TEST(what_is_over_does_not_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
