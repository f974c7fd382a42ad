#include "record/host/tracing_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

#define TREE PERFPAIR_SOURCE_DIR "/fixtures/tracefs"

static struct pd_str take_cstr(struct pd_cursor *c, const char *expected)
{
	struct pd_str s = pd_cursor_cstr(c);

	assert_true(pd_str_eq(s, expected));
	return s;
}

static void take_text(struct pd_cursor *c, size_t len, const char *expected)
{
	assert_int_equal(len, strlen(expected));
	assert_true(pd_str_eq(pd_cursor_field(c, len), expected));
}

static void test_tracing_data__has_each_format_once_by_system(void **state)
{
	static const struct rec_tracepoint points[] = {
		{ "sched", "sched_switch" },
		{ "syscalls", "sys_enter_getppid" },
		{ "sched", "sched_wakeup" },
		{ "sched", "sched_switch" },
	};
	struct pd_buf b = PD_BUF_INIT;
	struct pd_cursor c;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	assert_int_equal(rec_tracing_data_write(&b, TREE, points, 4, &err), 0);
	pd_cursor_init(&c, b.data, b.len, 0, "tracing data");
	assert_memory_equal(pd_cursor_bytes(&c, 10), "\x17\x08\x44tracing", 10);
	take_cstr(&c, "0.6");
	assert_int_equal(pd_cursor_u8(&c),
			 __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	assert_int_equal(pd_cursor_u8(&c), sizeof(long));
	assert_int_equal(pd_cursor_u32(&c), sysconf(_SC_PAGESIZE));
	take_cstr(&c, "header_page");
	take_text(&c, pd_cursor_u64(&c),
		  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	take_cstr(&c, "header_event");
	take_text(&c, pd_cursor_u64(&c), "# compressed entry header\n");
	assert_int_equal(pd_cursor_u32(&c), 0); /* ftrace's own */
	assert_int_equal(pd_cursor_u32(&c), 2); /* systems */
	take_cstr(&c, "sched");
	assert_int_equal(pd_cursor_u32(&c), 2);
	take_text(&c, pd_cursor_u64(&c), "name: sched_switch\nID: 3\n");
	take_text(&c, pd_cursor_u64(&c), "name: sched_wakeup\nID: 4\n");
	take_cstr(&c, "syscalls");
	assert_int_equal(pd_cursor_u32(&c), 1);
	take_text(&c, pd_cursor_u64(&c), "name: sys_enter_getppid\nID: 5\n");
	assert_int_equal(pd_cursor_u32(&c), 0); /* kallsyms */
	take_text(&c, pd_cursor_u32(&c),
		  "0xffffffff828195af : \"thaw_processes\"\n");
	assert_int_equal(pd_cursor_u64(&c), 0); /* no saved_cmdlines there */
	assert_int_equal(pd_cursor_status(&c), 0);
	assert_int_equal(pd_cursor_left(&c), 0);
	pd_buf_release(&b);
}

static void test_tracing_data__names_the_file_that_is_missing(void **state)
{
	static const struct rec_tracepoint point = { "sched", "no_such" };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	assert_int_equal(rec_tracing_data_write(&b, TREE, &point, 1, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "events/sched/no_such/format"));
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_tracing_data__has_each_format_once_by_system),
		cmocka_unit_test(
			test_tracing_data__names_the_file_that_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
