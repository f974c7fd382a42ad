#include "record/targets/task_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/records/record_body.h"

/* A FORK or EXIT of the thread, as it lies in a ring. */
static void note(struct rec_task_set *set, uint32_t type, uint32_t tid)
{
	struct pd_body body = { .type = type };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;

	body.u.task.pid = body.u.task.tid = tid;
	pd_body_write(&b, 0, &body);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	assert_int_equal(rec_task_set_note(set, &rec), 0);
	pd_buf_release(&b);
}

static void test_task_set__forks_and_exits(void **state)
{
	struct rec_task_set set = { 0 };

	(void)state;
	for (uint32_t tid = 1000; tid > 0; tid--)
		note(&set, PD_RECORD_FORK, tid);
	note(&set, PD_RECORD_FORK, 500); /* told twice */
	assert_int_equal(set.nr, 1000);
	for (uint32_t tid = 1; tid <= 1000; tid += 2)
		note(&set, PD_RECORD_EXIT, tid);
	note(&set, PD_RECORD_EXIT, 5000); /* never heard of */
	assert_int_equal(set.nr, 500);
	for (size_t i = 0; i < set.nr; i++)
		assert_int_equal(set.tids[i], 2 * (i + 1));
	rec_task_set_release(&set);
}

static void test_task_set__other_records_change_nothing(void **state)
{
	static const uint8_t bytes[32] = { 0 };
	struct pd_record rec = { .type = PD_RECORD_COMM,
				 .len = sizeof(bytes),
				 .data = bytes };
	struct rec_task_set set = { 0 };

	(void)state;
	assert_int_equal(rec_task_set_note(&set, &rec), 0);
	/* too short to be a FORK */
	rec.type = PD_RECORD_FORK;
	rec.len = 8;
	assert_int_equal(rec_task_set_note(&set, &rec), 0);
	assert_int_equal(set.nr, 0);
}

static void test_task_set__those_that_are_gone_are_dropped(void **state)
{
	struct rec_task_set set = { 0 };

	(void)state;
	assert_int_equal(rec_task_set_add(&set, getpid()), 0);
	assert_int_equal(rec_task_set_add(&set, 0x7ffffff0), 0);
	rec_task_set_prune(&set, "/proc");
	assert_int_equal(set.nr, 1);
	assert_int_equal(set.tids[0], getpid());
	rec_task_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_task_set__forks_and_exits),
		cmocka_unit_test(test_task_set__other_records_change_nothing),
		cmocka_unit_test(
			test_task_set__those_that_are_gone_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
