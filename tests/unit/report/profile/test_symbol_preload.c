#include "report/profile/symbol_preload.h"

#include "tests/unit/recorded.h"
#include "report/symbols/dso.h"

/* Two programs, and an address that is in none. */
static void test_symbol_preload__reads_programs_that_ran(void **state)
{
	static const struct taken taken[] = {
		{ .pid = 5, .time_ns = 1, .ip = 0x1010, .period = 1 },
		{ .pid = 5,
		  .time_ns = 2,
		  .ip = 0x9010,
		  .period = 1,
		  .chain = { 0x9010, 0x3010 } },
	};
	struct rpt_symbol_preload early;
	struct recorded r;

	(void)state;
	recorded_start(&r);
	recorded_map(&r, 5, 0x1000, "/bin/ran");
	recorded_map(&r, 5, 0x3000, "/bin/called");
	recorded_map(&r, 5, 0x5000, "/bin/idle");
	recorded_sample(&r, EVENT_A, &taken[0]);
	recorded_sample(&r, EVENT_A, &taken[1]);
	recorded_count(&r, &(struct rpt_profile_conf){ .with_chains = true });
	rpt_symbol_preload_begin(&early, &r.profile);
	rpt_symbol_preload_end(&early);
	assert_int_equal(early.nr, 2);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(rpt_symbols_dso_at(r.symbols, i)->is_loaded,
				 i < 2);
	rpt_symbol_preload_end(&early);
	recorded_end(&r);
}

static void test_symbol_preload__may_have_no_programs(void **state)
{
	struct rpt_symbol_preload early = { 0 };
	struct recorded r;

	(void)state;
	rpt_symbol_preload_end(&early);
	recorded_start(&r);
	recorded_count(&r, &(struct rpt_profile_conf){ 0 });
	rpt_symbol_preload_begin(&early, &r.profile);
	assert_false(early.task.nr);
	rpt_symbol_preload_end(&early);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbol_preload__reads_programs_that_ran),
		cmocka_unit_test(test_symbol_preload__may_have_no_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
