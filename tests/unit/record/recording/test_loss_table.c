#include "record/recording/loss_table.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/file/layout.h"

#define S UINT64_C(1000000000)

/* Two events on CPUs 0 and 1; descriptors that nothing can be read of, as on a
 * kernel without PERF_FORMAT_LOST. */
struct fixture {
	struct rec_open_fd fds[4];
	size_t first[3];
	struct rec_open_set open;
	struct rec_event_list events;
	struct rec_ring_reader_loss dropped[2][3];
	struct rec_ring_reader feeds[2];
	struct rec_loss_source source;
	struct rec_loss_table table;
	struct pd_buf b;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->events.nr = 2;
	f->events.events = calloc(2, sizeof(*f->events.events));
	for (uint32_t i = 0; i < 4; i++)
		f->fds[i] = (struct rec_open_fd){ .fd = -1,
						  .cpu = (int)(i % 2),
						  .tid = -1,
						  .event_idx = i / 2,
						  .id = 70 + i };
	for (size_t i = 0; i < 2; i++) {
		rec_attr_init(&f->events.events[i].attr);
		f->events.events[i].attr.sys.sample_type =
			PERF_SAMPLE_IDENTIFIER;
		f->events.events[i].attr.sys.sample_id_all = 1;
		f->feeds[i] =
			(struct rec_ring_reader){ .cpu = (int)i,
						  .dropped = f->dropped[i] };
		f->first[i] = 2 * i;
	}
	f->first[2] = 4;
	f->open = (struct rec_open_set){
		.fds = f->fds, .nr = 4, .first = f->first, .event_nr = 2
	};
	f->source =
		(struct rec_loss_source){ &f->events, &f->open, f->feeds, 2 };
	assert_int_equal(rec_loss_table_init(&f->table, 4), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_loss_table_release(&f->table);
	pd_buf_release(&f->b);
	free(f->events.events);
	free(f);
	return 0;
}

static void add(struct fixture *f, uint32_t cpu, uint32_t event_idx,
		uint64_t lo_ns, uint64_t hi_ns)
{
	struct pd_trailer_loss loss = { .cpu = cpu,
					.event_idx = event_idx,
					.lost_nr = 10,
					.time_lo_ns = lo_ns,
					.time_hi_ns = hi_ns };

	rec_loss_table_add(&f->table, &loss);
}

/* Return what was lost of all events, on all CPUs. */
static uint64_t lost_nr(const struct rec_loss_table *table)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < table->nr; i++)
		sum += table->rows[i].lost_nr;
	return sum;
}

static void test_loss_table__ranges_near_each_other_are_one(void **state)
{
	struct fixture *f = *state;

	add(f, 0, 0, 5 * S, 6 * S);
	add(f, 0, 0, 6 * S + S / 2, 7 * S);
	add(f, 0, 0, 9 * S, 9 * S + 1);
	assert_int_equal(f->table.nr, 2);
	assert_int_equal(f->table.rows[0].lost_nr, 20);
	assert_int_equal(f->table.rows[0].time_lo_ns, 5 * S);
	assert_int_equal(f->table.rows[0].time_hi_ns, 7 * S);
	assert_int_equal(f->table.rows[1].time_lo_ns, 9 * S);
	assert_int_equal(lost_nr(&f->table), 30);
}

static void test_loss_table__cpus_and_events_are_apart(void **state)
{
	struct fixture *f = *state;

	add(f, 0, 0, S, S);
	add(f, 1, 0, S, S);
	add(f, 0, 1, S, S);
	add(f, 1, 0, S, S);
	assert_int_equal(f->table.nr, 3);
	assert_int_equal(f->table.rows[1].lost_nr, 20);
}

static void test_loss_table__is_bounded_and_loses_no_count(void **state)
{
	struct fixture *f = *state;
	const uint32_t nr = 3 * REC_LOSS_ROWS_MAX;

	for (uint32_t i = 0; i < nr; i++)
		add(f, i % 4, 0, i * 10 * S, i * 10 * S);
	add(f, 99, 0, S, S); /* of a CPU that has no row */
	assert_int_equal(f->table.nr, REC_LOSS_ROWS_MAX);
	assert_int_equal(lost_nr(&f->table), 10 * (nr + 1));
	assert_int_equal(f->table.rows[REC_LOSS_ROWS_MAX - 1].cpu,
			 PD_TRAILER_ANY_CPU);
}

static void
test_loss_table__lost_records_count_where_the_kernel_does_not(void **state)
{
	struct fixture *f = *state;

	rec_ring_reader_loss_add(&f->feeds[1].lost, 4, 3 * S, 4 * S);
	rec_ring_reader_loss_add(&f->feeds[1].lost, 3, 4 * S, 5 * S);
	rec_loss_table_collect(&f->table, &f->source, &f->b);
	rec_loss_table_collect(&f->table, &f->source, &f->b);
	assert_int_equal(f->table.nr, 1);
	assert_int_equal(f->table.rows[0].cpu, 1);
	assert_int_equal(f->table.rows[0].lost_nr, 7);
	assert_int_equal(f->table.rows[0].time_lo_ns, 3 * S);
	assert_int_equal(f->table.rows[0].time_hi_ns, 5 * S);
	assert_int_equal(f->b.len, 0);
}

static void test_loss_table__drops_become_records_with_their_id(void **state)
{
	struct fixture *f = *state;
	uint64_t words[3];

	rec_ring_reader_loss_add(&f->feeds[1].dropped[1], 5, S, 2 * S);
	f->feeds[0].cut.nr = 8;
	rec_loss_table_end(&f->table, &f->source, 9 * S, &f->b);
	assert_int_equal(f->table.dropped_nr, 5);
	assert_int_equal(f->table.cut_nr, 8);
	assert_int_equal(f->table.nr, 1);
	assert_int_equal(f->table.rows[0].event_idx, 1);
	assert_int_equal(f->b.len, sizeof(words));
	memcpy(words, f->b.data, sizeof(words));
	assert_int_equal((uint32_t)words[0], PD_RECORD_LOST_SAMPLES);
	assert_int_equal(words[1], 5);
	assert_int_equal(words[2], 73);
	assert_int_equal(f->feeds[1].dropped[1].nr, 0);
}

#define TABLE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Rows of a finished file count once, and its cut stack copies are told yet. */
static void test_loss_table__rows_are_moved_and_counts_stay(void **state)
{
	struct fixture *f = *state;
	struct rec_loss_table all;

	assert_int_equal(rec_loss_table_init(&all, 0), 0);
	add(f, 0, 0, S, S);
	add(f, 1, 0, S, S);
	f->table.cut_nr = 8;
	f->table.dropped_nr = 3;
	rec_loss_table_move(&all, &f->table);
	assert_int_equal(all.nr, 2);
	assert_int_equal(f->table.nr, 0);
	assert_int_equal(f->table.cut_nr, 8);
	assert_int_equal(f->table.dropped_nr, 3);
	rec_loss_table_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TABLE_TEST(test_loss_table__ranges_near_each_other_are_one),
		TABLE_TEST(test_loss_table__cpus_and_events_are_apart),
		TABLE_TEST(test_loss_table__is_bounded_and_loses_no_count),
		TABLE_TEST(test_loss_table__rows_are_moved_and_counts_stay),
		TABLE_TEST(
			test_loss_table__lost_records_count_where_the_kernel_does_not),
		TABLE_TEST(test_loss_table__drops_become_records_with_their_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
