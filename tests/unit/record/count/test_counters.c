/* Counters through the seam: reads of a PMU that this machine lacks. */
#include "record/count/counters.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the next read returns, by the event of the descriptor. */
struct reads {
	uint64_t words[16];
	size_t nr;
	int error;
};

static ssize_t feed(void *ctx, const struct rec_open_fd *fd, void *ret,
		    size_t len)
{
	const struct reads *reads = ctx;

	(void)fd;
	if (reads->error) {
		errno = reads->error;
		return -1;
	}
	assert_true(len >= reads->nr * sizeof(reads->words[0]));
	memcpy(ret, reads->words, reads->nr * sizeof(reads->words[0]));
	return (ssize_t)(reads->nr * sizeof(reads->words[0]));
}

struct fixture {
	struct rec_event_list events;
	struct rec_thread thread;
	int cpu;
	struct rec_target target;
	struct reads reads;
	struct rec_open_fd fds[3];
	size_t first[4];
	struct rec_counters counters;
	struct rec_counts counts;
	struct pd_err err;
};

/* Three events, as if all had been opened: a group of two, and one alone. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	rec_event_list_init(&f->events);
	assert_non_null(rec_event_append(&f->events, "cycles"));
	assert_non_null(rec_event_append(&f->events, "instructions"));
	assert_non_null(rec_event_append(&f->events, "branches"));
	f->events.events[0].member_nr = 2;
	f->events.events[1].leader_idx = 0;
	f->cpu = f->thread.tid = -1;
	f->target = (struct rec_target){ .cpus = &f->cpu,
					 .cpu_nr = 1,
					 .threads = &f->thread,
					 .thread_nr = 1,
					 .any_cpu = true };
	for (size_t i = 0; i < 3; i++) {
		f->fds[i] = (struct rec_open_fd){ .fd = -1,
						  .cpu = -1,
						  .tid = -1,
						  .event_idx = (uint32_t)i,
						  .id = 100 + i };
		f->first[i + 1] = i + 1;
	}
	f->counters = (struct rec_counters){
		.conf = { .target = &f->target,
			  .read = feed,
			  .read_ctx = &f->reads },
		.events = &f->events,
		.open = { .fds = f->fds,
			  .nr = 3,
			  .first = f->first,
			  .event_nr = 3 },
	};
	f->counters.words_len = sizeof(f->reads.words);
	f->counters.words = malloc(f->counters.words_len);
	assert_int_equal(rec_counts_init(&f->counts, 3, 1, 1), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_event_list_release(&f->events);
	rec_counts_release(&f->counts);
	free(f->counters.words);
	free(f);
	return 0;
}

static void set_reads(struct fixture *f, const uint64_t *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		f->reads.words[i] = words[i];
	f->reads.nr = nr;
}

static void test_counters__find_members_by_id(void **state)
{
	struct fixture *f = *state;
	/* number, enabled, running; then value and id of each. */
	const uint64_t words[] = { 2, 300, 100, 7000, 101, 9000, 100 };
	const struct rec_count *leader = rec_counts_at(&f->counts, 0, 0, 0);
	const struct rec_count *member = rec_counts_at(&f->counts, 1, 0, 0);

	f->counters.open.nr = 2;
	set_reads(f, words, 7);
	assert_int_equal(rec_counters_read(&f->counters, &f->counts, &f->err),
			 0);
	assert_int_equal(leader->value, 9000);
	assert_int_equal(member->value, 7000);
	assert_int_equal(member->enabled_ns, 300);
	assert_int_equal(member->running_ns, 100);
	assert_true(rec_count_scaled(leader) == 27000);
	assert_false(rec_counts_at(&f->counts, 2, 0, 0)->is_open);
}

static void test_counters__a_member_without_a_value_is_an_error(void **state)
{
	struct fixture *f = *state;
	const uint64_t words[] = { 2, 300, 100, 7000, 101, 9000, 555 };

	f->counters.open.nr = 2;
	set_reads(f, words, 7);
	assert_int_equal(rec_counters_read(&f->counters, &f->counts, &f->err),
			 -EBADMSG);
}

static void test_counters__a_pinned_event_without_a_counter(void **state)
{
	struct fixture *f = *state;

	f->counters.open.nr = 2;
	set_reads(f, NULL, 0);
	assert_int_equal(rec_counters_read(&f->counters, &f->counts, &f->err),
			 0);
	assert_true(rec_counts_at(&f->counts, 0, 0, 0)->is_open);
	assert_int_equal(rec_counts_at(&f->counts, 0, 0, 0)->running_ns, 0);
}

static void test_counters__an_error_names_the_event(void **state)
{
	struct fixture *f = *state;

	f->reads.error = EIO;
	assert_int_equal(rec_counters_read(&f->counters, &f->counts, &f->err),
			 -EIO);
	assert_string_equal(f->err.text, "reading cycles: Input/output error");
}

static void test_counts__of_an_interval(void **state)
{
	struct fixture *f = *state;
	struct rec_counts before;
	struct rec_count *at = rec_counts_at(&f->counts, 2, 0, 0);

	assert_int_equal(rec_counts_init(&before, 3, 1, 1), 0);
	*at = (struct rec_count){ 50, 20, 10, true };
	rec_counts_copy(&before, &f->counts);
	*at = (struct rec_count){ 80, 40, 25, true };
	rec_counts_subtract(&before, &f->counts, &before);
	at = rec_counts_at(&before, 2, 0, 0);
	assert_int_equal(at->value, 30);
	assert_int_equal(at->enabled_ns, 20);
	assert_int_equal(at->running_ns, 15);
	assert_true(at->is_open);
	rec_counts_release(&before);
}

static void test_counts__too_many_are_refused(void **state)
{
	struct rec_counts counts;

	(void)state;
	assert_int_equal(rec_counts_init(&counts, SIZE_MAX / 2, 3, 1), -ENOMEM);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_counters__find_members_by_id),
		TEST(test_counters__a_member_without_a_value_is_an_error),
		TEST(test_counters__a_pinned_event_without_a_counter),
		TEST(test_counters__an_error_names_the_event),
		TEST(test_counts__of_an_interval),
		cmocka_unit_test(test_counts__too_many_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
