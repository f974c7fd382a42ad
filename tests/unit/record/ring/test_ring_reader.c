#include "record/ring/ring_reader.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "format/file/layout.h"

enum {
	PAGE_LEN = 4096,
	RING_LEN = 1 << 19,
	STACK_LEN = 8192,
	STACK_SAMPLE_LEN = 8 + 8 + 8 + 8 + STACK_LEN + 8,
	CUT_SAMPLE_LEN = 8 + 8 + 8 + 8 + REC_STACK_KEPT_LEN + 8,
	COMM_LEN = 40,
	EVENT_NR = 3,
};

/* Behind the stack of event 2: REGS_INTR's ABI and two registers, PHYS_ADDR. */
static const uint64_t behind[] = { 2, 0xa1, 0xa2, 0x123456789000 };

/* Events of IDENTIFIER, TIME and STACK_USER, with ids 70, 71 and 72. */
struct fixture {
	uint8_t *memory;
	struct rec_ring ring;
	struct rec_spill_buffer spill;
	struct rec_sample_layouts kinds;
	struct rec_event_list events;
	struct rec_ring_reader reader;
	uint64_t time_ns;
};

static void make_kinds(struct fixture *f)
{
	struct rec_open_fd fds[EVENT_NR] = { { .id = 71, .event_idx = 1 },
					     { .id = 72, .event_idx = 2 },
					     { .id = 70, .event_idx = 0 } };
	struct rec_open_set open = { .fds = fds, .nr = EVENT_NR };

	f->events.nr = EVENT_NR;
	f->events.events = calloc(EVENT_NR, sizeof(*f->events.events));
	for (size_t i = 0; i < EVENT_NR; i++) {
		rec_attr_init(&f->events.events[i].attr);
		f->events.events[i].attr.sys.sample_type =
			PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME |
			PERF_SAMPLE_STACK_USER;
	}
	f->events.events[2].attr.sys.sample_type |=
		PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR;
	f->events.events[2].attr.sys.sample_regs_intr = 0x81;
	assert_int_equal(rec_sample_layouts_init(&f->kinds, &f->events, &open),
			 0);
}

static int setup_spill(void **state, size_t block_nr)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->memory = mmap(NULL, PAGE_LEN + RING_LEN, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(f->memory, MAP_FAILED);
	rec_ring_init(&f->ring, f->memory, PAGE_LEN, RING_LEN);
	make_kinds(f);
	assert_int_equal(
		rec_spill_buffer_init(&f->spill,
				      block_nr * REC_SPILL_BUFFER_BLOCK_LEN),
		0);
	rec_ring_reader_init(&f->reader, &f->ring, 3);
	assert_int_equal(
		rec_ring_reader_allow_spill(&f->reader, &f->spill, &f->kinds),
		0);
	f->time_ns = 1000;
	*state = f;
	return 0;
}

static int setup(void **state)
{
	return setup_spill(state, 64);
}

static int setup_some(void **state)
{
	return setup_spill(state, 32);
}

/* All of it is taken by two rings full. */
static int setup_scarce(void **state)
{
	return setup_spill(state, 8);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_ring_reader_release(&f->reader);
	rec_spill_buffer_release(&f->spill);
	rec_sample_layouts_release(&f->kinds);
	free(f->events.events);
	munmap(f->memory, PAGE_LEN + RING_LEN);
	free(f);
	return 0;
}

static struct perf_event_mmap_page *control(struct fixture *f)
{
	return f->ring.control;
}

static void put_word(struct fixture *f, uint64_t word)
{
	memcpy(f->memory + PAGE_LEN + control(f)->data_head % RING_LEN, &word,
	       8);
	control(f)->data_head += 8;
}

static void put_comm(struct fixture *f)
{
	put_word(f, PD_RECORD_COMM | (uint64_t)COMM_LEN << 48);
	for (size_t i = 1; i < COMM_LEN / 8; i++)
		put_word(f, i);
}

/* With a stack of which the kernel could copy dyn_len bytes. */
static void put_stack_of(struct fixture *f, uint64_t id, uint64_t dyn_len)
{
	uint64_t len = STACK_SAMPLE_LEN + (id == 72 ? sizeof(behind) : 0);

	put_word(f, PD_RECORD_SAMPLE | len << 48);
	put_word(f, id);
	put_word(f, f->time_ns++);
	put_word(f, STACK_LEN);
	for (uint64_t i = 0; i < STACK_LEN / 8; i++)
		put_word(f, i);
	put_word(f, dyn_len);
	for (size_t i = 0; i < sizeof(behind) / 8 && id == 72; i++)
		put_word(f, behind[i]);
}

static void put_sample(struct fixture *f, uint64_t id)
{
	put_stack_of(f, id, STACK_LEN);
}

/* Fills the ring as far as whole samples of event 70 go into it. */
static size_t fill(struct fixture *f)
{
	size_t nr = 0;

	while (control(f)->data_head - control(f)->data_tail +
		       STACK_SAMPLE_LEN <=
	       RING_LEN) {
		put_sample(f, 70);
		nr++;
	}
	return nr;
}

static uint64_t word_at(const uint8_t *record, size_t idx)
{
	uint64_t word;

	memcpy(&word, record + 8 * idx, 8);
	return word;
}

struct seen {
	size_t sample_nr;
	size_t cut_nr;
	size_t other_nr;
	uint64_t next_ns; /* samples that follow each other, but for drops */
};

static void see_records(const uint8_t *records, size_t records_len,
			struct seen *seen)
{
	for (size_t at = 0; at < records_len;) {
		const uint8_t *record = records + at;
		size_t len = word_at(record, 0) >> 48;

		assert_true(len >= 8 && len <= records_len - at);
		at += len;
		if ((uint32_t)word_at(record, 0) != PD_RECORD_SAMPLE) {
			seen->other_nr++;
			continue;
		}
		assert_true(word_at(record, 2) >= seen->next_ns);
		seen->next_ns = word_at(record, 2) + 1;
		seen->sample_nr++;
		if (len == STACK_SAMPLE_LEN)
			continue;
		seen->cut_nr++;
		assert_int_equal(len, CUT_SAMPLE_LEN);
		assert_int_equal(word_at(record, 3), REC_STACK_KEPT_LEN);
		assert_int_equal(word_at(record, 4), 0);
		assert_int_equal(word_at(record, 3 + REC_STACK_KEPT_LEN / 8),
				 REC_STACK_KEPT_LEN / 8 - 1);
		assert_int_equal(word_at(record, len / 8 - 1),
				 REC_STACK_KEPT_LEN);
	}
}

static void see_block(const struct rec_spill_buffer_block *block,
		      struct seen *seen)
{
	static uint8_t plain[REC_SPILL_BUFFER_BLOCK_LEN];

	if (!block->is_packed)
		see_records(block->data, block->len, seen);
	for (size_t at = 0; block->is_packed && at < block->len;) {
		size_t len;

		assert_int_equal(
			rec_spill_buffer_unpack(block, &at, plain, &len), 0);
		see_records(plain, len, seen);
	}
}

static struct seen see(struct fixture *f)
{
	struct seen seen = { .next_ns = 1000 };
	struct rec_spill_buffer_block *block;

	while ((block = rec_ring_reader_pop(&f->reader))) {
		see_block(block, &seen);
		rec_spill_buffer_give(&f->spill, block);
	}
	return seen;
}

static void
test_ring_reader__spills_whole_records_and_frees_the_ring(void **state)
{
	struct fixture *f = *state;
	size_t nr = fill(f), len;
	struct seen seen;

	assert_true(rec_ring_reader_fill(&f->reader) >=
		    REC_RING_READER_PRESSED);
	assert_int_equal(rec_ring_reader_begin(&f->reader, &len, NULL), 0);
	assert_int_equal(len, nr * STACK_SAMPLE_LEN);
	rec_ring_reader_spill(&f->reader);
	assert_int_equal(control(f)->data_tail, control(f)->data_head);
	assert_int_equal(rec_ring_left(&f->ring), 0);
	assert_int_equal(rec_ring_reader_fill(&f->reader), 0);
	assert_int_equal(f->reader.last->upto, f->reader.goal);
	seen = see(f);
	assert_int_equal(seen.sample_nr, nr);
	assert_int_equal(seen.cut_nr, 0);
	assert_int_equal(f->spill.free_nr, f->spill.nr);
}

/* Spilled because a copy is made first, not because a ring would not do. */
static void test_ring_reader__little_that_waits_is_no_pressure(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 100; i++) {
		put_sample(f, 70);
		rec_ring_reader_spill(&f->reader);
		assert_int_equal(rec_ring_reader_waiting_len(&f->reader),
				 STACK_SAMPLE_LEN);
		rec_spill_buffer_give(&f->spill,
				      rec_ring_reader_pop(&f->reader));
		assert_int_equal(rec_ring_reader_waiting_len(&f->reader), 0);
	}
	assert_int_equal(rec_ring_reader_pressed_len(&f->reader), 0);
}

static void test_ring_reader__what_no_ring_would_hold_is_pressure(void **state)
{
	const size_t unpressed_nr = RING_LEN / 2 / STACK_SAMPLE_LEN;
	struct fixture *f = *state;

	for (unsigned i = 0; i < 100; i++) {
		put_sample(f, 70);
		rec_ring_reader_spill(&f->reader);
	}
	assert_int_equal(rec_ring_reader_waiting_len(&f->reader),
			 100 * STACK_SAMPLE_LEN);
	assert_int_equal(rec_ring_reader_pressed_len(&f->reader),
			 (100 - unpressed_nr) * STACK_SAMPLE_LEN);
}

static void test_ring_reader__what_came_later_is_behind_the_goal(void **state)
{
	struct fixture *f = *state;
	size_t len;

	put_comm(f);
	assert_int_equal(rec_ring_reader_begin(&f->reader, &len, NULL), 0);
	assert_int_equal(f->reader.goal, COMM_LEN);
	put_comm(f);
	rec_ring_reader_spill(&f->reader);
	assert_int_equal(f->reader.goal, COMM_LEN);
	assert_int_equal(f->reader.last->upto, 2 * COMM_LEN);
	assert_int_equal(rec_ring_left(&f->ring), 0);
	put_comm(f);
	assert_int_equal(rec_ring_reader_begin(&f->reader, &len, NULL), 0);
	assert_int_equal(len, 3 * COMM_LEN);
	assert_int_equal(rec_ring_left(&f->ring), COMM_LEN);
}

/* What spills by the maps that were seen ends where these do. */
static void test_ring_reader__spills_the_epoch_alone(void **state)
{
	struct fixture *f = *state;
	size_t len;

	put_comm(f);
	assert_int_equal(rec_ring_reader_begin(&f->reader, &len, NULL), 0);
	put_comm(f);
	assert_true(rec_ring_reader_try_spill(&f->reader, true));
	assert_int_equal(f->reader.last->upto, COMM_LEN);
	assert_true(rec_ring_reader_try_spill(&f->reader, false));
	assert_int_equal(f->reader.last->upto, 2 * COMM_LEN);
}

static void test_ring_reader__records_over_the_wrap_are_whole(void **state)
{
	struct fixture *f = *state;

	for (unsigned round = 0; round < 20; round++) {
		size_t nr = fill(f);
		struct seen seen;

		rec_ring_reader_spill(&f->reader);
		seen = see(f);
		assert_int_equal(seen.sample_nr, nr);
		assert_int_equal(f->ring.tail, control(f)->data_head);
	}
	assert_true(f->ring.tail > 10 * (uint64_t)RING_LEN);
}

static void test_ring_reader__leaves_out_what_is_no_stack(void **state)
{
	static const struct {
		uint64_t dyn_len;
		uint64_t kept_len;
	} cases[] = {
		{ 0, 8 },	{ 1, 8 },	{ 8, 8 },
		{ 4000, 4000 }, { 4001, 4008 }, { STACK_LEN, STACK_LEN }
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t kept_len = cases[i].kept_len, word;
		struct rec_spill_buffer_block *block;

		put_stack_of(f, 71, cases[i].dyn_len);
		rec_ring_reader_spill(&f->reader);
		assert_int_equal(f->ring.tail, control(f)->data_head);
		block = rec_ring_reader_pop(&f->reader);
		assert_non_null(block);
		assert_int_equal(block->len,
				 STACK_SAMPLE_LEN - STACK_LEN + kept_len);
		assert_int_equal(word_at(block->data, 0) >> 48, block->len);
		assert_int_equal(word_at(block->data, 1), 71);
		assert_int_equal(word_at(block->data, 3), kept_len);
		/* its low bytes, as far as they are stack */
		word = kept_len / 8 - 1;
		if (kept_len - cases[i].dyn_len)
			word &= PD_BIT(cases[i].dyn_len % 8 * 8) - 1;
		assert_int_equal(word_at(block->data, 3 + kept_len / 8), word);
		assert_int_equal(word_at(block->data, block->len / 8 - 1),
				 cases[i].dyn_len);
		rec_spill_buffer_give(&f->spill, block);
	}
	assert_int_equal(f->reader.cut.nr, 0);
}

static void
test_ring_reader__does_not_copy_the_bytes_after_a_stack(void **state)
{
	static const uint64_t dyn_lens[] = { 0, 4000, STACK_LEN };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(dyn_lens) / sizeof(dyn_lens[0]); i++) {
		uint64_t kept_len = dyn_lens[i] ? dyn_lens[i] : 8;
		struct rec_spill_buffer_block *block;
		const uint8_t *end;

		put_stack_of(f, 72, dyn_lens[i]);
		rec_ring_reader_spill(&f->reader);
		block = rec_ring_reader_pop(&f->reader);
		assert_non_null(block);
		assert_int_equal(block->len, STACK_SAMPLE_LEN + sizeof(behind) -
						     STACK_LEN + kept_len);
		assert_int_equal(word_at(block->data, 0) >> 48, block->len);
		end = block->data + block->len - sizeof(behind);
		assert_memory_equal(end, behind, sizeof(behind));
		assert_int_equal(word_at(end - 8, 0), dyn_lens[i]);
		assert_int_equal(word_at(block->data, 3), kept_len);
		rec_spill_buffer_give(&f->spill, block);
	}
}

static void test_ring_reader__cuts_stacks_before_it_drops(void **state)
{
	struct fixture *f = *state;
	size_t nr = 0, rounds = 0;
	struct seen seen;

	while (!f->reader.dropped[0].nr && rounds++ < 100) {
		nr += fill(f);
		rec_ring_reader_spill(&f->reader);
	}
	assert_true(rounds < 100);
	assert_true(f->reader.cut.nr > 10);
	/* What is left in the ring is none of the spilled. */
	seen = see(f);
	assert_int_equal(seen.cut_nr, f->reader.cut.nr);
	assert_int_equal(seen.sample_nr + f->reader.dropped[0].nr +
				 (control(f)->data_head - f->ring.tail) /
					 STACK_SAMPLE_LEN,
			 nr);
	assert_int_equal(f->reader.dropped[1].nr, 0);
	assert_true(f->reader.cut.time_hi_ns < f->reader.dropped[0].time_lo_ns);
}

static void test_ring_reader__stores_sideband_up_to_the_last_block(void **state)
{
	struct fixture *f = *state;
	size_t comm_nr = 0, kept_nr = 0;

	for (unsigned round = 0; round < 40; round++) {
		fill(f);
		if (control(f)->data_head - control(f)->data_tail + COMM_LEN <=
		    RING_LEN) {
			put_comm(f);
			comm_nr++;
		}
		rec_ring_reader_spill(&f->reader);
	}
	assert_true(f->reader.dropped[0].nr > 100);
	kept_nr = see(f).other_nr;
	rec_ring_reader_spill(&f->reader);
	kept_nr += see(f).other_nr;
	assert_true(comm_nr > 30);
	assert_int_equal(kept_nr, comm_nr);
}

static void test_ring_reader__drops_no_more_than_down_to_half(void **state)
{
	struct fixture *f = *state;

	for (unsigned round = 0; round < 40; round++) {
		fill(f);
		rec_ring_reader_spill(&f->reader);
	}
	assert_true(f->reader.dropped[0].nr > 0);
	assert_in_range(rec_ring_reader_fill(&f->reader),
			REC_RING_READER_HALF - 8, REC_RING_READER_HALF);
}

/* A multiple of what spare memory holds as it is. */
static void test_ring_reader__blocks_that_wait_are_packed(void **state)
{
	struct fixture *f = *state;
	uint64_t upto = 0;
	size_t nr = 0;
	struct seen seen;

	for (unsigned round = 0; round < 40; round++) {
		nr += fill(f);
		rec_ring_reader_spill(&f->reader);
		while (rec_spill_buffer_is_scarce(&f->spill) &&
		       rec_ring_reader_try_pack(&f->reader))
			continue;
	}
	assert_true(nr * STACK_SAMPLE_LEN > 3 * f->spill.base_len);
	assert_int_equal(rec_ring_reader_waiting_len(&f->reader),
			 nr * STACK_SAMPLE_LEN);
	for (const struct rec_spill_buffer_block *block = f->reader.first;
	     block; block = block->next) {
		assert_true(block->upto > upto);
		upto = block->upto;
	}
	assert_int_equal(upto, control(f)->data_head);
	seen = see(f);
	assert_int_equal(seen.sample_nr, nr);
	assert_int_equal(seen.next_ns, f->time_ns);
	assert_int_equal(seen.cut_nr + f->reader.cut.nr, 0);
	assert_int_equal(rec_ring_reader_waiting_len(&f->reader), 0);
	assert_int_equal(f->spill.free_nr, f->spill.nr);
}

static void put_noise(struct fixture *f, size_t len, uint64_t *seed)
{
	put_word(f, PD_RECORD_COMM | (uint64_t)len << 48);
	for (size_t i = 1; i < len / 8; i++) {
		*seed = *seed * UINT64_C(6364136223846793005) +
			1442695040888963407;
		put_word(f, *seed ^ *seed >> 29);
	}
}

/* It stays as it is, and is tried once. */
static void test_ring_reader__what_cannot_be_packed_waits_as_it_is(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 1;
	size_t tried_nr = 0;

	for (unsigned i = 0; i < 10; i++)
		put_noise(f, 48 * 1024, &seed);
	rec_ring_reader_spill(&f->reader);
	while (rec_ring_reader_try_pack(&f->reader))
		tried_nr++;
	assert_int_equal(tried_nr, 4);
	assert_int_equal(see(f).other_nr, 10);
}

static void test_ring_reader__counts_drops_by_event(void **state)
{
	struct fixture *f = *state;

	while (rec_spill_buffer_level(&f->spill) != REC_SPILL_BUFFER_SIDEBAND)
		assert_non_null(rec_spill_buffer_take(&f->spill));
	for (unsigned i = 0; i < 48; i++)
		put_sample(f, i % 3 ? 70 : 71);
	rec_ring_reader_spill(&f->reader);
	assert_int_equal(f->reader.dropped[0].nr + f->reader.dropped[1].nr, 17);
	assert_int_equal(f->reader.dropped[1].nr, 6);
	assert_int_equal(f->reader.dropped[1].time_lo_ns, 1000);
	assert_int_equal(f->reader.dropped[1].time_hi_ns, 1015);
	assert_int_equal(f->reader.dropped[0].time_hi_ns, 1016);
}

static void test_ring_reader__a_hostile_head_spills_nothing(void **state)
{
	struct fixture *f = *state;
	uint64_t heads[] = { RING_LEN + 8, UINT64_MAX - 7, 12, UINT64_MAX };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		control(f)->data_head = heads[i];
		rec_ring_reader_spill(&f->reader);
		assert_int_equal(control(f)->data_tail, 0);
		assert_null(rec_ring_reader_pop(&f->reader));
	}
}

static void test_ring_reader__a_hostile_record_stays_in_the_ring(void **state)
{
	static const uint16_t lens[] = { 0, 4, 12, 65528 };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		uint64_t start = control(f)->data_head;
		size_t len;

		put_comm(f);
		put_word(f, PD_RECORD_SAMPLE | (uint64_t)lens[i] << 48);
		assert_int_equal(rec_ring_reader_begin(&f->reader, &len, NULL),
				 0);
		rec_ring_reader_spill(&f->reader);
		assert_int_equal(control(f)->data_tail, start + COMM_LEN);
		assert_int_equal(rec_ring_left(&f->ring), 8);
		assert_int_equal(see(f).other_nr, 1);
		rec_ring_consume(&f->ring);
	}
}

#define FEED_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define SOME_TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_some, teardown)
#define SCARCE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_scarce, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FEED_TEST(
			test_ring_reader__spills_whole_records_and_frees_the_ring),
		FEED_TEST(test_ring_reader__little_that_waits_is_no_pressure),
		FEED_TEST(
			test_ring_reader__what_no_ring_would_hold_is_pressure),
		FEED_TEST(test_ring_reader__what_came_later_is_behind_the_goal),
		FEED_TEST(test_ring_reader__spills_the_epoch_alone),
		FEED_TEST(test_ring_reader__records_over_the_wrap_are_whole),
		FEED_TEST(test_ring_reader__leaves_out_what_is_no_stack),
		FEED_TEST(
			test_ring_reader__does_not_copy_the_bytes_after_a_stack),
		SOME_TEST(test_ring_reader__cuts_stacks_before_it_drops),
		SOME_TEST(test_ring_reader__blocks_that_wait_are_packed),
		SOME_TEST(
			test_ring_reader__what_cannot_be_packed_waits_as_it_is),
		SCARCE_TEST(
			test_ring_reader__stores_sideband_up_to_the_last_block),
		SCARCE_TEST(test_ring_reader__drops_no_more_than_down_to_half),
		SCARCE_TEST(test_ring_reader__counts_drops_by_event),
		FEED_TEST(test_ring_reader__a_hostile_head_spills_nothing),
		FEED_TEST(test_ring_reader__a_hostile_record_stays_in_the_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
