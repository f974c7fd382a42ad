#include "report/columns/column_plan.h"

#include "report/base/memory.h"
#include "report/columns/columns_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Return whether -F alone says which numbers there are. */
static bool is_strict(const struct rpt_column_plan *plan)
{
	return plan->fields && *plan->fields && *plan->fields != '+';
}

bool rpt_column_plan_names(const char *list, const char *name)
{
	static const char between[] = "+, {}";
	size_t len;

	for (; list && *list; list += len) {
		list += strspn(list, between);
		len = strcspn(list, between);
		if (len == strlen(name) && !strncasecmp(list, name, len))
			return true;
	}
	return false;
}

static bool is_first(const struct rpt_column_plan *plan)
{
	return plan->latency == RPT_PLAN_LATENCY_FIRST;
}

static bool names_latency(const struct rpt_column_plan *plan)
{
	return rpt_column_plan_names(plan->sort, "latency") ||
	       rpt_column_plan_names(plan->sort, "latency_children");
}

static bool is_beside(const struct rpt_column_plan *plan)
{
	return plan->latency == RPT_PLAN_LATENCY_BESIDE ||
	       (!is_first(plan) && names_latency(plan) &&
		rpt_column_plan_names(plan->sort, "overhead"));
}

/* Return whether -s names the latency, which then is the only weight. */
static bool is_latency_only(const struct rpt_column_plan *plan)
{
	return !is_first(plan) && names_latency(plan) &&
	       !rpt_column_plan_names(plan->sort, "overhead");
}

/* perf puts the weights in front of keys that do not mention them; latencies,
 * if they are first, always. */
static int add_weight(const struct rpt_column_plan *plan,
		      struct rpt_columns *keys, const char *name,
		      struct pd_err *err)
{
	if (!is_first(plan) && plan->sort && strstr(plan->sort, name))
		return 0;
	return rpt_columns_parse(keys, name, "", err);
}

static int add_weights(const struct rpt_column_plan *plan,
		       struct rpt_columns *keys, struct pd_err *err)
{
	int rc = 0;

	if (is_strict(plan) || is_latency_only(plan))
		return 0;
	if (plan->children)
		rc = add_weight(plan, keys,
				is_first(plan) ? "latency_children"
					       : "overhead_children",
				err);
	return rc ? rc
		  : add_weight(plan, keys,
			       is_first(plan) ? "latency" : "overhead", err);
}

static int add_keys(const struct rpt_column_plan *plan,
		    struct rpt_columns *keys, struct pd_err *err)
{
	const char *sort = plan->sort;
	int rc = 0;

	if (sort && !strcmp(sort, "+"))
		return pd_err_set(err, -EINVAL, "Invalid --sort key: `+'");
	if (sort ? *sort == '+' : !is_strict(plan))
		rc = rpt_columns_parse_keys(keys, plan->default_sort, err);
	if (!rc && sort)
		rc = rpt_columns_parse_keys(keys, sort + (*sort == '+'), err);
	if (!rc && plan->more_sort)
		rc = rpt_columns_parse_keys(keys, plan->more_sort, err);
	return rc;
}

static int add_numbers(const struct rpt_column_plan *plan,
		       struct rpt_columns *shown, struct pd_err *err)
{
	const bool children = plan->children && !is_latency_only(plan);
	const struct {
		bool is_wanted;
		const char *name;
	} numbers[] = {
		{ children && is_first(plan), "latency_children" },
		{ children, "overhead_children" },
		{ children && is_beside(plan), "latency_children" },
		{ is_first(plan) || is_latency_only(plan), "latency" },
		{ !is_latency_only(plan), "overhead" },
		{ is_beside(plan), "latency" },
		{ plan->show_cpu_utilization, "overhead_sys" },
		{ plan->show_cpu_utilization, "overhead_us" },
		{ plan->show_nr_samples, "sample" },
		{ plan->show_total_period, "period" },
	};
	int rc = 0;

	if (is_strict(plan))
		return 0;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!rc && numbers[i].is_wanted)
			rc = rpt_columns_parse(shown, numbers[i].name, "", err);
	}
	return rc;
}

static int add_fields(const struct rpt_column_plan *plan,
		      struct rpt_columns *shown, struct pd_err *err)
{
	if (!plan->fields)
		return 0;
	if (!*plan->fields || !strcmp(plan->fields, "+"))
		return pd_err_set(err, -EINVAL, "Invalid --fields key: `+'");
	return rpt_columns_parse(shown, plan->fields + (*plan->fields == '+'),
				 "--fields key", err);
}

static void drop_children(struct rpt_columns *shown)
{
	size_t nr = 0;

	for (size_t i = 0; i < shown->nr; i++) {
		const struct rpt_column *column = &shown->items[i];

		if (strcmp(column->dim->name, "overhead_children") != 0)
			shown->items[nr++] = *column;
	}
	shown->nr = nr;
}

/* Number levels without a gap, even if a key of -s is a number before them. */
static void number_levels(struct rpt_columns *shown)
{
	uint8_t last = 0;

	shown->level_nr = 0;
	for (size_t i = 0; i < shown->nr; i++) {
		uint8_t *level = &shown->items[i].level;

		if (!*level)
			continue;
		if (*level != last)
			shown->level_nr++;
		last = *level;
		*level = shown->level_nr;
	}
}

int rpt_column_plan_make(const struct rpt_column_plan *plan,
			 struct rpt_columns *shown, struct rpt_sort_keys *ret,
			 struct pd_err *err)
{
	struct rpt_columns *keys = rpt_alloc(sizeof(*keys));
	int rc;

	*keys = *shown;
	shown->children = plan->children && !is_strict(plan);
	rc = add_weights(plan, keys, err);
	if (!rc)
		rc = add_keys(plan, keys, err);
	if (!rc)
		rc = add_numbers(plan, shown, err);
	if (!rc)
		rc = add_fields(plan, shown, err);
	if (!rc)
		rc = rpt_columns_append(shown, keys, err);
	if (!rc)
		rc = rpt_columns_append(keys, shown, err);
	number_levels(shown);
	if (!rc)
		rpt_columns_order(keys, shown, ret);
	if (plan->are_children_lost && !is_strict(plan))
		drop_children(shown);
	free(keys);
	return rc;
}
