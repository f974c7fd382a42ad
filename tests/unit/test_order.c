#include "report/order.h"

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

static void add(struct rpt_order *order, uint64_t time_ns, uint64_t seq)
{
	uint8_t byte[8] = { (uint8_t)seq };
	struct pd_record rec = { .seq = seq, .data = byte, .len = 8 };

	assert_int_equal(rpt_order_add(order, &rec, time_ns, false), 0);
	byte[0] = 0xff;
}

static void test_order__a_round_lets_go_what_the_one_before_saw(void **state)
{
	struct rpt_order order;
	struct seen seen = { .nr = 0 };

	(void)state;
	rpt_order_init(&order, see, &seen);
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
	rpt_order_release(&order);
}

static void test_order__equal_times_come_in_file_order(void **state)
{
	struct rpt_order order;
	struct seen seen = { .nr = 0 };

	(void)state;
	rpt_order_init(&order, see, &seen);
	add(&order, 5, 1);
	add(&order, 9, 2);
	add(&order, 5, 3);
	add(&order, 5, 4);
	add(&order, 1, 5);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "1:5 5:1 5:3 5:4 9:2");
	rpt_order_release(&order);
}

static void test_order__many_runs_come_out_sorted(void **state)
{
	struct rpt_order order;
	struct seen seen = { .nr = 0 };
	unsigned last = 0, time, seq;
	char *save, *word;

	(void)state;
	rpt_order_init(&order, see, &seen);
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
	rpt_order_release(&order);
}

static void test_order__a_failed_delivery_ends_it(void **state)
{
	struct rpt_order order;
	struct seen seen = { .fail_at = 2 };

	(void)state;
	rpt_order_init(&order, see, &seen);
	for (unsigned i = 1; i < 5; i++)
		add(&order, i, i);
	assert_int_equal(rpt_order_finish(&order), -EPIPE);
	assert_string_equal(seen.text, "1:1 2:2");
	rpt_order_release(&order);
}

static void test_order__lasting_bytes_are_not_copied(void **state)
{
	static const uint8_t bytes[8] = { 7 };
	struct pd_record rec = { .seq = 7, .data = bytes, .len = 8 };
	struct rpt_order order;
	struct seen seen = { .nr = 0 };

	(void)state;
	rpt_order_init(&order, see, &seen);
	assert_int_equal(rpt_order_add(&order, &rec, 3, true), 0);
	assert_ptr_equal(order.entries[0].rec.data, bytes);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "3:7");
	rpt_order_release(&order);
}

/* Two orders, one with the memory of a few records, get the same. */
static void test_order__what_waits_on_disk_comes_in_its_turn(void **state)
{
	struct rpt_order order, small;
	struct seen seen = { .nr = 0 }, small_seen = { .nr = 0 };

	(void)state;
	rpt_order_init(&order, see, &seen);
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
	rpt_order_release(&order);
	rpt_order_release(&small);
}

static void test_order__lasting_bytes_stay_where_they_are(void **state)
{
	static const uint8_t bytes[8] = { 7 };
	struct pd_record rec = { .seq = 7, .data = bytes, .len = 8 };
	struct rpt_order order;
	struct seen seen = { .nr = 0 };

	(void)state;
	rpt_order_init(&order, see, &seen);
	order.memory_max_len = 1;
	assert_int_equal(rpt_order_add(&order, &rec, 3, true), 0);
	assert_int_equal(order.nr, 0);
	assert_ptr_equal(rpt_disk_runs_first(&order.disk)->rec.data, bytes);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "3:7");
	rpt_order_release(&order);
}

static void test_order__there_is_an_end_of_waiting(void **state)
{
	static const uint8_t bytes[8] = { 7 };
	struct pd_record rec = { .seq = 7, .data = bytes, .len = 8 };
	struct rpt_order order;
	struct seen seen = { .nr = 0 };

	(void)state;
	rpt_order_init(&order, see, &seen);
	order.memory_max_len = 1;
	order.disk_max_len = 100;
	assert_int_equal(rpt_order_add(&order, &rec, 3, true), 0);
	assert_int_equal(rpt_order_add(&order, &rec, 2, true), 0);
	assert_int_equal(rpt_order_add(&order, &rec, 1, true), -EFBIG);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "2:7 3:7");
	assert_int_equal(rpt_order_add(&order, &rec, 1, true), 0);
	rpt_order_release(&order);
}

/* Where nothing can be written what waits stays in memory. */
static void test_order__there_is_one_without_a_disk(void **state)
{
	static const uint8_t bytes[8] = { 7 };
	struct pd_record rec = { .seq = 7, .data = bytes, .len = 8 };
	const char *dir = getenv("TMPDIR");
	char *old = dir ? strdup(dir) : NULL;
	struct rpt_order order;
	struct seen seen = { .nr = 0 };

	(void)state;
	setenv("TMPDIR", "/dev/null/nowhere", 1);
	rpt_order_init(&order, see, &seen);
	order.memory_max_len = 1;
	order.disk_max_len = 100;
	assert_int_equal(rpt_order_add(&order, &rec, 3, true), 0);
	assert_int_equal(order.nr, 1);
	assert_int_equal(rpt_order_add(&order, &rec, 2, true), 0);
	assert_int_equal(rpt_order_add(&order, &rec, 1, true), -EFBIG);
	assert_int_equal(rpt_order_finish(&order), 0);
	assert_string_equal(seen.text, "2:7 3:7");
	assert_int_equal(rpt_order_add(&order, &rec, 1, true), 0);
	rpt_order_release(&order);
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
	free(old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_order__a_round_lets_go_what_the_one_before_saw),
		cmocka_unit_test(test_order__equal_times_come_in_file_order),
		cmocka_unit_test(test_order__many_runs_come_out_sorted),
		cmocka_unit_test(test_order__a_failed_delivery_ends_it),
		cmocka_unit_test(test_order__lasting_bytes_are_not_copied),
		cmocka_unit_test(
			test_order__what_waits_on_disk_comes_in_its_turn),
		cmocka_unit_test(test_order__lasting_bytes_stay_where_they_are),
		cmocka_unit_test(test_order__there_is_an_end_of_waiting),
		cmocka_unit_test(test_order__there_is_one_without_a_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
