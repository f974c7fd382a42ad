/* address_spaces.h and hit_set.h: whose file is hit. */
#include "record/carry/address_spaces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static void map(struct rec_address_spaces *s, uint32_t pid, uint64_t addr,
		uint64_t len, uint64_t off, const char *path)
{
	struct pd_mmap record = {
		.pid = pid,
		.addr = addr,
		.map_len = len,
		.pgoff = off,
		.filename = { path, strlen(path) },
	};

	rec_address_spaces_map(s, &record, true);
}

/* How often the file has been hit; -1: it is not there. */
static int hits_of(const struct rec_address_spaces *s, const char *path)
{
	for (uint32_t i = 0; i < s->file_nr; i++)
		if (!strcmp(s->files[i].path, path))
			return (int)s->files[i].hits.nr;
	return -1;
}

static void test_hit_set__has_each_once_in_order(void **state)
{
	struct rec_hit_set set = { .slots = NULL };
	size_t budget = 1 << 20;
	const uint64_t *sorted;

	(void)state;
	for (uint64_t i = 0; i < 3000; i++)
		assert_true(rec_hit_set_add(&set, i * 7919 % 1000, &budget));
	assert_int_equal(set.nr, 1000);
	assert_int_equal(budget, (1 << 20) - set.cap * sizeof(uint64_t));
	sorted = rec_hit_set_sort(&set);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(sorted[i], i);
	assert_int_equal(rec_hits_below(sorted, 1000, 0), 0);
	assert_int_equal(rec_hits_below(sorted, 1000, 500), 500);
	assert_int_equal(rec_hits_below(sorted, 1000, 5000), 1000);
	assert_int_equal(rec_hits_below(sorted, 0, 5000), 0);
	rec_hit_set_release(&set);
}

static void test_hit_set__moves_and_ends_with_its_budget(void **state)
{
	struct rec_hit_set a = { .slots = NULL }, b = { .slots = NULL };
	size_t budget = 2000;
	unsigned nr = 0;

	(void)state;
	while (rec_hit_set_add(&a, nr, &budget))
		nr++;
	assert_in_range(nr, 32, 2000 / sizeof(uint64_t));
	budget += 4000;
	rec_hit_set_move(&a, &b, &budget);
	assert_null(a.slots);
	assert_int_equal(b.nr, nr);
	rec_hit_set_release(&b);
}

/* Addresses that one multiplication sends to the same slot: as many as a
 * program likes to have in its call chains. */
static void test_hit_set__addresses_that_are_chosen(void **state)
{
	enum { NR = 200000 };
	uint64_t factor = UINT64_C(0x9e3779b97f4a7c15), inverse = factor;
	struct rec_hit_set set = { .slots = NULL };
	size_t budget = 16 << 20;
	clock_t start = clock();

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	for (uint64_t i = 1; i <= NR; i++)
		assert_true(rec_hit_set_add(&set, (i << 40) * inverse - 1,
					    &budget));
	assert_int_equal(set.nr, NR);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 2);
	rec_hit_set_release(&set);
}

static void test_address_spaces__offsets_in_files(void **state)
{
	struct rec_address_spaces s;

	(void)state;
	rec_address_spaces_init(&s, 1 << 20);
	map(&s, 1, 0x400000, 0x1000, 0x2000, "/bin/a");
	map(&s, 1, 0x7f0000, 0x1000, 0, "//anon");
	assert_int_equal(rec_address_spaces_hit(&s, 1, 0x400010), 1);
	assert_int_equal(rec_address_spaces_hit(&s, 1, 0x400fff), 1);
	assert_int_equal(rec_address_spaces_hit(&s, 1, 0x401000), 0);
	assert_int_equal(rec_address_spaces_hit(&s, 1, 0x3fffff), 0);
	assert_int_equal(rec_address_spaces_hit(&s, 2, 0x400010), 0);
	assert_int_equal(rec_address_spaces_hit(&s, 1, 0x7f0010), 1);
	assert_int_equal(rec_hit_set_sort(&s.files[0].hits)[0], 0x2010);
	assert_true(s.files[1].is_anonymous);
	assert_int_equal(rec_hit_set_sort(&s.files[1].hits)[0], 0x7f0010);
	rec_address_spaces_release(&s);
}

static void test_address_spaces__maps_over_each_other_all_count(void **state)
{
	struct rec_address_spaces s;

	(void)state;
	rec_address_spaces_init(&s, 1 << 20);
	map(&s, 1, 0x1000, 0x9000, 0, "/old");
	map(&s, 1, 0x3000, 0x1000, 0, "/new");
	map(&s, 1, 0x3000, 0x1000, 0, "/newer");
	assert_int_equal(rec_address_spaces_hit(&s, 1, 0x3010), 3);
	assert_int_equal(rec_address_spaces_hit(&s, 1, 0x5010), 1);
	assert_int_equal(hits_of(&s, "/old"), 2);
	assert_int_equal(hits_of(&s, "/new"), 1);
	/* a map that comes after a look-up */
	map(&s, 1, 0x0, 0x100, 0, "/low");
	assert_int_equal(rec_address_spaces_hit(&s, 1, 0x10), 1);
	/* any number of maps at one address, of which 64 are looked at */
	for (unsigned i = 0; i < 1000; i++)
		map(&s, 2, 0x1000, 0x1000, 0, "/many");
	assert_int_equal(rec_address_spaces_hit(&s, 2, 0x1010), 64);
	rec_address_spaces_release(&s);
}

static void test_address_spaces__a_child_has_its_parent_s(void **state)
{
	struct rec_address_spaces s;

	(void)state;
	rec_address_spaces_init(&s, 1 << 20);
	map(&s, 1, 0x1000, 0x1000, 0, "/parent");
	rec_address_spaces_fork(&s, 2, 1);
	rec_address_spaces_fork(&s, 3, 2);
	map(&s, 3, 0x5000, 0x1000, 0, "/child");
	assert_int_equal(rec_address_spaces_hit(&s, 3, 0x1010), 1);
	assert_int_equal(rec_address_spaces_hit(&s, 3, 0x5010), 1);
	assert_int_equal(rec_address_spaces_hit(&s, 1, 0x5010), 0);
	/* each the other's parent; a thread is no child */
	rec_address_spaces_fork(&s, 8, 9);
	rec_address_spaces_fork(&s, 9, 8);
	rec_address_spaces_fork(&s, 7, 7);
	assert_int_equal(rec_address_spaces_hit(&s, 8, 0x1010), 0);
	assert_int_equal(rec_address_spaces_hit(&s, 7, 0x1010), 0);
	rec_address_spaces_release(&s);
}

static void test_address_spaces__files_by_build_id_or_inode(void **state)
{
	struct pd_mmap record = { .pid = 1,
				  .map_len = 0x1000,
				  .filename = { "/a", 2 } };
	struct rec_address_spaces s;

	(void)state;
	rec_address_spaces_init(&s, 1 << 20);
	rec_address_spaces_map(&s, &record, true);
	rec_address_spaces_map(&s, &record, true);
	assert_int_equal(s.file_nr, 1);
	record.ino = 5;
	rec_address_spaces_map(&s, &record, true);
	assert_int_equal(s.file_nr, 2);
	record.build_id_len = 20;
	rec_address_spaces_map(&s, &record, true);
	assert_int_equal(s.file_nr, 3);
	record.build_id[19] = 1;
	rec_address_spaces_map(&s, &record, true);
	rec_address_spaces_map(&s, &record, true);
	assert_int_equal(s.file_nr, 4);
	/* memory is one for all names of a process, and each has its own */
	map(&s, 1, 0, 1, 0, "//anon");
	map(&s, 1, 0, 1, 0, "[heap]");
	map(&s, 2, 0, 1, 0, "//anon");
	map(&s, 2, 0, 1, 0, "[vdso]");
	assert_int_equal(s.file_nr, 7);
	rec_address_spaces_release(&s);
}

/* A file that may be a JIT's counts for the process's memory, too: by offset
 * and by address. */
static void test_address_spaces__files_that_may_be_a_jit_s(void **state)
{
	static const char *const paths[] = { "/memfd:doublemapper (deleted)",
					     "/dev/shm/code", "/app/System.dll",
					     "/tmp/ffi (deleted)" };
	struct rec_address_spaces s;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		rec_address_spaces_init(&s, 1 << 20);
		map(&s, 2, 0x5000, 0x1000, 0x200, paths[i]);
		assert_int_equal(rec_address_spaces_hit(&s, 2, 0x5010), 2);
		assert_int_equal(s.file_nr, 2);
		assert_false(s.files[0].is_anonymous);
		assert_int_equal(rec_hit_set_sort(&s.files[0].hits)[0], 0x210);
		assert_true(s.files[1].is_anonymous);
		assert_false(s.files[1].has_memory);
		assert_int_equal(rec_hit_set_sort(&s.files[1].hits)[0], 0x5010);
		map(&s, 2, 0x6000, 0x1000, 0, "//anon");
		assert_true(s.files[1].has_memory);
		rec_address_spaces_release(&s);
	}
}

static void test_address_spaces__text_that_was_moved(void **state)
{
	struct rec_address_spaces s;

	(void)state;
	rec_address_spaces_init(&s, 1 << 20);
	map(&s, 1, 0x6000, 0x1000, 0x100, "/a");
	map(&s, 1, 0x7000, 0x1000, 0, "//anon");
	map(&s, 1, 0x8000, 0x1000, 0x2100, "/a");
	map(&s, 1, 0x9000, 0x1000, 0, "//anon");
	map(&s, 1, 0xa000, 0x1000, 0x4000, "/a"); /* not where it would be */
	rec_address_spaces_hit(&s, 1, 0x9010);
	assert_int_equal(hits_of(&s, "/a"), 0);
	rec_address_spaces_hit(&s, 1, 0x7010);
	assert_int_equal(hits_of(&s, "//anon"), 2);
	assert_int_equal(hits_of(&s, "/a"), 1);
	assert_int_equal(rec_hit_set_sort(&s.files[0].hits)[0], 0x1110);
	rec_address_spaces_release(&s);
}

static void test_address_spaces__budget_that_is_spent(void **state)
{
	struct rec_address_spaces s;
	char path[32];

	(void)state;
	for (size_t budget = 0; budget < 40000; budget += 500) {
		rec_address_spaces_init(&s, budget);
		for (unsigned i = 0; i < 200; i++) {
			snprintf(path, sizeof(path), "/file%u", i);
			map(&s, i, 0x1000, 0x1000, 0, path);
			rec_address_spaces_fork(&s, i + 1000, i);
			rec_address_spaces_hit(&s, i + 1000, 0x1010);
		}
		assert_true(s.is_full);
		assert_true(s.budget <= budget);
		rec_address_spaces_release(&s);
	}
}

/* A host that runs a program after the other: those that ended go. */
static void test_address_spaces__ended_processes_make_room(void **state)
{
	enum { ALIVE = 7, DAEMON = 8, PARENT = 9, FIRST = 100, NR = 5000 };
	struct rec_address_spaces s;

	(void)state;
	rec_address_spaces_init(&s, 256 << 10);
	map(&s, ALIVE, 0x1000, 0x1000, 0, "/alive");
	map(&s, PARENT, 0x1000, 0x1000, 0, "/parent");
	rec_address_spaces_fork(&s, DAEMON, PARENT);
	rec_address_spaces_exit(&s, PARENT);
	for (uint32_t pid = FIRST; pid < FIRST + NR; pid++) {
		rec_address_spaces_fork(&s, pid, ALIVE);
		map(&s, pid, 0x5000, 0x1000, 0, "/bin/true");
		rec_address_spaces_exit(&s, pid);
		rec_address_spaces_round(&s);
		rec_address_spaces_round(&s);
		/* its samples follow */
		assert_int_equal(
			rec_address_spaces_hit(&s, pid, 0x5000 + pid % 64), 1);
	}
	assert_false(s.is_full);
	assert_true(s.space_nr < NR / 2);
	assert_int_equal(rec_address_spaces_hit(&s, ALIVE, 0x1004), 1);
	assert_int_equal(rec_address_spaces_hit(&s, DAEMON, 0x1008), 1);
	assert_int_equal(rec_address_spaces_hit(&s, FIRST, 0x5000), 0);
	assert_int_equal(hits_of(&s, "/bin/true"), 64);
	assert_int_equal(hits_of(&s, "/parent"), 1);
	/* the pid of one that ended is another's now */
	rec_address_spaces_fork(&s, FIRST, ALIVE);
	map(&s, FIRST, 0x5000, 0x1000, 0, "/new");
	for (int i = 0; i < 40; i++)
		rec_address_spaces_round(&s);
	assert_int_equal(rec_address_spaces_hit(&s, FIRST, 0x5000), 1);
	rec_address_spaces_release(&s);
}

/* Of one path, each that the records tell apart. */
static void test_address_spaces__files_are_what_records_have(void **state)
{
	static const struct pd_mmap maps[] = {
		{ .maj = 8, .min = 1, .ino = 12, .ino_generation = 7 },
		{ .maj = 8, .min = 1, .ino = 12, .ino_generation = 8 },
		{ .maj = 8, .min = 1, .ino = 13, .ino_generation = 7 },
		{ .maj = 8, .min = 2, .ino = 12, .ino_generation = 7 },
		{ .build_id = { 1 }, .build_id_len = 20 },
		{ .build_id = { 2 }, .build_id_len = 20 },
	};
	struct rec_address_spaces s;

	(void)state;
	rec_address_spaces_init(&s, 1 << 20);
	for (uint32_t i = 0; i < 12; i++) {
		struct pd_mmap record = maps[i % 6];

		record.pid = i;
		record.map_len = 0x1000;
		record.filename = (struct pd_str){ "/bin/app", 8 };
		rec_address_spaces_map(&s, &record, true);
	}
	assert_int_equal(s.file_nr, 6);
	rec_address_spaces_release(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_address_spaces__files_are_what_records_have),
		cmocka_unit_test(test_hit_set__has_each_once_in_order),
		cmocka_unit_test(test_hit_set__moves_and_ends_with_its_budget),
		cmocka_unit_test(test_hit_set__addresses_that_are_chosen),
		cmocka_unit_test(test_address_spaces__offsets_in_files),
		cmocka_unit_test(
			test_address_spaces__maps_over_each_other_all_count),
		cmocka_unit_test(test_address_spaces__a_child_has_its_parent_s),
		cmocka_unit_test(
			test_address_spaces__files_by_build_id_or_inode),
		cmocka_unit_test(
			test_address_spaces__files_that_may_be_a_jit_s),
		cmocka_unit_test(test_address_spaces__text_that_was_moved),
		cmocka_unit_test(test_address_spaces__budget_that_is_spent),
		cmocka_unit_test(
			test_address_spaces__ended_processes_make_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
