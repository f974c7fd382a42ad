#include "report/callchain/stack_resolver.h"

/* for recorded.h */
#define RECORDED_WITH_FRAMES
#include "tests/unit/recorded.h"
#include "report/timeline/timeline.h"

#include <errno.h>

#define STACKS_NR 1000u

static const struct rpt_stack_frames_conf plain = {
	.chain = { .max_stack = 127 },
};

/* So many stacks of two frames, and where each was taken. */
static void count_stacks(struct recorded *r)
{
	recorded_start(r);
	recorded_map(r, 5, 0x1000, "/bin/tool");
	for (uint32_t i = 0; i < STACKS_NR; i++)
		recorded_sample(r, EVENT_A,
				&(struct taken){ .pid = 5,
						 .time_ns = i + 1,
						 .ip = 0x1000 + i,
						 .period = 1,
						 .chain = { 0x1000 + i,
							    0x9000 + i / 3 } });
	recorded_count(r, &(struct rpt_profile_conf){ .with_chains = true });
	assert_int_equal(r->profile.keys.nr, STACKS_NR);
}

static struct rpt_stack_resolver *start(struct recorded *r, uint32_t *stacks)
{
	struct rpt_stack_resolver_conf conf = {
		.frames = &r->frames,
		.profile = &r->profile,
		.stacks = stacks,
		.nr = STACKS_NR,
		.stack = plain,
	};

	for (uint32_t i = 0; i < STACKS_NR; i++)
		stacks[i] = STACKS_NR - 1 - i;
	rpt_frames_reserve(&r->frames, 3 * STACKS_NR);
	return rpt_stack_resolver_new(&conf);
}

static void test_stack_resolver__equals_one_thread(void **state)
{
	struct rpt_stack_frames own = { 0 };
	const struct rpt_stack_frames *at;
	struct rpt_stack_resolver *ahead;
	uint32_t stacks[STACKS_NR];
	struct recorded a, b;

	(void)state;
	count_stacks(&a);
	count_stacks(&b);
	ahead = start(&a, stacks);
	assert_non_null(ahead);
	for (uint32_t i = 0; i < STACKS_NR; i++) {
		assert_int_equal(rpt_stack_resolver_next(ahead, &at), 0);
		assert_int_equal(rpt_stack_frames_resolve(&own, &b.frames,
							  &b.profile, stacks[i],
							  &plain),
				 0);
		assert_int_equal(at->self, own.self);
		assert_int_equal(at->chain.nr, 2);
		assert_memory_equal(at->chain.frames, own.chain.frames, 8);
		assert_int_equal(a.frames.items[at->self].ip,
				 0x1000 + stacks[i]);
	}
	rpt_stack_resolver_free(ahead);
	assert_int_equal(a.frames.nr, b.frames.nr);
	rpt_stack_frames_release(&own);
	recorded_end(&a);
	recorded_end(&b);
}

static void test_stack_resolver__may_be_freed_early(void **state)
{
	const struct rpt_stack_frames *at;
	struct rpt_stack_resolver *ahead;
	uint32_t stacks[STACKS_NR];
	struct recorded r;

	(void)state;
	count_stacks(&r);
	ahead = start(&r, stacks);
	assert_non_null(ahead);
	assert_int_equal(rpt_stack_resolver_next(ahead, &at), 0);
	rpt_stack_resolver_free(ahead);
	rpt_stack_resolver_free(NULL);
	recorded_end(&r);
}

static void test_stack_resolver__ends_with_the_budget(void **state)
{
	const struct rpt_stack_frames *at;
	struct rpt_stack_resolver *ahead;
	uint32_t stacks[STACKS_NR], nr = 0;
	struct recorded r;
	int rc;

	(void)state;
	count_stacks(&r);
	atomic_store(&rpt_timeline_budget(r.timeline)->left,
		     2 * RPT_LOCATION_COST_LEN + 300 * RPT_FRAME_COST_LEN);
	ahead = start(&r, stacks);
	assert_non_null(ahead);
	while (!(rc = rpt_stack_resolver_next(ahead, &at)))
		nr++;
	assert_int_equal(rc, -EFBIG);
	/* one address each, and one for three with the first apart */
	assert_int_equal(nr, 224);
	rpt_stack_resolver_free(ahead);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_resolver__equals_one_thread),
		cmocka_unit_test(test_stack_resolver__may_be_freed_early),
		cmocka_unit_test(test_stack_resolver__ends_with_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
