#include "report/report/report_impl.h"

#include "report/columns/column_plan.h"
#include "report/events/trace_field.h"
#include "report/offcpu/switch_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEM_SORT                                                     \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb," \
	"locked,blocked,local_ins_lat"

#define STAGE_SORT ",local_p_stage_cyc"

/* Return whether the file has fields of tracepoints, and room for all. */
static bool can_show_fields(const struct rpt_report *report)
{
	struct pd_str all = { "trace_fields", strlen("trace_fields") };
	size_t nr = rpt_trace_fields_find(report->tracepoints,
					  pd_reader_events(report->reader), all,
					  NULL, 0);

	return nr && nr <= RPT_KEYS_MAX;
}

/* Return the RPT_VARIANT_* of the file's tables. */
static unsigned variants_of(const struct rpt_report *report)
{
	unsigned variants =
		report->args->switches.latency ? RPT_VARIANT_LATENCY : 0;

	if (pd_event_set_needed_perf(pd_reader_events(report->reader)) ==
	    PD_PERF_6_1)
		return variants;
	return variants | RPT_VARIANT_NEWER |
	       (report->shape & RPT_SHAPE_POWER ? 0 : RPT_VARIANT_RETIRE);
}

/* Return the sort keys if the user names none. */
static const char *default_sort(const struct rpt_report *report)
{
	if (report->args->rows.mem_mode)
		return report->shape & RPT_SHAPE_POWER ||
				       variants_of(report) & RPT_VARIANT_RETIRE
			       ? MEM_SORT STAGE_SORT
			       : MEM_SORT;
	if (report->shape & RPT_SHAPE_BY_BRANCH)
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	if (report->shape & RPT_SHAPE_TRACE)
		return report->args->events.is_raw_trace &&
				       can_show_fields(report)
			       ? "trace_fields"
			       : "trace";
	return report->args->columns.default_sort
		       ? report->args->columns.default_sort
		       : "comm,dso,symbol";
}

/* Return the keys of the instructions per cycle, which perf adds if -s names a
 * "symbol" in full, and of the parent that -p asks for; NULL: neither. */
static const char *more_sort(const struct rpt_report *report)
{
	bool is_branch = report->rows_conf.is_branch;

	if (report->args->columns.has_ipc && report->args->chains.parent)
		return is_branch ? "ipc_lbr,parent" : "ipc_null,parent";
	if (report->args->columns.has_ipc)
		return is_branch ? "ipc_lbr" : "ipc_null";
	return report->args->chains.parent ? "parent" : NULL;
}

/* Return whether -s or -F names how many threads ran, or --parallelism is
 * given: as in perf the latency is shown then, too. */
static bool names_parallelism(const struct rpt_report_args *args)
{
	return args->filter.parallelisms ||
	       rpt_column_plan_names(args->columns.sort, "parallelism") ||
	       rpt_column_plan_names(args->columns.fields, "parallelism");
}

int rpt_report_plan_columns(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	struct rpt_rows_conf *conf = &report->rows_conf;
	struct rpt_column_plan plan = {
		.sort = args->columns.sort,
		.fields = args->columns.fields,
		.default_sort = default_sort(report),
		.children = conf->children,
		.are_children_lost = args->chains.children && !conf->children &&
				     !conf->is_branch && !args->rows.mem_mode &&
				     !args->rows.hierarchy,
		.latency = args->switches.latency    ? RPT_PLAN_LATENCY_FIRST
			   : names_parallelism(args) ? RPT_PLAN_LATENCY_BESIDE
						     : RPT_PLAN_NO_LATENCY,
		.show_nr_samples = args->columns.show_nr_samples,
		.show_total_period = args->columns.show_total_period,
		.show_cpu_utilization = args->columns.show_cpu_utilization,
		.more_sort = more_sort(report),
	};

	int rc = rpt_column_plan_make(&plan, &report->view.columns, &conf->keys,
				      err);

	if (!rc)
		rpt_columns_keys(&report->view.columns, &conf->keys);
	return rc;
}

/* Filters that can leave one name of a column, which is then shown once, above
 * the table, as in perf. */
static const struct {
	const char *title;
	unsigned by;
	size_t off; /* in struct rpt_filter_args */
} elided[] = {
	{ "comm", RPT_BY_COMM, offsetof(struct rpt_filter_args, comms) },
	{ "dso", RPT_BY_DSO, offsetof(struct rpt_filter_args, dsos) },
	{ "symbol", RPT_BY_SYMBOL, offsetof(struct rpt_filter_args, symbols) },
};

#define ELIDED_NR (sizeof(elided) / sizeof(elided[0]))

/* Return the only name of a filter; NULL if it has several or none. */
static const char *elided_name(const struct rpt_report_args *args, size_t idx)
{
	const char *base = (const char *)&args->filter;
	const char *text = *(const char *const *)(base + elided[idx].off);

	return text && !strchr(text, ',') && strncmp(text, "file://", 7) != 0
		       ? text
		       : NULL;
}

/* -p, -x, and the sort key */
static int set_parent(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	struct rpt_rows_conf *conf = &report->rows_conf;

	conf->hide.orphans = args->chains.exclude_other;
	if (!(conf->keys.by & RPT_BY_PARENT))
		return 0;
	if (!(report->shape & RPT_SHAPE_CHAINS))
		return pd_err_set(err, -ENODATA,
				  "the parent is asked for, but nothing was "
				  "recorded with call chains (record -g)");
	conf->parent = &report->view.parent;
	return rpt_frame_match_compile(conf->parent, "--parent",
				       args->chains.parent ? args->chains.parent
							   : RPT_PARENT_DEFAULT,
				       err);
}

static int set_ignored(struct rpt_report *report, struct pd_err *err)
{
	const char *pattern = report->args->chains.ignore_callees;

	if (!pattern)
		return 0;
	report->rows_conf.ignored = &report->view.ignored;
	return rpt_frame_match_compile(&report->view.ignored,
				       "--ignore-callees", pattern, err);
}

/* --socket-filter, and the sort key */
static int set_sockets(struct rpt_report *report, struct pd_err *err)
{
	bool is_chosen = report->args->rows.is_one_socket;

	if (!is_chosen && !(report->rows_conf.keys.by & RPT_BY_VALUE))
		return 0;
	rpt_sockets_read(&report->filters.sockets, report->reader);
	if (is_chosen && !report->filters.sockets.cpu_nr)
		return pd_err_set(err, -ENODATA,
				  "--socket-filter: the recording does not "
				  "tell which CPU is in which socket");
	return 0;
}

/* Return whether call graphs can be shown: of call chains, or of branches. */
static bool has_chains(const struct rpt_report *report)
{
	return report->shape & RPT_SHAPE_CHAINS ||
	       (report->args->branches.has_history &&
		report->shape & RPT_SHAPE_BRANCHES);
}

/* Return whether switches are PERF_RECORD_SWITCH alone.  What tracepoints are
 * may be missing in a file that was cut. */
static bool has_bare_switches(const struct rpt_report *report)
{
	const struct pd_event_set *events = pd_reader_events(report->reader);
	bool has_record = false, has_tracepoint = false;

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		has_record |= !!(attr->flags & PD_ATTR_CONTEXT_SWITCH);
		has_tracepoint |= attr->type == PD_TYPE_TRACEPOINT;
	}
	return has_record && !has_tracepoint &&
	       rpt_switch_event_of(events, report->tracepoints) < 0;
}

/* Refuse options that do not go together, or not with this recording. */
static int check_options(const struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	bool is_samples = args->out.output->needs & RPT_OUTPUT_SAMPLES;
	bool shapes_lines = args->columns.separator || args->columns.widths;
	const struct {
		bool is_wrong;
		const char *text;
		const char *hint; /* NULL: none */
		bool is_of_data;  /* wrong with this recording alone */
	} rules[] = {
		{ args->rows.hierarchy && args->columns.fields,
		  "--hierarchy and --fields do not go together",
		  "-s names the levels, -n and --show-total-period add "
		  "numbers",
		  false },
		{ is_samples && report->shape & RPT_SHAPE_BY_BRANCH,
		  "this format is of call chains, which branches (-b) do not "
		  "have",
		  "--no-branch-stack counts samples", true },
		{ args->rows.mem_mode && report->shape & RPT_SHAPE_BY_BRANCH,
		  "--mem-mode: branches are counted here, not memory accesses",
		  NULL, true },
		{ args->rows.mem_mode && !(report->shape & (RPT_SHAPE_DATA_SRC |
							    RPT_SHAPE_PIPE)),
		  "--mem-mode: no memory accesses were recorded",
		  "perfpair record -d takes down what data a sample is "
		  "about",
		  true },
		{ args->filter.parallelisms && !args->switches.waits &&
			  !strcmp(args->filter.parallelisms, "0"),
		  "--parallelism 0: at each sample its own thread runs",
		  "--latency --waits has the time in which none did", false },
		{ args->switches.off_cpu && has_bare_switches(report),
		  "the context switches that were recorded have no stacks and "
		  "no reasons",
		  "perfpair-record --off-cpu, or perf record -e "
		  "sched:sched_switch --switch-events -g, records them",
		  true },
		{ shapes_lines && args->rows.hierarchy,
		  "--field-separator and --column-widths: rows of a hierarchy "
		  "have no columns",
		  NULL, false },
		{ args->branches.has_history &&
			  !(report->shape &
			    (RPT_SHAPE_CHAINS | RPT_SHAPE_BRANCHES |
			     RPT_SHAPE_PIPE)),
		  "--branch-history: neither branches nor call chains were "
		  "recorded (record -b -g)",
		  NULL, true },
		{ args->graph.is_given && !args->graph.is_off &&
			  !has_chains(report) &&
			  !(report->shape & RPT_SHAPE_PIPE),
		  "-g was given, but nothing was recorded with call chains "
		  "(record -g)",
		  NULL, true },
	};
	int rc;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (!rules[i].is_wrong)
			continue;
		rc = rules[i].is_of_data ? -ENODATA : -EINVAL;
		pd_err_set(err, rc, "%s", rules[i].text);
		if (rules[i].hint)
			pd_err_hint(err, "%s", rules[i].hint);
		return rc;
	}
	return 0;
}

/* --mem-mode: set the sort order, the same for every machine, as in perf. */
static void set_sort_order(struct rpt_report *report)
{
	const struct rpt_report_args *args = report->args;
	const char *sort = args->columns.sort;
	bool is_more = sort && *sort == '+';

	if (!args->rows.mem_mode)
		return;
	if (asprintf(&report->view.sort_order, "%s%s%s%s",
		     sort && !is_more ? "" : MEM_SORT STAGE_SORT,
		     is_more ? "," : "", sort ? sort + is_more : "",
		     args->columns.has_ipc ? ",ipc_null" : "") < 0)
		report->view.sort_order = NULL;
}

#define WIDTH_MAX 4096

/* -w; a width that is left out is 0, as in perf. */
static int set_widths(struct rpt_report *report, struct pd_err *err)
{
	const char *list = report->args->columns.widths;

	for (size_t i = 0; list && *list; i++) {
		char *end;
		unsigned long width = strtoul(list, &end, 10);

		if (strcspn(list, "-") < (size_t)(end - list) ||
		    width > WIDTH_MAX || (*end && *end != ','))
			return pd_err_set(err, -EINVAL,
					  "--column-widths: '%s' is no list of "
					  "numbers up to %d",
					  list, WIDTH_MAX);
		if (i < RPT_KEYS_MAX)
			report->view.columns.asked_widths[i] = (uint32_t)width;
		list = end + (*end == ',');
	}
	return 0;
}

/* -t */
static void set_separator(struct rpt_report *report)
{
	const struct rpt_report_args *args = report->args;

	report->view.columns.separator = args->columns.separator;
	if (args->columns.separator || args->columns.widths)
		report->view.cell_text = rpt_text_string_new();
	report->view.columns.cell_text = report->view.cell_text;
}

/* -g, --children, -G, --branch-history */
static void set_chains(struct rpt_report *report)
{
	const struct rpt_report_args *args = report->args;
	struct rpt_rows_conf *conf = &report->rows_conf;

	conf->has_history = args->branches.has_history &&
			    report->shape & RPT_SHAPE_BRANCHES;
	conf->chains = has_chains(report) && !args->graph.is_off;
	conf->is_caller_first = has_chains(report) && args->chains.children;
	/* In pipe mode perf 6.1 does not yet know of the chains here. */
	conf->children = (report->shape & RPT_SHAPE_CHAINS) &&
			 args->chains.children &&
			 !(report->shape & RPT_SHAPE_PIPE);
	conf->hide.unmapped = !args->names.raw_addresses;
	if (args->graph.is_order_given)
		conf->is_caller_first = args->graph.is_caller_first;
	if (args->graph.is_inverted)
		conf->is_caller_first = true;
}

static bool saves_branch_types(const struct pd_event_set *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.branch_sample_type &
		    PD_BRANCH_TYPE_SAVE)
			return true;
	return false;
}

static void set_rows(struct rpt_report *report)
{
	const struct rpt_report_args *args = report->args;
	struct rpt_rows_conf *conf = &report->rows_conf;
	bool is_by_stack = args->out.output->needs & RPT_OUTPUT_STACKS;

	conf->hide.filter = &report->filters.samples;
	conf->host = report->host;
	conf->max_stack = args->chains.max_stack;
	conf->hide.symbol_part = args->rows.symbol_part;
	conf->hide.unresolved = args->rows.hide_unresolved;
	conf->first_member = args->events.group_sort_idx;
	conf->is_branch = report->shape & RPT_SHAPE_BY_BRANCH;
	conf->has_branch_types =
		conf->is_branch && args->out.output->needs & RPT_OUTPUT_TEXT &&
		saves_branch_types(pd_reader_events(report->reader));
	if (conf->is_branch)
		conf->chains = false;
	if (conf->is_branch || args->rows.mem_mode || args->rows.hierarchy ||
	    is_by_stack)
		conf->children = false;
	if (is_by_stack)
		conf->is_caller_first = true;
}

/* Remove columns of which a filter left one name. */
static void elide_columns(struct rpt_report *report)
{
	const struct rpt_report_args *args = report->args;

	for (size_t i = 0; i < ELIDED_NR; i++) {
		if (args->out.output->needs & RPT_OUTPUT_TEXT &&
		    rpt_columns_may_drop(&report->view.columns, elided[i].by) &&
		    elided_name(args, i))
			report->view.elided |= elided[i].by;
	}
	if (!args->rows.hierarchy)
		rpt_columns_drop(&report->view.columns, report->view.elided);
}

static int finish_columns(struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	struct rpt_columns *columns = &report->view.columns;
	int rc;

	columns->is_branch = report->shape & RPT_SHAPE_BY_BRANCH;
	columns->is_memory = args->rows.mem_mode;
	columns->variants = variants_of(report);
	columns->has_ns = args->columns.has_ns;
	columns->is_verbose = args->is_verbose;
	if (args->out.output->needs & RPT_OUTPUT_TEXT)
		columns->look = rpt_look_of(&args->out.look, !args->out.path);
	rc = args->out.output->set_up ? args->out.output->set_up(report, err)
				      : rpt_report_plan_columns(report, err);
	if (rc)
		return rc;
	elide_columns(report);
	columns->is_dso_narrow = args->filter.dsos || args->columns.separator ||
				 args->columns.widths;
	return 0;
}

bool rpt_report_asks_latency(const struct rpt_report *report)
{
	const struct rpt_sort_keys *keys = &report->rows_conf.keys;
	bool has_value = false;

	for (uint32_t i = 0; i < keys->value_nr; i++)
		has_value |= keys->values[i] == RPT_VALUE_PARALLELISM;
	return has_value || keys->has_second ||
	       report->args->switches.latency ||
	       report->args->filter.parallelisms;
}

static int check_latency(const struct rpt_report *report, struct pd_err *err)
{
	const struct rpt_report_switch_args *args = &report->args->switches;

	if (!args->off_cpu || args->latency || !rpt_report_asks_latency(report))
		return 0;
	pd_err_set(err, -EINVAL,
		   "--off-cpu, --waits and --wall-clock are of each thread "
		   "alone: how many ran is not counted");
	pd_err_hint(err, "--latency --waits counts it");
	return -EINVAL;
}

int rpt_report_set_view(struct rpt_report *report, struct pd_err *err)
{
	int rc = check_options(report, err);

	if (!rc)
		rc = set_widths(report, err);
	if (rc)
		return rc;
	set_separator(report);
	set_chains(report);
	set_sort_order(report);
	set_rows(report);
	rc = finish_columns(report, err);
	if (!rc)
		rc = check_latency(report, err);
	if (!rc)
		rc = set_sockets(report, err);
	if (!rc)
		rc = set_ignored(report, err);
	return rc ? rc : set_parent(report, err);
}

void rpt_report_print_elided(const struct rpt_report *report, FILE *out)
{
	for (size_t i = 0; i < ELIDED_NR; i++) {
		if (report->view.elided & elided[i].by)
			fprintf(out, "# %s: %s\n", elided[i].title,
				elided_name(report->args, i));
	}
}
