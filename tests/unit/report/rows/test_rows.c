#include "report/rows/rows.h"

/* for recorded.h */
#define RECORDED_WITH_FRAMES
#include "tests/unit/recorded.h"
#include "report/timeline/timeline.h"

#include <errno.h>

static const struct rpt_profile_conf with_chains = { .with_chains = true };

/* Keys as simple as they can be. */
static void key_comm(const struct rpt_key_source *source, uint32_t *words)
{
	memcpy(words, &source->stack->base->comm, sizeof(uint64_t));
}

static void key_tid(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = source->stack->base->tid;
}

static void key_dso(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = source->rows->frames->items[source->frame].dso_place;
}

static void key_addr(const struct rpt_key_source *source, uint32_t *words)
{
	memcpy(words, &source->rows->frames->items[source->frame].addr,
	       sizeof(uint64_t));
}

static void key_line(const struct rpt_key_source *source, uint32_t *words)
{
	uint32_t file;

	rpt_frame_line(source->rows->frames, source->frame, words, &file);
}

static const struct rpt_dimension comm = {
	.by = RPT_BY_COMM,
	.rank = RPT_RANK_COMM,
	.word_nr = 2,
	.key = key_comm,
};

static const struct rpt_dimension task = {
	.by = RPT_BY_TASK,
	.word_nr = 1,
	.key = key_tid,
};

static const struct rpt_dimension dso = {
	.by = RPT_BY_DSO,
	.side = RPT_OF_FRAME,
	.rank = RPT_RANK_DSO,
	.word_nr = 1,
	.key = key_dso,
};

static const struct rpt_dimension symbol = {
	.by = RPT_BY_SYMBOL,
	.side = RPT_OF_FRAME,
	.rank = RPT_RANK_SYMBOL,
	.word_nr = 2,
	.key = key_addr,
};

static const struct rpt_dimension line = {
	.by = RPT_BY_LINE,
	.side = RPT_OF_FRAME,
	.word_nr = 1,
	.key = key_line,
};

static const struct rpt_dimension self = { .weight = RPT_WEIGHT_SELF };
static const struct rpt_dimension acc = { .weight = RPT_WEIGHT_ACC };

#define KEYS_OF_COMM   .by = RPT_BY_COMM, .items = { { &comm, 0 } }, .nr = 1
#define KEYS_OF_SYMBOL .by = RPT_BY_SYMBOL, .items = { { &symbol, 0 } }, .nr = 1
#define ORDER_BY_SELF  .order = { { &self, 0 } }, .order_nr = 1

/* Rows of all stacks of EVENT_A. */
static void fill(struct rpt_rows *rows, struct recorded *r,
		 const struct rpt_rows_conf *conf)
{
	rpt_rows_init(rows, conf, &r->profile, &r->frames, 1);
	for (uint32_t i = 0; i < r->profile.keys.nr; i++)
		assert_int_equal(rpt_rows_add(rows, i, 0), 0);
	assert_int_equal(rpt_rows_end(rows), 0);
	rpt_rows_sort(rows);
}

static const struct rpt_row *row_at(const struct rpt_rows *rows, uint32_t place)
{
	return &rows->items[rows->order[place]];
}

static uint64_t addr_at(const struct rpt_rows *rows, uint32_t place)
{
	const struct rpt_row *row = row_at(rows, place);

	return rpt_row_addr(row, &rows->frames->items[row->frame]);
}

static const struct rpt_row_stat *stat_at(const struct rpt_rows *rows,
					  uint32_t place)
{
	return rpt_rows_stat(rows, rows->order[place], 0);
}

/* Processes 5 and 6, which have mapped the same file. */
static void record_two(struct recorded *r, const struct taken *taken, size_t nr)
{
	recorded_start(r);
	recorded_comm(r, 5, "shell");
	recorded_comm(r, 6, "make");
	recorded_map(r, 5, 0x1000, "/bin/tool");
	recorded_map(r, 6, 0x1000, "/bin/tool");
	for (size_t i = 0; i < nr; i++)
		recorded_sample(r, EVENT_A, &taken[i]);
	recorded_count(r, &(struct rpt_profile_conf){ 0 });
}

static void test_rows__add_up_by_what_tells_them_apart(void **state)
{
	static const struct taken taken[] = {
		{ .pid = 5, .time_ns = 1, .ip = 0x1010, .period = 1 },
		{ .pid = 6, .time_ns = 2, .ip = 0x1010, .period = 5 },
		{ .pid = 6, .time_ns = 3, .ip = 0x9999, .period = 2 },
	};
	static const struct rpt_rows_conf by_comm = {
		.keys = { KEYS_OF_COMM, ORDER_BY_SELF },
	};
	static const struct rpt_rows_conf by_dso = {
		.keys = { .by = RPT_BY_DSO,
			  .items = { { &dso, 0 } },
			  .nr = 1,
			  ORDER_BY_SELF },
	};
	struct recorded r;
	struct rpt_rows rows;

	(void)state;
	record_two(&r, taken, 3);

	fill(&rows, &r, &by_comm);
	assert_int_equal(rpt_rows_nr(&rows), 2);
	assert_string_equal(row_at(&rows, 0)->comm, "make");
	assert_int_equal(stat_at(&rows, 0)->self, 7);
	assert_int_equal(stat_at(&rows, 0)->self_nr, 2);
	assert_int_equal(stat_at(&rows, 1)->self, 1);
	assert_int_equal(rows.totals[0], 8);
	rpt_rows_release(&rows);

	fill(&rows, &r, &by_dso);
	assert_int_equal(rpt_rows_nr(&rows), 2); /* /bin/tool, nothing */
	assert_int_equal(stat_at(&rows, 0)->self, 6);
	assert_int_equal(stat_at(&rows, 1)->self, 2);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

/* A caller counts once for a sample, however often it is in the chain. */
static void test_rows__with_children_count_callers(void **state)
{
	static const struct taken taken[] = {
		{ .pid = 5,
		  .time_ns = 1,
		  .ip = 0x10,
		  .period = 10,
		  .chain = { PD_CONTEXT_USER, 0x10, 0x20, 0x20 } },
		{ .pid = 5,
		  .time_ns = 2,
		  .ip = 0x20,
		  .period = 1,
		  .chain = { PD_CONTEXT_USER, 0x20 } },
	};
	static const struct rpt_rows_conf conf = {
		.keys = { KEYS_OF_SYMBOL,
			  .order = { { &acc, 0 }, { &self, 0 } },
			  .order_nr = 2 },
		.children = true,
		.chains = true,
		.is_caller_first = true,
		.max_stack = 127,
	};
	struct recorded r;
	struct rpt_rows rows;

	(void)state;
	recorded_start(&r);
	recorded_sample(&r, EVENT_A, &taken[0]);
	recorded_sample(&r, EVENT_A, &taken[1]);
	recorded_count(&r, &with_chains);
	fill(&rows, &r, &conf);
	assert_int_equal(rpt_rows_nr(&rows), 2);
	assert_int_equal(addr_at(&rows, 0), 0x20);
	assert_int_equal(stat_at(&rows, 0)->acc, 11);
	assert_int_equal(stat_at(&rows, 0)->self, 1);
	assert_int_equal(addr_at(&rows, 1), 0x10);
	assert_int_equal(stat_at(&rows, 1)->acc, 10);
	assert_int_equal(stat_at(&rows, 1)->self, 10);
	assert_int_equal(rows.totals[0], 11);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

/* As perf has it where rows are of tasks: each by the name that it shows. */
static void test_rows__are_asked_for_their_own_symbols(void **state)
{
	static const struct taken taken = {
		.pid = 5,
		.time_ns = 2,
		.ip = 0x1010,
		.period = 1,
		.chain = { PD_CONTEXT_USER, 0x1010, 0x1020 },
	};
	static const struct rpt_rows_conf conf = {
		.keys = { .by = RPT_BY_COMM | RPT_BY_SYMBOL,
			  .items = { { &comm, 0 }, { &symbol, 0 } },
			  .nr = 2,
			  ORDER_BY_SELF },
		.hide = { .symbol_part = "mai" },
		.children = true,
		.max_stack = 127,
	};
	const struct rpt_timestamp when = { .time_ns = 2 };
	struct rpt_task_ref ref;
	struct rpt_map map;
	struct recorded r;
	struct rpt_rows rows;

	(void)state;
	recorded_start(&r);
	recorded_map(&r, 5, 0x1000, "/bin/none");
	recorded_sample(&r, EVENT_A, &taken);
	recorded_count(&r, &with_chains);
	rpt_timeline_task(r.timeline, 5, 5, when, &ref);
	assert_true(rpt_timeline_map(r.timeline, &ref, PD_CPUMODE_USER, 0x1010,
				     when, &map));
	rpt_dso_add_symbol(map.dso, 0x10, 0x20, "work", 4);
	rpt_dso_add_symbol(map.dso, 0x20, 0x30, "main", 4);
	fill(&rows, &r, &conf);
	assert_int_equal(rpt_rows_nr(&rows), 2);
	assert_int_equal(addr_at(&rows, 0), 0x10);
	assert_true(row_at(&rows, 0)->is_hidden);
	assert_int_equal(stat_at(&rows, 1)->acc, 1);
	assert_false(row_at(&rows, 1)->is_hidden);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

static void test_rows__keep_the_members_of_a_group_apart(void **state)
{
	static const struct taken taken = {
		.pid = 5,
		.time_ns = 1,
		.ip = 0x10,
		.period = 3,
	};
	static const struct rpt_rows_conf conf = {
		.keys = { KEYS_OF_SYMBOL, ORDER_BY_SELF },
	};
	struct recorded r;
	struct rpt_rows rows;

	(void)state;
	recorded_start(&r);
	recorded_sample(&r, EVENT_A, &taken);
	recorded_sample(&r, EVENT_B, &taken);
	recorded_sample(&r, EVENT_B, &taken);
	recorded_count(&r, &(struct rpt_profile_conf){ 0 });
	rpt_rows_init(&rows, &conf, &r.profile, &r.frames, EVENT_NR);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t event = rpt_profile_key(&r.profile, i)->event_idx;

		assert_int_equal(rpt_rows_add(&rows, i, event), 0);
	}
	assert_int_equal(rpt_rows_end(&rows), 0);
	rpt_rows_sort(&rows);
	assert_int_equal(rpt_rows_nr(&rows), 1);
	assert_int_equal(rpt_rows_stat(&rows, 0, EVENT_A)->self, 3);
	assert_int_equal(rpt_rows_stat(&rows, 0, EVENT_B)->self, 6);
	assert_int_equal(rpt_rows_stat(&rows, 0, EVENT_B)->self_nr, 2);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

/* Tasks without a name are shown, and ordered, as ":TID". */
static void test_rows__without_a_name_are_ordered_by_tid(void **state)
{
	static const struct taken taken[] = {
		{ .pid = 7, .time_ns = 1, .ip = 0x10, .period = 1 },
		{ .pid = 60, .time_ns = 2, .ip = 0x10, .period = 1 },
		{ .pid = 5, .time_ns = 3, .ip = 0x10, .period = 1 },
	};
	static const uint32_t expected[] = { 5, 60, 7 };
	static const struct rpt_rows_conf conf = {
		.keys = { .by = RPT_BY_TASK,
			  .items = { { &task, 0 } },
			  .nr = 1,
			  .order = { { &comm, 0 } },
			  .order_nr = 1 },
	};
	struct recorded r;
	struct rpt_rows rows;

	(void)state;
	recorded_start(&r);
	for (size_t i = 0; i < 3; i++)
		recorded_sample(&r, EVENT_A, &taken[i]);
	recorded_count(&r, &(struct rpt_profile_conf){ .by_task = true });
	fill(&rows, &r, &conf);
	assert_int_equal(rpt_rows_nr(&rows), 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(rpt_row_tid(row_at(&rows, i)), expected[i]);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

/* "make" 7 = 5 in tool + 2 elsewhere; "shell" 1. */
static void test_rows__of_a_hierarchy_stand_below_their_sums(void **state)
{
	static const struct taken taken[] = {
		{ .pid = 5, .time_ns = 1, .ip = 0x1010, .period = 1 },
		{ .pid = 6, .time_ns = 2, .ip = 0x1010, .period = 5 },
		{ .pid = 6, .time_ns = 3, .ip = 0x9999, .period = 2 },
	};
	static const struct rpt_rows_conf conf = {
		.keys = { .by = RPT_BY_COMM | RPT_BY_DSO,
			  .items = { { &comm, 0 }, { &dso, 0 } },
			  .nr = 2,
			  ORDER_BY_SELF,
			  .levels = { 1, 2 },
			  .level_nr = 2 },
	};
	static const struct {
		const char *comm;
		uint64_t self;
		uint32_t level;
	} expected[] = {
		{ "make", 7, 0 },  { "make", 5, 1 },  { "make", 2, 1 },
		{ "shell", 1, 0 }, { "shell", 1, 1 },
	};
	struct recorded r;
	struct rpt_rows rows;

	(void)state;
	record_two(&r, taken, 3);
	fill(&rows, &r, &conf);
	assert_int_equal(rpt_rows_nr(&rows), 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct rpt_row *row = row_at(&rows, i);

		assert_string_equal(row->comm, expected[i].comm);
		assert_int_equal(stat_at(&rows, i)->self, expected[i].self);
		assert_int_equal(row->at_level, expected[i].level);
		assert_int_equal(rpt_rows_is_sum(&rows, rows.order[i]),
				 !expected[i].level);
		if (row->at_level)
			assert_string_equal(rows.items[row->above].comm,
					    row->comm);
	}
	assert_int_equal(rows.totals[0], 8);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

static const struct taken three[] = {
	{ .pid = 5, .time_ns = 1, .ip = 0x10, .period = 1 },
	{ .pid = 6, .time_ns = 2, .ip = 0x20, .period = 2 },
	{ .pid = 7, .time_ns = 3, .ip = 0x30, .period = 4 },
};

static void count_three(struct recorded *r)
{
	recorded_start(r);
	recorded_comm(r, 5, "shell");
	recorded_comm(r, 6, "make");
	recorded_comm(r, 7, "cc");
	for (size_t i = 0; i < 3; i++)
		recorded_sample(r, EVENT_A, &three[i]);
	recorded_count(r, &(struct rpt_profile_conf){ 0 });
}

static uint64_t budget_left(const struct recorded *r)
{
	return rpt_budget_left(rpt_timeline_budget(r->timeline));
}

static void set_budget(const struct recorded *r, uint64_t len)
{
	rpt_budget_set(rpt_timeline_budget(r->timeline), len);
}

/* What the first address of a task takes. */
#define ADDRESS_COST_LEN (RPT_FRAME_COST_LEN + RPT_LOCATION_COST_LEN)

/* The row that was not paid gives nothing back. */
static void test_rows__give_back_what_they_took(void **state)
{
	static const struct rpt_rows_conf conf = { .keys = { KEYS_OF_COMM } };
	struct recorded r;
	struct rpt_rows rows;
	uint64_t cost_len;

	(void)state;
	count_three(&r);
	rpt_rows_init(&rows, &conf, &r.profile, &r.frames, 1);
	cost_len = rpt_rows_cost_len(&rows);
	assert_int_equal(rpt_rows_add(&rows, 0, 0), 0);
	set_budget(&r, ADDRESS_COST_LEN + 50);
	assert_int_equal(rpt_rows_add(&rows, 1, 0), -EFBIG);
	assert_int_equal(rpt_rows_nr(&rows), 2);
	assert_int_equal(budget_left(&r), 50);
	rpt_rows_release(&rows);
	assert_int_equal(budget_left(&r), 50 + cost_len);
	recorded_end(&r);
}

/* The next input's budget is not the one that was used up. */
static void test_rows__of_the_next_input_have_their_budget(void **state)
{
	static const struct rpt_rows_conf conf = { .keys = { KEYS_OF_COMM } };
	struct rpt_rows_input next = { .idx = 1, .host = "" };
	struct recorded a, b;
	struct rpt_rows rows;
	uint64_t cost_len;

	(void)state;
	count_three(&a);
	count_three(&b);
	next.profile = &b.profile;
	set_budget(&a, ADDRESS_COST_LEN);
	rpt_rows_init(&rows, &conf, &a.profile, &a.frames, 1);
	cost_len = rpt_rows_cost_len(&rows);
	set_budget(&b, 1000 * cost_len);
	assert_int_equal(rpt_rows_add(&rows, 0, 0), -EFBIG);
	rpt_rows_use(&rows, &next);
	rpt_frames_use(&a.frames, 1, b.timeline);
	assert_int_equal(rpt_rows_add(&rows, 1, 0), 0);
	assert_int_equal(rpt_rows_add(&rows, 2, 0), 0);
	assert_int_equal(budget_left(&b),
			 998 * cost_len - 2 * ADDRESS_COST_LEN);
	rpt_rows_release(&rows);
	assert_int_equal(budget_left(&a), 0);
	assert_int_equal(budget_left(&b),
			 1000 * cost_len - 2 * ADDRESS_COST_LEN);
	recorded_end(&a);
	recorded_end(&b);
}

static void test_rows__without_a_sum_are_hidden(void **state)
{
	static const struct rpt_rows_conf conf = {
		.keys = { .by = RPT_BY_COMM | RPT_BY_DSO,
			  .items = { { &comm, 0 }, { &dso, 0 } },
			  .nr = 2,
			  ORDER_BY_SELF,
			  .levels = { 1, 2 },
			  .level_nr = 2 },
	};
	uint32_t shown_nr = 0;
	struct recorded r;
	struct rpt_rows rows;
	uint64_t cost_len;

	(void)state;
	count_three(&r);
	rpt_rows_init(&rows, &conf, &r.profile, &r.frames, 1);
	cost_len = rpt_rows_cost_len(&rows);
	set_budget(&r, 3 * ADDRESS_COST_LEN + 4 * cost_len + 50);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(rpt_rows_add(&rows, i, 0), 0);
	assert_int_equal(rpt_rows_end(&rows), -EFBIG);
	rpt_rows_sort(&rows);
	assert_int_equal(rpt_rows_nr(&rows), 4); /* three, and one sum */
	for (uint32_t i = 0; i < 4; i++)
		shown_nr += !rows.items[i].is_hidden;
	assert_int_equal(shown_nr, 2);
	assert_int_equal(budget_left(&r), 50);
	rpt_rows_release(&rows);
	assert_int_equal(budget_left(&r), 50 + 4 * cost_len);
	recorded_end(&r);
}

/* What else is kept of each row. */
static void test_rows__cost_what_they_keep(void **state)
{
	struct rpt_rows_conf conf = { .keys = { KEYS_OF_COMM } };
	struct recorded r;
	struct rpt_rows rows;
	uint64_t cost_len;

	(void)state;
	count_three(&r);
	rpt_rows_init(&rows, &conf, &r.profile, &r.frames, 1);
	cost_len = rpt_rows_cost_len(&rows);
	rows.member_nr = 3;
	assert_int_equal(rpt_rows_cost_len(&rows), cost_len + 2 * 32);
	rows.conf.keys.has_modes = true;
	assert_int_equal(rpt_rows_cost_len(&rows), cost_len + 2 * 32 + 3 * 48);
	rows.conf.keys.trace_field_nr = 1;
	assert_true(rpt_rows_cost_len(&rows) > cost_len + 160);
	rows.member_nr = 1;
	rpt_rows_release(&rows);
	recorded_end(&r);
}

/* They are found for the stacks that there is budget for. */
static void test_rows__find_lines_as_far_as_the_budget_goes(void **state)
{
	static const struct rpt_rows_conf conf = {
		.keys = { .by = RPT_BY_LINE,
			  .items = { { &line, 0 } },
			  .nr = 1 },
	};
	static const uint32_t order[] = { 0, 1, 2 };
	struct recorded r;
	struct rpt_rows rows;

	(void)state;
	count_three(&r);
	set_budget(&r, ADDRESS_COST_LEN);
	rpt_rows_init(&rows, &conf, &r.profile, &r.frames, 1);
	rpt_rows_find_lines(&rows, order, 1);
	assert_int_equal(budget_left(&r), 0);
	assert_int_equal(rpt_rows_add(&rows, 0, 0), -EFBIG);
	assert_int_equal(rpt_rows_nr(&rows), 1);
	rpt_rows_release(&rows);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows__add_up_by_what_tells_them_apart),
		cmocka_unit_test(test_rows__with_children_count_callers),
		cmocka_unit_test(test_rows__are_asked_for_their_own_symbols),
		cmocka_unit_test(test_rows__keep_the_members_of_a_group_apart),
		cmocka_unit_test(test_rows__without_a_name_are_ordered_by_tid),
		cmocka_unit_test(
			test_rows__of_a_hierarchy_stand_below_their_sums),
		cmocka_unit_test(test_rows__give_back_what_they_took),
		cmocka_unit_test(
			test_rows__of_the_next_input_have_their_budget),
		cmocka_unit_test(test_rows__without_a_sum_are_hidden),
		cmocka_unit_test(test_rows__cost_what_they_keep),
		cmocka_unit_test(
			test_rows__find_lines_as_far_as_the_budget_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
