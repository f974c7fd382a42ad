/* The thread that collects names, with a collector of this test in the place of
 * the real one: it hangs, or works, for as long as it is told to. */
#include "record/carry/carry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/base/runtime.h"
#include "record/carry/collector.h"

static _Atomic unsigned hang_ms, work_ms;
static _Atomic unsigned run_nr;

int rec_collector_run(const struct rec_collector_conf *conf, int fd,
		      uint64_t len, struct pd_buf *b,
		      struct pd_carried_sections *ret, struct pd_err *err)
{
	(void)conf;
	(void)fd;
	run_nr++;
	usleep(hang_ms * 1000);
	for (uint64_t from_ns = rec_thread_cpu_ns();
	     rec_thread_cpu_ns() < from_ns + work_ms * UINT64_C(1000000);)
		continue;
	pd_buf_bytes(b, "names", 5);
	ret->nr = (size_t)len;
	return len == 13 ? pd_err_set(err, -EBADMSG, "unlucky") : 0;
}

static int start(void **state)
{
	static struct rec_carry carry;
	const struct rec_carry_conf conf = {
		.memory_len = REC_CARRY_MEMORY_LEN,
		.time_ns = 50000000,
		.hang_ns = 50000000,
	};

	hang_ms = work_ms = 0;
	*state = &carry;
	return rec_carry_start(&carry, &conf);
}

static int end(void **state)
{
	rec_carry_release(*state);
	return 0;
}

static int collect(struct rec_carry *carry, uint64_t len, struct pd_buf *b,
		   struct pd_err *err)
{
	struct pd_carried_sections sections;
	int rc = rec_carry_collect(carry, 0, len, b, &sections, err);

	if (!rc)
		assert_int_equal(sections.nr, len);
	return rc;
}

static void test_carry__returns_what_was_collected(void **state)
{
	struct pd_buf b = PD_BUF_INIT;

	assert_int_equal(collect(*state, 3, &b, NULL), 0);
	assert_int_equal(collect(*state, 4, &b, NULL), 0);
	assert_int_equal(b.len, 10);
	assert_memory_equal(b.data, "namesnames", 10);
	pd_buf_release(&b);
}

static void test_carry__returns_the_error(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct pd_buf b = PD_BUF_INIT;

	assert_int_equal(collect(*state, 13, &b, &err), -EBADMSG);
	assert_string_equal(err.text, "unlucky");
	pd_buf_release(&b);
}

/* A file on a network that is gone must not hold the recorder up. */
static void test_carry__a_thread_that_hangs_is_left_alone(void **state)
{
	int rc = -EBUSY;
	struct pd_buf b = PD_BUF_INIT;
	unsigned nr = run_nr;

	hang_ms = 600;
	assert_int_equal(collect(*state, 3, &b, NULL), -ETIMEDOUT);
	assert_int_equal(collect(*state, 3, &b, NULL), -EBUSY);
	assert_int_equal(run_nr, nr + 1);
	assert_int_equal(b.len, 0);
	hang_ms = 0;
	/* the thread needs a CPU to end, and so does the next one */
	for (int i = 0; i < 50 && rc; i++) {
		usleep(100000);
		rc = collect(*state, 3, &b, NULL);
	}
	assert_int_equal(rc, 0);
	pd_buf_release(&b);
}

/* On a machine with much else to do, or an emulated one, all takes longer. */
static void test_carry__a_thread_that_works_is_waited_for(void **state)
{
	struct pd_buf b = PD_BUF_INIT;

	work_ms = 400;
	assert_int_equal(collect(*state, 3, &b, NULL), 0);
	assert_int_equal(b.len, 5);
	pd_buf_release(&b);
}

static void test_carry__memory_is_a_share_of_what_is_free(void **state)
{
	(void)state;
	assert_int_equal(rec_carry_memory_len(UINT64_MAX),
			 REC_CARRY_MEMORY_LEN);
	assert_int_equal(rec_carry_memory_len(134 << 20), REC_CARRY_MEMORY_LEN);
	assert_int_equal(rec_carry_memory_len(22 << 20), 2 << 20);
	assert_int_equal(rec_carry_memory_len(8 << 20), 256 << 10);
	assert_int_equal(rec_carry_memory_len((8 << 20) - 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carry__memory_is_a_share_of_what_is_free),
		cmocka_unit_test_setup_teardown(
			test_carry__returns_what_was_collected, start, end),
		cmocka_unit_test_setup_teardown(test_carry__returns_the_error,
						start, end),
		cmocka_unit_test_setup_teardown(
			test_carry__a_thread_that_hangs_is_left_alone, start,
			end),
		cmocka_unit_test_setup_teardown(
			test_carry__a_thread_that_works_is_waited_for, start,
			end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
