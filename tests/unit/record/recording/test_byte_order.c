/* Records of the recorder are right on a machine of the other byte order, too:
 * each writer fills a buffer that swaps, which a number that was made by hand
 * escapes.  What format/ reads of it, as a file of that machine, and writes
 * anew is what the writer fills a plain buffer with. */
#include "record/recording/session.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/file/layout.h"
#include "format/file/tracepoint_formats.h"
#include "format/records/record_body.h"
#include "record/describe/event_sections.h"
#include "record/describe/feature_table.h"
#include "record/host/tracing_data.h"
#include "record/recording/metadata_records.h"
#include "record/recording/slice_mark.h"

#define TRACEFS PERFPAIR_SOURCE_DIR "/fixtures/tracefs"

enum { EVENT_NR = 2, FD_NR = 4, ID_LEN = 8 };

static struct rec_event events[EVENT_NR];
static struct rec_event_list list = { .events = events, .nr = EVENT_NR };
static struct rec_open_fd fds[FD_NR];
static size_t first[EVENT_NR + 1] = { 0, 2, 4 };
static struct rec_open_set open_set = {
	.fds = fds, .nr = FD_NR, .first = first, .event_nr = EVENT_NR
};
static int cpus[] = { 1, 2, 260 };
static struct rec_thread threads[] = { { .tid = 77, .comm = "first" },
				       { .tid = 0x1234, .comm = "second" } };
static struct rec_args args;
static struct rec_session session;

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < EVENT_NR; i++) {
		rec_attr_init(&events[i].attr);
		events[i].name = strdup(i ? "instructions" : "cycles");
		events[i].leader_idx = 0;
		events[i].member_nr = i ? 0 : 2;
		events[i].scale = i ? 0.25 : 1.0;
		events[i].attr.sys.config = i + 0x0102030405060708;
		events[i].attr.sys.sample_type = PERF_SAMPLE_IDENTIFIER;
		events[i].attr.sys.sample_id_all = 1;
		events[i].attr.sys.precise_ip = 2;
	}
	events[1].unit = strdup("pages");
	events[1].cpus = strdup("1-2,260");
	for (uint32_t i = 0; i < FD_NR; i++)
		fds[i] = (struct rec_open_fd){ .fd = -1,
					       .cpu = (int)(i % 2),
					       .tid = -1,
					       .event_idx = i / 2,
					       .id = 0x7000 + i };
	args.events = list;
	session.args = &args;
	session.open = open_set;
	session.target = (struct rec_target){
		.cpus = cpus, .cpu_nr = 3, .threads = threads, .thread_nr = 2
	};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < EVENT_NR; i++)
		free(events[i].name);
	free(events[1].unit);
	free(events[1].cpus);
	return 0;
}

/* Records. */

static void put_metadata(struct pd_buf *b)
{
	rec_metadata_records_write(b, &session);
}

static void put_attrs(struct pd_buf *b)
{
	rec_attr_records_write(b, &list, &open_set);
}

static void put_loss(struct pd_buf *b)
{
	const struct rec_loss loss = {
		.event_idx = 1, .cpu = 1, .tid = 77, .id = 0x7003, .lost_nr = 12
	};

	rec_loss_write(b, &events[1], &loss);
}

static void put_end(struct pd_buf *b)
{
	rec_features_end_write(b);
}

/* Append what the record says as a record of this machine. */
static void put_again(const struct pd_record *record, struct pd_buf *ret)
{
	struct pd_buf entries = PD_BUF_INIT;
	struct pd_body body;
	size_t id_len = record->type == PD_RECORD_LOST_SAMPLES ? ID_LEN : 0;
	size_t start;

	assert_int_equal(pd_body_read(record, id_len, &body, NULL), 0);
	for (size_t i = 0;
	     record->type == PD_RECORD_THREAD_MAP && i < body.u.thread_map.nr;
	     i++) {
		const struct pd_thread_map_entry e =
			pd_thread_map_at(&body.u.thread_map, i, record->swap);

		pd_buf_u64(&entries, e.tid);
		pd_buf_cstr_pad(&entries, e.comm, 16);
	}
	if (entries.len)
		body.u.thread_map.entries = entries.data;
	start = pd_record_begin(ret, record->type, record->misc);
	pd_body_write_fields(ret, &body);
	if (id_len) {
		uint64_t id;

		memcpy(&id, record->data + record->len - id_len, sizeof(id));
		pd_buf_u64(ret, record->swap ? __builtin_bswap64(id) : id);
	}
	pd_record_end(ret, start);
	pd_buf_release(&entries);
}

static void test_byte_order__of_records(void **state)
{
	static void (*const writers[])(struct pd_buf * b) = {
		put_metadata, put_attrs, put_loss, put_end
	};

	(void)state;
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		struct pd_buf plain = PD_BUF_INIT, again = PD_BUF_INIT;
		struct pd_buf other = { .swap = true };
		size_t at = 0;

		writers[i](&plain);
		writers[i](&other);
		assert_true(plain.len > 0);
		while (at < other.len) {
			struct pd_record record;

			assert_int_equal(pd_record_read(other.data + at,
							other.len - at, 0, true,
							&record, NULL),
					 0);
			put_again(&record, &again);
			at += record.len;
		}
		assert_int_equal(again.len, plain.len);
		assert_memory_equal(again.data, plain.data, plain.len);
		pd_buf_release(&plain);
		pd_buf_release(&other);
		pd_buf_release(&again);
	}
}

static void test_byte_order__of_a_slice_mark(void **state)
{
	const struct rec_slice_mark mark = { .boot_id = "0123456789abcde",
					     .name_hash = 0x0102030405060708,
					     .options_hash = 9 };
	struct rec_slice_mark again;
	struct pd_buf other = { .swap = true };
	struct pd_record record;

	(void)state;
	rec_slice_mark_write(&other, &mark);
	assert_int_equal(
		pd_record_read(other.data, other.len, 0, true, &record, NULL),
		0);
	assert_int_equal(rec_slice_mark_read(&record, &again), 0);
	assert_memory_equal(&again, &mark, sizeof(mark));
	pd_buf_release(&other);
}

/* Payloads of features. */

static int put_event_desc(struct pd_buf *b)
{
	return rec_event_desc_write(b, &list, &open_set);
}

static int put_group_desc(struct pd_buf *b)
{
	return rec_group_desc_write(b, &list);
}

static int put_cmdline(struct pd_buf *b)
{
	char *const argv[] = { "perfpair-record", "-a" };

	return rec_cmdline_write(b, 2, argv);
}

#define AGAIN(name, type)                                              \
	static int again_##name(struct pd_cursor *c, struct pd_buf *b) \
	{                                                              \
		struct type value;                                     \
		int rc = pd_feature_##name##_read(c, &value);          \
                                                                       \
		if (!rc)                                               \
			pd_feature_##name##_write(b, &value);          \
		if (!rc)                                               \
			type##_release(&value);                        \
		return rc;                                             \
	}
AGAIN(event_desc, pd_event_descs)
AGAIN(group_desc, pd_group_descs)
AGAIN(cmdline, pd_str_list)

static void test_byte_order__of_features(void **state)
{
	static const struct {
		int (*put)(struct pd_buf *b);
		int (*again)(struct pd_cursor *c, struct pd_buf *b);
	} features[] = {
		{ put_event_desc, again_event_desc },
		{ put_group_desc, again_group_desc },
		{ put_cmdline, again_cmdline },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		struct pd_buf plain = PD_BUF_INIT, again = PD_BUF_INIT;
		struct pd_buf other = { .swap = true };
		struct pd_cursor c;

		assert_int_equal(features[i].put(&plain), 0);
		assert_int_equal(features[i].put(&other), 0);
		pd_cursor_init(&c, other.data, other.len, 0, "feature");
		c.swap = true;
		assert_int_equal(features[i].again(&c, &again), 0);
		assert_int_equal(again.len, plain.len);
		assert_memory_equal(again.data, plain.data, plain.len);
		pd_buf_release(&plain);
		pd_buf_release(&other);
		pd_buf_release(&again);
	}
}

/* Tracing data have a byte that says their order. */
static void test_byte_order__of_tracepoints(void **state)
{
	const struct rec_tracepoint point = { .system = "sched",
					      .name = "sched_switch" };
	struct pd_trace_formats it;
	struct pd_trace_format format;
	struct pd_trace_head head;
	struct pd_trace_tail tail;
	struct pd_buf other = { .swap = true };
	struct pd_cursor c;
	size_t nr = 0;

	(void)state;
	assert_int_equal(
		rec_tracing_data_write(&other, TRACEFS, &point, 1, NULL), 0);
	pd_cursor_init(&c, other.data, other.len, 0, "formats");
	assert_int_equal(pd_trace_head_read(&c, &head), 0);
	assert_int_equal(head.is_big, __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__);
	pd_trace_formats_init(&it, &c);
	while (pd_trace_formats_next(&it, &format) > 0)
		nr++;
	assert_int_equal(nr, 1);
	assert_int_equal(pd_trace_tail_read(&c, &head, &tail), 0);
	assert_int_equal(pd_cursor_left(&c), 0);
	pd_buf_release(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_byte_order__of_records),
		cmocka_unit_test(test_byte_order__of_a_slice_mark),
		cmocka_unit_test(test_byte_order__of_features),
		cmocka_unit_test(test_byte_order__of_tracepoints),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
