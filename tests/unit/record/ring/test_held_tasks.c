#include "record/ring/held_tasks.h"
#include "record/ring/running_tasks.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TIME_BACK = 8, MEMORY_LEN = 1 << 20 };

/* Records are written into a text: "fork 7 @3", by type, task and time. */
struct story {
	struct rec_held_tasks *held;
	char text[4096];
	char shown[512];
	bool is_new; /* the last one that was shown */
};

static void describe(const struct pd_record *rec, char *ret, size_t cap)
{
	static const char *const names[] = {
		[PD_RECORD_MMAP] = "mmap",   [PD_RECORD_COMM] = "comm",
		[PD_RECORD_EXIT] = "exit",   [PD_RECORD_FORK] = "fork",
		[PD_RECORD_MMAP2] = "mmap2",
	};
	bool is_task =
		rec->type == PD_RECORD_FORK || rec->type == PD_RECORD_EXIT;
	size_t len = strlen(ret);
	uint32_t tid;

	memcpy(&tid, rec->data + (is_task ? 16 : 12), sizeof(tid));
	snprintf(ret + len, cap - len, "%s %u @%u\n", names[rec->type], tid,
		 (unsigned)pd_record_word(rec, rec->len - TIME_BACK));
}

static void show(void *ctx, const struct pd_record *rec, bool is_new)
{
	struct story *s = ctx;

	describe(rec, s->shown, sizeof(s->shown));
	s->is_new = is_new;
}

static void begin_as(struct story *s, size_t len_max, bool keeps)
{
	const struct rec_held_conf conf = {
		.time_back = TIME_BACK,
		.len_max = len_max,
		.keeps = keeps,
		.show = show,
		.ctx = s,
	};

	memset(s, 0, sizeof(*s));
	s->held = rec_held_tasks_new(&conf);
	assert_non_null(s->held);
}

static void begin(struct story *s, size_t len_max)
{
	begin_as(s, len_max, false);
}

/* Return whether a record of these words is held. */
static bool take_as(struct story *s, uint32_t type, uint16_t misc,
		    const uint32_t *words, size_t nr, uint64_t time_ns)
{
	struct pd_buf b = PD_BUF_INIT;
	size_t start = pd_record_begin(&b, type, misc);
	struct pd_record rec = { .len = 0 };
	bool ret;

	for (size_t i = 0; i < nr; i++)
		pd_buf_u32(&b, words[i]);
	pd_buf_u64(&b, time_ns);
	pd_record_end(&b, start);
	assert_int_equal(pd_record_read_header(b.data, b.len, false, &rec), 0);
	ret = rec_held_tasks_take(s->held, &rec, time_ns);
	pd_buf_release(&b);
	return ret;
}

static bool take(struct story *s, uint32_t type, const uint32_t *words,
		 size_t nr, uint64_t time_ns)
{
	return take_as(s, type, 0, words, nr, time_ns);
}

/* A thread of process pid that ppid (or its thread ptid) started. */
static bool forks(struct story *s, uint32_t ptid, uint32_t pid, uint32_t tid,
		  uint64_t time_ns)
{
	const uint32_t words[] = { pid, ptid, tid, ptid };

	return take(s, PD_RECORD_FORK, words, 4, time_ns);
}

static bool ends(struct story *s, uint32_t tid, uint64_t time_ns)
{
	const uint32_t words[] = { tid, 1, tid, 1 };

	return take(s, PD_RECORD_EXIT, words, 4, time_ns);
}

static bool is_called(struct story *s, uint32_t tid, uint64_t time_ns)
{
	const uint32_t words[] = { tid, tid, 'x', 0 };

	return take(s, PD_RECORD_COMM, words, 4, time_ns);
}

static bool maps(struct story *s, uint32_t pid, uint64_t time_ns)
{
	uint32_t words[32] = { pid, pid };

	return take(s, PD_RECORD_MMAP2, words, 32, time_ns);
}

static const char *written(struct story *s, uint64_t least_ns)
{
	const struct pd_buf *b;

	s->text[0] = '\0';
	assert_int_equal(rec_held_tasks_write(s->held, least_ns, &b), 0);
	for (size_t at = 0; at < b->len;) {
		struct pd_record rec = { .data = b->data + at };

		assert_int_equal(pd_record_read_header(b->data + at,
						       b->len - at, false,
						       &rec),
				 0);
		describe(&rec, s->text, sizeof(s->text));
		at += rec.len;
	}
	return s->text;
}

static void pass_epochs(struct story *s, unsigned nr)
{
	while (nr--)
		rec_held_tasks_begin_epoch(s->held);
}

static void assert_left(struct story *s, uint64_t task_nr, uint64_t record_nr)
{
	struct rec_held_left left;

	rec_held_tasks_left(s->held, &left);
	assert_int_equal(left.task_nr, task_nr);
	assert_int_equal(left.record_nr, record_nr);
}

static void end(struct story *s)
{
	rec_held_tasks_free(s->held);
}

static void test_held_tasks__no_sample_no_record(void **state)
{
	struct story s;

	(void)state;
	begin(&s, MEMORY_LEN);
	assert_true(forks(&s, 1, 7, 7, 10));
	assert_true(is_called(&s, 7, 11));
	assert_true(maps(&s, 7, 12));
	assert_left(&s, 1, 3);
	assert_true(ends(&s, 7, 13));
	assert_string_equal(written(&s, 0), "");
	pass_epochs(&s, 3);
	assert_left(&s, 1, 4);
	rec_held_tasks_sample(s.held, 7, 7, 12); /* it is forgotten */
	assert_string_equal(written(&s, 0), "");
	assert_true(maps(&s, 8, 0));
	rec_held_tasks_sample(s.held, 8, 8, 12);
	assert_string_equal(s.shown, "mmap2 8 @0\n");
	assert_false(s.is_new);
	end(&s);
}

static void test_held_tasks__sampled_with_leader_and_ancestors(void **state)
{
	struct story s;

	(void)state;
	begin(&s, MEMORY_LEN);
	assert_true(is_called(&s, 3, 0)); /* it ran before */
	assert_true(forks(&s, 3, 5, 5, 10));
	assert_true(maps(&s, 5, 12));
	assert_true(forks(&s, 5, 5, 6, 30));
	assert_true(forks(&s, 5, 9, 9, 31)); /* nobody samples it */
	assert_true(maps(&s, 3, 20));
	rec_held_tasks_sample(s.held, 5, 6, 40);
	assert_string_equal(s.shown, "mmap2 5 @12\nmmap2 3 @20\n");
	assert_true(s.is_new);
	assert_string_equal(written(&s, 25),
			    "comm 3 @25\nfork 5 @25\nmmap2 5 @25\n"
			    "mmap2 3 @25\nfork 6 @30\n");
	assert_string_equal(written(&s, 25), "");
	/* from then on all is written as it comes */
	assert_false(maps(&s, 5, 41));
	assert_false(ends(&s, 6, 42));
	assert_left(&s, 1, 1);
	end(&s);
}

/* Nobody sees them again when they are written. */
static void test_held_tasks__what_comes_behind_a_sample_is_shown(void **state)
{
	struct story s;

	(void)state;
	begin(&s, MEMORY_LEN);
	assert_true(forks(&s, 1, 5, 5, 10));
	assert_true(maps(&s, 5, 12));
	rec_held_tasks_sample(s.held, 5, 5, 40);
	assert_string_equal(s.shown, "mmap2 5 @12\n");
	assert_true(maps(&s, 5, 13));
	assert_true(ends(&s, 5, 41));
	assert_string_equal(s.shown, "mmap2 5 @12\nmmap2 5 @13\nexit 5 @41\n");
	assert_string_equal(written(&s, 0), "fork 5 @10\nmmap2 5 @12\n"
					    "mmap2 5 @13\nexit 5 @41\n");
	assert_string_equal(s.shown, "mmap2 5 @12\nmmap2 5 @13\nexit 5 @41\n");
	end(&s);
}

/* Rings are drained in any order. */
static void test_held_tasks__records_in_any_order(void **state)
{
	struct story s;

	(void)state;
	begin(&s, MEMORY_LEN);
	rec_held_tasks_sample(s.held, 7, 7, 15);
	assert_true(ends(&s, 7, 20));
	assert_true(maps(&s, 7, 12));
	assert_true(forks(&s, 1, 7, 7, 10));
	assert_string_equal(written(&s, 0),
			    "fork 7 @10\nmmap2 7 @12\nexit 7 @20\n");
	/* its parent has records, too */
	assert_true(is_called(&s, 20, 1));
	rec_held_tasks_sample(s.held, 21, 21, 35);
	assert_true(forks(&s, 20, 21, 21, 30));
	assert_string_equal(written(&s, 0), "comm 20 @1\nfork 21 @30\n");
	/* the end of one that is sampled in the next epoch's ring */
	assert_true(ends(&s, 8, 40));
	pass_epochs(&s, 1);
	assert_true(forks(&s, 1, 8, 8, 30));
	rec_held_tasks_sample(s.held, 8, 8, 35);
	assert_string_equal(written(&s, 0), "fork 8 @30\nexit 8 @40\n");
	end(&s);
}

/* Linux 6.16 and later write the record of the end before memory is freed. */
static void test_held_tasks__sampled_after_its_end(void **state)
{
	struct story s;

	(void)state;
	begin(&s, MEMORY_LEN);
	assert_true(forks(&s, 1, 7, 7, 10));
	assert_true(ends(&s, 7, 13));
	rec_held_tasks_sample(s.held, 7, 7, 14);
	assert_string_equal(written(&s, 0), "fork 7 @10\nexit 7 @13\n");
	/* another one has the number before its FORK is drained */
	assert_true(forks(&s, 1, 8, 8, 10));
	assert_true(ends(&s, 8, 13));
	rec_held_tasks_sample(s.held, 8, 8, 30);
	assert_true(forks(&s, 1, 8, 8, 20));
	assert_string_equal(written(&s, 0),
			    "fork 8 @10\nexit 8 @13\nfork 8 @20\n");
	end(&s);
}

static void test_held_tasks__a_number_is_used_again(void **state)
{
	struct story s;
	uint32_t turn;

	(void)state;
	begin(&s, MEMORY_LEN);
	assert_true(forks(&s, 1, 7, 7, 10));
	rec_held_tasks_sample(s.held, 7, 7, 11);
	assert_string_equal(written(&s, 0), "fork 7 @10\n");
	turn = rec_held_tasks_turn(s.held);
	assert_false(ends(&s, 7, 20));
	assert_int_not_equal(rec_held_tasks_turn(s.held), turn);
	assert_true(forks(&s, 1, 7, 7, 30));
	assert_true(is_called(&s, 7, 31));
	assert_string_equal(written(&s, 0), "");
	rec_held_tasks_sample(s.held, 7, 7, 32);
	assert_string_equal(written(&s, 0), "fork 7 @30\ncomm 7 @31\n");
	/* sampled and ended in one round */
	assert_true(forks(&s, 1, 8, 8, 40));
	rec_held_tasks_sample(s.held, 8, 8, 41);
	turn = rec_held_tasks_turn(s.held);
	assert_true(ends(&s, 8, 42));
	assert_int_not_equal(rec_held_tasks_turn(s.held), turn);
	assert_string_equal(written(&s, 0), "fork 8 @40\nexit 8 @42\n");
	/* the record of the end was lost */
	assert_true(forks(&s, 1, 9, 9, 50));
	assert_true(maps(&s, 9, 51));
	assert_true(forks(&s, 1, 9, 9, 60));
	rec_held_tasks_sample(s.held, 9, 9, 61);
	assert_string_equal(written(&s, 0), "fork 9 @60\n");
	end(&s);
}

/* A child has what its parent mapped, until it executes something. */
static void test_held_tasks__a_parent_ends_before_its_child(void **state)
{
	struct story s;

	(void)state;
	begin(&s, MEMORY_LEN);
	assert_true(forks(&s, 1, 7, 7, 10));
	assert_true(maps(&s, 7, 11));
	assert_true(forks(&s, 7, 8, 8, 12));
	assert_true(ends(&s, 7, 13));
	pass_epochs(&s, 5);
	rec_held_tasks_sample(s.held, 8, 8, 50);
	assert_string_equal(
		written(&s, 0),
		"fork 7 @10\nmmap2 7 @11\nfork 8 @12\nexit 7 @13\n");
	/* one that is in the file, and whose child is not */
	assert_true(forks(&s, 8, 9, 9, 60));
	assert_string_equal(written(&s, 0), "");
	assert_false(ends(&s, 8, 70));
	assert_string_equal(written(&s, 55), "fork 9 @60\n");
	/* sampled and ended in one round */
	assert_true(forks(&s, 1, 10, 10, 80));
	rec_held_tasks_sample(s.held, 10, 10, 81);
	assert_true(forks(&s, 10, 11, 11, 82));
	assert_true(ends(&s, 10, 83));
	assert_string_equal(written(&s, 0),
			    "fork 10 @80\nfork 11 @82\nexit 10 @83\n");
	/* written for another child of its */
	assert_true(forks(&s, 1, 12, 12, 90));
	assert_true(forks(&s, 12, 13, 13, 91));
	assert_true(forks(&s, 12, 14, 14, 92));
	assert_true(ends(&s, 12, 93));
	rec_held_tasks_sample(s.held, 13, 13, 94);
	assert_string_equal(
		written(&s, 0),
		"fork 12 @90\nfork 13 @91\nfork 14 @92\nexit 12 @93\n");
	/* whose FORK is drained behind that */
	assert_true(forks(&s, 12, 15, 15, 92));
	assert_string_equal(written(&s, 0), "fork 15 @92\n");
	end(&s);
}

/* sh -c 'work & exec other' */
static void test_held_tasks__a_parent_gets_another_name(void **state)
{
	struct story s;

	(void)state;
	begin(&s, MEMORY_LEN);
	assert_true(maps(&s, 7, 0));
	assert_true(forks(&s, 7, 8, 8, 10));
	assert_true(is_called(&s, 7, 11));
	rec_held_tasks_sample(s.held, 7, 7, 20);
	assert_string_equal(written(&s, 0),
			    "mmap2 7 @0\nfork 8 @10\ncomm 7 @11\n");
	assert_true(forks(&s, 7, 9, 9, 30));
	assert_false(is_called(&s, 7, 31));
	assert_string_equal(written(&s, 25), "fork 9 @30\n");
	end(&s);
}

static void test_held_tasks__a_parents_number_is_used_again(void **state)
{
	struct story s;

	(void)state;
	begin(&s, MEMORY_LEN);
	assert_true(maps(&s, 7, 0));
	assert_true(forks(&s, 7, 8, 8, 12));
	assert_true(ends(&s, 7, 13));
	pass_epochs(&s, 5);
	assert_true(forks(&s, 1, 7, 7, 40));
	assert_true(maps(&s, 7, 41));
	assert_string_equal(written(&s, 30),
			    "mmap2 7 @30\nfork 8 @30\nexit 7 @30\n");
	pass_epochs(&s, 5);
	rec_held_tasks_sample(s.held, 7, 7, 50);
	assert_string_equal(written(&s, 45), "fork 7 @45\nmmap2 7 @45\n");
	end(&s);
}

static void test_held_tasks__beyond_its_memory(void **state)
{
	enum { LEN = 16 << 10, RECORD_LEN = 16 + 8 + 33 * 4 };
	struct story s;
	uint32_t tid = 2;

	(void)state;
	begin(&s, LEN);
	while (maps(&s, tid, tid))
		tid++;
	assert_in_range(tid, LEN / 256 - 1, LEN / 128);
	/* the last one had no record before, the others are held on */
	assert_string_equal(written(&s, 0), "");
	assert_false(maps(&s, tid, 1000));
	assert_false(maps(&s, 2, 1001));
	assert_string_equal(written(&s, 0), "mmap2 2 @2\n");
	assert_true(maps(&s, 3, 1002));
	rec_held_tasks_restart(s.held);
	assert_left(&s, 0, 0);
	assert_true(maps(&s, 2, 1003));
	assert_true(maps(&s, tid, 1004));
	assert_string_equal(written(&s, 0), "");
	end(&s);
}

static void test_held_tasks__records_of_any_length(void **state)
{
	struct story s;
	char want[4096] = "";

	(void)state;
	begin(&s, MEMORY_LEN);
	for (unsigned i = 0; i < 60; i++) {
		uint32_t words[128] = { 7, 7 };

		words[2 * i + 3] = i;
		assert_true(
			take(&s, PD_RECORD_MMAP2, words, 2 * i + 4, 100 + i));
		sprintf(want + strlen(want), "mmap2 7 @%u\n", 100 + i);
	}
	rec_held_tasks_sample(s.held, 7, 7, 200);
	assert_string_equal(written(&s, 0), want);
	end(&s);
}

static void test_held_tasks__the_kernel_and_idle_tasks_are_written(void **state)
{
	struct story s;

	(void)state;
	begin(&s, MEMORY_LEN);
	assert_false(maps(&s, UINT32_MAX, 0));
	assert_false(is_called(&s, 0, 0));
	rec_held_tasks_sample(s.held, 0, 0, 5);
	assert_string_equal(written(&s, 0), "");
	end(&s);
}

/* Records that are told for the next file. */

static bool maps_at(struct story *s, uint32_t pid, uint32_t addr, uint32_t len,
		    uint64_t time_ns)
{
	uint32_t words[32] = { pid, pid, addr, 0, len };

	return take(s, PD_RECORD_MMAP2, words, 32, time_ns);
}

static bool execs(struct story *s, uint32_t tid, char name, uint64_t time_ns)
{
	const uint32_t words[] = { tid, tid, (uint32_t)name, 0 };

	return take_as(s, PD_RECORD_COMM, PD_MISC_COMM_EXEC, words, 4, time_ns);
}

/* A record as "fork 7 of 3 @0", "comm 7 x @0", "mmap2 7 100 @0", "exit 7 @9".
 */
static void tell(const struct pd_record *rec, char *ret, size_t cap)
{
	unsigned time = (unsigned)pd_record_word(rec, rec->len - TIME_BACK);
	uint32_t word[5];

	memcpy(word, rec->data + 8, sizeof(word));
	/* readers take no maps of the parent's: its own ones follow */
	if (rec->type == PD_RECORD_FORK)
		assert_true(rec->misc & PD_MISC_FORK_EXEC);
	if (rec->type == PD_RECORD_FORK)
		snprintf(ret, cap, "fork %u of %u @%u\n", word[2], word[1],
			 time);
	else if (rec->type == PD_RECORD_EXIT)
		snprintf(ret, cap, "exit %u @%u\n", word[2], time);
	else if (rec->type == PD_RECORD_COMM)
		snprintf(ret, cap, "comm %u %c @%u\n", word[1], (char)word[2],
			 time);
	else
		snprintf(ret, cap, "mmap2 %u %u @%u\n", word[0], word[2], time);
}

static const char *told(struct story *s, uint64_t old_ns)
{
	struct pd_buf b = PD_BUF_INIT;

	s->text[0] = '\0';
	assert_int_equal(rec_running_tasks_synthesize(s->held, old_ns, &b), 0);
	for (size_t at = 0; at < b.len;) {
		struct pd_record rec = { .data = b.data + at };
		size_t len = strlen(s->text);

		assert_int_equal(pd_record_read_header(b.data + at, b.len - at,
						       false, &rec),
				 0);
		tell(&rec, s->text + len, sizeof(s->text) - len);
		at += rec.len;
	}
	pd_buf_release(&b);
	return s->text;
}

static void assert_knows(struct story *s, bool knows)
{
	struct pd_buf b = PD_BUF_INIT;

	assert_int_equal(rec_held_tasks_knows_all(s->held), knows);
	assert_int_equal(rec_running_tasks_synthesize(s->held, 0, &b),
			 knows ? 0 : -ENODATA);
	pd_buf_release(&b);
}

static void test_running_tasks__for_the_next_file(void **state)
{
	struct story s;

	(void)state;
	begin_as(&s, MEMORY_LEN, true);
	assert_true(forks(&s, 0, 3, 3, 0)); /* as /proc said */
	assert_true(is_called(&s, 3, 0));
	assert_true(maps_at(&s, 3, 100, 10, 0));
	assert_true(forks(&s, 3, 7, 7, 10));
	assert_true(execs(&s, 7, 'a', 11));
	assert_true(maps_at(&s, 7, 200, 10, 12));
	assert_true(execs(&s, 7, 'b', 13)); /* forgets the map */
	assert_true(maps_at(&s, 7, 300, 10, 14));
	rec_held_tasks_sample(s.held, 7, 7, 15);
	written(&s, 0);
	assert_false(maps_at(&s, 7, 400, 10, 30)); /* written, and known */
	assert_false(maps_at(&s, 7, 305, 5, 31));
	assert_false(maps_at(&s, 7, 400, 20, 32)); /* in the place of another */
	assert_true(forks(&s, 3, 8, 8, 33));
	assert_true(execs(&s, 8, 'c', 34));
	assert_true(ends(&s, 8, 35));
	pass_epochs(&s, 2);
	assert_string_equal(told(&s, 31),
			    "fork 3 of 0 @0\ncomm 3 x @0\nmmap2 3 100 @0\n"
			    "fork 7 of 3 @0\ncomm 7 b @0\nmmap2 7 300 @0\n"
			    "mmap2 7 305 @31\nmmap2 7 400 @32\n");
	end(&s);
}

/* A task has records of its own for what its parents began, since these may be
 * gone in the next file. */
static void test_running_tasks__of_parents(void **state)
{
	struct story s;

	(void)state;
	begin_as(&s, MEMORY_LEN, true);
	assert_true(forks(&s, 0, 3, 3, 0));
	assert_true(is_called(&s, 3, 0));
	assert_true(maps_at(&s, 3, 100, 10, 0));
	assert_true(maps_at(&s, 3, 200, 10, 5));
	assert_true(forks(&s, 3, 7, 7, 10));
	assert_true(forks(&s, 7, 8, 8, 11));
	assert_true(maps_at(&s, 8, 300, 10, 12));
	assert_true(execs(&s, 3, 'z', 20)); /* not what its children run */
	assert_true(ends(&s, 7, 21));
	pass_epochs(&s, 3);
	assert_string_equal(told(&s, 0), "fork 3 of 0 @0\ncomm 3 z @20\n"
					 "fork 8 of 1 @11\ncomm 8 x @11\n"
					 "mmap2 8 100 @11\nmmap2 8 200 @11\n"
					 "mmap2 8 300 @12\n");
	end(&s);
}

/* Of the task that had the number before, records may come late. */
static void test_running_tasks__of_a_number_used_again(void **state)
{
	struct story s;

	(void)state;
	begin_as(&s, MEMORY_LEN, true);
	assert_true(forks(&s, 0, 3, 3, 0));
	assert_true(is_called(&s, 3, 0));
	assert_true(forks(&s, 3, 7, 7, 20));
	assert_true(execs(&s, 7, 'a', 21));
	assert_false(ends(&s, 7, 15));
	assert_true(maps_at(&s, 7, 200, 10, 22));
	pass_epochs(&s, 3);
	assert_string_equal(told(&s, 0), "fork 3 of 0 @0\ncomm 3 x @0\n"
					 "fork 7 of 3 @20\ncomm 7 a @21\n"
					 "mmap2 7 200 @22\n");
	end(&s);
}

static void test_running_tasks__of_threads(void **state)
{
	static const uint32_t exit_5[] = { 9, 1, 5, 1 };
	struct story s;

	(void)state;
	begin_as(&s, MEMORY_LEN, true);
	assert_true(forks(&s, 1, 9, 9, 1));
	assert_true(execs(&s, 9, 'a', 2));
	assert_true(maps_at(&s, 9, 100, 10, 3));
	assert_true(forks(&s, 9, 9, 5, 4)); /* a lower number */
	assert_true(ends(&s, 9, 5));	    /* the process goes on without */
	pass_epochs(&s, 3);
	assert_string_equal(told(&s, 50),
			    "fork 9 of 1 @0\ncomm 9 a @0\nmmap2 9 100 @0\n"
			    "fork 5 of 9 @0\ncomm 5 a @0\n");
	/* until its EXIT is old, the next file may have samples of it */
	assert_true(take(&s, PD_RECORD_EXIT, exit_5, 4, 60));
	pass_epochs(&s, 1);
	assert_string_equal(told(&s, 50), "fork 5 of 9 @0\ncomm 5 a @0\n"
					  "exit 5 @60\n");
	pass_epochs(&s, 1);
	assert_string_equal(told(&s, 50), "");
	end(&s);
}

static void test_running_tasks__are_not_known(void **state)
{
	struct pd_buf b = PD_BUF_INIT;
	struct story s;
	uint32_t tid = 2;

	(void)state;
	begin_as(&s, 16 << 10, true);
	assert_knows(&s, true);
	rec_held_tasks_lose(s.held);
	assert_knows(&s, false);
	rec_held_tasks_restart(s.held);
	assert_knows(&s, true);
	/* a child of one of which nothing was told */
	assert_true(forks(&s, 3, 7, 7, 10));
	assert_int_equal(rec_running_tasks_synthesize(s.held, 0, &b), -ENODATA);
	pd_buf_release(&b);
	rec_held_tasks_restart(s.held);
	/* what is written gives way to what is held */
	assert_true(maps(&s, 2, 1));
	rec_held_tasks_sample(s.held, 2, 2, 2);
	written(&s, 0);
	while (rec_held_tasks_knows_all(s.held))
		assert_true(maps(&s, ++tid, 1));
	assert_knows(&s, false);
	rec_held_tasks_sample(s.held, 3, 3, 2);
	assert_string_equal(written(&s, 0), "mmap2 3 @1\n");
	end(&s);
	begin(&s, MEMORY_LEN);
	assert_knows(&s, false);
	end(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_held_tasks__no_sample_no_record),
		cmocka_unit_test(
			test_held_tasks__sampled_with_leader_and_ancestors),
		cmocka_unit_test(
			test_held_tasks__what_comes_behind_a_sample_is_shown),
		cmocka_unit_test(test_held_tasks__records_in_any_order),
		cmocka_unit_test(test_held_tasks__sampled_after_its_end),
		cmocka_unit_test(test_held_tasks__a_parent_gets_another_name),
		cmocka_unit_test(test_held_tasks__a_number_is_used_again),
		cmocka_unit_test(
			test_held_tasks__a_parent_ends_before_its_child),
		cmocka_unit_test(
			test_held_tasks__a_parents_number_is_used_again),
		cmocka_unit_test(test_held_tasks__beyond_its_memory),
		cmocka_unit_test(test_held_tasks__records_of_any_length),
		cmocka_unit_test(
			test_held_tasks__the_kernel_and_idle_tasks_are_written),
		cmocka_unit_test(test_running_tasks__for_the_next_file),
		cmocka_unit_test(test_running_tasks__of_parents),
		cmocka_unit_test(test_running_tasks__of_a_number_used_again),
		cmocka_unit_test(test_running_tasks__of_threads),
		cmocka_unit_test(test_running_tasks__are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
