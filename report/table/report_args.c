#include "report/table/report_args.h"
#include "report/cli/command_options.h"
#include "report/cli/filter_options.h"

#include "format/limits.h"
#include "report/input/file_source.h"
#include "report/cli/recording_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GRAPH_LIMIT_PCT 0.5
#define HISTORY_SORT	"srcline,symbol,dso"

static int add_input(struct rpt_report_args *args, const char *path,
		     struct pd_err *err)
{
	void *grown = reallocarray(args->inputs, args->input_nr + 1,
				   sizeof(const char *));

	if (!grown)
		return pd_err_set(err, -ENOMEM, "out of memory");
	args->inputs = grown;
	args->inputs[args->input_nr++] = path;
	args->input = args->inputs[0];
	return 0;
}

static int parse_input(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	(void)unset;
	return add_input(conf, arg, err);
}

/* A single word that is no recording is perf's filter of symbols, where there
 * is another file to be read. */
static int add_operands(struct rpt_report_args *args, char **words, int nr,
			struct pd_err *err)
{
	const char *other = rpt_recording_input_default_path();
	bool has_other =
		args->input_nr || !strcmp(other, "-") || !access(other, F_OK);
	int rc = 0;

	if (nr == 1 && has_other && !rpt_is_recording(words[0])) {
		args->symbol_part = words[0];
		nr = 0;
	}
	for (int i = 0; i < nr && !rc; i++)
		rc = add_input(args, words[i], err);
	if (!rc && !args->input_nr)
		rc = add_input(args, other, err);
	return rc;
}

static int parse_limit(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_report_args *args = conf;
	int rc = rpt_option_percent("--percent-limit", arg,
				    &args->percent_limit, err);

	(void)unset;
	args->graph.min_pct = args->percent_limit;
	return rc;
}

static int parse_format(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "text", RPT_REPORT_TEXT },
		{ "json", RPT_REPORT_JSON },
		{ "csv", RPT_REPORT_CSV },
		{ "folded", RPT_REPORT_FOLDED },
		{ NULL, 0 },
	};
	struct rpt_report_args *args = conf;

	(void)unset;
	return rpt_option_word("--format", words, arg, &args->format, err);
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
	args->is_one_socket = true;
	args->socket = (uint32_t)socket;
	return 0;
}

static int parse_group(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	(void)arg;
	(void)err;
	args->group = !unset;
	args->is_group_given = true;
	return 0;
}

static int parse_branch(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	(void)arg;
	(void)err;
	args->is_branch_given = true;
	args->is_branch = !unset;
	return 0;
}

/* Points stand for it where it is in a text. */
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
	args->separator = *arg == '\\' && arg[1] ? '\t' : *arg;
	return 0;
}

static int parse_color(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	(void)conf;
	(void)unset;
	if (!strcmp(arg, "never") || !strcmp(arg, "auto"))
		return 0;
	return pd_err_set(err, -EINVAL,
			  "option --stdio-color: '%s': there are no colours",
			  arg);
}

static int parse_empty(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	(void)arg;
	(void)err;
	args->are_empty_shown = unset;
	return 0;
}

/* As in perf, a number alone is one of nanoseconds. */
static int parse_quantum(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	struct rpt_report_args *args = conf;
	int rc = sup_parse_u64(arg, &args->time_quantum_ns);

	(void)unset;
	if (rc)
		rc = sup_parse_duration(arg, &args->time_quantum_ns);
	if (rc || !args->time_quantum_ns)
		return pd_err_set(err, -EINVAL,
				  "option --time-quantum: '%s' is no time: a "
				  "number of ms, us, ns or s",
				  arg);
	return 0;
}

static int parse_percentage(void *conf, const char *arg, bool unset,
			    struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	(void)unset;
	return rpt_percentage_parse(arg, &args->is_relative, err);
}

#define ARGS(field) offsetof(struct rpt_report_args, field)

static const struct sup_opt opts[] = {
	{ .short_name = 'i',
	  .long_name = "input",
	  .kind = SUP_CALL,
	  .call = parse_input,
	  .metavar = "FILE",
	  .help = "read FILE (a pipe on stdin, else perf.data; - is stdin); "
		  "several are shown as one run" },
	{ .short_name = 's',
	  .long_name = "sort",
	  .kind = SUP_STRING,
	  .off = ARGS(sort),
	  .metavar = "KEY[,KEY...]",
	  .help = "rows by host, pid, comm, dso, symbol, parent, cpu, socket, "
		  "time, cgroup, srcline ... (comm,dso,symbol)" },
	{ .short_name = 'F',
	  .long_name = "fields",
	  .kind = SUP_STRING,
	  .off = ARGS(fields),
	  .metavar = "KEY[,KEY...]",
	  .help = "columns: overhead, overhead_children, sample, period and "
		  "sort keys; +KEY: on top of the usual ones" },
	{ .short_name = 'p',
	  .long_name = "parent",
	  .kind = SUP_STRING,
	  .off = ARGS(parent),
	  .metavar = "REGEX",
	  .help = "a column with the caller whose name matches" },
	{ .long_name = "ignore-callees",
	  .kind = SUP_STRING,
	  .off = ARGS(ignore_callees),
	  .metavar = "REGEX",
	  .help = "samples below such a function count as its own" },
	{ .short_name = 'x',
	  .long_name = "exclude-other",
	  .kind = SUP_FLAG,
	  .off = ARGS(exclude_other),
	  .help = "only rows with such a caller" },
	{ .long_name = "hierarchy",
	  .kind = SUP_FLAG,
	  .off = ARGS(hierarchy),
	  .help = "rows below rows, a level for each sort key; keys in braces "
		  "are one level: {comm,dso},sym" },
	RPT_OPTS_FILTER(ARGS(filter), 'c', 'd', 'S', 'C', ""),
	{ .long_name = "switch-on",
	  .kind = SUP_STRING,
	  .off = ARGS(event_switch.on),
	  .metavar = "EVENT",
	  .help = "only samples behind this event" },
	{ .long_name = "switch-off",
	  .kind = SUP_STRING,
	  .off = ARGS(event_switch.off),
	  .metavar = "EVENT",
	  .help = "only samples before this event" },
	{ .long_name = "show-on-off-events",
	  .kind = SUP_FLAG,
	  .off = ARGS(event_switch.show),
	  .help = "these events' samples too" },
	{ .long_name = "socket-filter",
	  .kind = SUP_CALL,
	  .call = parse_socket,
	  .metavar = "NR",
	  .help = "only samples of CPUs in this socket" },
	{ .long_name = "symbol-filter",
	  .kind = SUP_STRING,
	  .off = ARGS(symbol_part),
	  .metavar = "TEXT",
	  .help = "only rows of functions whose names contain it" },
	{ .long_name = "percentage",
	  .kind = SUP_CALL,
	  .call = parse_percentage,
	  .metavar = "absolute|relative",
	  .help = "percent of all, or of what passes the filters (absolute)" },
	{ .short_name = 'n',
	  .long_name = "show-nr-samples",
	  .kind = SUP_FLAG,
	  .off = ARGS(show_nr_samples),
	  .flags = SUP_OPT_NEGATABLE,
	  .help = "a column with the number of samples" },
	{ .long_name = "show-total-period",
	  .kind = SUP_FLAG,
	  .off = ARGS(show_total_period),
	  .flags = SUP_OPT_NEGATABLE,
	  .help = "a column with the sum of the periods" },
	{ .long_name = "children",
	  .kind = SUP_FLAG,
	  .off = ARGS(children),
	  .flags = SUP_OPT_NEGATABLE,
	  .help = "count callees for their callers too (on)" },
	{ .short_name = 'g',
	  .long_name = "call-graph",
	  .kind = SUP_CALL,
	  .flags = SUP_OPT_NEGATABLE | SUP_OPT_ARG_OPTIONAL,
	  .metavar = "graph|fractal|flat|folded|none,PERCENT,NR,caller|callee,"
		     "function|address|srcline,percent|period|count",
	  .call = rpt_report_parse_graph,
	  .help = "how call graphs are shown (graph,0.5,caller)" },
	{ .short_name = 'G',
	  .long_name = "inverted",
	  .kind = SUP_FLAG,
	  .off = ARGS(inverted),
	  .help = "callers first" },
	RPT_OPT_MAX_STACK(ARGS(max_stack)),
	{ .long_name = "percent-limit",
	  .kind = SUP_CALL,
	  .call = parse_limit,
	  .metavar = "PERCENT",
	  .help = "leave out rows and call graph nodes below it" },
	{ .long_name = "group",
	  .kind = SUP_CALL,
	  .call = parse_group,
	  .flags = SUP_OPT_NEGATABLE | SUP_OPT_NO_ARG,
	  .help = "one table for a group's events (on); typed, for all events "
		  "where there is no group" },
	{ .long_name = "group-sort-idx",
	  .kind = SUP_U32,
	  .off = ARGS(group_sort_idx),
	  .metavar = "NR",
	  .help = "rows of a group by this member, from 0 (0)" },
	{ .short_name = 'U',
	  .long_name = "hide-unresolved",
	  .kind = SUP_FLAG,
	  .off = ARGS(hide_unresolved),
	  .help = "only samples and callers in known functions" },
	{ .short_name = 'w',
	  .long_name = "column-widths",
	  .kind = SUP_STRING,
	  .off = ARGS(column_widths),
	  .metavar = "NR[,NR...]",
	  .help = "of columns from the left; 0: as wide as what is in it" },
	{ .short_name = 't',
	  .long_name = "field-separator",
	  .kind = SUP_CALL,
	  .call = parse_separator,
	  .metavar = "CHAR",
	  .help = "between columns, which are filled up less" },
	{ .long_name = "show-cpu-utilization",
	  .kind = SUP_FLAG,
	  .off = ARGS(show_cpu_utilization),
	  .help = "columns of what the kernel and the program took" },
	{ .long_name = "showcpuutilization", /* perf's older name */
	  .kind = SUP_FLAG,
	  .off = ARGS(show_cpu_utilization),
	  .flags = SUP_OPT_HIDDEN },
	{ .short_name = 'b',
	  .long_name = "branch-stack",
	  .kind = SUP_CALL,
	  .call = parse_branch,
	  .flags = SUP_OPT_NEGATABLE | SUP_OPT_NO_ARG,
	  .help = "branches instead of samples (on where branches were asked "
		  "for)" },
	{ .long_name = "branch-history",
	  .kind = SUP_FLAG,
	  .off = ARGS(has_branch_history),
	  .help = "branches in front of the call chain of their sample: the "
		  "way to it" },
	{ .long_name = "mem-mode",
	  .kind = SUP_FLAG,
	  .off = ARGS(mem_mode),
	  .help = "memory accesses by their weights, with columns of the data "
		  "that they touched (record -d -W)" },
	{ .long_name = "raw-trace",
	  .kind = SUP_FLAG,
	  .off = ARGS(is_raw_trace),
	  .help = "fields of tracepoints as numbers, whatever their formats "
		  "make of them" },
	{ .long_name = "time-quantum",
	  .kind = SUP_CALL,
	  .call = parse_quantum,
	  .metavar = "TIME",
	  .help = "-s time: samples of so long a time are one row (100ms)" },
	{ .long_name = "ns",
	  .kind = SUP_FLAG,
	  .off = ARGS(has_ns),
	  .flags = SUP_OPT_NEGATABLE,
	  .help = "times with nanoseconds" },
	RPT_OPT_HEADER(ARGS(header)),
	RPT_OPT_HEADER_ONLY(ARGS(header_only)),
	RPT_OPT_SHOW_INFO(ARGS(is_info_shown)),
	{ .long_name = "stats",
	  .kind = SUP_FLAG,
	  .off = ARGS(stats),
	  .help = "how many records of each type, instead of where samples "
		  "were taken" },
	{ .long_name = "tasks",
	  .kind = SUP_FLAG,
	  .off = ARGS(tasks),
	  .help = "which tasks there were, and who started them" },
	{ .long_name = "mmaps",
	  .kind = SUP_FLAG,
	  .off = ARGS(mmaps),
	  .help = "the same, and what they had mapped in the end" },
	{ .short_name = 'T',
	  .long_name = "threads",
	  .kind = SUP_FLAG,
	  .off = ARGS(are_threads_shown),
	  .flags = SUP_OPT_NEGATABLE,
	  .help = "also what each thread counted of each event (record -s)" },
	{ .long_name = "pretty",
	  .kind = SUP_STRING,
	  .off = ARGS(pretty),
	  .metavar = "normal|raw",
	  .help = "-T as a table (normal), or a line for each count" },
	{ .short_name = 'D',
	  .long_name = "dump-raw-trace",
	  .kind = SUP_FLAG,
	  .off = ARGS(is_dump),
	  .help = "every record as bytes and as what they mean, and how many "
		  "there are of each type" },
	{ .long_name = "disable-order",
	  .kind = SUP_FLAG,
	  .off = ARGS(is_unsorted_dump),
	  .help = "-D in the order of the file" },
	RPT_OPT_KALLSYMS(ARGS(kallsyms)),
	RPT_OPT_VMLINUX(ARGS(vmlinux)),
	{ .long_name = "ignore-vmlinux",
	  .kind = SUP_FLAG,
	  .off = ARGS(ignore_vmlinux),
	  .help = "search for no vmlinux" },
	RPT_OPT_SYMFS(ARGS(symfs)),
	RPT_OPT_STITCH_LBR(ARGS(stitch_lbr)),
	RPT_OPT_FLAG(0, "full-source-path", ARGS(full_source_path), 0,
		     "source files with their paths"),
	RPT_OPT_DEMANGLE(ARGS(demangle)),
	RPT_OPT_FLAG(0, "demangle-kernel", ARGS(demangle_kernel),
		     SUP_OPT_NEGATABLE, "kernel names too (off)"),
	RPT_OPTS_DEBUGINFOD(ARGS(debuginfod)),
	RPT_OPT_INLINE(ARGS(inline_frames)),
	RPT_OPT_ITRACE,
	RPT_OPT_JOBS(ARGS(jobs)),
	RPT_OPT_MAX_RATIO(ARGS(max_ratio)),
	{ .long_name = "format",
	  .kind = SUP_CALL,
	  .call = parse_format,
	  .metavar = "text|json|csv|folded",
	  .help = "form of the output; folded: a stack and its samples (with "
		  "--show-total-period: their periods) a line, for flame "
		  "graphs" },
	{ .long_name = "stdio-color",
	  .kind = SUP_CALL,
	  .call = parse_color,
	  .metavar = "never|auto",
	  .help = "texts have no colours" },
	{ .long_name = "skip-empty",
	  .kind = SUP_CALL,
	  .call = parse_empty,
	  .flags = SUP_OPT_NEGATABLE | SUP_OPT_NO_ARG,
	  .help = "no tables of events without samples (on)" },
	{ .short_name = 'm',
	  .long_name = "modules",
	  .kind = SUP_FLAG,
	  .off = ARGS(are_modules_asked),
	  .help = "names in kernel modules, too; always so" },
	{ .long_name = "stdio",
	  .kind = SUP_FLAG,
	  .off = ARGS(is_stdio),
	  .help = "as text, not interactive; always so" },
	RPT_OPT_FORCE(ARGS(is_forced)),
	{ .short_name = 'q',
	  .long_name = "quiet",
	  .kind = SUP_FLAG,
	  .off = ARGS(is_quiet),
	  .help = "rows only" },
	{ .short_name = 'v',
	  .long_name = "verbose",
	  .kind = SUP_FLAG,
	  .off = ARGS(is_verbose),
	  .flags = SUP_OPT_NEGATABLE,
	  .help = "files by their paths; in front of symbols an address of "
		  "theirs and a letter for where the name was found" },
	{ 0 },
};

static const char no_view[] = "reports are text: there is no interactive view";
static const char no_annotation[] =
	"reports do not show instructions or lines of functions";

static const struct sup_absent absent[] = {
	{ "tui", no_view },
	{ "samples", no_view },
	{ "objdump", no_annotation },
	{ "disassembler-style", no_annotation },
	{ "M", no_annotation },
	{ "asm-raw", no_annotation },
	{ "source", no_annotation },
	{ "prefix", no_annotation },
	{ "prefix-strip", no_annotation },
	{ "percent-type", no_annotation },
	{ "total-cycles", "blocks between branches are not worked out; "
			  "-b -s symbol_from,symbol_to,cycles counts "
			  "branches" },
	{ "show-ref-call-graph",
	  "events without call chains do not take over those of others" },
	{ 0 },
};

const struct sup_command rpt_report_command = {
	.name = "perfpair report",
	.usage = "[OPTION]... [FILE... | SYMBOL]",
	.summary = "Where the samples of a recording were taken.",
	.opts = opts,
	.absent = absent,
};

const struct rpt_report_args rpt_report_args_default = {
	.children = true,
	.group = true,
	.demangle = true,
	.inline_frames = true,
	.graph = { .min_pct = GRAPH_LIMIT_PCT },
	.max_stack = RPT_MAX_STACK,
	.debuginfod = { .limit_ns = RPT_DEBUGINFOD_LIMIT_NS },
	.max_ratio = PD_LIMIT_INFLATE_RATIO,
};

int rpt_report_args_parse(struct rpt_report_args *args, int argc, char **argv,
			  struct pd_err *err)
{
	int joined_nr;
	char **joined = rpt_report_join_graph(argc, argv, &joined_nr);
	int first;
	int rc;

	*args = rpt_report_args_default;
	if (!joined)
		return pd_err_set(err, -ENOMEM, "out of memory");
	args->words = joined;
	rc = sup_options_parse(&rpt_report_command, args, joined_nr, joined,
			       &first, err);
	if (args->has_branch_history) {
		args->graph_key = RPT_FRAME_ADDRESS;
		args->sort = args->sort ? args->sort : HISTORY_SORT;
	}
	args->has_ipc = args->sort && strstr(args->sort, "symbol") &&
			args->format == RPT_REPORT_TEXT;
	args->is_verbose &= !args->is_quiet; /* in whatever order */
	if (!rc && args->stats && (args->tasks || args->mmaps))
		rc = pd_err_set(err, -EINVAL,
				"--stats and --tasks or --mmaps do not go "
				"together");
	return rc ? rc
		  : add_operands(args, joined + first, joined_nr - first, err);
}

void rpt_report_args_release(struct rpt_report_args *args)
{
	rpt_report_words_free(args->words);
	free(args->inputs);
	args->words = NULL;
	args->inputs = NULL;
}
