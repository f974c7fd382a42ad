#include "report/input/order.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What came out, as "time:seq time:seq". */
struct seen {
	char text[4096];
	int fail_at; /* the delivery that fails; 0: none */
	int nr;
};

static int see(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct seen *seen = ctx;
	size_t len = strlen(seen->text);

	assert_int_equal(rec->data[0], (uint8_t)rec->seq);
	snprintf(seen->text + len, sizeof(seen->text) - len, "%s%u:%u",
		 len ? " " : "", (unsigned)time_ns, (unsigned)rec->seq);
	return ++seen->nr == seen->fail_at ? -EPIPE : 0;
}

static struct rpt_order order;
static struct seen seen;

static int setup(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	rpt_order_init(&order, see, &seen);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rpt_order_release(&order);
	return 0;
}

static void add(struct rpt_order *to, uint64_t time_ns, uint64_t seq)
{
	uint8_t byte[8] = { (uint8_t)seq };
	struct pd_record rec = { .seq = seq, .data = byte, .len = 8 };

	assert_int_equal(rpt_order_add(to, &rec, time_ns, false), 0);
	byte[0] = 0xff;
}

/* A record whose bytes stay. */
static const uint8_t lasting_bytes[8] = { 7 };
static const struct pd_record lasting = { .seq = 7,
					  .data = lasting_bytes,
					  .len = 8 };

static void
test_order__a_round_delivers_records_up_to_the_previous(void **state)
{
	(void)state;
	add(&order, 10, 1);
	add(&order, 30, 2);
	assert_int_equal(rpt_order_round(&order), 0);
	assert_string_equal(seen.text, "");
	add(&order, 40, 3);
	add(&order, 20, 4);
	assert_int_equal(rpt_order_round(&order), 0);
	assert_string_equal(seen.text, "10:1 20:4 30:2");
	add(&order, 35, 5);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "10:1 20:4 30:2 35:5 40:3");
}

static void test_order__equal_times_come_in_file_order(void **state)
{
	(void)state;
	add(&order, 5, 1);
	add(&order, 9, 2);
	add(&order, 5, 3);
	add(&order, 5, 4);
	add(&order, 1, 5);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "1:5 5:1 5:3 5:4 9:2");
}

static void test_order__many_runs_come_out_sorted(void **state)
{
	unsigned last = 0, time, seq;
	char *save, *word;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		add(&order, 1 + i * 7919 % 97, i);
		if (i % 50 == 49)
			assert_int_equal(rpt_order_finish(&order), 0);
	}
	assert_int_equal(seen.nr, 200);
	word = strtok_r(seen.text, " ", &save);
	for (unsigned i = 0; i < 200; i++, word = strtok_r(NULL, " ", &save)) {
		assert_int_equal(sscanf(word, "%u:%u", &time, &seq), 2);
		assert_int_equal(time, 1 + seq * 7919 % 97);
		assert_int_equal(seq / 50, i / 50);
		assert_true(i % 50 == 0 || time >= last);
		last = time;
	}
}

static void test_order__a_failed_delivery_ends_it(void **state)
{
	(void)state;
	seen.fail_at = 2;
	for (unsigned i = 1; i < 5; i++)
		add(&order, i, i);
	assert_int_equal(rpt_order_finish(&order), -EPIPE);
	assert_string_equal(seen.text, "1:1 2:2");
}

static void test_order__lasting_bytes_are_not_copied(void **state)
{
	(void)state;
	assert_int_equal(rpt_order_add(&order, &lasting, 3, true), 0);
	assert_ptr_equal(order.entries[0].rec.data, lasting_bytes);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "3:7");
}

/* Two orders, one with the memory of a few records, get the same. */
static void test_order__records_on_disk_are_merged(void **state)
{
	struct rpt_order small;
	struct seen small_seen = { .nr = 0 };

	(void)state;
	rpt_order_init(&small, see, &small_seen);
	small.memory_max_len = (256u << 10) + 700;
	for (unsigned i = 0; i < 300; i++) {
		add(&order, 1 + i / 7 + i * 7919 % 97, i);
		add(&small, 1 + i / 7 + i * 7919 % 97, i);
		if (i % 60 != 59)
			continue;
		assert_true(small.disk.len > 0);
		assert_int_equal(rpt_order_round(&order), 0);
		assert_int_equal(rpt_order_round(&small), 0);
		assert_string_equal(small_seen.text, seen.text);
	}
	assert_int_equal(order.disk.len, 0);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_int_equal(rpt_order_finish(&small), 0);
	assert_int_equal(small_seen.nr, 300);
	assert_string_equal(small_seen.text, seen.text);
	assert_int_equal(small.disk.len, 0);
	rpt_order_release(&small);
}

static void test_order__lasting_bytes_stay_where_they_are(void **state)
{
	(void)state;
	order.memory_max_len = 1;
	assert_int_equal(rpt_order_add(&order, &lasting, 3, true), 0);
	assert_int_equal(order.nr, 0);
	assert_ptr_equal(rpt_disk_runs_first(&order.disk)->rec.data,
			 lasting_bytes);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "3:7");
}

static void test_order__waiting_records_are_limited(void **state)
{
	(void)state;
	order.memory_max_len = 1;
	order.disk_max_len = 100;
	assert_int_equal(rpt_order_add(&order, &lasting, 3, true), 0);
	assert_int_equal(rpt_order_add(&order, &lasting, 2, true), 0);
	assert_int_equal(rpt_order_add(&order, &lasting, 1, true), -EFBIG);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "2:7 3:7");
	assert_int_equal(rpt_order_add(&order, &lasting, 1, true), 0);
}

/* Where nothing can be written what waits stays in memory. */
static void test_order__they_are_limited_without_a_disk(void **state)
{
	const char *dir = getenv("TMPDIR");
	char *old = dir ? strdup(dir) : NULL;

	(void)state;
	setenv("TMPDIR", "/dev/null/nowhere", 1);
	order.memory_max_len = 1;
	order.disk_max_len = 100;
	assert_int_equal(rpt_order_add(&order, &lasting, 3, true), 0);
	assert_int_equal(order.nr, 1);
	assert_int_equal(rpt_order_add(&order, &lasting, 2, true), 0);
	assert_int_equal(rpt_order_add(&order, &lasting, 1, true), -EFBIG);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "2:7 3:7");
	assert_int_equal(rpt_order_add(&order, &lasting, 1, true), 0);
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
	free(old);
}

#define ORDER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ORDER_TEST(
			test_order__a_round_delivers_records_up_to_the_previous),
		ORDER_TEST(test_order__equal_times_come_in_file_order),
		ORDER_TEST(test_order__many_runs_come_out_sorted),
		ORDER_TEST(test_order__a_failed_delivery_ends_it),
		ORDER_TEST(test_order__lasting_bytes_are_not_copied),
		ORDER_TEST(test_order__records_on_disk_are_merged),
		ORDER_TEST(test_order__lasting_bytes_stay_where_they_are),
		ORDER_TEST(test_order__waiting_records_are_limited),
		ORDER_TEST(test_order__they_are_limited_without_a_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
