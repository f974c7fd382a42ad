#include "report/timeline/deferred.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct pd_u64s words_of(const uint64_t *words, size_t nr)
{
	return (struct pd_u64s){ .raw = (const uint8_t *)words, .nr = nr };
}

static void add(struct rpt_deferred *d, uint32_t tid, uint64_t cookie,
		const uint64_t *ips, size_t nr)
{
	struct pd_callchain_deferred rec = { cookie, words_of(ips, nr) };

	rpt_deferred_add(d, tid, &rec);
}

static const uint64_t early[] = { PD_CONTEXT_KERNEL, 0xffffffff81000010,
				  PD_CONTEXT_USER_DEFERRED, 77 };
static const uint64_t late[] = { PD_CONTEXT_USER, 0x401000, 0x402000 };

static void test_deferred__the_rest_of_a_chain_is_found_by_its_cookie(void **s)
{
	static const uint64_t want[] = { PD_CONTEXT_KERNEL, 0xffffffff81000010,
					 PD_CONTEXT_USER, 0x401000, 0x402000 };
	struct pd_sample sample = { .tid = 5 };
	struct rpt_deferred d = { 0 };
	uint64_t room[2 * PD_SAMPLE_CHAIN_NR];

	(void)s;
	add(&d, 6, 77, late, 1); /* the cookie of another thread */
	add(&d, 5, 77, late, 3);
	add(&d, 5, 77, late, 2); /* the first one counts */
	for (uint64_t cookie = 1000; cookie < 2000; cookie++)
		add(&d, 5, cookie, late, 2);
	sample.callchain = words_of(early, 4);
	rpt_deferred_join(&d, &sample, room);
	assert_int_equal(sample.callchain.nr, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(pd_u64s_at(&sample.callchain, i), want[i]);
	rpt_deferred_release(&d);
}

static void test_deferred__without_a_record_mark_and_cookie_go(void **s)
{
	struct pd_sample sample = { .tid = 5 };
	struct rpt_deferred d = { 0 };
	uint64_t room[2 * PD_SAMPLE_CHAIN_NR];

	(void)s;
	sample.callchain = words_of(early, 4);
	rpt_deferred_join(&d, &sample, room);
	assert_int_equal(sample.callchain.nr, 2);
	assert_int_equal(pd_u64s_at(&sample.callchain, 1), early[1]);
	rpt_deferred_release(&d);
}

static void test_deferred__other_chains_are_left_alone(void **s)
{
	static const uint64_t chain[] = { PD_CONTEXT_USER, 77 };
	struct pd_sample sample = { .tid = 5 };
	struct rpt_deferred d = { 0 };
	uint64_t room[2 * PD_SAMPLE_CHAIN_NR];

	(void)s;
	add(&d, 5, 77, late, 3);
	sample.callchain = words_of(chain, 2);
	rpt_deferred_join(&d, &sample, room);
	assert_ptr_equal(sample.callchain.raw, chain);
	assert_int_equal(sample.callchain.nr, 2);
	sample.callchain.nr = 0;
	rpt_deferred_join(&d, &sample, room);
	assert_int_equal(sample.callchain.nr, 0);
	rpt_deferred_release(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_deferred__the_rest_of_a_chain_is_found_by_its_cookie),
		cmocka_unit_test(
			test_deferred__without_a_record_mark_and_cookie_go),
		cmocka_unit_test(test_deferred__other_chains_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
