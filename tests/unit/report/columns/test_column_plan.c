#include "report/columns/column_plan.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *key_name(const struct rpt_dimension *dim)
{
	static const char *const weights[] = {
		[RPT_WEIGHT_ACC] = "children",
		[RPT_WEIGHT_SELF] = "self",
		[RPT_WEIGHT_SAMPLES] = "samples",
	};

	return dim->by ? dim->name : weights[dim->weight];
}

static void append(char *text, size_t len, const char *word)
{
	size_t at = strlen(text);

	snprintf(text + at, len - at, "%s%s", at ? " " : "", word);
}

struct planned {
	char shown[256];
	char order[256];
	char levels[32];
	bool is_self_called_so;
};

static struct planned plan_of(const struct rpt_column_plan *plan)
{
	struct rpt_columns shown = { 0 };
	struct rpt_sort_keys keys = { 0 };
	struct planned ret = { 0 };
	struct rpt_column_plan full = *plan;
	char name[RPT_COLUMN_NAME_LEN];

	full.default_sort = "comm,dso,symbol";
	assert_int_equal(rpt_column_plan_make(&full, &shown, &keys, NULL), 0);
	for (size_t i = 0; i < shown.nr; i++) {
		append(ret.shown, sizeof(ret.shown),
		       rpt_columns_name(&shown, i, name));
		ret.levels[i] = (char)('0' + shown.items[i].level);
	}
	for (size_t i = 0; i < keys.order_nr; i++)
		append(ret.order, sizeof(ret.order),
		       key_name(keys.order[i].dim));
	ret.is_self_called_so = shown.children;
	return ret;
}

static void test_column_plan__of_nothing_is_the_usual_table(void **state)
{
	struct planned p = plan_of(&(struct rpt_column_plan){ 0 });

	(void)state;
	assert_string_equal(p.shown, "overhead comm dso symbol");
	assert_string_equal(p.order, "self comm dso symbol");
	p = plan_of(&(struct rpt_column_plan){ .children = true,
					       .show_nr_samples = true });
	assert_string_equal(
		p.shown, "overhead_children overhead sample comm dso symbol");
	assert_string_equal(p.order, "children self comm dso symbol samples");
	assert_true(p.is_self_called_so);
}

static void test_column_plan__fields_alone_are_the_order_too(void **state)
{
	struct planned p = plan_of(&(struct rpt_column_plan){
		.fields = "comm,overhead",
		.children = true,
		.show_nr_samples = true,
	});

	(void)state;
	assert_string_equal(p.shown, "comm overhead");
	assert_string_equal(p.order, "comm self");
	assert_false(p.is_self_called_so);
}

static void test_column_plan__keys_stand_behind_fields(void **state)
{
	struct planned p = plan_of(&(struct rpt_column_plan){
		.fields = "sample,dso,overhead",
		.sort = "comm,dso",
	});

	(void)state;
	assert_string_equal(p.shown, "sample dso overhead comm");
	assert_string_equal(p.order, "comm dso samples self");
	p = plan_of(&(struct rpt_column_plan){ .fields = "overhead",
					       .sort = "+cpu" });
	assert_string_equal(p.shown, "overhead comm dso symbol cpu");
	assert_string_equal(p.order, "comm dso symbol cpu self");
}

static void test_column_plan__fields_with_a_plus_come_on_top(void **state)
{
	struct planned p = plan_of(&(struct rpt_column_plan){
		.fields = "+sample,comm",
		.sort = "dso",
		.children = true,
	});

	(void)state;
	assert_string_equal(p.shown,
			    "overhead_children overhead sample comm dso");
	assert_string_equal(p.order, "children self dso samples comm");
}

static void test_column_plan__a_weight_among_keys_stays_there(void **state)
{
	struct planned p =
		plan_of(&(struct rpt_column_plan){ .sort = "comm,overhead" });

	(void)state;
	assert_string_equal(p.shown, "overhead comm");
	assert_string_equal(p.order, "comm self");
	p = plan_of(&(struct rpt_column_plan){ .sort = "symbol,sample,dso" });
	assert_string_equal(p.shown, "overhead symbol sample dso");
	assert_string_equal(p.order, "self symbol samples dso");
}

static void test_column_plan__braces_make_levels(void **state)
{
	static const struct {
		const char *sort;
		const char *levels;
	} cases[] = {
		{ "comm,dso,symbol", "0123" },
		{ "{comm,dso},symbol", "0112" },
		{ "comm,{dso,symbol}", "0122" },
		{ "{comm dso}{symbol}cpu", "01123" },
		{ "{comm,dso", "011" },
		{ "comm}dso", "012" },
		{ "{},comm", "01" },
		{ "overhead,comm", "01" },
		{ "comm,overhead,dso", "012" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct planned p = plan_of(
			&(struct rpt_column_plan){ .sort = cases[i].sort });

		assert_string_equal(p.levels, cases[i].levels);
	}
}

static void test_column_plan__names_are_whole(void **state)
{
	(void)state;
	assert_true(rpt_column_plan_names("+comm,{Latency, dso}", "latency"));
	assert_true(rpt_column_plan_names("latency", "latency"));
	assert_false(rpt_column_plan_names("comm,irq:x.latency,latency_ns,",
					   "latency"));
	assert_false(rpt_column_plan_names("", "latency"));
	assert_false(rpt_column_plan_names(NULL, "latency"));
}

static void test_column_plan__a_plus_alone_is_an_error(void **state)
{
	static const struct rpt_column_plan plans[] = {
		{ .sort = "+", .default_sort = "comm" },
		{ .fields = "+", .default_sort = "comm" },
		{ .fields = "", .default_sort = "comm" },
		{ .fields = "{comm}", .default_sort = "comm" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		struct rpt_columns shown = { 0 };
		struct rpt_sort_keys keys = { 0 };
		struct pd_err err = PD_ERR_INIT;

		assert_int_equal(
			rpt_column_plan_make(&plans[i], &shown, &keys, &err),
			-EINVAL);
		assert_non_null(strstr(err.text, " key: `"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_column_plan__of_nothing_is_the_usual_table),
		cmocka_unit_test(
			test_column_plan__fields_alone_are_the_order_too),
		cmocka_unit_test(test_column_plan__keys_stand_behind_fields),
		cmocka_unit_test(
			test_column_plan__fields_with_a_plus_come_on_top),
		cmocka_unit_test(
			test_column_plan__a_weight_among_keys_stays_there),
		cmocka_unit_test(test_column_plan__braces_make_levels),
		cmocka_unit_test(test_column_plan__names_are_whole),
		cmocka_unit_test(test_column_plan__a_plus_alone_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
