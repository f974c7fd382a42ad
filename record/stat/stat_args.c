#include "record/stat/stat_args.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/support/nearest.h"
#include "record/cmdline/args.h"
#include "record/event/tracefs.h"
#include "record/host/host_facts.h"
#include "record/stat/stat.h"
#include "record/targets/cgroup.h"

/* The events of perf stat without -e, and of -d, -dd, -ddd. */

/* Seen with perf 6.1. */
static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
	 "iTLB-loads,iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Stalled cycles are counted where the PMU has a name for them. */
static int add_stalled(struct rec_event_list *list,
		       const struct rec_event_env *env, const char *name,
		       struct pd_err *err)
{
	char path[512];

	snprintf(path, sizeof(path),
		 "%s/bus/event_source/devices/cpu/events/%s", env->sysfs, name);
	return access(path, F_OK) ? 0 : rec_event_parse(list, name, env, err);
}

static int add_plain(struct rec_event_list *list,
		     const struct rec_event_env *env, bool whole_cpus,
		     struct pd_err *err)
{
	int rc = rec_event_parse(list, whole_cpus ? "cpu-clock" : "task-clock",
				 env, err);

	if (!rc)
		rc = rec_event_parse(
			list,
			"context-switches,cpu-migrations,page-faults,cycles",
			env, err);
	if (!rc)
		rc = add_stalled(list, env, "stalled-cycles-frontend", err);
	if (!rc)
		rc = add_stalled(list, env, "stalled-cycles-backend", err);
	if (!rc)
		rc = rec_event_parse(
			list, "instructions,branches,branch-misses", env, err);
	return rc;
}

/* Append the events that are counted without -e, and those of -d. whole_cpus:
 * cpu-clock instead of task-clock. */
static int stat_events_add(struct rec_event_list *list,
			   const struct rec_event_env *env, bool whole_cpus,
			   unsigned detail_nr, struct pd_err *err)
{
	int rc = 0;

	if (!list->nr)
		rc = add_plain(list, env, whole_cpus, err);
	for (unsigned i = 0; i < detail_nr && !rc; i++)
		if (i < sizeof(details) / sizeof(details[0]))
			rc = rec_event_parse(list, details[i], env, err);
	return rc;
}

/* Add one metric.  Return 0, also if it is there already. */
static int add_metric(struct rec_stat_args *args,
		      const struct rec_metric *metric, struct pd_err *err)
{
	bool has_events = false;
	struct pd_err why = PD_ERR_INIT;
	int rc;

	for (size_t i = 0; i < args->metric_nr; i++) {
		if (args->metrics[i] == metric)
			return 0;
		has_events |= !strcmp(args->metrics[i]->events, metric->events);
	}
	if (args->metric_nr == REC_STAT_METRIC_MAX)
		return pd_err_set(err, -EINVAL, "-M: no more than %d metrics",
				  REC_STAT_METRIC_MAX);
	args->metrics[args->metric_nr++] = metric;
	if (has_events)
		return 0;
	rc = rec_event_parse(&args->events, metric->events, &args->env, &why);
	if (rc == -ENOENT) /* a virtual machine may lack some */
		return pd_err_set(err, rc, "metric '%s': %.200s", metric->name,
				  why.text);
	if (rc)
		*err = why;
	return rc;
}

static int add_word(struct rec_stat_args *args, const char *word,
		    struct pd_err *err)
{
	const struct rec_metric *metric = NULL;
	struct sup_nearest near;
	bool found = false;
	int rc = 0;

	sup_nearest_init(&near, word, strlen(word));
	while (!rc && (metric = rec_metric_next(&args->host, metric))) {
		sup_nearest_offer(&near, metric->name);
		if (!rec_metric_is_named(metric, word))
			continue;
		found = true;
		rc = add_metric(args, metric, err);
	}
	if (rc || found)
		return rc;
	rec_metric_refuse(&args->host, word, args->env.sysfs, err);
	if (!err->hint[0])
		sup_nearest_hint(&near, err,
				 "'perfpair list metric' lists them");
	return -ENOENT;
}

/* -M: add the metrics that the words name to args, and their events, those with
 * equal texts once.  Return -ENOENT if this machine has none of a word. */
static int stat_metrics_add(struct rec_stat_args *args, const char *words,
			    struct pd_err *err)
{
	int rc = 0;

	while (!rc && *words) {
		size_t len = strcspn(words, ",");
		char word[64];

		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		if (*word)
			rc = add_word(args, word, err);
		words += len + (words[len] == ',');
	}
	return rc;
}

static void init(struct rec_stat_args *args)
{
	memset(args, 0, sizeof(*args));
	rec_event_list_init(&args->events);
	args->env.sysfs = "/sys";
	args->env.vendor_names = true;
	args->env.cpu_is_amd = rec_host_cpu_is_amd();
	rec_metric_host_read(&args->host, args->env.sysfs);
	args->scale = args->big_num = true;
	args->repeat_nr = 1;
	args->log_fd = -1;
}

/* Choose between targets by perf's rules. */
static void choose_target(struct rec_stat_args *args)
{
	struct rec_target_spec *t = &args->target;
	bool by_thread = t->pid_list || t->tid_list;

	if (by_thread && (t->cpu_list || t->system_wide)) {
		args->note = "-p and -t go before -a and -C: only those "
			     "threads are counted";
		t->cpu_list = NULL;
		t->system_wide = false;
	}
	if (!by_thread && !t->cpu_list && !args->workload)
		t->system_wide = true;
	if (args->per_thread && t->system_wide && !t->cpu_list) {
		t->system_wide = false;
		t->all_threads = true;
	}
	t->has_workload = args->workload != NULL;
	t->inherit = !args->no_inherit;
	t->per_thread = by_thread || t->all_threads ||
			(!t->system_wide && !t->cpu_list);
	args->counts_workload = args->workload && !t->system_wide &&
				!t->cpu_list && !by_thread && !t->all_threads;
}

static bool is_whole_cpus(const struct rec_stat_args *args)
{
	return args->target.system_wide || args->target.cpu_list;
}

enum rec_stat_mode rec_stat_args_mode(const struct rec_stat_args *args,
				      enum rec_stat_mode other)
{
	const struct {
		bool is_given;
		enum rec_stat_mode mode;
	} modes[] = {
		{ args->no_aggr, REC_STAT_CPU },
		{ args->per_core, REC_STAT_CORE },
		{ args->per_die, REC_STAT_DIE },
		{ args->per_socket, REC_STAT_SOCKET },
		{ args->per_node, REC_STAT_NODE },
		{ args->per_thread, REC_STAT_THREAD },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (modes[i].is_given)
			other = modes[i].mode;
	return other;
}

static bool has_cgroup(const struct rec_stat_args *args)
{
	for (size_t i = 0; i < args->events.nr; i++)
		if (args->events.events[i].cgroup)
			return true;
	return false;
}

/* A file has one run, and is not appended to. */
static int check_record(const struct rec_stat_args *args, struct pd_err *err)
{
	const struct rec_option_check checks[] = {
		{ args->repeats, "-r does not go with record",
		  "a file has the counts of one run" },
		{ args->null_run, "-n does not go with record",
		  "it counts nothing that a file could hold" },
		{ args->append, "--append does not go with record",
		  "each run has a file of its own" },
	};

	return args->records ? rec_option_checks_run(
				       checks,
				       sizeof(checks) / sizeof(checks[0]), err)
			     : 0;
}

/* Check what the parser of a single option cannot. */
static int check_options(const struct rec_stat_args *args, struct pd_err *err)
{
	bool by_cpu =
		args->mode != REC_STAT_GLOBAL && args->mode != REC_STAT_THREAD;
	const struct rec_option_check checks[] = {
		{ args->all_user && args->all_kernel,
		  "--all-user and --all-kernel exclude each other",
		  "give one of them" },
		{ args->no_aggr + args->per_core + args->per_die +
				  args->per_socket + args->per_node +
				  args->per_thread >
			  1,
		  "-A and the --per-... options exclude each other",
		  "give one of them" },
		{ by_cpu && !is_whole_cpus(args),
		  "-A, --per-core, --per-die, --per-socket and --per-node "
		  "need whole CPUs",
		  "give -a or -C" },
		{ args->mode == REC_STAT_THREAD && args->counts_workload,
		  "--per-thread needs threads that run already",
		  "give -p, -t or -a" },
		{ args->mode == REC_STAT_THREAD && is_whole_cpus(args),
		  "--per-thread does not go with -C", "give -a" },
		{ args->interval_nr && !args->interval_ms,
		  "--interval-count without -I", "give -I MS" },
		{ args->interval_clear && !args->interval_ms,
		  "--interval-clear without -I", "give -I MS" },
		{ args->summary && !args->interval_ms, "--summary without -I",
		  "give -I MS; without it the sum is all there is" },
		{ args->table && (!args->repeats || !args->repeat_nr),
		  "--table without -r", "give -r N" },
		{ args->table && (args->sep || args->json),
		  "--table is of the text", "-j has \"runs\" without it" },
		{ args->repeats && !args->workload, "-r without a command",
		  "give the command to run N times" },
		{ args->metric_only && args->repeats,
		  "--metric-only is not supported with -r",
		  "-r prints metrics behind the counts" },
		{ args->metric_only && args->mode == REC_STAT_THREAD,
		  "--metric-only is not supported with --per-thread",
		  "--per-thread prints metrics behind the counts" },
		{ args->sep && args->json, "-x and -j exclude each other",
		  "give one of them" },
		{ args->output && args->log_fd >= 0 && !args->records,
		  "-o and --log-fd exclude each other", "give one of them" },
		{ args->append && !args->output, "--append without -o",
		  "give -o FILE" },
		{ args->starts_off && !args->control,
		  "-D -1 without --control would count nothing",
		  "give --control fifo:PATH, where 'enable' begins" },
		{ has_cgroup(args) && !is_whole_cpus(args),
		  "control groups are counted on whole CPUs",
		  "give -a or -C with -G, and no -p or -t" },
		{ args->metric_nr && args->each_cgroup,
		  "-M does not go with --for-each-cgroup",
		  "name one group with -G" },
		{ args->null_run && args->events.nr,
		  "-n counts no events, -e names some", "leave one out" },
	};

	return rec_option_checks_run(checks, sizeof(checks) / sizeof(checks[0]),
				     err);
}

/* -g: one group of all events. */
static int join_events(struct rec_event_list *list, struct pd_err *err)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->events[i].member_nr > 1 ||
		    list->events[i].leader_idx != i)
			return pd_err_set(err, -EINVAL,
					  "-g with events that are in groups "
					  "already");
		list->events[i].leader_idx = 0;
		list->events[i].member_nr = 1;
	}
	if (list->nr)
		list->events[0].member_nr = list->nr;
	return 0;
}

static int make_title(struct rec_stat_args *args)
{
	const struct rec_target_spec *t = &args->target;
	size_t len;
	FILE *out = open_memstream(&args->title, &len);

	if (!out)
		return -ENOMEM;
	if (t->cpu_list)
		fprintf(out, "'CPU(s) %s'", t->cpu_list);
	else if (t->system_wide || t->all_threads)
		fputs("'system wide'", out);
	else if (t->pid_list)
		fprintf(out, "process id '%s'", t->pid_list);
	else if (t->tid_list)
		fprintf(out, "thread id '%s'", t->tid_list);
	for (size_t i = 0; args->counts_workload && args->workload[i]; i++)
		fprintf(out, "%s%s", i ? " " : "'", args->workload[i]);
	if (args->counts_workload)
		putc('\'', out);
	return fclose(out) ? -ENOMEM : 0;
}

/* Parse the options; "record" or "report" may stand behind some of them, as for
 * perf.  Behind "--" each is a command. */
static int parse_words(struct rec_stat_args *args, int argc, char **argv,
		       int *ret_first, struct pd_err *err)
{
	int first = argc, more = 0;
	int rc = sup_options_parse(&rec_stat_command, args, argc, argv, &first,
				   err);

	*ret_first = first;
	if (rc || first >= argc || !strcmp(argv[first - 1], "--"))
		return rc;
	args->records = !strcmp(argv[first], "record");
	args->reports = !strcmp(argv[first], "report");
	if (!args->records && !args->reports)
		return 0;
	rc = sup_options_parse(args->records ? &rec_stat_command
					     : &rec_stat_report_command,
			       args, argc - first, argv + first, &more, err);
	*ret_first = first + more;
	if (args->reports && !rc && *ret_first < argc)
		args->input = args->input ? args->input : argv[*ret_first];
	return rc;
}

int rec_stat_args_parse(struct rec_stat_args *args, int argc, char **argv,
			struct pd_err *err)
{
	int first = argc;
	int rc;

	init(args);
	rc = parse_words(args, argc, argv, &first, err);
	args->json |= args->json_details;
	if (rc || args->reports)
		return rc;
	if (first < argc)
		args->workload = argv + first;
	choose_target(args);
	args->mode = rec_stat_args_mode(args, REC_STAT_GLOBAL);
	rc = check_options(args, err);
	if (!rc)
		rc = check_record(args, err);
	if (!rc && !args->null_run)
		rc = stat_events_add(&args->events, &args->env,
				     is_whole_cpus(args), args->detail_nr, err);
	if (!rc && args->group)
		rc = join_events(&args->events, err);
	if (!rc && args->each_cgroup && !is_whole_cpus(args))
		rc = pd_err_set(err, -EINVAL,
				"--for-each-cgroup needs -a or -C");
	if (!rc && args->each_cgroup)
		rc = rec_cgroup_multiply(&args->events, args->each_cgroup,
					 "/proc", err);
	return rc ? rc : make_title(args);
}

void rec_stat_args_release(struct rec_stat_args *args)
{
	rec_event_list_release(&args->events);
	free((void *)(uintptr_t)args->env.tracefs);
	free(args->title);
	memset(args, 0, sizeof(*args));
}

/* The options of perfpair-record stat. */

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
OPTION(call_metrics, stat_metrics_add(args, arg, err))
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

/* Events with a line of their own. */
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
	FLAG(0, "no-merge", no_merge,
	     "print each PMU of an event's name (always so)"),
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
	FLAG(0, "json-details", json_details,
	     "-j with keys that perf lacks: times, why a count is missing"),
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

/* Options of perf stat that are not here. */
static const char no_tpebs[] = "latencies of retirement are sampled, not "
			       "counted: perfpair-record -W";

static const struct sup_absent absent[] = {
	{ "metric-no-group", "a metric's events are one group: only so do they "
			     "belong together" },
	{ "metric-no-merge", "metrics with the same events share them" },
	{ "topdown", "-M topdown" },
	{ "td-level", "-M topdown has level 1" },
	{ "T", "name the events: -e cpu/tx-start/,cpu/cycles-t/" },
	{ "transaction", "name the events: -e cpu/tx-start/,cpu/cycles-t/" },
	{ "affinity", "one thread reads all counts, from where it is" },
	{ "hide-zero-events", "'stat ... 2>&1 | grep -v \"^ *0 \"' does" },
	{ "metric-no-threshold", "metrics have no thresholds here" },
	{ "per-cache",
	  "-A has a line for each CPU; lscpu -e says which share a "
	  "cache" },
	{ "per-cluster",
	  "-A has a line for each CPU; their topology/cluster_id "
	  "in sysfs says which are one" },
	{ "pmu-filter", "name the PMU: -e PMU/EVENT/" },
	{ "record-tpebs", no_tpebs },
	{ "tpebs-mode", no_tpebs },
	{ "smi-cost", "count -e msr/smi/,msr/aperf/ with -a" },
	{ "iostat", "name the uncore events with -e" },
	{ "cputype", "name the PMU: -e cpu_core/cycles/" },
	{ "hybrid-merge", "each PMU's count has a line of its own" },
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
	FLAG(0, "json-details", json_details,
	     "-j with keys that perf lacks: times, why a count is missing"),
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
