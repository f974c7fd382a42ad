/* Which columns there are: found by name, listed, and put together. */
#include "report/columns/columns_impl.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static int add_fields(struct rpt_columns *columns, struct pd_str key,
		      const char *what, struct pd_err *err)
{
	size_t nr =
		rpt_trace_fields_find(columns->tracepoints, columns->events,
				      key, columns->fields + columns->field_nr,
				      RPT_COLUMNS_MAX - columns->nr);

	if (!nr)
		return pd_err_set(err, -EINVAL, "Unknown %s: `%.*s'", what,
				  (int)key.len, key.ptr);
	if (nr > RPT_COLUMNS_MAX - columns->nr)
		return pd_err_set(err, -EINVAL,
				  "%s `%.*s': more than %d columns", what,
				  (int)key.len, key.ptr, RPT_COLUMNS_MAX);
	columns->field_nr += nr;
	while (nr--)
		columns->items[columns->nr++] = &rpt_tracepoint_column;
	return 0;
}

/* What perf looks through first for a name that was cut short, in its order. */
static const char *const first_names[] = {
	"pid",
	"comm",
	"dso",
	"symbol",
	"parent",
	"cpu",
	"socket",
	"srcline",
	"srcfile",
	"local_weight",
	"weight",
	"transaction",
	"trace",
	"symbol_size",
	"dso_size",
	"cgroup",
	"cgroup_id",
	"ipc_null",
	"time",
	"code_page_size",
	"local_ins_lat",
	"ins_lat",
	"local_p_stage_cyc",
	"p_stage_cyc",
	"addr",
};

#define FIRST_NAMES_NR (sizeof(first_names) / sizeof(first_names[0]))

/* The whole name where it is one of these; else as it is. */
static struct pd_str complete(struct pd_str name)
{
	for (size_t i = 0; i < FIRST_NAMES_NR && name.len; i++) {
		if (!strncasecmp(first_names[i], name.ptr, name.len))
			return (struct pd_str){ first_names[i],
						strlen(first_names[i]) };
	}
	return name;
}

/* Adds items[i] whose name starts so, once; false: there is none. */
static bool add_of(struct rpt_columns *columns, const struct rpt_column *items,
		   size_t nr, struct pd_str name)
{
	for (size_t i = 0; i < nr; i++) {
		if (!name.len ||
		    strncasecmp(items[i].name, name.ptr, name.len) != 0)
			continue;
		for (size_t k = 0; k < columns->nr; k++) {
			if (columns->items[k] == &items[i])
				return true;
		}
		columns->items[columns->nr++] = &items[i];
		return true;
	}
	return false;
}

static int add_column(struct rpt_columns *columns, const char *name, size_t len,
		      const char *what, struct pd_err *err)
{
	struct pd_str text = complete((struct pd_str){ name, len });
	size_t known_nr = columns->nr;

	if (columns->nr == RPT_COLUMNS_MAX)
		return pd_err_set(err, -EINVAL,
				  "%s `%.*s': more than %d columns", what,
				  (int)len, name, RPT_COLUMNS_MAX);
	if (add_of(columns, rpt_plain_columns, RPT_PLAIN_COLUMNS, text) ||
	    add_of(columns, rpt_srcline_columns, RPT_SRCLINE_COLUMNS, text) ||
	    add_of(columns, rpt_value_columns, RPT_VALUE_COLUMNS, text))
		return 0;
	if (add_of(columns, rpt_branch_columns, RPT_BRANCH_COLUMNS, text)) {
		if (columns->is_branch)
			return 0;
		columns->nr = known_nr;
		return pd_err_set(err, -EINVAL,
				  "%s `%.*s': there are no branches", what,
				  (int)len, name);
	}
	if (add_of(columns, rpt_memory_columns, RPT_MEMORY_COLUMNS, text)) {
		if (columns->is_memory)
			return 0;
		columns->nr = known_nr;
		return pd_err_set(err, -EINVAL,
				  "%s `%.*s' is of memory accesses alone: "
				  "--mem-mode",
				  what, (int)len, name);
	}
	if (len && columns->events)
		return add_fields(columns, (struct pd_str){ name, len }, what,
				  err);
	return pd_err_set(err, -EINVAL, "Unknown %s: `%.*s'", what, (int)len,
			  name);
}

int rpt_columns_parse(struct rpt_columns *columns, const char *list,
		      const char *what, struct pd_err *err)
{
	while (*list) {
		size_t len = strcspn(list, ", ");
		int rc = 0;

		if (len)
			rc = add_column(columns, list, len, what, err);
		if (rc)
			return rc;
		list += len;
		list += strspn(list, ", ");
	}
	return 0;
}

/* Levels that were not begun yet get the next number. */
struct level_parse {
	bool is_group;
	bool is_begun;
};

/* Passes over what separates keys; braces that do not match are no error in
 * perf either. */
static const char *skip_marks(const char *list, struct level_parse *at)
{
	for (; *list && strchr(", {}", *list); list++) {
		if (*list != '{' && *list != '}')
			continue;
		at->is_group = *list == '{';
		at->is_begun = false;
	}
	return list;
}

int rpt_columns_parse_keys(struct rpt_columns *columns, const char *list,
			   struct pd_err *err)
{
	struct level_parse at = { 0 };

	for (list = skip_marks(list, &at); *list;
	     list = skip_marks(list, &at)) {
		size_t len = strcspn(list, ", {}");
		size_t known_nr = columns->nr;
		int rc = add_column(columns, list, len, "--sort key", err);

		if (rc)
			return rc;
		if (columns->nr > known_nr && !(at.is_group && at.is_begun))
			columns->level_nr++;
		at.is_begun |= columns->nr > known_nr;
		while (known_nr < columns->nr)
			columns->levels[known_nr++] = columns->level_nr;
		list += len;
	}
	return 0;
}

static bool is_same(const struct rpt_columns *a, size_t i,
		    const struct rpt_columns *b, size_t k)
{
	const struct rpt_trace_field *x, *y;

	if (a->items[i] != b->items[k])
		return false;
	if (a->items[i] != &rpt_tracepoint_column)
		return true;
	x = rpt_column_field(a, i);
	y = rpt_column_field(b, k);
	return x->event_idx == y->event_idx && x->field == y->field &&
	       x->is_raw == y->is_raw;
}

/* The place of more's column idx in columns; columns->nr: it is not there. */
static size_t place_of(const struct rpt_columns *columns,
		       const struct rpt_columns *more, size_t idx)
{
	size_t i = 0;

	while (i < columns->nr && !is_same(columns, i, more, idx))
		i++;
	return i;
}

int rpt_columns_append(struct rpt_columns *columns,
		       const struct rpt_columns *more, struct pd_err *err)
{
	for (size_t i = 0; i < more->nr; i++) {
		if (place_of(columns, more, i) < columns->nr)
			continue;
		if (columns->nr == RPT_COLUMNS_MAX)
			return pd_err_set(err, -EINVAL, "more than %d columns",
					  RPT_COLUMNS_MAX);
		if (more->items[i] == &rpt_tracepoint_column)
			columns->fields[columns->field_nr++] =
				*rpt_column_field(more, i);
		columns->levels[columns->nr] = more->levels[i];
		columns->items[columns->nr++] = more->items[i];
	}
	if (columns->level_nr < more->level_nr)
		columns->level_nr = more->level_nr;
	return 0;
}

static bool is_dropped(const struct rpt_column *column, unsigned by)
{
	return column->by & by && !column->is_kept;
}

bool rpt_columns_may_drop(const struct rpt_columns *columns, unsigned by)
{
	for (size_t i = 0; i < columns->nr; i++)
		if (is_dropped(columns->items[i], by))
			return true;
	return false;
}

void rpt_columns_drop(struct rpt_columns *columns, unsigned by)
{
	size_t left_nr = 0;
	size_t nr = 0;

	for (size_t i = 0; i < columns->nr; i++)
		left_nr += columns->items[i]->by &&
			   !is_dropped(columns->items[i], by);
	for (size_t i = 0; left_nr && i < columns->nr; i++) {
		if (is_dropped(columns->items[i], by))
			continue;
		columns->asked_widths[nr] = columns->asked_widths[i];
		columns->items[nr++] = columns->items[i];
	}
	if (left_nr)
		columns->nr = nr;
}

unsigned rpt_columns_by(const struct rpt_columns *columns)
{
	unsigned by = 0;

	for (size_t i = 0; i < columns->nr; i++)
		by |= columns->items[i]->by;
	return by;
}

/* Which of the shown fields a key's is. */
static uint32_t field_at(const struct rpt_columns *shown,
			 const struct rpt_columns *keys, size_t idx)
{
	size_t place = place_of(shown, keys, idx);

	return (uint32_t)(rpt_column_field(shown, place) - shown->fields);
}

static uint32_t value_at(const enum rpt_value *values, enum rpt_value value)
{
	uint32_t i = 0;

	while (i + 1 < RPT_VALUES_NR && values[i] != value)
		i++;
	return i;
}

bool rpt_columns_have_modes(const struct rpt_columns *columns)
{
	for (size_t i = 0; i < columns->nr; i++)
		if (columns->items[i]->weight >= RPT_WEIGHT_SYS)
			return true;
	return false;
}

#define BY_VALUES \
	(RPT_BY_VALUE | RPT_BY_DATA_ADDR | RPT_BY_DATA_DSO | RPT_BY_DATA_LINE)

uint32_t rpt_columns_values(const struct rpt_columns *columns, size_t column_nr,
			    enum rpt_value values[RPT_VALUES_NR])
{
	unsigned seen = 0;
	uint32_t nr = 0;

	for (size_t i = 0; i < column_nr; i++) {
		const struct rpt_column *column = columns->items[i];

		if (!(column->by & BY_VALUES) || seen & 1u << column->value)
			continue;
		seen |= 1u << column->value;
		values[nr++] = column->value;
	}
	return nr;
}

size_t rpt_columns_order(const struct rpt_columns *keys,
			 const struct rpt_columns *shown,
			 struct rpt_order_key order[RPT_ORDER_MAX])
{
	enum rpt_value values[RPT_VALUES_NR] = { 0 };

	rpt_columns_values(shown, shown->nr, values);
	for (size_t i = 0; i < keys->nr; i++) {
		const struct rpt_column *column = keys->items[i];

		order[i] = (struct rpt_order_key){
			.by = column->order_by ? column->order_by : column->by,
			.weight = column->weight,
		};
		if (column == &rpt_tracepoint_column)
			order[i].field = field_at(shown, keys, i);
		else if (column->by == RPT_BY_VALUE)
			order[i].field = value_at(values, column->value);
	}
	return keys->nr;
}
