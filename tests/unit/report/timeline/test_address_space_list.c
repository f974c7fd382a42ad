#include "report/timeline/address_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Never looked into. */
static struct rpt_dso *const some_dso = (struct rpt_dso *)0x1000;

static void add(struct rpt_address_space *space, uint64_t time_ns,
		uint64_t start, uint64_t end, struct rpt_dso *dso)
{
	struct rpt_map map = {
		.start = start,
		.end = end,
		.pgoff = 0x100,
		.recorded_pgoff = 0x100,
		.dso = dso,
	};

	rpt_address_space_add(space, (struct rpt_timestamp){ time_ns, 0 },
			      &map);
}

static void test_space_list__is_what_find_finds(void **state)
{
	static const uint64_t spans[][2] = {
		{ 0x1000, 0x9000 }, { 0x3000, 0x4000 },	  { 0x3800, 0x5000 },
		{ 0x8000, 0xa000 }, { 0, 0x1800 },	  { 0x5000, 0x5000 },
		{ 0x6000, 0x7000 }, { 0x20000, 0x21000 },
	};
	struct rpt_timestamp end = { UINT64_MAX, UINT64_MAX };
	struct rpt_address_space space = { 0 };
	struct rpt_map *maps, found;
	size_t nr, at = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		add(&space, i, spans[i][0], spans[i][1],
		    i == 6 ? NULL : some_dso);
	rpt_address_space_list(&space, &maps, &nr);
	assert_int_equal(nr, 8);
	for (uint64_t addr = 0; addr < 0x22000; addr += 0x100) {
		bool is_mapped =
			rpt_address_space_find(&space, addr, end, &found);

		while (at < nr && maps[at].end <= addr)
			at++;
		if (!is_mapped) {
			assert_true(at == nr || addr < maps[at].start);
			continue;
		}
		assert_true(at < nr && addr >= maps[at].start);
		assert_int_equal(addr - maps[at].start + maps[at].pgoff,
				 addr - found.start + found.pgoff);
		assert_int_equal(maps[at].pgoff, maps[at].recorded_pgoff);
		assert_int_equal(
			rpt_address_space_piece_len(&space, addr, end, &found),
			maps[at].end - maps[at].start);
	}
	free(maps);
	rpt_address_space_release(&space);
}

static void test_space_list__has_what_the_parent_had_at_the_fork(void **state)
{
	struct rpt_address_space parent = { 0 }, child = { 0 };
	struct rpt_map *maps;
	size_t nr;

	(void)state;
	add(&parent, 1, 0x1000, 0x2000, some_dso);
	rpt_address_space_fork(&child, &parent, 7,
			       (struct rpt_timestamp){ 2, 0 });
	add(&parent, 3, 0x5000, 0x6000, some_dso);
	add(&child, 3, 0x1800, 0x3000, some_dso);
	rpt_address_space_list(&child, &maps, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(maps[0].start, 0x1000);
	assert_int_equal(maps[0].end, 0x1800);
	assert_int_equal(maps[1].start, 0x1800);
	assert_int_equal(maps[1].end, 0x3000);
	free(maps);
	rpt_address_space_release(&parent);
	rpt_address_space_release(&child);
}

static void test_space_piece__is_what_was_left_then(void **state)
{
	const struct rpt_timestamp times[] = { { 2, 0 }, { 4, 0 }, { 6, 0 } };
	struct rpt_address_space parent = { 0 }, child = { 0 };
	struct rpt_map map;

	(void)state;
	add(&parent, 1, 0x1000, 0x9000, some_dso);
	add(&parent, 3, 0x1800, 0x2000, some_dso);
	rpt_address_space_fork(&child, &parent, 7,
			       (struct rpt_timestamp){ 4, 0 });
	add(&parent, 5, 0x4000, 0x5000, some_dso);
	add(&child, 5, 0x8000, 0xa000, NULL);
	assert_true(rpt_address_space_find(&child, 0x3000, times[2], &map));
	assert_int_equal(map.start, 0x1000);
	assert_int_equal(
		rpt_address_space_piece_len(&child, 0x3000, times[2], &map),
		0x6000);
	assert_int_equal(
		rpt_address_space_piece_len(&child, 0x3000, times[1], &map),
		0x7000);
	assert_int_equal(
		rpt_address_space_piece_len(&parent, 0x3000, times[0], &map),
		0x8000);
	assert_int_equal(
		rpt_address_space_piece_len(&parent, 0x3000, times[2], &map),
		0x2000);
	assert_int_equal(
		rpt_address_space_piece_len(&parent, 0x1400, times[2], &map),
		0x800);
	rpt_address_space_release(&parent);
	rpt_address_space_release(&child);
}

/* Of a long line of forks a space holds copies of what its parents had. */
static void test_space_list_own__has_what_came_after_the_fork(void **state)
{
	static struct rpt_address_space line[40];
	struct rpt_map *maps;
	size_t nr, copied_nr = 0;

	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		if (i)
			rpt_address_space_fork(&line[i], &line[i - 1], i,
					       (struct rpt_timestamp){ i, 0 });
		add(&line[i], i, 0x1000 * i, 0x1000 * i + 0x800, some_dso);
		assert_int_equal(line[i].is_forked, i > 0);
		assert_int_equal(line[i].fork_pid, i);
		rpt_address_space_list_own(&line[i], &maps, &nr);
		assert_int_equal(nr, 1);
		assert_int_equal(maps[0].start, 0x1000 * i);
		free(maps);
		rpt_address_space_list(&line[i], &maps, &nr);
		assert_int_equal(nr, i + 1);
		free(maps);
		copied_nr += line[i].copied_nr;
	}
	assert_true(copied_nr);
	assert_true(rpt_address_space_list_work(&line[39], 1000) >= 40);
	assert_int_equal(rpt_address_space_list_work(&line[39], 3), 3);
	for (uint32_t i = 0; i < 40; i++)
		rpt_address_space_release(&line[i]);
}

static void test_space_list__of_nothing_is_nothing(void **state)
{
	struct rpt_map *maps;
	size_t nr;

	(void)state;
	rpt_address_space_list(NULL, &maps, &nr);
	assert_int_equal(nr, 0);
	assert_null(maps);
}

static struct rpt_dso *dso_at(const struct rpt_address_space *space,
			      uint64_t addr, uint64_t time_ns,
			      struct rpt_addr_range *range)
{
	struct rpt_map map = { .dso = NULL };

	*range = RPT_RANGE_ALL;
	if (!rpt_address_space_find_range(space, addr,
					  (struct rpt_timestamp){ time_ns, 1 },
					  &map, range))
		return NULL;
	assert_true(map.start <= addr && addr < map.end);
	assert_int_equal(map.pgoff, 0x100 + map.start - 0x1000);
	return map.dso;
}

/* Lines hold in memory whose perf map has them, from their times on, however
 * often that is mapped. */
static void test_space__lines_of_memory(void **state)
{
	struct rpt_dso *const file = (struct rpt_dso *)0x2000;
	struct rpt_dso *const line = (struct rpt_dso *)0x3000;
	struct rpt_dso *const later = (struct rpt_dso *)0x4000;
	static const uint32_t layers[] = { 1, 1, 3 };
	struct rpt_address_space lines = { 0 }, space = { .lines = &lines,
							  .memory = some_dso };
	struct rpt_addr_range range;

	(void)state;
	add(&lines, 0, 0x1800, 0x1900, line);
	add(&lines, 20, 0x0800, 0x1100, line);
	add(&lines, 35, 0x1000, 0x1100, later);
	rpt_address_space_set_layers(&lines, layers);
	add(&space, 10, 0x1000, 0x3000, some_dso);
	add(&space, 30, 0x1000, 0x3000, some_dso);
	assert_null(dso_at(&space, 0x1800, 5, &range));
	assert_ptr_equal(dso_at(&space, 0x1800, 10, &range), line);
	assert_int_equal(range.first, 0x1800);
	assert_int_equal(range.last, 0x18ff);
	assert_ptr_equal(dso_at(&space, 0x1200, 10, &range), some_dso);
	assert_int_equal(range.first, 0x1100);
	assert_int_equal(range.last, 0x17ff);
	assert_ptr_equal(dso_at(&space, 0x1000, 20, &range), line);
	assert_int_equal(range.first, 0x1000);
	assert_int_equal(range.last, 0x10ff);
	/* before all of its lines, the first one */
	assert_ptr_equal(dso_at(&space, 0x1000, 10, &range), line);
	assert_int_equal(range.first, 0x1000);
	assert_int_equal(range.last, 0x10ff);
	assert_ptr_equal(dso_at(&space, 0x1000, 40, &range), later);
	assert_null(dso_at(&space, 0x0900, 40, &range));
	assert_int_equal(rpt_address_space_version(
				 &space, (struct rpt_timestamp){ 19, 0 }),
			 2);
	assert_int_equal(rpt_address_space_version(
				 &space, (struct rpt_timestamp){ 20, 0 }),
			 3);
	add(&space, 50, 0x1000, 0x3000, file);
	assert_ptr_equal(dso_at(&space, 0x1000, 60, &range), file);
	rpt_address_space_release(&space);
	rpt_address_space_release(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_space_list__is_what_find_finds),
		cmocka_unit_test(
			test_space_list__has_what_the_parent_had_at_the_fork),
		cmocka_unit_test(
			test_space_list_own__has_what_came_after_the_fork),
		cmocka_unit_test(test_space_piece__is_what_was_left_then),
		cmocka_unit_test(test_space_list__of_nothing_is_nothing),
		cmocka_unit_test(test_space__lines_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
