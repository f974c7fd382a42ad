#include "report/timeline/timeline.h"

#include "report/symbols/dso_class.h"

#include "format/records/record_body.h"
#include "format/records/sample_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EXEC   4u
#define NOBODY ((uint32_t)-1)

/* A timeline under construction, records going in as a file would hold them. */
struct story {
	struct pd_event_set events;
	struct rpt_symbols *symbols;
	struct rpt_timeline *tl;
	uint64_t seq;
};

static void story_open(struct story *s)
{
	static const struct rpt_symbols_conf conf = {
		.symfs = "/nowhere",
		.kallsyms = "/nowhere/kallsyms",
	};
	struct pd_attr attr = {
		.attr_len = PD_ATTR_LEN_VER5,
		.sample_type = PD_SAMPLE_TID | PD_SAMPLE_TIME,
		.flags = PD_ATTR_SAMPLE_ID_ALL,
	};

	memset(s, 0, sizeof(*s));
	s->events.sample_id_off = -1;
	assert_int_equal(pd_event_set_add(&s->events, &attr, NULL, NULL), 0);
	s->symbols = rpt_symbols_new(&conf);
	assert_non_null(s->symbols);
	s->tl = rpt_timeline_new(s->symbols);
	assert_non_null(s->tl);
}

static void story_close(struct story *s)
{
	rpt_timeline_free(s->tl);
	rpt_symbols_free(s->symbols);
	pd_event_set_release(&s->events);
}

/* The record of body at time_ns; its place in the file is after all others. */
static void tell(struct story *s, uint64_t time_ns, uint16_t misc,
		 const struct pd_body *body)
{
	struct pd_sample_id id = {
		.present = PD_SAMPLE_TID | PD_SAMPLE_TIME,
		.time_ns = time_ns,
	};
	struct pd_buf b = { 0 };
	struct pd_record rec;
	size_t start = pd_record_begin(&b, body->type, misc);

	pd_body_write_fields(&b, body);
	pd_sample_id_write(&b, &s->events.events[0].layout, &id);
	pd_record_end(&b, start);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	rec.seq = ++s->seq;
	rpt_timeline_add(s->tl, &s->events, &rec);
	pd_buf_release(&b);
}

static struct pd_str str(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

static void tell_comm(struct story *s, uint64_t time_ns, uint32_t pid,
		      const char *comm)
{
	struct pd_body body = { .type = PD_RECORD_COMM };

	body.u.comm = (struct pd_comm){ pid, pid, str(comm) };
	tell(s, time_ns, PD_CPUMODE_USER, &body);
}

static void tell_exec(struct story *s, uint64_t time_ns, uint32_t pid,
		      const char *comm)
{
	struct pd_body body = { .type = PD_RECORD_COMM };

	body.u.comm = (struct pd_comm){ pid, pid, str(comm) };
	tell(s, time_ns, PD_CPUMODE_USER | PD_MISC_COMM_EXEC, &body);
}

static void tell_fork(struct story *s, uint64_t time_ns, uint32_t ppid,
		      uint32_t pid, uint32_t tid)
{
	struct pd_body body = { .type = PD_RECORD_FORK };

	body.u.task = (struct pd_task){ pid, ppid, tid, ppid, time_ns };
	tell(s, time_ns, 0, &body);
}

static void tell_map_of(struct story *s, uint64_t time_ns, uint64_t addr,
			uint64_t map_len, uint64_t pgoff, const char *name)
{
	struct pd_body body = { .type = PD_RECORD_MMAP2 };

	body.u.mmap = (struct pd_mmap){ .pid = 10,
					.tid = 10,
					.addr = addr,
					.map_len = map_len,
					.pgoff = pgoff,
					.filename = str(name),
					.prot = EXEC };
	tell(s, time_ns, PD_CPUMODE_USER, &body);
}

static void tell_map(struct story *s, uint64_t time_ns, uint32_t pid,
		     uint64_t addr, const char *name)
{
	struct pd_body body = { .type = PD_RECORD_MMAP2 };

	body.u.mmap = (struct pd_mmap){ .pid = pid,
					.tid = pid,
					.addr = addr,
					.map_len = 0x1000,
					.pgoff = 0x4000,
					.filename = str(name),
					.prot = EXEC };
	tell(s, time_ns, PD_CPUMODE_USER, &body);
}

static void finish(struct story *s)
{
	rpt_timeline_finish(s->tl);
	assert_int_equal(rpt_timeline_damage(s->tl)->skipped_nr, 0);
}

/* "comm dso+dso_address" of a user address at a time; "?" for what is not
 * known. */
static const char *seen(const struct story *s, uint64_t time_ns, uint32_t pid,
			uint32_t tid, uint64_t addr)
{
	static char text[128];
	struct rpt_timestamp when = { time_ns, UINT64_MAX };
	struct rpt_task_ref ref;
	struct rpt_map map;
	const char *comm;
	char dso[64];

	rpt_timeline_task(s->tl, pid, tid, when, &ref);
	comm = rpt_task_ref_comm(&ref, when);
	if (!rpt_timeline_map(s->tl, &ref, PD_CPUMODE_USER, addr, when, &map)) {
		snprintf(text, sizeof(text), "%s ?", comm ? comm : "?");
		return text;
	}
	rpt_dso_short_name(map.dso, dso, sizeof(dso));
	snprintf(text, sizeof(text), "%s %s+%#llx", comm ? comm : "?", dso,
		 (unsigned long long)(addr - map.start + map.pgoff));
	return text;
}

static void test_timeline__knows_what_ran_before_the_start(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 10, "daemon");
	tell_map(&s, 0, 10, 0x1000, "/usr/bin/daemon");
	finish(&s);
	assert_string_equal(seen(&s, 5, 10, 10, 0x1010),
			    "daemon daemon+0x4010");
	assert_string_equal(seen(&s, 5, 10, 10, 0x2000), "daemon ?");
	/* a thread that no record speaks of has its process's maps */
	assert_string_equal(seen(&s, 5, 10, 11, 0x1010), "? daemon+0x4010");
	assert_string_equal(seen(&s, 5, 99, 99, 0x1010), "? ?");
	assert_string_equal(seen(&s, 5, 0, 0, 0x1010), "swapper ?");
	story_close(&s);
}

static void test_timeline__fork_copies_the_maps_of_its_time(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 10, "sh");
	tell_map(&s, 0, 10, 0x1000, "/bin/sh");
	tell_fork(&s, 100, 10, 20, 20);
	tell_map(&s, 200, 10, 0x1000, "/lib/late.so");
	tell_map(&s, 200, 20, 0x9000, "/lib/own.so");
	finish(&s);
	assert_string_equal(seen(&s, 150, 20, 20, 0x1000), "sh sh+0x4000");
	assert_string_equal(seen(&s, 300, 20, 20, 0x1000), "sh sh+0x4000");
	assert_string_equal(seen(&s, 300, 10, 10, 0x1000), "sh late.so+0x4000");
	assert_string_equal(seen(&s, 300, 20, 20, 0x9000), "sh own.so+0x4000");
	assert_string_equal(seen(&s, 300, 10, 10, 0x9000), "sh ?");
	story_close(&s);
}

/* More than are passed over at once, some of them about the same addresses. */
static void test_timeline__many_maps(void **state)
{
	enum { MAP_NR = 300, MAP_LEN = 0x1000 };
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 10, "jit");
	for (uint64_t i = 0; i < MAP_NR; i++)
		tell_map(&s, i, 10, (1 + i) * MAP_LEN, "/first");
	for (uint64_t i = 0; i < MAP_NR; i += 7)
		tell_map(&s, 1000 + i, 10, (1 + i) * MAP_LEN, "/second");
	finish(&s);
	for (uint64_t i = 0; i < MAP_NR; i++) {
		const uint64_t addr = (1 + i) * MAP_LEN;

		assert_string_equal(seen(&s, 999, 10, 10, addr),
				    "jit first+0x4000");
		assert_string_equal(seen(&s, 2000, 10, 10, addr),
				    i % 7 ? "jit first+0x4000"
					  : "jit second+0x4000");
	}
	assert_string_equal(seen(&s, 2000, 10, 10, 0x800), "jit ?");
	assert_string_equal(seen(&s, 100, 10, 10, 200 * MAP_LEN), "jit ?");
	story_close(&s);
}

static void test_timeline__exec_renames_and_maps_over(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 10, "sh");
	tell_map(&s, 0, 10, 0x1000, "/bin/sh");
	tell_map(&s, 0, 10, 0x5000, "/lib/libc.so");
	tell_comm(&s, 100, 10, "ls");
	tell_map(&s, 110, 10, 0x1000, "/bin/ls");
	finish(&s);
	assert_string_equal(seen(&s, 99, 10, 10, 0x1000), "sh sh+0x4000");
	assert_string_equal(seen(&s, 105, 10, 10, 0x1000), "ls sh+0x4000");
	assert_string_equal(seen(&s, 110, 10, 10, 0x1000), "ls ls+0x4000");
	/* the caller of execve stays known */
	assert_string_equal(seen(&s, 110, 10, 10, 0x5000), "ls libc.so+0x4000");
	story_close(&s);
}

static void test_timeline__a_library_over_an_unmapped_one(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 10, "host");
	tell_map(&s, 100, 10, 0x1000, "/lib/one.so");
	tell_map(&s, 200, 10, 0x1800, "/lib/two.so");
	finish(&s);
	assert_string_equal(seen(&s, 99, 10, 10, 0x1900), "host ?");
	assert_string_equal(seen(&s, 150, 10, 10, 0x1900),
			    "host one.so+0x4900");
	assert_string_equal(seen(&s, 250, 10, 10, 0x1900),
			    "host two.so+0x4100");
	/* what two.so does not cover is one.so's still */
	assert_string_equal(seen(&s, 250, 10, 10, 0x1700),
			    "host one.so+0x4700");
	story_close(&s);
}

static void test_timeline__a_pid_used_again_is_another_task(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 1, "init");
	tell_comm(&s, 0, 10, "first");
	tell_map(&s, 0, 10, 0x1000, "/bin/first");
	tell_fork(&s, 500, 1, 10, 10);
	tell_comm(&s, 600, 10, "second");
	tell_map(&s, 600, 10, 0x2000, "/bin/second");
	finish(&s);
	assert_string_equal(seen(&s, 499, 10, 10, 0x1000),
			    "first first+0x4000");
	assert_string_equal(seen(&s, 550, 10, 10, 0x1000), "init ?");
	assert_string_equal(seen(&s, 700, 10, 10, 0x1000), "second ?");
	assert_string_equal(seen(&s, 700, 10, 10, 0x2000),
			    "second second+0x4000");
	story_close(&s);
}

static void test_timeline__threads_share_maps_and_have_own_names(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 10, "main");
	tell_fork(&s, 100, 10, 10, 11);
	tell_map(&s, 200, 10, 0x1000, "/lib/plugin.so");
	finish(&s);
	assert_string_equal(seen(&s, 300, 10, 11, 0x1000),
			    "main plugin.so+0x4000");
	assert_string_equal(seen(&s, 300, 10, 10, 0x1000),
			    "main plugin.so+0x4000");
	story_close(&s);
}

/* The file's order is not the time's: per-CPU buffers are written in turn. */
static void test_timeline__order_is_that_of_time(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_map(&s, 300, 10, 0x1000, "/lib/three.so");
	tell_comm(&s, 300, 10, "late");
	tell_map(&s, 100, 10, 0x1000, "/lib/one.so");
	tell_comm(&s, 100, 10, "early");
	finish(&s);
	assert_string_equal(seen(&s, 50, 10, 10, 0x1000), "? ?");
	assert_string_equal(seen(&s, 200, 10, 10, 0x1000),
			    "early one.so+0x4000");
	assert_string_equal(seen(&s, 300, 10, 10, 0x1000),
			    "late three.so+0x4000");
	story_close(&s);
}

static void test_timeline__a_first_name_counts_from_the_start(void **state)
{
	struct rpt_timestamp when = { 50, 0 };
	struct rpt_task_ref ref;
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 100, 10, "one");
	tell_comm(&s, 200, 10, "two");
	finish(&s);
	rpt_timeline_task(s.tl, 10, 10, when, &ref);
	assert_null(rpt_task_ref_comm(&ref, when));
	assert_string_equal(rpt_task_ref_comm_shown(&ref, when), "one");
	assert_string_equal(rpt_task_ref_comm_last(&ref), "two");
	rpt_timeline_task(s.tl, NOBODY, NOBODY, when, &ref);
	assert_null(rpt_task_ref_comm_shown(&ref, when));
	story_close(&s);
}

static void test_timeline__memory_without_file_is_the_jit_s(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 10, "java");
	tell_map(&s, 100, 10, 0x1000, "//anon");
	finish(&s);
	assert_string_equal(seen(&s, 100, 10, 10, 0x1234),
			    "java [JIT] tid 10+0x1234");
	story_close(&s);
}

static void test_timeline__the_kernel_is_one_for_all(void **state)
{
	struct pd_body body = { .type = PD_RECORD_MMAP };
	struct rpt_timestamp when = { 10, 0 };
	struct rpt_task_ref ref;
	struct rpt_map map;
	struct story s;

	(void)state;
	story_open(&s);
	body.u.mmap = (struct pd_mmap){
		.pid = NOBODY,
		.addr = 0xffffffff81000000,
		.map_len = 0x1000,
		.pgoff = 0xffffffff81000000,
		.filename = str("[kernel.kallsyms]_text"),
	};
	tell(&s, 0, PD_CPUMODE_KERNEL, &body);
	finish(&s);
	rpt_timeline_task(s.tl, 77, 77, when, &ref);
	assert_true(rpt_timeline_map(s.tl, &ref, PD_CPUMODE_KERNEL,
				     0xffffffff81000800, when, &map));
	assert_true(map.is_kernel);
	assert_int_equal(map.pgoff, map.start);
	assert_string_equal(rpt_dso_name(map.dso), "[kernel.kallsyms]");
	assert_false(rpt_timeline_map(s.tl, &ref, PD_CPUMODE_USER,
				      0xffffffff81000800, when, &map));
	assert_false(rpt_timeline_map(s.tl, &ref, PD_CPUMODE_KERNEL,
				      0xffffffff81001000, when, &map));
	story_close(&s);
}

/* Deeper than forks are chained: what the first parent mapped is there. */
static void test_timeline__a_long_line_of_forks(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 1000, "root");
	tell_map(&s, 0, 1000, 0x1000, "/bin/root");
	for (uint32_t i = 0; i < 100; i++)
		tell_fork(&s, 10 + i, 1000 + i, 1001 + i, 1001 + i);
	finish(&s);
	assert_string_equal(seen(&s, 500, 1100, 1100, 0x1000),
			    "root root+0x4000");
	story_close(&s);
}

/* Two processes whose threads are said to come from each other: each keeps its
 * own maps, and nothing is looked for in a circle. */
static void test_timeline__forks_in_a_circle(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 1, "one");
	tell_fork(&s, 10, 1, 2, 2);
	tell_fork(&s, 20, 2, 1, 99);
	tell_map(&s, 30, 2, 0x1000, "/bin/two");
	finish(&s);
	assert_string_equal(seen(&s, 500, 1, 1, 0x1000), "one ?");
	assert_string_equal(seen(&s, 500, 2, 2, 0x1000), "one two+0x4000");
	story_close(&s);
}

/* Many maps are not copied down a long line, and still hold. */
static void test_timeline__a_long_line_of_forks_with_many_maps(void **state)
{
	struct story s;

	(void)state;
	story_open(&s);
	tell_comm(&s, 0, 1000, "root");
	for (uint32_t i = 0; i < 1000; i++)
		tell_map(&s, 0, 1000, 0x1000 + 0x1000 * i, "/bin/root");
	for (uint32_t i = 0; i < 100; i++)
		tell_fork(&s, 10 + i, 1000 + i, 1001 + i, 1001 + i);
	tell_map(&s, 200, 1100, 0x1000, "/bin/last");
	finish(&s);
	assert_string_equal(seen(&s, 500, 1100, 1100, 0x3e8000),
			    "root root+0x4000");
	assert_string_equal(seen(&s, 500, 1100, 1100, 0x1000),
			    "root last+0x4000");
	assert_string_equal(seen(&s, 500, 1099, 1099, 0x1000),
			    "root root+0x4000");
	story_close(&s);
}

/* A change of names costs its place in the order, not its record, until the
 * names are known at every time. */
static void test_timeline__many_names_take_little_memory(void **state)
{
	enum { NR = 1 << 16, COST_MAX = 32 };
	struct rpt_budget *budget;
	struct story s;
	uint64_t left;

	(void)state;
	story_open(&s);
	budget = rpt_timeline_budget(s.tl);
	left = rpt_budget_left(budget);
	for (uint32_t i = 0; i < NR; i++)
		tell_comm(&s, 10 + i, 7, i & 1 ? "odd" : "even");
	assert_in_range(left - rpt_budget_left(budget), NR, NR * COST_MAX);
	finish(&s);
	assert_string_equal(seen(&s, 10, 7, 7, 0), "even ?");
	assert_string_equal(seen(&s, 11, 7, 7, 0), "odd ?");
	assert_string_equal(seen(&s, 10 + NR - 2, 7, 7, 0), "even ?");
	assert_string_equal(seen(&s, 10 + NR, 7, 7, 0), "odd ?");
	story_close(&s);
}

/* A name that a task has already is no change. */
static void test_timeline__a_name_again_takes_no_memory(void **state)
{
	enum { NR = 1 << 16, COST_MAX = 32 << 10 };
	struct rpt_budget *budget;
	struct story s;
	uint64_t left;

	(void)state;
	story_open(&s);
	budget = rpt_timeline_budget(s.tl);
	left = rpt_budget_left(budget);
	for (uint32_t i = 0; i < NR; i++)
		tell_comm(&s, 10 + i, 7, "same");
	finish(&s);
	assert_in_range(left - rpt_budget_left(budget), 1, COST_MAX);
	assert_string_equal(seen(&s, 10, 7, 7, 0), "same ?");
	assert_string_equal(seen(&s, 10 + NR, 7, 7, 0), "same ?");
	story_close(&s);
}

static const char in_memory[] = "x [JIT] tid 10+0x8010";

/* Return what lies at 0x8010, once memory without a file was mapped from start
 * to end, over or beside what was told before. */
static const char *seen_over(struct story *s, uint64_t start, uint64_t end)
{
	const char *ret;

	tell_map_of(s, 50, start, end - start, 0, "//anon");
	finish(s);
	ret = seen(s, 60, 10, 10, 0x8010);
	story_close(s);
	return ret;
}

static void open_with_text(struct story *s)
{
	story_open(s);
	tell_comm(s, 0, 10, "x");
	tell_map_of(s, 1, 0xf000000, 0x1000, 0, "[stack]");
	tell_map_of(s, 1, 0x7000, 0x4000, 0x2000, "/bin/x");
}

static void test_timeline__text_that_was_moved(void **state)
{
	static const char text[] = "x x+0x3010";
	struct story s;

	(void)state;
	open_with_text(&s);
	assert_string_equal(seen_over(&s, 0x8000, 0x9000), text);
	/* with what stands before the text, and up to a huge page's end */
	open_with_text(&s);
	assert_string_equal(seen_over(&s, 0x5000, 0x200000), text);
	open_with_text(&s);
	tell_map_of(&s, 2, 0x8000, 0x1000, 0, "//anon"); /* piece by piece */
	assert_string_equal(seen_over(&s, 0x8000, 0xa000), text);
	/* of a library, which may have been unmapped: all, or huge pages */
	open_with_text(&s);
	tell_map_of(&s, 2, 0x8000, 0x2000, 0x3000, "/lib/y");
	assert_string_equal(seen_over(&s, 0x8000, 0x9000), in_memory);
	open_with_text(&s);
	tell_map_of(&s, 2, 0x8000, 0x2000, 0x3000, "/lib/y");
	assert_string_equal(seen_over(&s, 0x8000, 0xa000), "x y+0x3010");
	open_with_text(&s);
	tell_map_of(&s, 2, 0x1000, 0x800000, 0x1000, "/lib/y");
	assert_string_equal(seen_over(&s, 0, 0x200000), "x y+0x8010");
	/* more than the file has is no text of its */
	open_with_text(&s);
	assert_string_equal(seen_over(&s, 0x4000, 0xb000), in_memory);
	open_with_text(&s);
	assert_string_equal(seen_over(&s, 0x8000, 0x201000), in_memory);
	/* nor where another program's was */
	story_open(&s);
	tell_map_of(&s, 1, 0x7000, 0x4000, 0x2000, "/bin/sh");
	tell_exec(&s, 2, 10, "x");
	assert_string_equal(seen_over(&s, 0x8000, 0x9000), in_memory);
}

/* Return what lies at 0x8010, in memory that ran between two maps before the
 * recording began. */
static const char *seen_between(const char *below, const char *above,
				uint64_t above_off)
{
	const char *ret;
	struct story s;

	story_open(&s);
	tell_comm(&s, 0, 10, "x");
	tell_map_of(&s, 0, 0x7000, 0x1000, 0x2000, below);
	tell_map_of(&s, 0, 0x8000, 0x1000, 0, "//anon");
	tell_map_of(&s, 0, 0x9000, 0x1000, above_off, above);
	finish(&s);
	ret = seen(&s, 1, 10, 10, 0x8010);
	story_close(&s);
	return ret;
}

static void test_timeline__text_that_was_moved_before(void **state)
{
	static const char x[] = "/bin/x";

	(void)state;
	assert_string_equal(seen_between(x, x, 0x4000), "x x+0x3010");
	assert_string_equal(seen_between(x, x, 0x3000), in_memory);
	assert_string_equal(seen_between(x, "/bin/y", 0x4000), in_memory);
	assert_string_equal(seen_between("//anon", "//anon", 0x4000),
			    in_memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_timeline__knows_what_ran_before_the_start),
		cmocka_unit_test(
			test_timeline__fork_copies_the_maps_of_its_time),
		cmocka_unit_test(test_timeline__exec_renames_and_maps_over),
		cmocka_unit_test(test_timeline__a_library_over_an_unmapped_one),
		cmocka_unit_test(
			test_timeline__a_pid_used_again_is_another_task),
		cmocka_unit_test(
			test_timeline__threads_share_maps_and_have_own_names),
		cmocka_unit_test(test_timeline__order_is_that_of_time),
		cmocka_unit_test(
			test_timeline__a_first_name_counts_from_the_start),
		cmocka_unit_test(
			test_timeline__memory_without_file_is_the_jit_s),
		cmocka_unit_test(test_timeline__the_kernel_is_one_for_all),
		cmocka_unit_test(test_timeline__a_long_line_of_forks),
		cmocka_unit_test(test_timeline__many_maps),
		cmocka_unit_test(test_timeline__forks_in_a_circle),
		cmocka_unit_test(
			test_timeline__a_long_line_of_forks_with_many_maps),
		cmocka_unit_test(test_timeline__many_names_take_little_memory),
		cmocka_unit_test(test_timeline__a_name_again_takes_no_memory),
		cmocka_unit_test(test_timeline__text_that_was_moved),
		cmocka_unit_test(test_timeline__text_that_was_moved_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
