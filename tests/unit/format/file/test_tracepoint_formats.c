#include "format/file/tracepoint_formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct pd_str str(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

static struct pd_buf make_blob(bool swap, const char *version)
{
	const struct pd_trace_head head = {
		.version = str(version),
		.is_big = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.long_len = 4,
		.page_len = 65536,
		.page = str("page"),
		.event = str("event"),
	};
	const struct pd_trace_tail tail = { str("printk"), str("comms") };
	struct pd_buf b = { .swap = swap };

	pd_trace_head_write(&b, &head);
	pd_buf_u32(&b, 1);
	pd_trace_text_write(&b, str("own"));
	pd_buf_u32(&b, 2);
	pd_buf_cstr_pad(&b, str("empty"), 1);
	pd_buf_u32(&b, 0);
	pd_buf_cstr_pad(&b, str("sched"), 1);
	pd_buf_u32(&b, 2);
	pd_trace_text_write(&b, str("switch"));
	pd_trace_text_write(&b, str("wakeup"));
	pd_trace_tail_write(&b, &tail);
	assert_int_equal(pd_buf_status(&b), 0);
	return b;
}

/* How many formats there are before the cursor fails. */
static unsigned read_all(struct pd_cursor *c, struct pd_trace_head *head,
			 struct pd_trace_tail *tail)
{
	static const char *const expected[][2] = { { "ftrace", "own" },
						   { "sched", "switch" },
						   { "sched", "wakeup" } };
	struct pd_trace_formats it;
	struct pd_trace_format format;
	unsigned nr = 0;

	pd_trace_head_read(c, head);
	pd_trace_formats_init(&it, c);
	for (; pd_trace_formats_next(&it, &format) > 0; nr++) {
		if (nr >= 3) /* the caller sees it */
			continue;
		assert_true(pd_str_eq(format.system, expected[nr][0]));
		assert_true(pd_str_eq(format.text, expected[nr][1]));
	}
	pd_trace_tail_read(c, head, tail);
	return nr;
}

/* Each part of the blob; returns what stands behind it. */
static size_t read_blob(const struct pd_buf *b, bool swap,
			struct pd_trace_head *head, struct pd_trace_tail *tail)
{
	struct pd_cursor c;

	pd_cursor_init(&c, b->data, b->len, 0, "formats");
	assert_int_equal(read_all(&c, head, tail), 3);
	assert_int_equal(pd_cursor_status(&c), 0);
	assert_int_equal(c.swap, swap);
	return pd_cursor_left(&c);
}

static void test_tracepoint_formats__reads_what_was_written(void **state)
{
	for (int swap = 0; swap < 2; swap++) {
		struct pd_buf b = make_blob(swap, "0.6");
		struct pd_trace_head head;
		struct pd_trace_tail tail;

		(void)state;
		assert_int_equal(read_blob(&b, swap, &head, &tail), 0);
		assert_true(pd_str_eq(head.version, "0.6"));
		assert_int_equal(head.long_len, 4);
		assert_int_equal(head.page_len, 65536);
		assert_true(pd_str_eq(head.page, "page"));
		assert_true(pd_str_eq(head.event, "event"));
		assert_true(pd_str_eq(tail.printk, "printk"));
		assert_true(pd_str_eq(tail.comms, "comms"));
		pd_buf_release(&b);
	}
}

static void test_tracepoint_formats__of_old_versions_has_no_comms(void **state)
{
	struct pd_buf b = make_blob(false, "0.5");
	struct pd_trace_head head;
	struct pd_trace_tail tail;

	(void)state;
	assert_int_equal(read_blob(&b, false, &head, &tail),
			 8 + strlen("comms"));
	assert_int_equal(tail.comms.len, 0);
	pd_buf_release(&b);
}

static void
test_tracepoint_formats__cut_anywhere_has_what_is_before(void **state)
{
	struct pd_buf b = make_blob(false, "0.6");
	unsigned before_nr = 0;

	(void)state;
	for (size_t len = 0; len < b.len; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		struct pd_trace_head head;
		struct pd_trace_tail tail;
		struct pd_cursor c;
		unsigned nr;

		assert_non_null(copy);
		memcpy(copy, b.data, len);
		pd_cursor_init(&c, copy, len, 0, "formats");
		nr = read_all(&c, &head, &tail);
		assert_int_not_equal(pd_cursor_status(&c), 0);
		assert_true(nr >= before_nr);
		before_nr = nr;
		free(copy);
	}
	assert_int_equal(before_nr, 3);
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_tracepoint_formats__reads_what_was_written),
		cmocka_unit_test(
			test_tracepoint_formats__of_old_versions_has_no_comms),
		cmocka_unit_test(
			test_tracepoint_formats__cut_anywhere_has_what_is_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
