#include "record/host/host_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/utsname.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

#define TREE PERFPAIR_SOURCE_DIR "/fixtures/host"

static struct rec_host_facts facts;

static int read_tree(void **state)
{
	static const struct rec_sysroots roots = {
		.proc = TREE "/proc",
		.sys = TREE "/sys",
	};

	(void)state;
	return rec_host_facts_read(&facts, &roots, NULL);
}

static int release(void **state)
{
	(void)state;
	rec_host_facts_release(&facts);
	return 0;
}

static void assert_list(const struct pd_str_list *list, size_t nr,
			const char *const *texts)
{
	assert_int_equal(list->nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_true(pd_str_eq(list->items[i], texts[i]));
}

static void test_host_facts__names_and_counts(void **state)
{
	struct utsname uts;

	(void)state;
	assert_int_equal(uname(&uts), 0);
	assert_string_equal(facts.hostname, uts.nodename);
	assert_string_equal(facts.os_release, uts.release);
	assert_string_equal(facts.arch, uts.machine);
	assert_string_equal(facts.cpu_desc,
			    "Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz");
	assert_int_equal(facts.nrcpus.available, 4);
	assert_int_equal(facts.nrcpus.online, 3);
	assert_int_equal(facts.total_mem_kib, 24684092);
}

static void test_host_facts__topology_of_old_and_new_kernels(void **state)
{
	static const char *const cores[] = { "0-1", "2-3" };
	static const char *const threads[] = { "0", "1", "2" };
	const struct pd_cpu_topology *t = &facts.cpu_topology;

	(void)state;
	assert_list(&t->core_siblings, 2, cores);
	assert_list(&t->thread_siblings, 3, threads);
	if (t->has_dies)
		assert_list(&t->die_siblings, 1, cores);
	assert_int_equal(t->place_nr, 4);
	assert_int_equal(t->places[1].core_id, 1);
	assert_int_equal(t->places[1].socket_id, 0);
	assert_int_equal(t->places[2].core_id, 0);
	assert_int_equal(t->places[2].socket_id, 1);
	assert_int_equal(t->places[3].core_id, UINT32_MAX); /* offline */
	assert_int_equal(t->places[3].socket_id, UINT32_MAX);
}

static void test_host_facts__shared_caches_once_by_level(void **state)
{
	static const struct {
		unsigned level;
		const char *type;
		const char *size_text;
		const char *cpus;
	} expected[] = {
		{ 1, "Data", "32K", "0" },
		{ 1, "Data", "32K", "1" },
		{ 1, "Data", "32K", "2" },
		{ 2, "Unified", "256K", "0-1" },
		{ 2, "Unified", "256K", "2-3" },
	};

	(void)state;
	assert_int_equal(facts.caches.nr, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct pd_cache *c = &facts.caches.items[i];

		assert_int_equal(c->level, expected[i].level);
		assert_true(pd_str_eq(c->type, expected[i].type));
		assert_true(pd_str_eq(c->size_text, expected[i].size_text));
		assert_true(pd_str_eq(c->cpus, expected[i].cpus));
		assert_int_equal(c->line_len, 64);
		assert_int_equal(c->way_nr, 8);
	}
	assert_int_equal(facts.caches.items[0].set_nr, 64);
	assert_int_equal(facts.caches.items[4].set_nr, 512);
}

static void test_host_facts__nodes_and_their_memory(void **state)
{
	(void)state;
	assert_int_equal(facts.numa.nr, 2);
	assert_int_equal(facts.numa.nodes[1].node, 2);
	assert_int_equal(facts.numa.nodes[1].mem_total_kib, 8000000);
	assert_int_equal(facts.numa.nodes[1].mem_free_kib, 10);
	assert_true(pd_str_eq(facts.numa.nodes[1].cpus, "2-3"));
	assert_int_equal(facts.memory.block_len, 0x8000000);
	assert_int_equal(facts.memory.nr, 2);
	assert_int_equal(facts.memory.nodes[0].bit_nr, 71);
	assert_int_equal(facts.memory.nodes[0].blocks[0], 3);
	assert_int_equal(facts.memory.nodes[0].blocks[1], 1 << 6);
	assert_int_equal(facts.memory.nodes[1].node, 2);
	assert_int_equal(facts.memory.nodes[1].bit_nr, 33);
	assert_true(facts.memory.nodes[1].blocks[0] == UINT64_C(1) << 32);
}

static void test_host_facts__pmu_with_a_broken_type_is_left_out(void **state)
{
	size_t cpu;

	(void)state;
	assert_int_equal(facts.pmus.nr, 2); /* in the directory's order */
	cpu = pd_str_eq(facts.pmus.items[0].name, "cpu") ? 0 : 1;
	assert_int_equal(facts.pmus.items[cpu].type, 4);
	assert_true(pd_str_eq(facts.pmus.items[cpu].name, "cpu"));
	assert_int_equal(facts.pmus.items[!cpu].type, 10);
}

static void test_host_facts__what_a_pmu_can_do(void **state)
{
	struct pd_pmu_caps_list list;
	struct pd_buf b = PD_BUF_INIT;
	struct pd_cursor c;

	(void)state;
	assert_true(rec_host_feature_write(&facts, PD_FEATURE_PMU_CAPS, &b));
	pd_cursor_init(&c, b.data, b.len, 0, "caps");
	assert_int_equal(pd_feature_pmu_caps_read(&c, &list), 0);
	assert_int_equal(list.nr, 1); /* "cpu" has a feature of its own */
	assert_true(pd_str_eq(list.items[0].pmu_name, "armv8_pmuv3_0"));
	assert_int_equal(list.items[0].nr, 1);
	assert_true(pd_str_eq(list.items[0].items[0].name, "slots"));
	assert_true(pd_str_eq(list.items[0].items[0].value, "0x00000008"));
	pd_pmu_caps_list_release(&list);
	pd_buf_release(&b);
}

static void test_host_facts__written_features_read_back(void **state)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_nrcpus nrcpus;
	struct pd_str text;
	struct pd_cursor c;

	(void)state;
	assert_true(rec_host_feature_write(&facts, PD_FEATURE_NRCPUS, &b));
	pd_cursor_init(&c, b.data, b.len, 0, "nrcpus");
	assert_int_equal(pd_feature_nrcpus_read(&c, &nrcpus), 0);
	assert_int_equal(nrcpus.available, 4);
	assert_int_equal(nrcpus.online, 3);
	pd_buf_reset(&b);
	assert_true(rec_host_feature_write(&facts, PD_FEATURE_VERSION, &b));
	pd_cursor_init(&c, b.data, b.len, 0, "version");
	assert_int_equal(pd_feature_string_read(&c, &text), 0);
	assert_true(pd_str_eq(text, "perfpair " PERFPAIR_VERSION));
	pd_buf_reset(&b);
	assert_false(rec_host_feature_write(&facts, PD_FEATURE_CMDLINE, &b));
	assert_false(rec_host_feature_write(&facts, 255, &b));
	assert_int_equal(b.len, 0);
	pd_buf_release(&b);
}

static void test_host_facts__what_is_not_there_is_not_written(void **state)
{
	static const struct rec_sysroots roots = {
		.proc = TREE "/none",
		.sys = TREE "/none",
	};
	static const unsigned absent[] = {
		PD_FEATURE_NRCPUS,	  PD_FEATURE_CPUDESC,
		PD_FEATURE_TOTAL_MEM,	  PD_FEATURE_CPU_TOPOLOGY,
		PD_FEATURE_NUMA_TOPOLOGY, PD_FEATURE_PMU_MAPPINGS,
		PD_FEATURE_CACHE,	  PD_FEATURE_MEM_TOPOLOGY,
		PD_FEATURE_PMU_CAPS,
	};
	struct rec_host_facts none;
	struct pd_buf b = PD_BUF_INIT;

	(void)state;
	assert_int_equal(rec_host_facts_read(&none, &roots, NULL), 0);
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		assert_false(rec_host_feature_write(&none, absent[i], &b));
	assert_true(rec_host_feature_write(&none, PD_FEATURE_ARCH, &b));
	rec_host_facts_release(&none);
	pd_buf_release(&b);
}

static void test_clock__resolution_and_the_same_moment(void **state)
{
	struct pd_clock_data data;
	uint64_t res_ns;

	(void)state;
	assert_int_equal(rec_clock_resolution(CLOCK_MONOTONIC, &res_ns), 0);
	assert_in_range(res_ns, 1, 10000000);
	assert_int_equal(rec_clock_data_read(CLOCK_MONOTONIC, &data), 0);
	assert_int_equal(data.clockid, CLOCK_MONOTONIC);
	assert_true(data.wall_clock_ns > UINT64_C(1600000000000000000));
	assert_int_equal(rec_clock_resolution(12345, &res_ns), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_facts__names_and_counts),
		cmocka_unit_test(
			test_host_facts__topology_of_old_and_new_kernels),
		cmocka_unit_test(test_host_facts__shared_caches_once_by_level),
		cmocka_unit_test(test_host_facts__nodes_and_their_memory),
		cmocka_unit_test(
			test_host_facts__pmu_with_a_broken_type_is_left_out),
		cmocka_unit_test(test_host_facts__what_a_pmu_can_do),
		cmocka_unit_test(test_host_facts__written_features_read_back),
		cmocka_unit_test(
			test_host_facts__what_is_not_there_is_not_written),
		cmocka_unit_test(test_clock__resolution_and_the_same_moment),
	};

	return cmocka_run_group_tests(tests, read_tree, release);
}
