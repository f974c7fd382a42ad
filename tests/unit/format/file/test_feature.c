#include "format/file/feature.h"

#include "tests/unit/both_orders.h"

static struct pd_str str(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

static struct pd_cursor over(const struct bytes *b)
{
	struct pd_cursor c;

	pd_cursor_init(&c, b->data, b->len, 0, "feature");
	c.swap = bytes_swap(b);
	return c;
}

/* FORMAT.md "Feature strings" */
static void put_string(struct bytes *b, const char *text)
{
	put_u32(b, 64);
	put_text(b, text, 64);
}

static void same(const struct pd_buf *got, const struct bytes *want)
{
	assert_int_equal(got->len, want->len);
	if (bytes_swap(want))
		return; /* we write this machine's order */
	assert_memory_equal(got->data, want->data, want->len);
}

static void test_feature__names(void **state)
{
	(void)state;
	assert_string_equal(pd_feature_name(1), "TRACING_DATA");
	assert_string_equal(pd_feature_name(27), "COMPRESSED");
	assert_string_equal(pd_feature_name(34), "CLN_SIZE");
	assert_null(pd_feature_name(0));
	assert_null(pd_feature_name(35));
	assert_null(pd_feature_name(255));
}

static void test_feature__strings_are_padded_to_64(void **state)
{
	static const struct {
		size_t text_len;
		size_t len;
	} rows[] = { { 0, 64 }, { 63, 64 }, { 64, 128 }, { 127, 128 } };
	char text[128];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < 4; i++) {
		struct pd_buf b = PD_BUF_INIT;
		struct pd_cursor c;
		struct pd_str s;

		pd_buf_string(&b, (struct pd_str){ text, rows[i].text_len });
		assert_int_equal(b.len, 4 + rows[i].len);
		pd_cursor_init(&c, b.data, b.len, 0, "feature");
		assert_int_equal(pd_feature_string_read(&c, &s), 0);
		assert_int_equal(s.len, rows[i].text_len);
		pd_buf_release(&b);
	}
}

static void check_topology(const struct pd_cpu_topology *t)
{
	assert_int_equal(t->core_siblings.nr, 1);
	assert_true(pd_str_eq(t->core_siblings.items[0], "0-1"));
	assert_int_equal(t->thread_siblings.nr, 2);
	assert_true(pd_str_eq(t->thread_siblings.items[1], "1"));
	assert_int_equal(t->place_nr, 2);
	assert_int_equal(t->places[1].core_id, 8);
	assert_int_equal(t->places[1].socket_id, 9);
	assert_true(t->has_dies);
	assert_int_equal(t->places[1].die_id, 4);
}

static void test_feature__cpu_topology(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct bytes b = { .big_endian = big };
		struct pd_buf again = PD_BUF_INIT;
		struct pd_cpu_topology t;
		struct pd_cursor c;

		put_u32(&b, 1);
		put_string(&b, "0-1");
		put_u32(&b, 2);
		put_string(&b, "0");
		put_string(&b, "1");
		for (uint32_t v = 6; v < 10; v++)
			put_u32(&b, v);
		put_u32(&b, 1);
		put_string(&b, "0-1");
		put_u32(&b, 3);
		put_u32(&b, 4);
		c = over(&b);
		assert_int_equal(pd_feature_cpu_topology_read(&c, 2, &t), 0);
		assert_int_equal(pd_cursor_left(&c), 0);
		check_topology(&t);
		pd_feature_cpu_topology_write(&again, &t);
		same(&again, &b);
		pd_cpu_topology_release(&t);
		pd_buf_release(&again);
	}
}

static void test_feature__event_desc(void **state)
{
	const uint64_t ids[2] = { 5, 6 };
	struct pd_event_desc desc = {
		.attr = { .attr_len = PD_ATTR_LEN_VER7, .config = 42 },
		.name = str("cpu-clock"),
		.ids = { .raw = (const uint8_t *)ids, .nr = 2 },
	};
	const struct pd_event_descs descs = { .items = &desc, .nr = 1 };
	struct pd_event_descs got = { .nr = 0 };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_cursor c;

	(void)state;
	pd_feature_event_desc_write(&b, &descs);
	assert_int_equal(b.len, 8 + 128 + 4 + 4 + 64 + 16);
	pd_cursor_init(&c, b.data, b.len, 0, "EVENT_DESC");
	assert_int_equal(pd_feature_event_desc_read(&c, &got), 0);
	assert_int_equal(pd_cursor_left(&c), 0);
	assert_int_equal(got.nr, 1);
	assert_int_equal(got.items[0].attr.config, 42);
	assert_true(pd_str_eq(got.items[0].name, "cpu-clock"));
	assert_int_equal(pd_u64s_at(&got.items[0].ids, 1), 6);
	pd_event_descs_release(&got);
	pd_buf_release(&b);
}

static void test_feature__mem_topology(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct bytes b = { .big_endian = big };
		struct pd_mem_topology t;
		struct pd_cursor c;

		put_u64(&b, 1);
		put_u64(&b, 0x8000000);
		put_u64(&b, 1);
		put_u64(&b, 0);
		put_u64(&b, 65);
		put_u64(&b, 65);
		put_u64(&b, 0xff);
		put_u64(&b, 1);
		c = over(&b);
		assert_int_equal(pd_feature_mem_topology_read(&c, &t), 0);
		assert_int_equal(pd_cursor_left(&c), 0);
		assert_int_equal(t.block_len, 0x8000000);
		assert_int_equal(t.nodes[0].bit_nr, 65);
		assert_int_equal(t.nodes[0].block_set.nr, 2);
		assert_int_equal(pd_u64s_at(&t.nodes[0].block_set, 0), 0xff);
		pd_mem_topology_release(&t);
	}
}

/* A count is never believed before the bytes are there. */
static void test_feature__a_list_longer_than_its_payload(void **state)
{
	struct bytes b = { .big_endian = false };
	struct pd_str_list list;
	struct pd_numa_topology numa;
	struct pd_cursor c;

	(void)state;
	put_u32(&b, 1000);
	put_string(&b, "one");
	c = over(&b);
	assert_int_equal(pd_feature_cmdline_read(&c, &list), -ENODATA);
	c = over(&b);
	assert_int_equal(pd_feature_numa_topology_read(&c, &numa), -ENODATA);
	b.len = 0;
	put_u32(&b, UINT32_MAX);
	c = over(&b);
	assert_int_equal(pd_feature_cmdline_read(&c, &list), -EFBIG);
}

static void test_feature__compressed_has_20_bytes(void **state)
{
	const struct pd_compression z = { 0, 1, 3, 12, 65536 };
	struct pd_compression got;
	struct pd_buf b = PD_BUF_INIT;
	struct pd_cursor c;

	(void)state;
	pd_feature_compressed_write(&b, &z);
	assert_int_equal(b.len, 20);
	pd_cursor_init(&c, b.data, b.len, 0, "COMPRESSED");
	assert_int_equal(pd_feature_compressed_read(&c, &got), 0);
	assert_memory_equal(&got, &z, sizeof(z));
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_feature__names),
		cmocka_unit_test(test_feature__strings_are_padded_to_64),
		cmocka_unit_test(test_feature__cpu_topology),
		cmocka_unit_test(test_feature__event_desc),
		cmocka_unit_test(test_feature__mem_topology),
		cmocka_unit_test(test_feature__a_list_longer_than_its_payload),
		cmocka_unit_test(test_feature__compressed_has_20_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
