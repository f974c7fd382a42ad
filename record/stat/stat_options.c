/* stat_options.c: the options of perfpair-record stat. */
#include "record/stat/stat_args.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "record/event/tracefs.h"
#include "record/stat/stat.h"
#include "record/targets/cgroup.h"

enum { TIMEOUT_MIN_MS = 10 };

/* Define a function for the table that puts an option's value into args. */
#define OPTION(name, result)                                     \
	static int name(void *conf, const char *arg, bool unset, \
			struct pd_err *err)                      \
	{                                                        \
		struct rec_stat_args *args = conf;               \
                                                                 \
		(void)arg;                                       \
		(void)unset;                                     \
		(void)err;                                       \
		return result;                                   \
	}

static int bad(struct pd_err *err, const char *what, const char *arg,
	       const char *hint)
{
	pd_err_set(err, -EINVAL, "%s '%s' is not understood", what, arg);
	pd_err_hint(err, "%s", hint);
	return -EINVAL;
}

/* A leader that samples has nothing to do here. */
static int refuse_sampling(const struct rec_event_list *list, const char *arg,
			   struct pd_err *err)
{
	for (size_t i = list->last_first; i < list->nr; i++) {
		if (!list->events[i].sample_read)
			continue;
		pd_err_set(err, -EINVAL, "'%s': :S is of samples", arg);
		pd_err_hint(err, "a group is counted together without it; "
				 "perfpair-record takes :S");
		return -EINVAL;
	}
	return 0;
}

static int parse_events(struct rec_stat_args *args, const char *arg,
			struct pd_err *err)
{
	struct pd_err no_tracefs = PD_ERR_INIT;
	char *root = NULL;
	int rc;

	if (!args->env.tracefs && strchr(arg, ':') &&
	    !rec_tracefs_find(&root, &no_tracefs))
		args->env.tracefs = root;
	rc = rec_event_parse(&args->events, arg, &args->env, err);
	/* Without tracefs "sched:sched_switch" is unknown. */
	if (rc == -ENOENT && no_tracefs.code)
		*err = no_tracefs;
	if (!rc)
		rc = refuse_sampling(&args->events, arg, err);
	if (rc && !err->hint[0])
		pd_err_hint(err, "events are written as for perf stat, see "
				 "perf-list(1); several are parted by commas");
	return rc;
}

static int parse_repeat(struct rec_stat_args *args, const char *arg,
			struct pd_err *err)
{
	uint64_t nr;

	if (sup_parse_u64(arg, &nr) || nr > 1000000)
		return bad(err, "-r", arg,
			   "give how often to run the command; 0 is for ever");
	args->repeats = true;
	args->repeat_nr = (uint32_t)nr;
	return 0;
}

static int parse_ms(const char *arg, const char *option, uint32_t *ret,
		    struct pd_err *err)
{
	uint64_t ms;

	if (sup_parse_u64(arg, &ms) || ms < TIMEOUT_MIN_MS || ms > INT_MAX)
		return bad(err, option, arg, "give milliseconds, 10 or more");
	*ret = (uint32_t)ms;
	return 0;
}

static int parse_interval(struct rec_stat_args *args, const char *arg,
			  struct pd_err *err)
{
	uint64_t ms;

	if (sup_parse_u64(arg, &ms) || !ms || ms > INT_MAX)
		return bad(err, "-I", arg, "give milliseconds, 1 or more");
	args->interval_ms = (uint32_t)ms;
	return 0;
}

static int parse_delay(struct rec_stat_args *args, const char *arg,
		       struct pd_err *err)
{
	uint64_t ms;

	args->starts_off = !strcmp(arg, "-1");
	args->delay_ms = 0;
	if (args->starts_off)
		return 0;
	if (sup_parse_u64(arg, &ms) || ms > INT_MAX)
		return bad(err, "-D", arg,
			   "give milliseconds, or -1 for a control command");
	args->delay_ms = (uint32_t)ms;
	return 0;
}

static int parse_log_fd(struct rec_stat_args *args, const char *arg,
			struct pd_err *err)
{
	uint64_t fd;

	if (sup_parse_u64(arg, &fd) || fd > INT_MAX)
		return bad(err, "--log-fd", arg,
			   "give the number of an open descriptor");
	args->log_fd = (int)fd;
	return 0;
}

static int set_sep(struct rec_stat_args *args, const char *arg)
{
	args->sep = strcmp(arg, "\\t") ? arg : "\t";
	return 0;
}

/* clang-format off */
OPTION(call_event, parse_events(args, arg, err))
OPTION(call_metrics, rec_stat_metrics_add(args, arg, err))
OPTION(call_filter, rec_event_filter(&args->events, arg, err))
OPTION(call_cgroup, rec_cgroup_assign(&args->events, arg, &args->cgroup_nr, err))
OPTION(call_repeat, parse_repeat(args, arg, err))
OPTION(call_interval, parse_interval(args, arg, err))
OPTION(call_timeout, parse_ms(arg, "--timeout", &args->timeout_ms, err))
OPTION(call_delay, parse_delay(args, arg, err))
OPTION(call_log_fd, parse_log_fd(args, arg, err))
OPTION(call_sep, set_sep(args, arg))
/* clang-format on */

#define ARG(member) offsetof(struct rec_stat_args, member)
#define FLAG(letter, name, member, help)                                 \
	{                                                                \
		letter, name, SUP_FLAG, ARG(member), 0, NULL, help, NULL \
	}
#define TEXT(letter, name, member, metavar, help)                             \
	{                                                                     \
		letter, name, SUP_STRING, ARG(member), 0, metavar, help, NULL \
	}
#define COUNT(letter, name, member, help)                                 \
	{                                                                 \
		letter, name, SUP_COUNT, ARG(member), 0, NULL, help, NULL \
	}
#define CALL(letter, name, metavar, help, call)                   \
	{                                                         \
		letter, name, SUP_CALL, 0, 0, metavar, help, call \
	}

/* What has a line of its own. */
#define GROUPS                                                         \
	FLAG('A', "no-aggr", no_aggr, "print each CPU"),               \
		FLAG(0, "per-core", per_core, "add up by core"),       \
		FLAG(0, "per-die", per_die, "add up by die"),          \
		FLAG(0, "per-socket", per_socket, "add up by socket"), \
		FLAG(0, "per-node", per_node, "add up by NUMA node"),  \
		FLAG(0, "per-thread", per_thread, "print each thread")

static const struct sup_opt opts[] = {
	/* what to count */
	CALL('e', "event", "EVENT",
	     "count this event, see perf-list(1); several -e add up; {a,b} is "
	     "a group that is counted at the same time",
	     call_event),
	CALL('M', "metrics", "METRIC[,METRIC]",
	     "count what these metrics or groups of metrics need, and print "
	     "them; 'perfpair list metric' lists them",
	     call_metrics),
	CALL(0, "filter", "FILTER",
	     "let the kernel filter the tracepoints of the -e before it",
	     call_filter),
	COUNT('d', "detailed", detail_nr,
	      "count caches, too; -dd and -ddd count more of them"),
	FLAG('n', "null", null_run, "count nothing, only measure the time"),
	FLAG('g', "group", group, "put all events into one group"),
	FLAG(0, "all-user", all_user, "count user space only"),
	FLAG(0, "all-kernel", all_kernel, "count the kernel only"),
	FLAG(0, "scale", scale,
	     "extrapolate counts of events that shared a counter (default); "
	     "--no-scale prints what was counted"),
	/* whom to count */
	FLAG('a', "all-cpus", target.system_wide,
	     "count everything on all CPUs; the default without a command"),
	TEXT('C', "cpu", target.cpu_list, "LIST",
	     "count everything on these CPUs: 0-3,8"),
	TEXT('p', "pid", target.pid_list, "LIST",
	     "count these processes with all their threads"),
	TEXT('t', "tid", target.tid_list, "LIST", "count these threads"),
	FLAG('i', "no-inherit", no_inherit,
	     "do not count new threads and children"),
	CALL('G', "cgroup", "NAME[,NAME]",
	     "count only in this control group: one name for all -e before it, "
	     "or one name each",
	     call_cgroup),
	TEXT(0, "for-each-cgroup", each_cgroup, "NAME,NAME",
	     "count every event once for each of these control groups, names "
	     "or regular expressions"),
	/* one line for each ... */
	GROUPS,
	/* how often and how long */
	CALL('r', "repeat", "N",
	     "run the command N times and print means and scatter; 0 is for "
	     "ever",
	     call_repeat),
	FLAG(0, "table", table, "print the time of each run"),
	CALL('I', "interval-print", "MS", "print what was counted every MS ms",
	     call_interval),
	{ 0, "interval-count", SUP_U32, ARG(interval_nr), 0, "N",
	  "stop after N intervals", NULL },
	FLAG(0, "interval-clear", interval_clear,
	     "clear the screen before each interval"),
	FLAG(0, "summary", summary, "print the sum after the intervals"),
	FLAG(0, "no-csv-summary", no_csv_summary,
	     "do not mark its lines with 'summary' with -x"),
	CALL(0, "timeout", "MS", "end after this time, and end the command",
	     call_timeout),
	CALL('D', "delay", "MS",
	     "begin to count MS ms after the start; -1: when --control says "
	     "so",
	     call_delay),
	TEXT(0, "control", control, "fd:N[,N]|fifo:PATH[,PATH]",
	     "read commands there and answer on the second: enable, disable, "
	     "stop, ping"),
	TEXT(0, "pre", pre, "COMMAND",
	     "run this shell command before each run"),
	TEXT(0, "post", post, "COMMAND",
	     "run this shell command after each run"),
	FLAG('S', "sync", sync, "call sync(2) before each run"),
	/* the output */
	CALL('x', "field-separator", "SEP",
	     "print fields with SEP between them", call_sep),
	FLAG('j', "json-output", json, "print one JSON object a line"),
	FLAG(0, "metric-only", metric_only,
	     "print metrics alone, those of -M or of the events, in columns"),
	FLAG('B', "big-num", big_num,
	     "print the locale's thousands separators (default)"),
	TEXT('o', "output", output, "FILE",
	     "write to FILE, not to stderr; - is stdout"),
	FLAG(0, "append", append, "append to that file"),
	CALL(0, "log-fd", "N", "write to this open descriptor", call_log_fd),
	FLAG('q', "quiet", quiet, "print no counts"),
	COUNT('v', "verbose", verbose_nr,
	      "print what each counter read; -vv for each CPU and thread"),
	{ 0 },
};

/* Those of perf stat that are not here. */
static const struct sup_absent absent[] = {
	{ "metric-no-group", "a metric's events are one group: only so do they "
			     "belong together" },
	{ "metric-no-merge", "metrics with the same events share them" },
	{ "topdown", "-M topdown" },
	{ "td-level", "-M topdown has level 1" },
	{ "T", "name the events: -e cpu/tx-start/,cpu/cycles-t/" },
	{ "transaction", "name the events: -e cpu/tx-start/,cpu/cycles-t/" },
	{ "smi-cost", "count -e msr/smi/,msr/aperf/ with -a" },
	{ "iostat", "name the uncore events with -e" },
	{ "cputype", "name the PMU: -e cpu_core/cycles/" },
	{ "hybrid-merge", "each PMU's count has a line of its own" },
	{ "no-merge", "each PMU's count has a line of its own" },
	{ "percore-show-thread", "-A shows each hardware thread" },
	{ 0 },
};

static const struct sup_opt report_opts[] = {
	TEXT('i', "input", input, "FILE",
	     "the file, perf.data by default; - is stdin"),
	GROUPS,
	CALL('x', "field-separator", "SEP",
	     "print fields with SEP between them", call_sep),
	FLAG('j', "json-output", json, "print one JSON object a line"),
	FLAG(0, "metric-only", metric_only, "print metrics alone, in columns"),
	FLAG('B', "big-num", big_num,
	     "print the locale's thousands separators (default)"),
	TEXT('o', "output", output, "FILE",
	     "write to FILE, not to stderr; - is stdout"),
	{ 0 },
};

const struct sup_command rec_stat_report_command = {
	.name = "perfpair-record stat report",
	.usage = "[OPTION]... [FILE]",
	.summary = "Print the counts of a file of perf stat record.",
	.opts = report_opts,
};

static void print_more(FILE *out)
{
	fputs("\nstat record [OPTION]... COMMAND also writes a perf.data file "
	      "(-o FILE; - is a pipe),\nwhich stat report [-i FILE] and perf "
	      "stat report print; see stat report --help.\n",
	      out);
}

const struct sup_command rec_stat_command = {
	.name = "perfpair-record stat",
	.usage = "[record] [OPTION]... [--] [COMMAND [ARG]...]",
	.summary = "Count events while a command runs, or of what runs.",
	.opts = opts,
	.absent = absent,
	.more = print_more,
	.stop_at_operand = true,
};
