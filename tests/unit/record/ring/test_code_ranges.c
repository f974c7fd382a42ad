#include "record/ring/code_ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define SECOND_NS UINT64_C(1000000000)

static int setup(void **state)
{
	*state = rec_code_ranges_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	rec_code_ranges_free(*state);
	return 0;
}

static void see_words(struct rec_code_ranges *code, uint32_t type,
		      uint16_t misc, const uint64_t *words, size_t nr,
		      bool is_new)
{
	uint64_t record[16] = { 0 };
	struct pd_record rec = { .type = type,
				 .misc = misc,
				 .len = (uint16_t)(8 + 8 * nr),
				 .data = (const uint8_t *)record };

	memcpy(record + 1, words, nr * sizeof(*words));
	rec_code_ranges_see(code, &rec, is_new);
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static void map(struct rec_code_ranges *code, uint32_t pid, uint64_t start,
		uint64_t len, uint32_t prot)
{
	const uint64_t words[] = { pair(pid, pid), start, len, 0, 0, 0, 0,
				   pair(prot, 2),  0 };

	see_words(code, PD_RECORD_MMAP2, PD_CPUMODE_USER, words, 9, true);
}

static void fork_of(struct rec_code_ranges *code, uint32_t pid, uint32_t ppid,
		    uint64_t time_ns)
{
	const uint64_t words[] = { pair(pid, ppid), pair(pid, ppid), time_ns };

	see_words(code, PD_RECORD_FORK, 0, words, 3, true);
}

static void exec(struct rec_code_ranges *code, uint32_t pid, bool is_new)
{
	const uint64_t words[] = { pair(pid, pid), 0x61 };

	see_words(code, PD_RECORD_COMM, PD_MISC_COMM_EXEC, words, 2, is_new);
}

static void exit_of(struct rec_code_ranges *code, uint32_t pid,
		    uint64_t time_ns)
{
	const uint64_t words[] = { pair(pid, 1), pair(pid, 1), time_ns };

	see_words(code, PD_RECORD_EXIT, 0, words, 3, true);
}

static bool has(struct rec_code_ranges *code, uint32_t pid, uint64_t addr)
{
	return rec_code_ranges_find(code, pid, &addr, 1);
}

/* A return address may be right behind the last call, not at the first byte. */
static void test_code_ranges__bounds(void **state)
{
	struct rec_code_ranges *code = *state;
	const uint64_t asked[] = { 0x4000, 0x4001, 0x5000, 0x5001, 0 };

	map(code, 7, 0x4000, 0x1000, PROT_READ | PROT_EXEC);
	map(code, 7, 0x8000, 0x1000, PROT_READ | PROT_WRITE);
	assert_int_equal(rec_code_ranges_find(code, 7, asked, 5), 0x6);
	assert_false(has(code, 7, 0x8800));
	assert_false(has(code, 8, 0x4800));
}

static void test_code_ranges__join(void **state)
{
	struct rec_code_ranges *code = *state;

	for (uint64_t at = 0x100000; at > 0x1000; at -= 0x2000)
		map(code, 7, at, 0x1000, PROT_EXEC);
	map(code, 7, 0x20800, 0x40000, PROT_EXEC);
	map(code, 7, UINT64_MAX - 0xfff, 0x2000, PROT_EXEC);
	assert_true(has(code, 7, 0x41800));
	assert_true(has(code, 7, 0x60800));
	assert_false(has(code, 7, 0x61800));
	assert_true(has(code, 7, 0x62800));
	assert_false(has(code, 7, 0x1f800));
	assert_true(has(code, 7, 0x2800));
	assert_false(has(code, 7, 0x101800));
}

static void test_code_ranges__fork_exec_exit(void **state)
{
	struct rec_code_ranges *code = *state;

	map(code, 7, 0x4000, 0x1000, PROT_EXEC);
	map(code, 8, 0x9000, 0x1000, PROT_EXEC); /* its ring came first */
	fork_of(code, 8, 7, 10);
	assert_true(has(code, 8, 0x4800));
	assert_true(has(code, 8, 0x9800));
	exec(code, 8, true);
	assert_true(has(code, 8, 0x9800)); /* may be newer */
	exit_of(code, 7, 20);
	assert_true(has(code, 7, 0x4800)); /* samples may be elsewhere */
	fork_of(code, 7, 9, 30);
	assert_false(has(code, 7, 0x4800));
}

static void test_code_ranges__late_forks(void **state)
{
	struct rec_code_ranges *code = *state;

	map(code, 7, 0x4000, 0x1000, PROT_EXEC);
	map(code, 9, 0x9000, 0x1000, PROT_EXEC);
	exec(code, 8, false); /* is told again */
	fork_of(code, 8, 7, 10);
	assert_true(has(code, 8, 0x4800));
	exec(code, 9, true);
	fork_of(code, 9, 7, 10);
	assert_false(has(code, 9, 0x4800));
	exit_of(code, 9, 20);
	fork_of(code, 9, 7, 10);
	assert_true(has(code, 9, 0x9800)); /* it is not another one */
}

/* Ends that are seen before the fork, or before the exec, make room, too. */
static void test_code_ranges__ends_come_first(void **state)
{
	struct rec_code_ranges *code = *state;

	map(code, 1, 0x4000, 0x1000, PROT_EXEC);
	for (uint32_t pid = 10; pid < 20000; pid++) {
		exit_of(code, pid, pid * SECOND_NS / 1000 + 1);
		fork_of(code, pid, 2, pid * SECOND_NS / 1000);
		exec(code, pid, true);
		map(code, pid, 0x4000, 0x1000, PROT_EXEC);
		assert_true(has(code, pid, 0x4800));
	}
	assert_true(has(code, 1, 0x4800));
}

/* Processes without samples make room if the ends of all were lost. */
static void test_code_ranges__ends_get_lost(void **state)
{
	struct rec_code_ranges *code = *state;

	map(code, 1, 0x4000, 0x1000, PROT_EXEC);
	for (uint32_t pid = 10; pid < 20000; pid++) {
		map(code, pid, 0x4000, 0x1000, PROT_EXEC);
		assert_true(has(code, pid, 0x4800));
		assert_true(has(code, 1, 0x4800));
	}
	assert_false(has(code, 10, 0x4800));
}

/* What a parent has mapped may be in a ring that is seen after the fork. */
static void test_code_ranges__maps_of_ancestors_come_late(void **state)
{
	struct rec_code_ranges *code = *state;

	for (uint32_t pid = 13; pid > 7; pid--)
		fork_of(code, pid, pid - 1, 10);
	map(code, 7, 0x4000, 0x1000, PROT_EXEC);
	map(code, 9, 0x9000, 0x1000, PROT_EXEC);
	assert_true(has(code, 8, 0x4800));
	assert_true(has(code, 11, 0x4800));
	assert_true(has(code, 11, 0x9800));
	assert_false(has(code, 8, 0x9800));
	assert_false(has(code, 12, 0x4800)); /* it is the fifth */
	exec(code, 10, true);
	assert_false(has(code, 10, 0x4800));
	assert_false(has(code, 11, 0x9800));
}

/* Processes that ended make room, if that was two seconds ago. */
static void test_code_ranges__memory(void **state)
{
	struct rec_code_ranges *code = *state;

	for (uint32_t pid = 1; pid <= 4096; pid++)
		map(code, pid, 0x4000, 0x1000, PROT_EXEC);
	exit_of(code, 3, 5 * SECOND_NS);
	exit_of(code, 2049, 2 * SECOND_NS);
	map(code, 6000, 0x4000, 0x1000, PROT_EXEC);
	assert_true(has(code, 6000, 0x4800));
	assert_false(has(code, 2049, 0x4800));
	for (uint32_t pid = 1; pid <= 4096; pid++)
		assert_true(pid == 2049 || has(code, pid, 0x4800));
	for (uint64_t i = 0; i < 200000; i++)
		map(code, 2, 0x10000 + i * 0x2000, 0x1000, PROT_EXEC);
	assert_true(has(code, 2, 0x10800));
	assert_false(has(code, 2, 0x10800 + UINT64_C(199999) * 0x2000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_code_ranges__bounds, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_code_ranges__join, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			test_code_ranges__fork_exec_exit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_code_ranges__late_forks,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_code_ranges__ends_come_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_code_ranges__ends_get_lost,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_code_ranges__maps_of_ancestors_come_late, setup,
			teardown),
		cmocka_unit_test_setup_teardown(test_code_ranges__memory, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
