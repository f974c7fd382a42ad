#include "report/report/merged_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#define EVENTS_MAX 4

struct named_set {
	struct pd_event events[EVENTS_MAX];
	char names[EVENTS_MAX][16];
	struct pd_event_set set;
};

/* Events of these names, up to NULL; each stands alone. */
static void name(struct named_set *s, const char *const names[EVENTS_MAX])
{
	*s = (struct named_set){ .set = { .events = s->events } };
	for (uint32_t i = 0; i < EVENTS_MAX && names[i]; i++) {
		/* what is counted goes by two letters */
		s->events[i].attr.config =
			(uint64_t)names[i][0] << 8 | (uint8_t)names[i][1];
		snprintf(s->names[i], sizeof(s->names[i]), "%s", names[i]);
		s->events[i].name = s->names[i];
		s->events[i].leader_idx = i;
		s->events[i].member_nr = 1;
		s->set.nr++;
	}
}

/* Events 0 .. nr - 1 are a group. */
static void group(struct named_set *s, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		s->events[i].leader_idx = 0;
	s->events[0].member_nr = nr;
}

static void test_merged_events__match_by_name_and_turn(void **state)
{
	static const char *const a_names[EVENTS_MAX] = { "cycles", "faults",
							 "cycles", NULL };
	static const char *const b_names[EVENTS_MAX] = { "cycles", "clock",
							 "cycles", "cycles" };
	struct rpt_merged_events merged = { .nr = 0 };
	struct named_set a, b;

	(void)state;
	name(&a, a_names);
	name(&b, b_names);
	rpt_merged_events_add(&merged, &a.set);
	assert_int_equal(merged.nr, 3);
	rpt_merged_events_add(&merged, &b.set);
	assert_int_equal(merged.nr, 5);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(merged.numbers[0][i], i);
	assert_int_equal(merged.numbers[1][0], 0);
	assert_int_equal(merged.numbers[1][1], 3);
	assert_int_equal(merged.numbers[1][2], 2);
	assert_int_equal(merged.numbers[1][3], 4);
	assert_int_equal(merged.items[3].input, 1);
	assert_int_equal(merged.items[3].idx, 1);
	assert_int_equal(merged.items[4].idx, 3);
	rpt_merged_events_release(&merged);
}

static void test_merged_events__groups_stay_where_they_are_whole(void **state)
{
	static const char *const a_names[EVENTS_MAX] = { "cycles", "faults",
							 NULL };
	static const char *const b_names[EVENTS_MAX] = { "clock", "faults",
							 NULL };
	static const char *const c_names[EVENTS_MAX] = { "loads", "stores",
							 NULL };
	struct rpt_merged_events merged = { .nr = 0 };
	struct named_set a, b, c;

	(void)state;
	name(&a, a_names);
	name(&b, b_names);
	name(&c, c_names);
	group(&a, 2);
	group(&b, 2);
	group(&c, 2);
	rpt_merged_events_add(&merged, &a.set);
	rpt_merged_events_add(&merged, &b.set);
	rpt_merged_events_add(&merged, &c.set);
	assert_int_equal(merged.nr, 5);
	assert_int_equal(rpt_merged_events_group(&merged, 0), 2);
	assert_int_equal(rpt_merged_events_group(&merged, 1), 1);
	/* clock's other member is shown with cycles */
	assert_int_equal(rpt_merged_events_group(&merged, 2), 1);
	assert_int_equal(rpt_merged_events_group(&merged, 3), 2);
	/* a number of members that the file does not have */
	c.events[0].member_nr = 9;
	assert_int_equal(rpt_merged_events_group(&merged, 3), 1);
	rpt_merged_events_release(&merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merged_events__match_by_name_and_turn),
		cmocka_unit_test(
			test_merged_events__groups_stay_where_they_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
