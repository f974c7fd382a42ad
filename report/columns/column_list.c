/* The list of columns: found by name, listed, and put together. */
#include "report/columns/columns_impl.h"

#include "format/support/nearest.h"
#include "format/support/options.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum table_kind { FOR_ALL, FOR_BRANCHES, FOR_MEMORY, FOR_WAITS };

/* In this order perf looks for a name that was cut short. */
static const struct {
	const struct rpt_dimension *items;
	enum table_kind kind;
} tables[] = {
	{ rpt_task_dimensions, FOR_ALL },
	{ rpt_location_dimensions, FOR_ALL },
	{ rpt_value_dimensions, FOR_ALL },
	{ rpt_trace_dimensions, FOR_ALL },
	{ rpt_number_dimensions, FOR_ALL },
	{ rpt_branch_dimensions, FOR_BRANCHES },
	{ rpt_memory_dimensions, FOR_MEMORY },
	{ rpt_wait_dimensions, FOR_WAITS },
};

#define TABLES_NR (sizeof(tables) / sizeof(tables[0]))

/* Return the first dimension whose name starts so, letter case aside, or
 * NULL. */
static const struct rpt_dimension *find(struct pd_str name, bool is_new,
					enum table_kind *ret_kind)
{
	for (size_t i = 0; i < TABLES_NR && name.len; i++) {
		const struct rpt_dimension *dim = tables[i].items;

		*ret_kind = tables[i].kind;
		for (; dim->name; dim++)
			if (dim->is_new == is_new &&
			    !strncasecmp(dim->name, name.ptr, name.len))
				return dim;
	}
	return NULL;
}

/* Keys and fields of perf that are not here, and what has what they show. */
static const struct sup_absent absent[] = {
	{ "type", "perf report -s type, which works out types of data" },
	{ "typeoff", "perf report -s typeoff" },
	{ "typecln", "perf report -s typecln" },
	{ "simd", "perf report -s simd" },
	{ "callchain_branch_predicted", "-b -s symbol_to,mispredict" },
	{ "callchain_branch_abort", "-b -s symbol_to,abort" },
	{ "callchain_branch_cycles", "-b -s symbol_to,cycles" },
	{ "weight1", "weight" },
	{ "weight2", "ins_lat" },
	{ "weight3", "retire_lat, p_stage_cyc" },
	{ "op", "--mem-mode -s mem" },
	{ "cache", "--mem-mode -s mem" },
	{ "memory", "--mem-mode -s mem" },
	{ "dtlb", "--mem-mode -s tlb" },
	{ 0 },
};

static int refuse_unknown(struct pd_str name, const char *what,
			  struct pd_err *err)
{
	struct sup_nearest near;

	for (const struct sup_absent *a = absent; a->long_name; a++) {
		if (!pd_str_eq(name, a->long_name))
			continue;
		pd_err_set(err, -EINVAL, "%s `%.*s' is not here", what,
			   (int)name.len, name.ptr);
		pd_err_hint(err, "instead: %s", a->instead);
		return -EINVAL;
	}
	sup_nearest_init(&near, name.ptr, name.len);
	for (size_t i = 0; i < TABLES_NR; i++)
		for (const struct rpt_dimension *dim = tables[i].items;
		     dim->name; dim++)
			sup_nearest_offer(&near, dim->name);
	pd_err_set(err, -EINVAL, "Unknown %s: `%.*s'", what, (int)name.len,
		   name.ptr);
	sup_nearest_hint(&near, err, "'perfpair report --help' lists all keys");
	return -EINVAL;
}

static const char *const kind_titles[] = {
	[FOR_ALL] = "Sort keys and columns",
	[FOR_BRANCHES] = "Of branches (-b)",
	[FOR_MEMORY] = "Of memory accesses (--mem-mode)",
	[FOR_WAITS] = "Of time without a CPU (--off-cpu, --wall-clock)",
};

static void print_kind(enum table_kind kind, FILE *out)
{
	for (size_t i = 0; i < TABLES_NR; i++) {
		const struct rpt_dimension *dim = tables[i].items;

		for (; tables[i].kind == kind && dim->name; dim++)
			fprintf(out, "  %-18s  %s\n", dim->name, dim->help);
	}
}

void rpt_columns_print_names(FILE *out)
{
	for (enum table_kind kind = FOR_ALL; kind <= FOR_WAITS; kind++) {
		fprintf(out, "\n%s:\n", kind_titles[kind]);
		print_kind(kind, out);
	}
	fputs("\nand fields of tracepoints: next_pid, "
	      "sched:sched_switch.next_pid, trace_fields\n",
	      out);
}

static int refuse_many(struct pd_str name, const char *what, struct pd_err *err)
{
	return pd_err_set(err, -EINVAL, "%s `%.*s': more than %d columns", what,
			  (int)name.len, name.ptr, RPT_KEYS_MAX);
}

static void put(struct rpt_columns *columns, const struct rpt_dimension *dim,
		uint32_t field, uint8_t level)
{
	columns->items[columns->nr++] = (struct rpt_column){ .dim = dim,
							     .field = field,
							     .level = level };
}

static int add_fields(struct rpt_columns *columns, struct pd_str name,
		      const char *what, struct pd_err *err)
{
	size_t room_nr = RPT_KEYS_MAX - columns->nr;
	size_t nr = rpt_trace_fields_find(
		columns->tracepoints, columns->events, name,
		columns->fields + columns->field_nr, room_nr);

	if (!nr)
		return refuse_unknown(name, what, err);
	if (nr > room_nr)
		return refuse_many(name, what, err);
	while (nr--)
		put(columns, &rpt_field_dimension,
		    (uint32_t)columns->field_nr++, 0);
	return 0;
}

static bool has_field(const struct rpt_columns *columns, struct pd_str name)
{
	struct rpt_trace_field field;

	return columns->events &&
	       rpt_trace_fields_find(columns->tracepoints, columns->events,
				     name, &field, 1);
}

static bool has_dimension(const struct rpt_columns *columns,
			  const struct rpt_dimension *dim)
{
	for (size_t i = 0; i < columns->nr; i++)
		if (columns->items[i].dim == dim)
			return true;
	return false;
}

static int add_column(struct rpt_columns *columns, struct pd_str name,
		      const char *what, struct pd_err *err)
{
	enum table_kind kind;
	const struct rpt_dimension *dim = find(name, false, &kind);

	if (columns->nr == RPT_KEYS_MAX)
		return refuse_many(name, what, err);
	if (!dim)
		dim = find(name, true, &kind);
	if (dim && dim->name[name.len] && has_field(columns, name))
		dim = NULL; /* the name is the field's, and cut short of dim */
	if (!dim && columns->events && name.len)
		return add_fields(columns, name, what, err);
	if (!dim)
		return refuse_unknown(name, what, err);
	if (kind == FOR_BRANCHES && !columns->is_branch) {
		pd_err_set(err, -ENODATA, "%s `%.*s': there are no branches",
			   what, (int)name.len, name.ptr);
		pd_err_hint(err, "perfpair-record -b records branches");
		return -ENODATA;
	}
	if (kind == FOR_MEMORY && !columns->is_memory)
		return pd_err_set(err, -EINVAL,
				  "%s `%.*s' is of memory accesses alone: "
				  "--mem-mode",
				  what, (int)name.len, name.ptr);
	if (dim->variants & columns->variants)
		dim = dim->instead;
	if (!has_dimension(columns, dim))
		put(columns, dim, 0, 0);
	return 0;
}

int rpt_columns_parse(struct rpt_columns *columns, const char *list,
		      const char *what, struct pd_err *err)
{
	while (*list) {
		size_t len = strcspn(list, ", ");
		int rc = 0;

		if (len)
			rc = add_column(columns, (struct pd_str){ list, len },
					what, err);
		if (rc)
			return rc;
		list += len;
		list += strspn(list, ", ");
	}
	return 0;
}

/* The state of parsing levels; one that is not begun gets the next number. */
struct level_parse {
	bool is_group;
	bool is_begun;
};

/* Skip what separates keys; as in perf, braces need not match. */
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
		struct pd_str name = { list, strcspn(list, ", {}") };
		size_t known_nr = columns->nr;
		int rc = add_column(columns, name, "--sort key", err);

		if (rc)
			return rc;
		if (columns->nr > known_nr && !(at.is_group && at.is_begun))
			columns->level_nr++;
		at.is_begun |= columns->nr > known_nr;
		while (known_nr < columns->nr)
			columns->items[known_nr++].level = columns->level_nr;
		list += name.len;
	}
	return 0;
}

static bool is_same(const struct rpt_columns *a, size_t i,
		    const struct rpt_columns *b, size_t k)
{
	const struct rpt_trace_field *x = &a->fields[a->items[i].field];
	const struct rpt_trace_field *y = &b->fields[b->items[k].field];

	if (a->items[i].dim != b->items[k].dim)
		return false;
	return a->items[i].dim != &rpt_field_dimension ||
	       (x->event_idx == y->event_idx && x->field == y->field &&
		x->is_raw == y->is_raw);
}

/* Return the number of more's column idx in columns, columns->nr if it is not
 * there. */
static size_t index_of(const struct rpt_columns *columns,
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
		const struct rpt_column *column = &more->items[i];

		if (index_of(columns, more, i) < columns->nr)
			continue;
		if (columns->nr == RPT_KEYS_MAX)
			return pd_err_set(err, -EINVAL, "more than %d columns",
					  RPT_KEYS_MAX);
		put(columns, column->dim, (uint32_t)columns->field_nr,
		    column->level);
		if (column->dim == &rpt_field_dimension)
			columns->fields[columns->field_nr++] =
				more->fields[column->field];
	}
	if (columns->level_nr < more->level_nr)
		columns->level_nr = more->level_nr;
	return 0;
}

static bool is_dropped(const struct rpt_dimension *dim, unsigned by)
{
	return dim->by & by && !dim->is_kept;
}

bool rpt_columns_may_drop(const struct rpt_columns *columns, unsigned by)
{
	for (size_t i = 0; i < columns->nr; i++)
		if (is_dropped(columns->items[i].dim, by))
			return true;
	return false;
}

void rpt_columns_drop(struct rpt_columns *columns, unsigned by)
{
	size_t left_nr = 0;
	size_t nr = 0;

	for (size_t i = 0; i < columns->nr; i++)
		left_nr += columns->items[i].dim->by &&
			   !is_dropped(columns->items[i].dim, by);
	for (size_t i = 0; left_nr && i < columns->nr; i++) {
		if (is_dropped(columns->items[i].dim, by))
			continue;
		columns->asked_widths[nr] = columns->asked_widths[i];
		columns->items[nr++] = columns->items[i];
	}
	if (left_nr)
		columns->nr = nr;
}

/* Return the number of a value among those of the profile; it is added if it is
 * not there. */
static uint32_t value_at(struct rpt_sort_keys *keys, enum rpt_value value)
{
	uint32_t i = 0;

	while (i < keys->value_nr && keys->values[i] != value)
		i++;
	if (i == keys->value_nr)
		keys->values[keys->value_nr++] = value;
	return i;
}

static struct rpt_sort_key key_of(struct rpt_sort_keys *keys,
				  const struct rpt_column *column)
{
	struct rpt_sort_key key = { column->dim, column->field };

	if (column->dim->by & (RPT_BY_VALUE | RPT_BY_DATA))
		key.idx = value_at(keys, column->dim->value);
	return key;
}

static void add_weight(struct rpt_sort_keys *keys, enum rpt_weight weight)
{
	keys->has_modes |= weight >= RPT_WEIGHT_SYS;
	keys->has_second |= weight >= RPT_WEIGHT_SECOND;
}

void rpt_columns_keys(const struct rpt_columns *columns,
		      struct rpt_sort_keys *ret)
{
	ret->has_second = columns->variants & RPT_VARIANT_LATENCY;
	ret->has_modes = ret->has_second;
	ret->trace_fields = columns->fields;
	ret->trace_field_nr = columns->field_nr;
	for (size_t i = 0; i < columns->nr; i++) {
		const struct rpt_column *column = &columns->items[i];

		ret->by |= column->dim->by;
		ret->branch_flags |= column->dim->branch_flags;
		if (column->dim->by)
			ret->items[ret->nr++] = key_of(ret, column);
		else
			add_weight(ret, column->dim->weight);
	}
}

void rpt_columns_order(const struct rpt_columns *keys,
		       const struct rpt_columns *shown,
		       struct rpt_sort_keys *ret)
{
	ret->order_nr = 0;
	for (size_t i = 0; i < keys->nr; i++) {
		size_t at = index_of(shown, keys, i);

		ret->order[ret->order_nr++] = key_of(ret, &shown->items[at]);
	}
}
