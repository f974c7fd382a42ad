#include "report/profile/fetch_debug.h"

#include "tests/unit/recorded.h"

static void test_fetch_debug__hot_dsos_have_one_percent(void **state)
{
	static const struct rpt_profile_conf with_chains = { .with_chains =
								     true };
	static const struct taken taken[] = {
		{ .pid = 5,
		  .time_ns = 1,
		  .ip = 0x1010,
		  .period = 9880,
		  .chain = { PD_CONTEXT_USER, 0x1010, 0x2010, 0x2020 } },
		{ .pid = 5, .time_ns = 2, .ip = 0x2030, .period = 20 },
		{ .pid = 5, .time_ns = 3, .ip = 0x3030, .period = 99 },
		{ .pid = 5, .time_ns = 4, .ip = 0x9999, .period = 1 },
	};
	struct rpt_hot_dso *hot;
	struct recorded r;
	size_t nr;

	(void)state;
	recorded_start(&r);
	recorded_map(&r, 5, 0x1000, "/lib/leaf.so");
	recorded_map(&r, 5, 0x2000, "/bin/tool");
	recorded_map(&r, 5, 0x3000, "/lib/seldom.so");
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		recorded_sample(&r, EVENT_A, &taken[i]);
	recorded_count(&r, &with_chains);

	hot = rpt_hot_dsos(&r.profile, &nr);
	assert_int_equal(nr, 2);
	/* a stack counts once for a DSO, however many of its frames are there
	 */
	assert_string_equal(rpt_dso_name(hot[0].dso), "/bin/tool");
	assert_int_equal(hot[0].period, 9900);
	assert_string_equal(rpt_dso_name(hot[1].dso), "/lib/leaf.so");
	assert_int_equal(hot[1].period, 9880);
	free(hot);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fetch_debug__hot_dsos_have_one_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
