#include "report/top/top_args.h"

#include "report/base/memory.h"
#include "report/cli/command_options.h"
#include "report/cli/symbol_options.h"
#include "report/columns/columns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS  UINT64_C(1000000000)
#define DELAY_MIN  (SECOND_NS / 10)
#define DELAY_MAX  (SECOND_NS * 86400)
#define SLICES_MAX 3600u

static int parse_event(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_top_record_args *record = conf;

	(void)unset;
	(void)err;
	record->events = rpt_realloc_array(record->events, record->event_nr + 1,
					   sizeof(const char *));
	record->events[record->event_nr++] = arg;
	return 0;
}

/* Return whether a word of --call-graph is one of the recorder: a way to
 * record, or the size that stands behind it. */
static bool is_of_recorder(const char *word, size_t len, bool is_behind_dwarf)
{
	static const char *const modes[] = { "fp", "dwarf", "lbr" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strlen(modes[i]) == len && !memcmp(modes[i], word, len))
			return true;
	return is_behind_dwarf && strspn(word, "0123456789") == len && len;
}

/* --call-graph MODE[,SIZE],WORD,...: perf has the ways to record and to show in
 * one list. */
static int parse_chains(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	struct rpt_top_args *args = conf;
	char *rest = rpt_alloc(strlen(arg ? arg : "") + 2);
	char *mode = rpt_alloc(strlen(arg ? arg : "") + 2);
	char *rest_end = rest;
	char *mode_end = mode;
	bool is_behind_dwarf = false;
	int rc;

	while (arg && *arg) {
		size_t len = strcspn(arg, ",");
		bool is_mode = is_of_recorder(arg, len, is_behind_dwarf);
		char **end = is_mode ? &mode_end : &rest_end;

		if (*end != (is_mode ? mode : rest))
			*(*end)++ = ',';
		memcpy(*end, arg, len);
		*end += len;
		is_behind_dwarf = is_mode && len == 5;
		arg += len + (arg[len] == ',');
	}
	*rest_end = *mode_end = '\0';
	free(args->record.chains);
	args->record.chains = *mode ? mode : NULL;
	args->flags.is_chained = !unset;
	rc = rpt_report_parse_graph(&args->report, rest, unset, err);
	/* whether there are call chains is not known yet */
	args->report.graph.is_given = false;
	if (!*mode)
		free(mode);
	free(rest);
	return rc;
}

static int parse_g(void *conf, const char *arg, bool unset, struct pd_err *err)
{
	struct rpt_top_args *args = conf;

	(void)arg;
	(void)err;
	args->flags.is_chained = !unset;
	args->report.graph.is_off = unset;
	return 0;
}

static int parse_limit(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	(void)unset;
	return rpt_option_percent("--percent-limit", arg,
				  &args->rows.percent_limit, err);
}

static int parse_delay(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	uint64_t *ret = conf;

	(void)unset;
	if (sup_parse_duration(arg, ret) || *ret < DELAY_MIN ||
	    *ret > DELAY_MAX)
		return pd_err_set(err, -EINVAL,
				  "'%s' is no time from 100ms to a day", arg);
	return 0;
}

#define ARGS(field)   offsetof(struct rpt_top_args, field)
#define REPORT(field) ARGS(report.field)
#define CALL(letter, name, off, flags, metavar, help, call)                  \
	{                                                                    \
		(letter), (name), SUP_CALL, (off), (flags), (metavar), help, \
			(call)                                               \
	}

static const struct sup_opt opts[] = {
	RPT_OPT_TEXT('i', "input", ARGS(input), "FILE",
		     "show what a recorder writes to this FIFO; - is standard "
		     "input (default: a recorder is started)"),
	RPT_OPT_FLAG('a', "all-cpus", ARGS(flags.all_cpus), 0,
		     "record everything on all CPUs (default, if nothing else "
		     "is named)"),
	RPT_OPT_TEXT('C', "cpu", ARGS(record.cpus), "LIST",
		     "record everything on these CPUs: 0-3,8"),
	RPT_OPT_TEXT('p', "pid", ARGS(record.pids), "LIST",
		     "record these processes with all their threads"),
	RPT_OPT_TEXT('t', "tid", ARGS(record.tids), "LIST",
		     "record these threads"),
	RPT_OPT_TEXT('u', "uid", ARGS(record.uid), "USER",
		     "record all processes of this user, a name or a number"),
	RPT_OPT_TEXT('G', "cgroup", ARGS(record.cgroup), "NAME",
		     "record only in this control group"),
	CALL('e', "event", ARGS(record), 0, "EVENT",
	     "record this event; several -e add up", parse_event),
	RPT_OPT_TEXT('F', "freq", ARGS(record.freq), "HZ",
		     "take so many samples per second (4000)"),
	RPT_OPT_TEXT('c', "count", ARGS(record.count), "NR",
		     "take one sample every NR events"),
	CALL('g', NULL, 0, SUP_OPT_NO_ARG, NULL,
	     "record call chains by frame pointers, and show callers", parse_g),
	CALL(0, "call-graph", 0, 0, "WORD,...",
	     "record call chains by fp, dwarf[,BYTES] or lbr, and show them "
	     "in this way: graph, fractal, flat, folded or none; the least "
	     "PERCENT, then how many lines; caller or callee; function or "
	     "address; percent, period or count (fp,graph,0.5,caller)",
	     parse_chains),
	RPT_OPT_FLAG('b', "branch-any", ARGS(flags.branch_any), 0,
		     "record stacks of all branches, and count these"),
	RPT_OPT_TEXT('j', "branch-filter", ARGS(record.branch_filter), "LIST",
		     "record stacks of these branches: any, any_call, u, k"),
	RPT_OPT_FLAG(0, "no-inherit", ARGS(flags.no_inherit), 0,
		     "do not record new threads and children"),
	RPT_OPT_FLAG(0, "all-cgroups", ARGS(flags.all_cgroups), 0,
		     "record control groups, for -s cgroup"),
	RPT_OPT_FLAG(0, "namespaces", ARGS(flags.namespaces), 0,
		     "record namespaces of tasks, for -s cgroup_id"),
	RPT_OPT_TEXT('m', "mmap-pages", ARGS(record.mmap_pages), "PAGES",
		     "size of each ring of the recorder: pages, or 2M"),
	RPT_OPT_TEXT('r', "realtime", ARGS(record.realtime), "PRIO",
		     "run the recorder with this real-time priority"),
	RPT_OPT_TEXT(0, "cpu-limit", ARGS(record.cpu_limit), "PCT",
		     "lower the rate so that the recorder takes no more than "
		     "this share of one CPU"),
	RPT_OPT_TEXT(0, "duration", ARGS(record.duration), "TIME",
		     "end after this time: 10s, 2m"),
	CALL('d', "delay", ARGS(view.delay_ns), 0, "SECONDS",
	     "show a new frame every so many seconds, or 500ms (2)",
	     parse_delay),
	CALL(0, "window", ARGS(view.window_ns), 0, "SECONDS",
	     "show the samples of the last so many seconds (five delays)",
	     parse_delay),
	RPT_OPT_FLAG('z', "zero", ARGS(view.is_zeroed), 0,
		     "show only what came since the last frame"),
	RPT_OPT_U32("frames", ARGS(view.frame_nr), "NR", "end after NR frames"),
	{ 'E', "entries", SUP_U32, ARGS(view.entry_nr), 0, "NR",
	  "show at most NR rows (what fits the terminal; else 20)", NULL },
	{ 'f', "count-filter", SUP_U64, ARGS(view.least_nr), 0, "NR",
	  "show only rows of at least NR samples", NULL },
	CALL(0, "percent-limit", ARGS(report), 0, "PERCENT",
	     "leave out rows below PERCENT", parse_limit),
	RPT_OPT_FLAG('K', "hide_kernel_symbols", ARGS(view.hide_kernel), 0,
		     "leave out samples in the kernel"),
	RPT_OPT_FLAG('U', "hide_user_symbols", ARGS(view.hide_user), 0,
		     "leave out samples in programs"),
	RPT_OPT_TEXT('s', "sort", REPORT(columns.sort), "KEY[,KEY...]",
		     "sort by these keys, all of which are listed below "
		     "(dso,symbol)"),
	RPT_OPT_TEXT(0, "fields", REPORT(columns.fields), "KEY[,KEY...]",
		     "show these columns: overhead, overhead_children, sample, "
		     "period and sort keys"),
	RPT_OPT_FLAG('n', "show-nr-samples", REPORT(columns.show_nr_samples),
		     SUP_OPT_NEGATABLE, "show the number of samples"),
	RPT_OPT_FLAG(0, "show-total-period", REPORT(columns.show_total_period),
		     SUP_OPT_NEGATABLE, "show the sum of the periods"),
	RPT_OPT_FLAG(0, "children", REPORT(chains.children), SUP_OPT_NEGATABLE,
		     "add the overhead of callees to their callers' (on)"),
	RPT_OPT_TEXT(0, "comms", REPORT(filter.comms), "NAME,...",
		     "show only threads of these names"),
	RPT_OPT_TEXT(0, "dsos", REPORT(filter.dsos), "NAME,...",
		     "show only samples in these files"),
	RPT_OPT_TEXT(0, "symbols", REPORT(filter.symbols), "NAME,...",
		     "show only samples in these functions"),
	RPT_OPT_TEXT(0, "symbol-filter", REPORT(rows.symbol_part), "TEXT",
		     "only show functions whose names contain TEXT"),
	RPT_OPT_TEXT(0, "ignore-callees", REPORT(chains.ignore_callees),
		     "REGEX", "count samples below such a function as its own"),
	RPT_OPT_TEXT('w', "column-widths", REPORT(columns.widths), "NR[,NR...]",
		     "set the widths of columns from the left; 0 fits the "
		     "content"),
	RPT_OPT_MAX_STACK(REPORT(chains.max_stack)),
	RPT_OPT_FLAG(0, "raw-trace", REPORT(events.is_raw_trace), 0,
		     "show fields of tracepoints as plain numbers"),
	RPT_OPT_KALLSYMS(REPORT(symbols.kallsyms)),
	RPT_OPT_VMLINUX(REPORT(symbols.vmlinux)),
	RPT_OPT_FLAG(0, "ignore-vmlinux", REPORT(symbols.ignore_vmlinux), 0,
		     "do not look for a vmlinux file"),
	RPT_OPT_DEMANGLE(REPORT(names.demangle)),
	RPT_OPT_FLAG(0, "demangle-kernel", REPORT(symbols.demangle_kernel),
		     SUP_OPT_NEGATABLE, "also demangle kernel symbols (off)"),
	RPT_OPTS_ADDRESSES(REPORT(symbols.with_bounds),
			   REPORT(names.raw_addresses)),
	RPT_OPT_INLINE(REPORT(names.inline_frames)),
	RPT_OPT_FLAG('v', "verbose", REPORT(is_verbose), SUP_OPT_NEGATABLE,
		     "show files by their paths, and symbols with an address "
		     "and a letter for where the name was found"),
	RPT_OPT_FLAG(0, "stdio", ARGS(view.is_stdio), 0,
		     "print frames as plain text, one behind the other"),
	RPT_OPT_FORCE(REPORT(ignored.is_forced)),
	{ 0 },
};

static const char later[] = "perfpair report shows a recording so";
static const char no_annotation[] =
	"key a shows the selected function by instruction";

static const struct sup_absent absent[] = {
	{ "tui", "it is what is shown on a terminal without --stdio" },
	{ "D", "perfpair script --show-mmap-events shows what is mapped" },
	{ "dump-symtab", "perfpair script --show-mmap-events shows what is "
			 "mapped" },
	{ "hierarchy", later },
	{ "H", later },
	{ "addr2line", no_annotation },
	{ "branch-history", later },
	{ "filter", "perfpair-record -e EVENT --filter FILTER -o - | perfpair "
		    "top -i -" },
	{ "group",
	  "each event has a table of its own: key Tab shows the next" },
	{ "group-sort-idx", later },
	{ "percentage", later },
	{ "stitch-lbr", later },
	{ "switch-on", later },
	{ "switch-off", later },
	{ "show-on-off-events", later },
	{ "sym-annotate", no_annotation },
	{ "objdump", no_annotation },
	{ "disassembler-style", no_annotation },
	{ "M", no_annotation },
	{ "asm-raw", no_annotation },
	{ "source", no_annotation },
	{ "prefix", no_annotation },
	{ "prefix-strip", no_annotation },
	{ "no-bpf-event", "perfpair-record --no-bpf-event -o - | perfpair top "
			  "-i -" },
	{ "num-thread-synthesize", "the recorder reads /proc by as many "
				   "threads as help" },
	{ "overwrite", "the recorder is never behind by more than its rings" },
	{ "proc-map-timeout", "maps are read by a call of the kernel, which "
			      "does not take long" },
	{ 0 },
};

const struct sup_command rpt_top_command = {
	.name = "perfpair top",
	.usage = "[OPTION]... [--] [COMMAND [ARG]...]",
	.summary = "Show where the samples of the last seconds were taken, "
		   "while they are recorded.",
	.opts = opts,
	.absent = absent,
	.more = rpt_columns_print_names,
	.stop_at_operand = true,
};

static bool has_target(const struct rpt_top_args *args)
{
	const struct rpt_top_record_args *record = &args->record;

	return args->flags.all_cpus || record->cpus || record->pids ||
	       record->tids || record->uid || record->cgroup || record->command;
}

/* Return whether an option is given that only a recorder takes. */
static bool asks_recorder(const struct rpt_top_args *args)
{
	const struct rpt_top_record_args *record = &args->record;

	return has_target(args) || record->event_nr || record->freq ||
	       record->count || record->chains || record->mmap_pages ||
	       record->realtime || record->branch_filter || record->duration ||
	       record->cpu_limit || args->flags.branch_any ||
	       args->flags.no_inherit || args->flags.all_cgroups ||
	       args->flags.namespaces;
}

static int check(struct rpt_top_args *args, struct pd_err *err)
{
	if (args->input && asks_recorder(args)) {
		pd_err_set(err, -EINVAL,
			   "-i shows what a recorder writes that "
			   "runs already");
		pd_err_hint(err, "options of recording are that recorder's");
		return -EINVAL;
	}
	if (args->view.window_ns &&
	    args->view.window_ns / args->view.delay_ns > SLICES_MAX)
		return pd_err_set(err, -EINVAL,
				  "--window: at most %u times the delay",
				  SLICES_MAX);
	return rpt_symbol_files_check(&args->report.symbols, err);
}

int rpt_top_args_parse(struct rpt_top_args *args, int argc, char **argv,
		       struct pd_err *err)
{
	int first, rc;

	*args = (struct rpt_top_args){
		.report = rpt_report_args_default,
		.view = { .delay_ns = 2 * SECOND_NS },
	};
	args->report.columns.sort = "dso,symbol";
	args->report.is_quiet = true;
	args->report.jobs = 1;
	rc = sup_options_parse(&rpt_top_command, args, argc, argv, &first, err);
	if (rc)
		return rc;
	if (first < argc) {
		args->record.command = argv + first;
		args->record.command_nr = argc - first;
	}
	rc = check(args, err);
	if (!args->input && !has_target(args))
		args->flags.all_cpus = true;
	return rc;
}

void rpt_top_args_release(struct rpt_top_args *args)
{
	free(args->record.events);
	free(args->record.chains);
	args->record.events = NULL;
	args->record.chains = NULL;
}

uint32_t rpt_top_slice_nr(const struct rpt_top_view_args *view)
{
	if (view->is_zeroed)
		return 1;
	if (!view->window_ns)
		return 5;
	return (uint32_t)((view->window_ns + view->delay_ns - 1) /
			  view->delay_ns);
}

/* Words under construction. */
struct words {
	char **items;
	size_t nr;
};

static void add(struct words *words, const char *word)
{
	words->items[words->nr++] = (char *)(uintptr_t)word;
}

static void add_option(struct words *words, const char *option,
		       const char *value)
{
	if (!value)
		return;
	add(words, option);
	add(words, value);
}

static void add_flag(struct words *words, const char *option, bool is_given)
{
	if (is_given)
		add(words, option);
}

/* Return whether -s or -F names a column that context switches make. */
static bool names_latency(const struct rpt_top_args *args)
{
	const char *lists[] = { args->report.columns.sort,
				args->report.columns.fields };

	for (size_t i = 0; i < 2; i++)
		if (lists[i] && (strstr(lists[i], "latency") ||
				 strstr(lists[i], "parallelism")))
			return true;
	return false;
}

char **rpt_top_recorder_words(const struct rpt_top_args *args)
{
	const struct rpt_top_record_args *record = &args->record;
	const struct rpt_top_record_flags *flags = &args->flags;
	enum { MORE_NR = 48 }; /* two for each line below */
	struct words words = {
		.items = rpt_alloc_zeroed(MORE_NR + 2 * record->event_nr +
						  (size_t)record->command_nr,
					  sizeof(char *)),
	};

	add(&words, ""); /* the recorder's name */
	add_option(&words, "-o", "-");
	add(&words, "-z0");
	add(&words, "-q");
	if (args->view.delay_ns < 2 * SECOND_NS)
		add_option(&words, "--flush-interval", "100ms");
	for (size_t i = 0; i < record->event_nr; i++)
		add_option(&words, "-e", record->events[i]);
	/* control groups are recorded on all CPUs, or on those named */
	add_flag(&words, "-a",
		 flags->all_cpus || (record->cgroup && !record->cpus));
	add_option(&words, "-C", record->cpus);
	add_option(&words, "-p", record->pids);
	add_option(&words, "-t", record->tids);
	add_option(&words, "-u", record->uid);
	add_option(&words, "-G", record->cgroup);
	add_option(&words, "-F", record->freq);
	add_option(&words, "-c", record->count);
	add_flag(&words, "-g", flags->is_chained && !record->chains);
	add_option(&words, "--call-graph", record->chains);
	add_flag(&words, "--switch-events", names_latency(args));
	add_flag(&words, "-b", flags->branch_any);
	add_option(&words, "-j", record->branch_filter);
	add_flag(&words, "-i", flags->no_inherit);
	add_flag(&words, "--all-cgroups", flags->all_cgroups);
	add_flag(&words, "--namespaces", flags->namespaces);
	add_option(&words, "-m", record->mmap_pages);
	add_option(&words, "-r", record->realtime);
	add_option(&words, "--cpu-limit", record->cpu_limit);
	add_option(&words, "--duration", record->duration);
	add(&words, "--");
	for (int i = 0; i < record->command_nr; i++)
		add(&words, record->command[i]);
	return words.items;
}
