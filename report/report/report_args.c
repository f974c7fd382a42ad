#include "report/report/report_args.h"
#include "report/base/memory.h"
#include "report/columns/columns.h"
#include "report/cli/command_options.h"
#include "report/cli/output_file.h"
#include "report/cli/filter_options.h"

#include "format/base/limits.h"
#include "format/support/nearest.h"
#include "report/cli/recording_input.h"
#include "report/input/file_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GRAPH_LIMIT_PCT 0.5
#define HISTORY_SORT	"srcline,symbol,dso"

void rpt_report_args_add_input(struct rpt_report_args *args, const char *path)
{
	args->inputs = rpt_realloc_array(args->inputs, args->input_nr + 1,
					 sizeof(const char *));
	args->inputs[args->input_nr++] = path;
	args->input = args->inputs[0];
}

static int parse_input(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	(void)unset;
	(void)err;
	rpt_report_args_add_input(conf, arg);
	return 0;
}

/* As in perf, a single word that is no recording filters symbols if there is
 * another file to read. */
static void add_operands(struct rpt_report_args *args, char **words, int nr)
{
	const char *other = rpt_recording_input_default_path();
	bool has_other =
		args->input_nr || !strcmp(other, "-") || !access(other, F_OK);

	if (nr == 1 && has_other && strcmp(words[0], "-") != 0 &&
	    !rpt_is_recording(words[0])) {
		args->rows.symbol_part = words[0];
		args->rows.is_part_a_word = true;
		nr = 0;
	}
	for (int i = 0; i < nr; i++)
		rpt_report_args_add_input(args, words[i]);
	if (!args->input_nr)
		rpt_report_args_add_input(args, other);
}

static int parse_limit(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_report_args *args = conf;
	int rc = rpt_option_percent("--percent-limit", arg,
				    &args->rows.percent_limit, err);

	(void)unset;
	args->graph.style.min_pct = args->rows.percent_limit;
	return rc;
}

#define OUTPUTS_MAX 32

/* Set the hint of a wrong --format: what others call so, or the nearest name.
 */
static void hint_format(const char *typed, const struct rpt_option_word *words,
			struct pd_err *err)
{
	static const char graph[] = "perfpair view shows a flame graph; "
				    "--format folded is read by flamegraph.pl";
	static const char *const others[][2] = {
		{ "svg", graph },
		{ "flamegraph", graph },
		{ "perfetto", "perfpair export --format trace" },
		{ "chrome", "perfpair export --format trace" },
		{ "gecko", "perfpair export --format firefox" },
	};
	struct sup_nearest near;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i][0], typed))
			pd_err_hint(err, "%s", others[i][1]);
	sup_nearest_init(&near, typed, strlen(typed));
	for (; words->name; words++)
		sup_nearest_offer(&near, words->name);
	sup_nearest_hint(&near, err, NULL);
}

int rpt_report_parse_format(void *conf, const char *arg, bool unset,
			    struct pd_err *err)
{
	struct rpt_report_args *args = conf;
	const struct rpt_output *const *outputs = args->out.outputs;
	struct rpt_option_word words[OUTPUTS_MAX + 1] = { { NULL, 0 } };
	unsigned idx = 0;
	int rc;

	(void)unset;
	for (unsigned i = 0; i < OUTPUTS_MAX && outputs[i]; i++)
		words[i] = (struct rpt_option_word){ outputs[i]->name, i };
	rc = rpt_option_word("--format", words, arg, &idx, err);
	if (rc)
		hint_format(arg, words, err);
	else
		args->out.output = outputs[idx];
	return rc;
}

/* Words of -g that set a mode, a value or a key. */
static const struct {
	const char *name;
	int mode;  /* enum rpt_graph_mode, or -1 */
	int value; /* enum rpt_graph_value, or -1 */
	int key;   /* enum rpt_frame_key, or -1 */
} graph_words[] = {
	{ "graph", RPT_GRAPH_ABS, -1, -1 },
	{ "fractal", RPT_GRAPH_REL, -1, -1 },
	{ "flat", RPT_GRAPH_FLAT, -1, -1 },
	{ "folded", RPT_GRAPH_FOLDED, -1, -1 },
	{ "percent", -1, RPT_GRAPH_PERCENT, -1 },
	{ "period", -1, RPT_GRAPH_PERIOD, -1 },
	{ "count", -1, RPT_GRAPH_COUNT, -1 },
	{ "function", -1, -1, RPT_FRAME_FUNCTION },
	{ "address", -1, -1, RPT_FRAME_ADDRESS },
	{ "srcline", -1, -1, RPT_FRAME_SRCLINE },
};

static bool graph_style_word(struct rpt_report_args *args, const char *text)
{
	struct rpt_callgraph_style *style = &args->graph.style;

	for (size_t i = 0; i < sizeof(graph_words) / sizeof(graph_words[0]);
	     i++) {
		if (strcmp(text, graph_words[i].name) != 0)
			continue;
		if (graph_words[i].mode >= 0)
			style->mode = (enum rpt_graph_mode)graph_words[i].mode;
		if (graph_words[i].value >= 0)
			style->value =
				(enum rpt_graph_value)graph_words[i].value;
		if (graph_words[i].key >= 0)
			args->graph.key =
				(enum rpt_frame_key)graph_words[i].key;
		return true;
	}
	return false;
}

/* The first number is the least percentage, the second how many are shown. */
static bool graph_number(struct rpt_report_args *args, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= 0 && number <= UINT32_MAX))
		return false;
	if (args->graph.is_limit_given)
		args->graph.style.show_nr = (uint32_t)number;
	else
		args->graph.style.min_pct = number;
	args->graph.is_limit_given = true;
	return true;
}

static int refuse_graph_word(const char *text, struct pd_err *err)
{
	pd_err_set(err, -EINVAL, "option --call-graph: '%s' is not supported",
		   text);
	if (!strcmp(text, "dwarf") || !strcmp(text, "fp") ||
	    !strcmp(text, "lbr"))
		pd_err_hint(err, "'perfpair record --call-graph %s' records so",
			    text);
	else
		pd_err_hint(err, "words are graph, fractal, flat, folded, "
				 "none, caller, callee, function, address, "
				 "srcline, percent, period, count");
	return -EINVAL;
}

static int graph_word(struct rpt_report_args *args, const char *word,
		      size_t len, struct pd_err *err)
{
	char text[32];

	if (len >= sizeof(text))
		len = sizeof(text) - 1;
	memcpy(text, word, len);
	text[len] = '\0';
	if (!strcmp(text, "none") || !strcmp(text, "no")) {
		args->graph.is_off = true;
		return 0;
	}
	if (!strcmp(text, "caller") || !strcmp(text, "callee")) {
		args->graph.is_order_given = true;
		args->graph.is_caller_first = !strcmp(text, "caller");
		return 0;
	}
	if (graph_style_word(args, text) || graph_number(args, text))
		return 0;
	return refuse_graph_word(text, err);
}

int rpt_report_parse_graph(void *conf, const char *arg, bool unset,
			   struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	if (unset) {
		args->graph.is_off = true;
		return 0;
	}
	args->graph.is_given = true;
	args->graph.is_limit_given = false;
	while (arg && *arg) {
		size_t len = strcspn(arg, ",");
		int rc = len ? graph_word(args, arg, len, err) : 0;

		if (rc)
			return rc;
		arg += len;
		arg += *arg == ',';
	}
	return 0;
}

static int parse_socket(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	struct rpt_report_args *args = conf;
	uint64_t socket;

	(void)unset;
	if (sup_parse_u64(arg, &socket) || socket > INT32_MAX)
		return pd_err_set(err, -EINVAL,
				  "option --socket-filter: '%s' is no number "
				  "of a socket",
				  arg);
	args->rows.is_one_socket = true;
	args->rows.socket = (uint32_t)socket;
	return 0;
}

static int parse_group(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	(void)arg;
	(void)err;
	args->events.group = !unset;
	args->events.is_group_given = true;
	return 0;
}

static int parse_branch(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	(void)arg;
	(void)err;
	args->branches.is_given = true;
	args->branches.are_counted = !unset;
	return 0;
}

/* In texts the separator is replaced by a point. */
static int parse_separator(void *conf, const char *arg, bool unset,
			   struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	(void)unset;
	if (strlen(arg) != 1 && strcmp(arg, "\\t") != 0)
		return pd_err_set(err, -EINVAL,
				  "option --field-separator: '%s' is no single "
				  "character",
				  arg);
	if (*arg == '.')
		return pd_err_set(
			err, -EINVAL,
			"option --field-separator: '.' stands for the "
			"separator in texts");
	args->columns.separator = *arg == '\\' && arg[1] ? '\t' : *arg;
	return 0;
}

/* As in perf, a number alone is one of nanoseconds. */
static int parse_quantum(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	struct rpt_report_args *args = conf;
	int rc = sup_parse_u64(arg, &args->columns.time_quantum_ns);

	(void)unset;
	if (rc)
		rc = sup_parse_duration(arg, &args->columns.time_quantum_ns);
	if (rc || !args->columns.time_quantum_ns)
		return pd_err_set(err, -EINVAL,
				  "option --time-quantum: '%s' is no time: a "
				  "number of ms, us, ns or s",
				  arg);
	return 0;
}

/* Set the bits of the words of a list. */
static int parse_labels(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "comm", RPT_LABEL_COMM },
		{ "process", RPT_LABEL_PROCESS },
		{ "pid", RPT_LABEL_PID },
		{ "tid", RPT_LABEL_TID },
		{ "cpu", RPT_LABEL_CPU },
		{ "cgroup", RPT_LABEL_CGROUP },
		{ "host", RPT_LABEL_HOST },
		{ "none", 0 },
		{ NULL, 0 },
	};
	struct rpt_report_args *args = conf;
	int rc = 0;

	(void)unset;
	args->out.labels = 0;
	while (*arg && !rc) {
		size_t len = strcspn(arg, ",");
		char *word = rpt_alloc_text(arg, len);
		unsigned label = 0;

		rc = rpt_option_word("--labels", words, word, &label, err);
		args->out.labels |= label;
		free(word);
		arg += len + (arg[len] == ',');
	}
	return rc;
}

#define ARGS(field) offsetof(struct rpt_report_args, field)

/* An option with flags that a function parses. */
#define CALL_FLAG(letter, name, flags, metavar, help, call)              \
	{                                                                \
		(letter), (name), SUP_CALL, 0, (flags), (metavar), help, \
			(call)                                           \
	}

const struct sup_opt rpt_column_opts[] = {
	RPT_OPT_TEXT('s', "sort", ARGS(columns.sort), "KEY[,KEY...]",
		     "sort by these keys, all of which are listed below "
		     "(comm,dso,symbol)"),
	RPT_OPT_TEXT('F', "fields", ARGS(columns.fields), "KEY[,KEY...]",
		     "show these columns: overhead, overhead_children, sample, "
		     "period and sort keys; +KEY adds to the usual ones"),
	RPT_OPT_FLAG(0, "children", ARGS(chains.children), SUP_OPT_NEGATABLE,
		     "add the overhead of callees to their callers' (on)"),
	RPT_OPT_CALL(0, "percent-limit", "PERCENT",
		     "leave out rows and nodes of call graphs below PERCENT",
		     parse_limit),
	RPT_OPT_PERCENTAGE(ARGS(rows.is_relative)),
	RPT_OPT_FLAG(0, "raw-trace", ARGS(events.is_raw_trace), 0,
		     "show fields of tracepoints as plain numbers"),
	RPT_OPT_CALL(0, "time-quantum", "TIME",
		     "with -s time, make one row of samples in TIME (100ms)",
		     parse_quantum),
	RPT_OPT_FLAG(0, "ns", ARGS(columns.has_ns), SUP_OPT_NEGATABLE,
		     "show times with nanoseconds"),
	RPT_OPT_FLAG(0, "skip-empty", ARGS(events.are_empty_skipped),
		     SUP_OPT_NEGATABLE,
		     "do not show tables of events without samples (on)"),
	{ 0 },
};

const struct sup_opt rpt_level_opts[] = {
	RPT_OPT_FLAG('H', "hierarchy", ARGS(rows.hierarchy), 0,
		     "show rows below rows, a level for each sort key; keys in "
		     "braces are one level: {comm,dso},sym"),
	{ 0 },
};

const struct sup_opt rpt_row_opts[] = {
	RPT_OPT_TEXT('p', "parent", ARGS(chains.parent), "REGEX",
		     "show the caller whose name matches in a column"),
	RPT_OPT_FLAG('x', "exclude-other", ARGS(chains.exclude_other), 0,
		     "only show rows with a parent"),
	RPT_OPT_FLAG(0, "show-total-period", ARGS(columns.show_total_period),
		     SUP_OPT_NEGATABLE, "show the sum of the periods"),
	RPT_OPT_FLAG('U', "hide-unresolved", ARGS(rows.hide_unresolved), 0,
		     "only show entries that have a symbol"),
	RPT_OPT_FLAG(0, "mem-mode", ARGS(rows.mem_mode), 0,
		     "show memory accesses by their weights, and the data that "
		     "they touched (record -d -W)"),
	{ 0 },
};

const struct sup_opt rpt_label_opts[] = {
	RPT_OPT_CALL(0, "labels", "LABEL[,LABEL...]",
		     "tell samples apart by these: comm, process (the name of "
		     "the thread's process), pid, tid, cpu, cgroup, host; none "
		     "(comm)",
		     parse_labels),
	{ 0 },
};

const struct sup_opt rpt_report_opts[] = {
	RPT_OPT_CALL('i', "input", "FILE",
		     "read FILE; - is standard input (default: a pipe on "
		     "standard input, else perf.data); several are shown as "
		     "one run",
		     parse_input),
	RPT_OPT_TEXT(0, "ignore-callees", ARGS(chains.ignore_callees), "REGEX",
		     "count samples below such a function as its own"),
	RPT_OPTS_FILTER(ARGS(filter), 'c', 'd', 'S', 'C', ""),
	RPT_OPT_TEXT(0, "switch-on", ARGS(event_switch.on), "EVENT",
		     "only count samples after this event"),
	RPT_OPT_TEXT(0, "switch-off", ARGS(event_switch.off), "EVENT",
		     "stop counting samples at this event"),
	RPT_OPT_FLAG(0, "show-on-off-events", ARGS(event_switch.show), 0,
		     "also count the samples of these two events"),
	RPT_OPT_CALL(0, "socket-filter", "NR",
		     "only show samples of CPUs in this processor socket",
		     parse_socket),
	RPT_OPT_TEXT(0, "symbol-filter", ARGS(rows.symbol_part), "TEXT",
		     "only show functions whose names contain TEXT"),
	CALL_FLAG('g', "call-graph", SUP_OPT_NEGATABLE | SUP_OPT_ARG_OPTIONAL,
		  "WORD,...",
		  "show call graphs in this way: graph, fractal, flat, folded "
		  "or none; the least PERCENT, then how many lines; caller or "
		  "callee; function, address or srcline; percent, period or "
		  "count (graph,0.5,caller)",
		  rpt_report_parse_graph),
	RPT_OPT_MAX_STACK(ARGS(chains.max_stack)),
	CALL_FLAG('b', "branch-stack", SUP_OPT_NEGATABLE | SUP_OPT_NO_ARG, NULL,
		  "count branches instead of samples (on if branches were "
		  "recorded)",
		  parse_branch),
	RPT_OPT_FLAG(0, "branch-history", ARGS(branches.has_history), 0,
		     "show the last branches in front of call chains"),
	RPT_OPT_FLAG(0, "off-cpu", ARGS(switches.off_cpu), 0,
		     "show the time that threads spent without a CPU, by the "
		     "stack that gave it up (record --off-cpu)"),
	RPT_OPT_FLAG(0, "wall-clock", ARGS(switches.wall_clock), 0,
		     "show that time and the time on a CPU together"),
	RPT_OPT_FLAG(0, "waits", ARGS(switches.waits), 0,
		     "show what threads waited for: callers of a wait, what "
		     "its waker did meanwhile, to the root (record --off-cpu "
		     "-a -g)"),
	RPT_OPT_FLAG(0, "latency", ARGS(switches.latency), 0,
		     "show parts of the elapsed time instead of CPU time: "
		     "what ran beside others counts the less (record "
		     "--latency); with --waits also what was waited for while "
		     "nothing ran (record --off-cpu -g)"),
	RPT_OPT_TEXT(0, "parallelism", ARGS(filter.parallelisms), "LIST",
		     "show only samples taken while so many threads ran: "
		     "1,3-4; 0 is of --latency --waits"),
	RPT_OPT_KALLSYMS(ARGS(symbols.kallsyms)),
	RPT_OPT_VMLINUX(ARGS(symbols.vmlinux)),
	RPT_OPT_FLAG(0, "ignore-vmlinux", ARGS(symbols.ignore_vmlinux), 0,
		     "do not look for a vmlinux file"),
	RPT_OPT_SYMFS(ARGS(symbols.symfs)),
	RPT_OPT_CARRIED(ARGS(symbols.carried)),
	RPT_OPT_STITCH_LBR(ARGS(chains.stitch_lbr)),
	RPT_OPT_FLAG(0, "full-source-path", ARGS(names.full_source_path), 0,
		     "show source files with their paths"),
	RPT_OPT_DEMANGLE(ARGS(names.demangle)),
	RPT_OPTS_ADDRESSES(ARGS(symbols.with_bounds),
			   ARGS(names.raw_addresses)),
	RPT_OPT_FLAG(0, "demangle-kernel", ARGS(symbols.demangle_kernel),
		     SUP_OPT_NEGATABLE, "also demangle kernel symbols (off)"),
	RPT_OPTS_DEBUGINFOD(ARGS(names.debuginfod)),
	RPT_OPT_INLINE(ARGS(names.inline_frames)),
	RPT_OPT_ITRACE,
	RPT_OPT_JOBS(ARGS(jobs)),
	RPT_OPT_MAX_RATIO(ARGS(max_ratio)),
	RPT_OPT_FLAG('m', "modules", ARGS(ignored.are_modules_asked), 0,
		     "ignored, for compatibility with perf: symbols of modules "
		     "are always shown"),
	RPT_OPT_FORCE(ARGS(ignored.is_forced)),
	RPT_OPT_FLAG('q', "quiet", ARGS(is_quiet), 0, "only show rows"),
	RPT_OPT_FLAG('v', "verbose", ARGS(is_verbose), SUP_OPT_NEGATABLE,
		     "show files by their paths, and symbols with an address "
		     "and a letter for where the name was found"),
	{ 0 },
};

const struct sup_opt rpt_text_opts[] = {
	RPT_OPT_FLAG('n', "show-nr-samples", ARGS(columns.show_nr_samples),
		     SUP_OPT_NEGATABLE, "show the number of samples"),
	RPT_OPT_FLAG('G', "inverted", ARGS(graph.is_inverted), 0,
		     "show call graphs with callers first"),
	CALL_FLAG(0, "group", SUP_OPT_NEGATABLE | SUP_OPT_NO_ARG, NULL,
		  "show the events of a group in one table (on); if it is "
		  "given and there is no group, all events",
		  parse_group),
	RPT_OPT_U32("group-sort-idx", ARGS(events.group_sort_idx), "NR",
		    "sort the rows of a group by this member, from 0 (0)"),
	RPT_OPT_TEXT('w', "column-widths", ARGS(columns.widths), "NR[,NR...]",
		     "set the widths of columns from the left; 0 fits the "
		     "content"),
	RPT_OPT_CALL('t', "field-separator", "CHAR",
		     "separate columns by CHAR, and pad them less",
		     parse_separator),
	RPT_OPT_FLAG(0, "show-cpu-utilization",
		     ARGS(columns.show_cpu_utilization), 0,
		     "show the parts of the kernel and of programs in columns"),
	{ .long_name = "showcpuutilization", /* perf's older name */
	  .kind = SUP_FLAG,
	  .off = ARGS(columns.show_cpu_utilization),
	  .flags = SUP_OPT_HIDDEN },
	RPT_OPT_HEADER(ARGS(header.is_shown)),
	RPT_OPT_HEADER_ONLY(ARGS(header.is_only)),
	RPT_OPT_SHOW_INFO(ARGS(header.has_info)),
	RPT_OPT_FLAG(0, "stats", ARGS(facts.stats), 0,
		     "only show how many records of each type there are"),
	RPT_OPT_FLAG(0, "tasks", ARGS(facts.tasks), 0,
		     "only show tasks, each below its parent"),
	RPT_OPT_FLAG(0, "mmaps", ARGS(facts.mmaps), 0,
		     "the same, and what each has mapped in the end"),
	RPT_OPT_FLAG('T', "threads", ARGS(facts.are_threads_shown),
		     SUP_OPT_NEGATABLE,
		     "also show event counts of each thread (record -s)"),
	RPT_OPT_TEXT(0, "pretty", ARGS(facts.pretty), "normal|raw",
		     "show the counts of -T as a table (normal), or as a line "
		     "each"),
	RPT_OPT_FLAG('D', "dump-raw-trace", ARGS(facts.is_dump), 0,
		     "show every record as bytes and decoded, and count the "
		     "records of each type"),
	RPT_OPT_FLAG(0, "disable-order", ARGS(facts.is_unsorted_dump), 0,
		     "show the records of -D in the order of the file"),
	RPT_OPTS_LOOK(ARGS(out.look)),
	RPT_OPT_FLAG(0, "stdio", ARGS(is_stdio), 0,
		     "print text on a terminal, too"),
	RPT_OPT_FLAG(0, "tui", ARGS(is_tui), 0,
		     "show a table of one recording on the screen, if stdin "
		     "and stdout are a terminal (default there)"),
	{ 0 },
};

/* perf's settings. */

static int take_children(void *args, const char *value)
{
	return rpt_perf_config_bool(
		value, &((struct rpt_report_args *)args)->chains.children);
}

static int take_group(void *args, const char *value)
{
	return rpt_perf_config_bool(
		value, &((struct rpt_report_args *)args)->events.group);
}

static int take_limit(void *args, const char *value)
{
	struct pd_err err = PD_ERR_INIT;

	return parse_limit(args, value, false, &err);
}

static int take_sort(void *args, const char *value)
{
	((struct rpt_report_args *)args)->columns.default_sort = value;
	return *value ? 0 : -EINVAL;
}

/* Take a word of -g if it is one of a list, " a b ". */
static int take_one_of(void *args, const char *list, const char *value)
{
	struct pd_err err = PD_ERR_INIT;
	const char *at = strstr(list, value);
	size_t len = strlen(value);

	if (!len || strchr(value, ' ') || !at || at[-1] != ' ' ||
	    at[len] != ' ')
		return -EINVAL;
	return graph_word(args, value, len, &err);
}

static int take_print_type(void *args, const char *value)
{
	return take_one_of(args, " graph fractal flat folded ", value);
}

static int take_order(void *args, const char *value)
{
	return take_one_of(args, " caller callee ", value);
}

static int take_sort_key(void *args, const char *value)
{
	return take_one_of(args, " function address srcline ", value);
}

static int take_threshold(void *args, const char *value)
{
	struct pd_err err = PD_ERR_INIT;

	return rpt_option_percent(
		"", value,
		&((struct rpt_report_args *)args)->graph.style.min_pct, &err);
}

static int take_graph_lines(void *args, const char *value)
{
	uint64_t nr;

	if (sup_parse_u64(value, &nr) || nr > UINT32_MAX)
		return -EINVAL;
	((struct rpt_report_args *)args)->graph.style.show_nr = (uint32_t)nr;
	return 0;
}

static int take_percentage(void *args, const char *value)
{
	struct pd_err err = PD_ERR_INIT;

	return rpt_parse_percentage(
		&((struct rpt_report_args *)args)->rows.is_relative, value,
		false, &err);
}

const struct rpt_perf_key rpt_report_keys[] = {
	{ "report.children", take_children },
	{ "report.group", take_group },
	{ "report.sort_order", take_sort },
	{ "call-graph.order", take_order },
	{ "call-graph.print-type", take_print_type },
	{ "call-graph.sort-key", take_sort_key },
	{ "call-graph.threshold", take_threshold },
	{ "report.percent-limit", take_limit }, /* of graphs, too */
	{ "call-graph.print-limit", take_graph_lines },
	{ "hist.percentage", take_percentage },
	{ 0 },
};

/* Return the next word, -g together with the one behind it. */
static char *join_next(char **argv, int argc, int *at)
{
	const char *word = argv[(*at)++];
	bool is_graph = !strcmp(word, "-g") || !strcmp(word, "--call-graph");
	char *joined;

	if (!is_graph || *at == argc || argv[*at][0] == '-')
		return rpt_alloc_text(word, strlen(word));
	joined = rpt_alloc(strlen(word) + strlen(argv[*at]) + 2);
	sprintf(joined, "%s%s%s", word, word[1] == '-' ? "=" : "",
		argv[(*at)++]);
	return joined;
}

/* Return the words of a command line, each -g joined with the word behind it:
 * perf takes that as its argument unless it is an option.  A NULL stands behind
 * them. */
static char **join_graph(int argc, char **argv, int *ret_argc)
{
	char **joined = rpt_alloc_zeroed((size_t)argc + 1, sizeof(char *));
	int nr = 0;

	for (int at = 0; at < argc;)
		joined[nr++] = join_next(argv, argc, &at);
	*ret_argc = nr;
	return joined;
}

static void free_words(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}

const struct rpt_report_args rpt_report_args_default = {
	.chains = { .children = true, .max_stack = RPT_MAX_STACK },
	.events = { .group = true, .are_empty_skipped = true },
	.names = { .demangle = true,
		   .inline_frames = true,
		   .debuginfod = { .limit_ns = RPT_DEBUGINFOD_LIMIT_NS } },
	.graph = { .style = { .min_pct = GRAPH_LIMIT_PCT } },
	.out = { .output = &rpt_output_text,
		 .page_len = RPT_PAGE_LEN_MAX,
		 .labels = RPT_LABEL_COMM,
		 .rows.bin_ns = RPT_ROWS_BIN_NS },
	.max_ratio = PD_LIMIT_ZSTD_RATIO,
};

/* Refuse options that do not go together. */
static int check(const struct rpt_report_args *args, struct pd_err *err)
{
	if (args->switches.off_cpu &&
	    (args->rows.mem_mode || args->branches.has_history ||
	     (args->branches.is_given && args->branches.are_counted)))
		return pd_err_set(err, -EINVAL,
				  "--off-cpu, --waits and --wall-clock count "
				  "time: they do not go with --mem-mode, -b "
				  "and --branch-history");
	if (args->switches.waits && args->switches.wall_clock)
		return pd_err_set(err, -EINVAL,
				  "--waits and --wall-clock do not go "
				  "together: time on a CPU is no wait");
	if (args->switches.latency && args->switches.off_cpu &&
	    !args->switches.waits)
		return pd_err_set(err, -EINVAL,
				  "--latency does not go with --off-cpu and "
				  "--wall-clock: --latency --waits divides "
				  "all of the elapsed time");
	if (args->switches.latency && args->switches.waits &&
	    (args->event_switch.on || args->event_switch.off))
		return pd_err_set(err, -EINVAL,
				  "--latency --waits is of all of the elapsed "
				  "time: --time parts it, not --switch-on and "
				  "--switch-off");
	if (args->facts.stats && (args->facts.tasks || args->facts.mmaps))
		return pd_err_set(err, -EINVAL,
				  "--stats and --tasks or --mmaps do not go "
				  "together");
	return rpt_symbol_files_check(&args->symbols, err);
}

void rpt_report_note_option(void *conf, const struct sup_opt *opt)
{
	struct rpt_report_out_args *out =
		&((struct rpt_report_args *)conf)->out;

	out->given = rpt_grow(out->given, &out->given_cap, out->given_nr,
			      sizeof(*out->given));
	out->given[out->given_nr++] = opt;
}

static bool has_option(const struct rpt_output *output,
		       const struct sup_opt *opt)
{
	for (size_t t = 0; t < RPT_OUTPUT_TABLES_MAX; t++)
		for (const struct sup_opt *o = output->options[t];
		     o && o->kind != SUP_END; o++)
			if (o == opt)
				return true;
	return false;
}

/* Return whether an option was given. */
static bool is_given(const struct rpt_report_args *args, const char *name)
{
	for (size_t i = 0; i < args->out.given_nr; i++)
		if (args->out.given[i]->long_name &&
		    !strcmp(args->out.given[i]->long_name, name))
			return true;
	return false;
}

int rpt_report_args_finish(struct rpt_report_args *args, struct pd_err *err)
{
	const struct rpt_output *output = args->out.output;
	int rc;

	if (args->branches.has_history) {
		args->graph.key = RPT_FRAME_ADDRESS;
		args->columns.sort =
			args->columns.sort ? args->columns.sort : HISTORY_SORT;
	}
	if (args->switches.waits && output->needs & RPT_OUTPUT_TEXT &&
	    !args->columns.sort && !args->columns.fields) {
		/* a tree for each command, from its threads' waits down */
		args->columns.sort = "comm";
		args->chains.children &= is_given(args, "children");
		args->graph.is_caller_first |= !args->graph.is_order_given;
		args->graph.is_order_given = true;
	}
	args->columns.has_ipc = args->columns.sort &&
				strstr(args->columns.sort, "symbol") &&
				output->needs & RPT_OUTPUT_TEXT;
	if (output->needs & RPT_OUTPUT_SAMPLES)
		args->branches.is_given = true; /* -b is refused */
	args->is_verbose &= !args->is_quiet;	/* in any order */
	args->switches.off_cpu |=
		args->switches.wall_clock | args->switches.waits;
	rc = output->check ? output->check(args, err) : 0;
	return rc ? rc : check(args, err);
}

/* Put the names of the outputs that have the option, or of all for NULL, into
 * ret, each with a blank before it. */
static void name_outputs(const struct rpt_output *const *outputs,
			 const struct sup_opt *opt, char *ret, size_t ret_len)
{
	size_t len = 0;

	ret[0] = '\0';
	for (; *outputs && len < ret_len; outputs++)
		if (!opt || has_option(*outputs, opt))
			len += (size_t)snprintf(ret + len, ret_len - len, " %s",
						(*outputs)->name);
}

static int refuse_no_format(const struct rpt_output *const *outputs,
			    struct pd_err *err)
{
	char names[sizeof(err->hint) / 2];

	name_outputs(outputs, NULL, names, sizeof(names));
	pd_err_set(err, -EINVAL, "no format was given");
	pd_err_hint(err, "--format is one of%s", names);
	return -EINVAL;
}

/* Refuse the options that the chosen output does not have, but others. */
static int refuse_others(const struct rpt_report_out_args *out,
			 struct pd_err *err)
{
	char names[sizeof(err->hint) / 2];

	for (uint32_t i = 0; i < out->given_nr; i++) {
		const struct sup_opt *opt = out->given[i];

		name_outputs(out->outputs, opt, names, sizeof(names));
		if (!names[0] || has_option(out->output, opt))
			continue;
		pd_err_set(err, -EINVAL,
			   "option --%s does not go with "
			   "--format %s",
			   opt->long_name, out->output->name);
		pd_err_hint(err, "it is one of --format%s", names);
		return -EINVAL;
	}
	return 0;
}

int rpt_report_args_parse(struct rpt_report_args *args,
			  const struct sup_command *command, int argc,
			  char **argv, struct pd_err *err)
{
	int joined_nr;
	char **joined = join_graph(argc, argv, &joined_nr);
	int first;
	int rc;

	args->words = joined;
	rc = sup_options_parse(command, args, joined_nr, joined, &first, err);
	if (rc)
		return rc;
	if (!args->out.output)
		return refuse_no_format(args->out.outputs, err);
	rc = refuse_others(&args->out, err);
	if (rc)
		return rc;
	add_operands(args, joined + first, joined_nr - first);
	return rpt_report_args_finish(args, err);
}

void rpt_report_args_release(struct rpt_report_args *args)
{
	free_words(args->words);
	free(args->inputs);
	free(args->out.rows.labels);
	free(args->out.given);
	args->words = NULL;
	args->inputs = NULL;
	args->out.rows.labels = NULL;
	args->out.given = NULL;
}
