#include "record/cmdline/args.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/support/read_for.h"
#include "record/base/read_file.h"
#include "record/carry/carry.h"
#include "record/event/tracefs.h"
#include "record/host/host_facts.h"
#include "record/ring/ring_set.h"
#include "record/snapshot/snapshot.h"
#include "record/targets/cgroup.h"
#include "record/targets/event_rate.h"
#include "record/targets/off_cpu_events.h"

enum { LEVEL_MAX = 22, PRIORITY_MAX = 99, CONFIG_LEN_MAX = 65536 };

static const uint64_t MEMORY_LEN_MIN = UINT64_C(16) << 20;
static const uint64_t KEEP_FREE_LEN_MAX = UINT64_C(4) << 30;

/* The table, and the functions of the options that need one. */

/* Define a function for the table that puts an option's value into args. */
#define OPTION(name, result)                                     \
	static int name(void *conf, const char *arg, bool unset, \
			struct pd_err *err)                      \
	{                                                        \
		struct rec_args *args = conf;                    \
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

static int parse_events(struct rec_args *args, struct rec_event_list *list,
			const char *arg, struct pd_err *err)
{
	struct pd_err no_tracefs = PD_ERR_INIT;
	char *root = NULL;
	int rc;

	if (!args->env.tracefs && strchr(arg, ':') &&
	    !rec_tracefs_find(&root, &no_tracefs))
		args->env.tracefs = root;
	rc = rec_event_parse(list, arg, &args->env, err);
	/* Without tracefs "sched:sched_switch" is unknown. */
	if (rc == -ENOENT && no_tracefs.code)
		*err = no_tracefs;
	if (!rc)
		rc = rec_event_refuse_unsampled(list, err);
	if (rc && !err->hint[0])
		pd_err_hint(err, "events are written as for perf record, see "
				 "perf-list(1); several are parted by commas");
	return rc;
}

/* As in perf the option implies --switch-output. */
static int parse_switch_event(struct rec_args *args, const char *arg,
			      struct pd_err *err)
{
	args->switch_output.is_on = true;
	return parse_events(args, &args->switch_events, arg, err);
}

static int exclude_perf(struct rec_args *args, struct pd_err *err)
{
	int rc = rec_event_exclude_pid(&args->events, (uint64_t)getpid(), err);

	if (rc == -EINVAL) {
		*err = (struct pd_err)PD_ERR_INIT;
		pd_err_set(err, rc, "--exclude-perf needs tracepoints");
		pd_err_hint(err, "give -e SYS:NAME first, then --exclude-perf");
	}
	return rc;
}

static int parse_freq(struct rec_args *args, const char *arg,
		      struct pd_err *err)
{
	args->attr.freq_max = !strcmp(arg, "max");
	if (args->attr.freq_max)
		return 0;
	if (sup_parse_u64(arg, &args->attr.freq_hz) || !args->attr.freq_hz)
		return bad(err, "-F", arg, "give samples per second, or max");
	return 0;
}

static int parse_period(struct rec_args *args, const char *arg,
			struct pd_err *err)
{
	if (sup_parse_u64(arg, &args->attr.period) || !args->attr.period)
		return bad(err, "-c", arg, "give how many events a sample");
	return 0;
}

static int parse_level(struct rec_args *args, const char *arg,
		       struct pd_err *err)
{
	uint64_t level = REC_LEVEL_DEFAULT;

	if (arg && (sup_parse_u64(arg, &level) || level > LEVEL_MAX))
		return bad(err, "-z", arg, "give a level of 1 to 22, or 0");
	args->level = (int)level;
	return 0;
}

static int parse_carry(struct rec_args *args, const char *arg,
		       struct pd_err *err)
{
	if (!rec_carry_parse(arg, &args->carry))
		return 0;
	return bad(err, "--carry", arg, "give a list of names, cfi; or none");
}

static int parse_callchain(struct rec_args *args, const char *arg, bool unset,
			   struct pd_err *err)
{
	return rec_callchain_parse(unset ? "no"
				   : arg ? arg
					 : "fp",
				   &args->attr.callchain, &args->attr.stack_len,
				   err);
}

static int parse_clock(struct rec_args *args, const char *arg,
		       struct pd_err *err)
{
	args->attr.use_clockid = true;
	return rec_clockid_parse(arg, &args->attr.clockid, err);
}

static int parse_threads(struct rec_args *args, const char *arg, bool unset)
{
	args->threads = unset ? NULL : arg && *arg ? arg : "cpu";
	return 0;
}

static int parse_priority(struct rec_args *args, const char *arg,
			  struct pd_err *err)
{
	uint64_t priority;

	if (sup_parse_u64(arg, &priority) || !priority ||
	    priority > PRIORITY_MAX)
		return bad(err, "-r", arg, "give a priority of 1 to 99");
	args->priority = (unsigned)priority;
	return 0;
}

static int parse_spill_len(struct rec_args *args, const char *arg,
			   struct pd_err *err)
{
	if (sup_parse_size(arg, &args->spill_len) ||
	    args->spill_len > SIZE_MAX / 4 ||
	    (args->spill_len && args->spill_len < REC_SPILL_BUFFER_LEN_MIN))
		return bad(err, "--spill-size", arg,
			   "give a size of at least 1M, or 0 for none");
	return 0;
}

/* "2", "0.5%" */
static int parse_cpu_share(struct rec_args *args, const char *arg)
{
	char *end;
	double pct = strtod(arg, &end);

	if (*end == '%')
		end++;
	/* rejects NaN, too */
	if (end == arg || *end || !(pct > 0 && pct <= 100))
		return -EINVAL;
	args->cpu_limit_pct = pct;
	return 0;
}

static int parse_cpu_limit(struct rec_args *args, const char *arg,
			   struct pd_err *err)
{
	if (parse_cpu_share(args, arg))
		return bad(err, "--cpu-limit", arg,
			   "give a percentage of one CPU, such as 2 or 0.5");
	/* Samples must contain periods that vary. */
	args->attr.sample_period = REC_YES;
	return 0;
}

/* "100M/h" */
static int parse_disk_share(struct rec_args *args, const char *arg)
{
	static const struct {
		const char *text;
		uint64_t in_day;
	} times[] = {
		{ "/s", 86400 }, { "/m", 1440 }, { "/h", 24 }, { "/d", 1 }
	};
	char len_text[32];
	const char *slash = strchr(arg, '/');
	uint64_t len;

	if (!slash || (size_t)(slash - arg) >= sizeof(len_text))
		return -EINVAL;
	snprintf(len_text, sizeof(len_text), "%.*s", (int)(slash - arg), arg);
	if (sup_parse_size(len_text, &len) || !len || len >> 40)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (!strcmp(slash, times[i].text)) {
			len = len * times[i].in_day / 24;
			args->disk_limit_len = len ? len : 1;
			return 0;
		}
	return -EINVAL;
}

/* "24M": less is not enough for anything. */
static int parse_memory(struct rec_args *args, const char *arg)
{
	uint64_t len;

	if (sup_parse_size(arg, &len) || len < MEMORY_LEN_MIN)
		return -EINVAL;
	args->memory_limit_len = len;
	return 0;
}

/* "cpu=0.3%,memory=24M,disk=100M/h" */
static int parse_budget(struct rec_args *args, const char *arg,
			struct pd_err *err)
{
	static const struct {
		const char *name;
		int (*parse)(struct rec_args *args, const char *arg);
	} parts[] = {
		{ "cpu=", parse_cpu_share },
		{ "memory=", parse_memory },
		{ "disk=", parse_disk_share },
	};
	const size_t part_nr = sizeof(parts) / sizeof(parts[0]);
	char *copy = strdup(arg), *rest = copy, *part;
	int rc = copy ? 0 : -ENOMEM;

	while (!rc && (part = strsep(&rest, ","))) {
		size_t i = 0;

		while (i < part_nr &&
		       strncmp(part, parts[i].name, strlen(parts[i].name)) != 0)
			i++;
		rc = i < part_nr ? parts[i].parse(args,
						  part + strlen(parts[i].name))
				 : -EINVAL;
	}
	free(copy);
	/* Samples must contain periods that vary. */
	if (rec_args_has_budget(args))
		args->attr.sample_period = REC_YES;
	return rc == -EINVAL
		       ? bad(err, "--budget", arg,
			     "give one or more of cpu=0.3%, memory=24M (16M at "
			     "least) and disk=100M/h (/s, /m, /h, /d), parted "
			     "by commas")
		       : rc;
}

static int parse_tracepoint_rate(struct rec_args *args, const char *arg,
				 bool unset, struct pd_err *err)
{
	args->tracepoint_hz = 0;
	if (unset)
		return 0;
	if (sup_parse_u64(arg, &args->tracepoint_hz) ||
	    args->tracepoint_hz < REC_CAPPED_HZ)
		return bad(err, "--tracepoint-rate", arg,
			   "give times a second, 10000 at least");
	return 0;
}

static int parse_keep_free(struct rec_args *args, const char *arg,
			   struct pd_err *err)
{
	char *end;
	unsigned long pct = strtoul(arg, &end, 10);
	bool is_share = end > arg && !strcmp(end, "%");

	/* The same bound as systemd's, journald.conf(5) SystemKeepFree=. */
	args->keep_free_len = KEEP_FREE_LEN_MAX;
	args->keep_free_pct = is_share ? (unsigned)pct : 0;
	if (is_share ? pct && pct < 100
		     : !sup_parse_size(arg, &args->keep_free_len))
		return 0;
	return bad(err, "--keep-free", arg,
		   "give a size such as 1G, or a share of the disk such as 5%");
}

static int set_choice(enum rec_choice *choice, bool unset)
{
	*choice = unset ? REC_NO : REC_YES;
	return 0;
}

/* The file was read before all others. */
static int check_config(const struct rec_args *args, const char *arg,
			struct pd_err *err)
{
	if (args->config == arg)
		return 0;
	return pd_err_set(err, -EINVAL, "--config is not the first option");
}

static int parse_sideband(struct rec_args *args, const char *arg,
			  struct pd_err *err)
{
	args->holds_tasks = !strcmp(arg, "sampled");
	if (args->holds_tasks || !strcmp(arg, "all"))
		return 0;
	pd_err_set(err, -EINVAL, "unknown: %s", arg);
	pd_err_hint(err, "it is all or sampled");
	return -EINVAL;
}

static int refuse_aux(struct pd_err *err)
{
	pd_err_set(err, -ENOTSUP,
		   "-S and --aux-sample are of hardware traces (Intel PT and "
		   "the like), which are not recorded here");
	pd_err_hint(err, "use perf record for them; --overwrite keeps the last "
			 "samples");
	return -ENOTSUP;
}

/* clang-format off */
OPTION(call_event, parse_events(args, &args->events, arg, err))
OPTION(call_switch_event, parse_switch_event(args, arg, err))
OPTION(call_filter, rec_event_filter(&args->events, arg, err))
OPTION(call_exclude_perf, exclude_perf(args, err))
OPTION(call_freq, parse_freq(args, arg, err))
OPTION(call_period, parse_period(args, arg, err))
OPTION(call_ring, rec_ring_len_parse(arg, &args->ring_len, err))
OPTION(call_carry, parse_carry(args, arg, err))
OPTION(call_level, parse_level(args, arg, err))
OPTION(call_delay, rec_delay_parse(arg, &args->delay, err))
OPTION(call_switch, rec_switch_parse(arg, &args->switch_output, err))
OPTION(call_keep_free, parse_keep_free(args, arg, err))
OPTION(call_max_len, rec_max_len_parse(arg, &args->max_len, err))
OPTION(call_graph, parse_callchain(args, arg, unset, err))
OPTION(call_clock, parse_clock(args, arg, err))
OPTION(call_branch, rec_branch_parse(arg, &args->attr.branch_type, err))
OPTION(call_branch_any, rec_branch_parse("any", &args->attr.branch_type, err))
OPTION(call_synth, rec_synth_parse(unset ? "no" : arg, &args->synth, err))
OPTION(call_threads, parse_threads(args, arg, unset))
OPTION(call_affinity, rec_affinity_parse(arg, &args->affinity, err))
OPTION(call_realtime, parse_priority(args, arg, err))
OPTION(call_spill, parse_spill_len(args, arg, err))
OPTION(call_cpu_limit, parse_cpu_limit(args, arg, err))
OPTION(call_budget, parse_budget(args, arg, err))
OPTION(call_tracepoint_rate, parse_tracepoint_rate(args, arg, unset, err))
OPTION(call_data, set_choice(&args->attr.sample_address, unset))
OPTION(call_leaf, set_choice(&args->attr.leaf_callers, unset))
OPTION(call_time, set_choice(&args->attr.sample_time, unset))
OPTION(call_sample_period, set_choice(&args->attr.sample_period, unset))
OPTION(call_cgroup, rec_cgroup_assign(&args->events, arg, &args->cgroup_nr, err))
OPTION(call_intr_regs, rec_regs_choose(arg, &args->attr.regs_intr, err))
OPTION(call_user_regs, rec_regs_choose(arg, &args->attr.regs_user, err))
OPTION(call_sideband, parse_sideband(args, arg, err))
OPTION(call_list, (args->asked = REC_ASKED_LIST, args->list_word = arg, 0))
OPTION(call_version, (args->asked = REC_ASKED_VERSION, 0))
OPTION(call_config, check_config(args, arg, err))
OPTION(call_aux, ((void)args, refuse_aux(err)))
/* clang-format on */

#define ARG(member) offsetof(struct rec_args, member)
#define FLAG(letter, name, member, help)                                 \
	{                                                                \
		letter, name, SUP_FLAG, ARG(member), 0, NULL, help, NULL \
	}
#define TEXT(letter, name, member, metavar, help)                             \
	{                                                                     \
		letter, name, SUP_STRING, ARG(member), 0, metavar, help, NULL \
	}
#define CALL(letter, name, flags, metavar, help, call)                \
	{                                                             \
		letter, name, SUP_CALL, 0, flags, metavar, help, call \
	}

enum {
	NONE = SUP_OPT_NO_ARG,
	OPTIONAL = SUP_OPT_ARG_OPTIONAL,
	NEGATABLE = SUP_OPT_NEGATABLE,
	HIDDEN = SUP_OPT_HIDDEN,
};

static const struct sup_opt opts[] = {
	/* what to record */
	CALL('e', "event", 0, "EVENT",
	     "record this event, see perf-list(1); several -e add up",
	     call_event),
	CALL(0, "filter", 0, "FILTER",
	     "let the kernel filter the tracepoints of the -e before it",
	     call_filter),
	CALL(0, "exclude-perf", NONE, NULL,
	     "do not record tracepoints that the recorder itself hits",
	     call_exclude_perf),
	CALL('F', "freq", 0, "HZ",
	     "take so many samples per second, or max (default 4000)",
	     call_freq),
	CALL('c', "count", 0, "N", "take one sample every N events",
	     call_period),
	FLAG(0, "strict-freq", attr.strict_freq,
	     "fail if the kernel does not allow the frequency"),
	/* whom to record */
	FLAG('a', "all-cpus", target.system_wide,
	     "record everything on all CPUs"),
	TEXT('C', "cpu", target.cpu_list, "LIST",
	     "record everything on these CPUs: 0-3,8"),
	TEXT('p', "pid", target.pid_list, "LIST",
	     "record these processes with all their threads"),
	TEXT('t', "tid", target.tid_list, "LIST", "record these threads"),
	TEXT('u', "uid", target.user, "USER",
	     "record all processes of this user, a name or a number"),
	FLAG(0, "per-thread", target.per_thread,
	     "use one ring per thread, not per CPU"),
	FLAG('i', "no-inherit", attr.no_inherit,
	     "do not record new threads and children"),
	CALL('G', "cgroup", 0, "NAME[,NAME]",
	     "record only in this control group: one name for all -e before "
	     "it, or one name each",
	     call_cgroup),
	TEXT(0, "for-each-cgroup", each_cgroup, "NAME,NAME",
	     "record every event once for each of these control groups, names "
	     "or regular expressions"),
	FLAG(0, "all-user", attr.all_user, "record user space only"),
	FLAG(0, "all-kernel", attr.all_kernel, "record the kernel only"),
	/* stacks */
	CALL('g', NULL, NONE, NULL, "record callchains by frame pointers",
	     call_graph),
	CALL(0, "call-graph", NEGATABLE, "MODE[,SIZE]",
	     "record callchains: fp, dwarf[,bytes of stack] or lbr",
	     call_graph),
	CALL(0, "leaf-callers", NONE | NEGATABLE, NULL,
	     "x86-64, with -g and clocks, hardware events with -F, or switches "
	     "(--off-cpu): keep what finds the caller of each leaf, not only "
	     "that of code with frame pointers",
	     call_leaf),
	FLAG(0, "kernel-callchains", attr.kernel_callchains,
	     "record only the kernel's part of callchains"),
	FLAG(0, "user-callchains", attr.user_callchains,
	     "record only user space's part of callchains"),
	CALL('b', "branch-any", NONE, NULL, "record stacks of all branches",
	     call_branch_any),
	CALL('j', "branch-filter", 0, "LIST",
	     "record stacks of these branches: any, any_call, ..., u, k",
	     call_branch),
	/* what a sample holds */
	CALL('d', "data", NONE | NEGATABLE, NULL,
	     "record data addresses, and maps of data", call_data),
	FLAG(0, "data-mmap", attr.data_maps,
	     "record maps of data, without addresses"),
	CALL('T', "timestamp", NONE | NEGATABLE, NULL,
	     "record sample timestamps", call_time),
	CALL('P', "period", NONE | NEGATABLE, NULL, "record sample periods",
	     call_sample_period),
	FLAG('W', "weight", attr.sample_weight,
	     "record sample weights, if the event has them"),
	FLAG('R', "raw-samples", attr.raw_samples,
	     "record the raw data of all events"),
	FLAG('s', "stat", attr.inherit_stat,
	     "record the counts of each thread when it ends"),
	FLAG('n', "no-samples", attr.no_samples,
	     "record no samples, only what happens to tasks and maps"),
	FLAG(0, "sample-cpu", attr.sample_cpu, "record the CPU of samples"),
	FLAG(0, "sample-identifier", attr.sample_identifier,
	     "put the event's id first in samples"),
	FLAG(0, "phys-data", attr.phys_data, "record physical data addresses"),
	FLAG(0, "data-page-size", attr.data_page_len,
	     "record the page size of data addresses"),
	FLAG(0, "code-page-size", attr.code_page_len,
	     "record the page size of code addresses"),
	FLAG(0, "transaction", attr.sample_transaction,
	     "record transaction flags"),
	CALL('I', "intr-regs", OPTIONAL, "REG,REG",
	     "record these registers at the interrupt (default all)",
	     call_intr_regs),
	CALL(0, "user-regs", OPTIONAL, "REG,REG",
	     "record these registers of user space (default all)",
	     call_user_regs),
	FLAG(0, "running-time", attr.running_time,
	     "record for how long :S groups were enabled and ran"),
	CALL('k', "clockid", 0, "CLOCK",
	     "take timestamps from mono, monotonic_raw, realtime, ...",
	     call_clock),
	/* other records */
	FLAG(0, "switch-events", attr.switch_events, "record context switches"),
	FLAG(0, "latency", attr.switch_events,
	     "the same, for report --latency"),
	FLAG(0, "off-cpu", off_cpu,
	     "also record when and where threads give up a CPU, and who wakes "
	     "them, for report --off-cpu"),
	FLAG(0, "namespaces", attr.namespaces, "record namespaces of tasks"),
	FLAG(0, "all-cgroups", attr.all_cgroups, "record control groups"),
	FLAG(0, "no-bpf-event", attr.no_bpf_event,
	     "do not record loading and unloading of BPF programs"),
	CALL(0, "synth", NEGATABLE, "LIST",
	     "what to record of tasks that already run: no, all, or a list of "
	     "task, mmap and cgroup (default all)",
	     call_synth),
	FLAG('B', "no-buildid", no_buildid,
	     "do not record build-ids of mapped files"),
	FLAG(0, "buildid-mmap", attr.buildid_mmap,
	     "have the kernel put build-ids into mmap events, even if that "
	     "harms other recorders"),
	FLAG(0, "buildid-all", buildid_all,
	     "also write a table of the build-ids of all mapped files"),
	FLAG('N', "no-buildid-cache", no_buildid_cache,
	     "do not update the build-id cache; for compatibility, it never "
	     "is"),
	/* the output */
	TEXT('o', "output", output, "FILE",
	     "write to FILE (default perf.data); - is stdout"),
	CALL(0, "max-size", 0, "SIZE", "stop when the file is this long: 500M",
	     call_max_len),
	{ 0, "max-samples", SUP_U64, ARG(max_samples), 0, "N",
	  "stop when there are N samples, of all events and in all files "
	  "together; those behind them are left out",
	  NULL },
	CALL(0, "switch-output", OPTIONAL, "signal|SIZE|TIME",
	     "begin a new file at SIGUSR2, at a size such as 100M, or after a "
	     "time such as 30s; the old one gets a name with the time",
	     call_switch),
	CALL(0, "switch-output-event", 0, "EVENT",
	     "begin a new file each time that this event occurs on any CPU",
	     call_switch_event),
	{ 0, "switch-max-files", SUP_U32, ARG(switch_max_files), 0, "N",
	  "keep only the last N of these files", NULL },
	{ 0, "max-files", SUP_U32, ARG(max_files), 0, "N",
	  "keep only the last N files of this name with a time, also those of "
	  "earlier recordings and of perf",
	  NULL },
	{ 0, "max-files-size", SUP_SIZE, ARG(max_files_len), 0, "SIZE",
	  "keep only the last of these files that are no larger than SIZE "
	  "together",
	  NULL },
	{ 0, "max-files-age", SUP_DURATION, ARG(max_files_age_ns), 0, "TIME",
	  "keep only those of these files that ended less than TIME ago",
	  NULL },
	CALL(0, "keep-free", 0, "SIZE|PCT%",
	     "remove the oldest of these files if less than SIZE is free on "
	     "their disk, or less than PCT % of it (4G at most); if the disk is "
	     "full, they go with the three options above, too",
	     call_keep_free),
	TEXT(0, "on-slice", on_slice, "COMMAND",
	     "run this command by sh(1) for each file that is finished, one "
	     "after the other, with its name as $1"),
	{ 0, "on-slice-time", SUP_DURATION, ARG(on_slice_ns), 0, "TIME",
	  "end such a command after TIME (60s)", NULL },
	FLAG(0, "timestamp-filename", timestamp_filename,
	     "append the time to the file's name"),
	FLAG(0, "overwrite", attr.overwrite,
	     "flight recorder: write only what the rings hold at the end, or "
	     "at each --switch-output"),
	FLAG(0, "tail-synthesize", tail_synthesize,
	     "record tasks that already run at the end of the file, not at its "
	     "start"),
	FLAG(0, "timestamp-boundary", timestamp_boundary,
	     "record the times of the first and last sample; for "
	     "compatibility, they always are"),
	CALL('S', "snapshot", OPTIONAL | HIDDEN, "OPTS", "AUX areas", call_aux),
	CALL(0, "aux-sample", OPTIONAL | HIDDEN, "OPTS", "AUX areas", call_aux),
	{ 0, "flush-interval", SUP_DURATION, ARG(flush_interval_ns), 0, "TIME",
	  "write to the file at least this often, so that a kill loses no more "
	  "(default 1s)",
	  NULL },
	FLAG(0, "sync", sync,
	     "wait at each flush until the file is on the disk, so that it "
	     "survives a crash of the machine"),
	CALL(0, "sideband", 0, "WHICH",
	     "record the names and maps of all tasks, or of those that are "
	     "sampled (sampled): a tenth of the bytes beside many short "
	     "programs at a low rate (default all)",
	     call_sideband),
	CALL(0, "carry", 0, "WHAT",
	     "what the file carries so that it can be read on a machine "
	     "without the binaries: a list of names (symbols of the functions "
	     "that were hit) and cfi (call frame information to unwind stack "
	     "copies), or none (default names,cfi)",
	     call_carry),
	{ 0, "carry-size", SUP_SIZE, ARG(carry_len), 0, "SIZE",
	  "carry at most this many bytes (default 16M)", NULL },
	{ 0, "carry-time", SUP_DURATION, ARG(carry_ns), 0, "TIME",
	  "spend at most this time on it at the end of each file (default 2s)",
	  NULL },
	{ 0, "carry-file", SUP_STRING, ARG(carry_file), 0, "FILE",
	  "write what a pipe (-o -) cannot carry to FILE, for the readers' "
	  "option --carried",
	  NULL },
	{ 0, "carry-index", SUP_STRING, ARG(carry_index), 0, "DIR",
	  "keep where the symbols of large files of the system lie in DIR, at "
	  "most 32 MiB, so that their names cost less at the end of each slice",
	  NULL },
	/* resources */
	CALL('m', "mmap-pages", 0, "PAGES",
	     "size of each ring: pages, or a size such as 2M (default 512K)",
	     call_ring),
	CALL(0, "threads", OPTIONAL | NEGATABLE, "SPEC",
	     "threads that drain rings: a number, cpu, core, package, numa, or "
	     "CPUS/AFFINITY:... (default one for 8 CPUs)",
	     call_threads),
	CALL(0, "affinity", 0, "MODE",
	     "run these threads on the ring's cpu or node, or anywhere (sys)",
	     call_affinity),
	CALL('r', "realtime", 0, "PRIO",
	     "run with this real-time priority (SCHED_FIFO), 1 to 99",
	     call_realtime),
	FLAG(0, "no-boost", no_boost,
	     "never take real-time priority, not even for the moments in which "
	     "a ring fills"),
	CALL(0, "budget", 0, "cpu=PCT%,memory=SIZE,disk=SIZE/h",
	     "lower the events' rates so that recording takes no more than "
	     "this share of one CPU, or writes no more than that, over the "
	     "whole run; and take fewer names, less spare memory and smaller "
	     "rings for the memory; one of them will do",
	     call_budget),
	CALL(0, "cpu-limit", 0, "PCT", "the same as --budget cpu=PCT",
	     call_cpu_limit),
	TEXT(0, "metrics", metrics, "FILE",
	     "write how the recording does to FILE, every ten seconds or "
	     "more, three after a change, for a textfile collector of "
	     "Prometheus"),
	CALL(0, "tracepoint-rate", NEGATABLE, "N",
	     "take so many samples a second and CPU (10000 or more) of a "
	     "tracepoint that comes more often, whose periods tell how many "
	     "they stand for; without, each is recorded",
	     call_tracepoint_rate),
	CALL(0, "spill-size", 0, "SIZE",
	     "spare memory for what the rings cannot hold while a burst lasts "
	     "or a disk stalls (default 32M, and 1M for each CPU)",
	     call_spill),
	CALL('z', "compression-level", OPTIONAL, "LEVEL",
	     "compress with zstd level 1 to 22 (default 1); -z0 does not",
	     call_level),
	/* control */
	CALL('D', "delay", 0, "MS",
	     "enable the events MS after the start, or in ranges such as "
	     "10-20,30-40, or by --control (-1)",
	     call_delay),
	TEXT(0, "control", control, "fd:N[,N]|fifo:PATH[,PATH]",
	     "read commands there and answer on the second: enable, disable, "
	     "evlist, snapshot, stop, ping"),
	{ 0, "duration", SUP_DURATION, ARG(duration_ns), 0, "TIME",
	  "stop after this time: 10s, 500ms, 2m", NULL },
	CALL(0, "config", 0, "FILE",
	     "first of all, take the options of this file; a line is NAME or "
	     "NAME = VALUE, with long names",
	     call_config),
	FLAG(0, "reload", reload,
	     "at SIGHUP, record with the options of --config as they are now, "
	     "as a service of systemd does; without, it ends"),
	FLAG(0, "dry-run", dry_run,
	     "open what the options ask for, record nothing, say what is "
	     "wrong"),
	FLAG(0, "no-buffering", attr.no_buffering, "wake up for each record"),
	CALL(0, "list", OPTIONAL, "WORD",
	     "list the events whose names hold WORD, which may be a glob, hw, "
	     "sw, cache, pmu or tracepoint, and record nothing",
	     call_list),
	CALL(0, "version", NONE, NULL, "print the version", call_version),
	FLAG('q', "quiet", quiet, "print nothing but errors"),
	{ 'v', "verbose", SUP_COUNT, ARG(verbose_nr), 0, NULL,
	  "print what is opened, and the cost", NULL },
	{ 0 },
};

/* The options of perf record that are not here. */
static const struct sup_absent absent[] = {
	{ "aio", "threads of their own drain and write: --threads=N" },
	{ "clang-opt", "no BPF programs are compiled here" },
	{ "clang-path", "no BPF programs are compiled here" },
	{ "debuginfod", "symbols are looked up by 'perfpair report'" },
	{ "group", "put the events into braces: -e '{a,b}'" },
	{ "kcore", "use perf record for a copy of the kernel's memory" },
	{ "mmap-flush", "--flush-interval says how soon all is in the file" },
	{ "num-thread-synthesize", "what runs is read by as many threads as it "
				   "takes" },
	{ "off-cpu-thresh",
	  "--off-cpu has all switches; report --off-cpu shows "
	  "the longest first" },
	{ "sample-mem-info", "-d records data addresses, and where the data "
			     "came from" },
	{ "setup-filter", "no BPF programs are loaded here: --filter lets the "
			  "kernel filter tracepoints" },
	{ "proc-map-timeout", "maps of what runs are read to their end" },
	{ "vmlinux", "symbols are looked up by 'perfpair report --vmlinux'" },
	{ 0 },
};

const struct sup_command rec_command = {
	.name = "perfpair-record",
	.usage = "[OPTION]... [--] [COMMAND [ARG]...]",
	.summary = "Record performance events into a perf.data file.",
	.opts = opts,
	.absent = absent,
	.stop_at_operand = true,
};

/* --config: the options of a file. */

/* Return the file's name, or NULL if the first option is another one. */
static const char *config_of(int argc, char **argv)
{
	static const char name[] = "--config";
	size_t len = sizeof(name) - 1;

	if (argc < 2 || strncmp(argv[1], name, len) != 0)
		return NULL;
	if (argv[1][len] == '=')
		return argv[1] + len + 1;
	return argv[1][len] || argc < 3 ? NULL : argv[2];
}

/* Cut the blanks off both ends. */
static char *trimmed(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	for (len = strlen(text); len && isspace((unsigned char)text[len - 1]);)
		text[--len] = '\0';
	return text;
}

/* Keep a word that args' texts may point into. */
static int keep(struct rec_args *args, char *word)
{
	char **words = reallocarray(args->config_words, args->config_nr + 1,
				    sizeof(*words));

	if (!words) {
		free(word);
		return -ENOMEM;
	}
	args->config_words = words;
	words[args->config_nr++] = word;
	return 0;
}

/* Parse "NAME" or "NAME = VALUE". */
static int parse_line(struct rec_args *args, char *argv0, char *line,
		      struct pd_err *err)
{
	char *value = strchr(line, '=');
	char *argv[] = { argv0, NULL, NULL };
	int first, rc;

	if (value)
		*value++ = '\0';
	line = trimmed(line);
	if (!*line || *line == '-' || strpbrk(line, " \t"))
		return pd_err_set(err, -EINVAL,
				  "'%s' is no option's long name without its "
				  "dashes",
				  line);
	if (asprintf(&argv[1], "--%s%s%s", line, value ? "=" : "",
		     value ? trimmed(value) : "") < 0 ||
	    keep(args, argv[1]))
		return pd_err_set(err, -ENOMEM, "out of memory");
	rc = sup_options_parse(&rec_command, args, 2, argv, &first, err);
	if (rc > 0 || (!rc && args->asked))
		rc = pd_err_set(err, -EINVAL, "'%s' is not for a file", line);
	return rc;
}

/* Parse all lines of a text, which ends in a NUL. */
static int parse_lines(struct rec_args *args, char *argv0, char *text,
		       struct pd_err *err)
{
	unsigned line_nr = 0;
	int rc = 0;

	while (text && !rc) {
		struct pd_err why = PD_ERR_INIT;
		char *line = trimmed(strsep(&text, "\n"));

		line_nr++;
		if (!*line || *line == '#')
			continue;
		rc = parse_line(args, argv0, line, &why);
		if (!rc)
			continue;
		pd_err_set(err, rc, "%s:%u: %s", args->config, line_nr,
			   why.text);
		pd_err_hint(err, "%s", why.hint);
	}
	return rc;
}

/* Read the file as the user may who has named it: this program may have more
 * rights by capabilities of its file, and messages quote what it reads. */
static int read_config(const char *path, struct pd_buf *text)
{
	const struct sup_name name = { .path = path, .user = getuid() };
	int fd = sup_read_for(&name), rc;

	if (fd < 0)
		return fd;
	rc = rec_read_fd(fd, CONFIG_LEN_MAX, text);
	close(fd);
	return rc;
}

/* Fill args from the file if the first option of argv is --config; what its
 * texts point to is owned by args.  An error begins with "FILE:LINE: ". */
static int parse_config_file(struct rec_args *args, int argc, char **argv,
			     struct pd_err *err)
{
	struct pd_buf text = PD_BUF_INIT;
	int rc;

	args->config = config_of(argc, argv);
	if (!args->config)
		return 0;
	rc = read_config(args->config, &text);
	pd_buf_u8(&text, '\0');
	if (!rc)
		rc = pd_buf_status(&text);
	if (rc)
		pd_err_set(err, rc, "--config: %s: %s", args->config,
			   rc == -EINVAL ? "not a regular file"
					 : strerror(-rc));
	else
		rc = parse_lines(args, argv[0], (char *)text.data, err);
	pd_buf_release(&text);
	return rc;
}

/* The whole command line. */

static void init(struct rec_args *args, int argc, char **argv)
{
	memset(args, 0, sizeof(*args));
	rec_event_list_init(&args->events);
	rec_event_list_init(&args->switch_events);
	args->env.sysfs = "/sys";
	args->env.vendor_names = true;
	args->env.cpu_is_amd = rec_host_cpu_is_amd();
	args->ring_len = REC_RING_LEN_DEFAULT;
	args->level = REC_LEVEL_DEFAULT;
	args->flush_interval_ns = 1000000000;
	args->carry = REC_CARRY_NAMES | REC_CARRY_CFI;
	args->carry_len = (uint64_t)16 << 20;
	args->carry_ns = 2000000000;
	args->on_slice_ns = 60000000000;
	args->spill_len = UINT64_MAX;
	args->max_samples = UINT64_MAX;
	args->synth = REC_SYNTH_ALL;
	args->argc = argc;
	args->argv = argv;
}

/* Choose between targets by perf's rules.  Return a message about it, or NULL.
 */
static const char *drop_targets(struct rec_target_spec *t)
{
	const char *note = NULL;
	bool by_thread = t->pid_list || t->tid_list;

	if (by_thread && (t->user || t->cpu_list || t->system_wide))
		note = "-p and -t go before -u, -C and -a: only those threads "
		       "are recorded";
	else if (t->user && (t->cpu_list || t->system_wide))
		note = "-u goes before -C and -a: only that user's processes "
		       "are recorded";
	if (by_thread)
		t->user = NULL;
	if (by_thread || t->user) {
		t->cpu_list = NULL;
		t->system_wide = false;
	}
	if (t->per_thread && (t->system_wide || t->cpu_list)) {
		note = "--per-thread does not go with -a and -C: a ring for "
		       "each CPU is taken";
		t->per_thread = false;
	}
	return note;
}

static void choose_target(struct rec_args *args)
{
	struct rec_target_spec *t = &args->target;

	t->has_workload = args->workload != NULL;
	t->inherit = !args->attr.no_inherit;
	args->target_note = drop_targets(t);
	if (!t->pid_list && !t->tid_list && !t->user && !t->has_workload &&
	    !t->cpu_list)
		t->system_wide = true;
	if (t->system_wide)
		t->per_thread = false;
	args->attr.has_command = t->has_workload;
	args->attr.per_thread = t->per_thread;
	if (t->pid_list || t->user)
		args->attr.target = REC_TARGET_PIDS;
	else if (t->tid_list)
		args->attr.target = REC_TARGET_TIDS;
	else if (t->cpu_list)
		args->attr.target = REC_TARGET_CPUS;
	else if (t->system_wide)
		args->attr.target = REC_TARGET_SYSTEM;
	else
		args->attr.target = REC_TARGET_COMMAND;
}

static int check_cgroups(const struct rec_args *args, struct pd_err *err)
{
	for (size_t i = 0; i < args->events.nr; i++) {
		if (!args->events.events[i].cgroup ||
		    args->attr.target == REC_TARGET_SYSTEM ||
		    args->attr.target == REC_TARGET_CPUS)
			continue;
		pd_err_set(err, -EINVAL,
			   "control groups are recorded on whole CPUs");
		pd_err_hint(err, "give -a or -C with -G, and no -p, -t or -u");
		return -EINVAL;
	}
	return 0;
}

int rec_option_checks_run(const struct rec_option_check *checks, size_t nr,
			  struct pd_err *err)
{
	for (size_t i = 0; i < nr; i++) {
		if (!checks[i].is_wrong)
			continue;
		pd_err_set(err, -EINVAL, "%s", checks[i].text);
		pd_err_hint(err, "%s", checks[i].hint);
		return -EINVAL;
	}
	return 0;
}

/* True if samples of some event are written at the end only. */
static bool overwrites(const struct rec_args *args)
{
	bool ret = args->attr.overwrite;

	for (size_t i = 0; i < args->events.nr; i++)
		ret = ret || args->events.events[i].terms.overwrite;
	return ret;
}

bool rec_args_can_reload(const struct rec_args *args)
{
	bool has_fd = args->control && !strncmp(args->control, "fd:", 3);

	return args->config && !args->workload && !has_fd;
}

/* Lower rates have to be possible, and told. */
static int check_budget(const struct rec_args *args, struct pd_err *err)
{
	const struct rec_option_check checks[] = {
		{ args->off_cpu && rec_args_has_budget(args),
		  "--off-cpu with --cpu-limit or --budget, which would leave "
		  "out switches",
		  "leave one of them out" },
		{ rec_args_has_budget(args) &&
			  args->attr.sample_period == REC_NO,
		  "--cpu-limit or --budget with --no-period: samples would "
		  "not tell their rate",
		  "leave one of them out" },
	};

	return rec_option_checks_run(checks, sizeof(checks) / sizeof(checks[0]),
				     err);
}

/* Check what the parser of a single option cannot. */
static int check_options(const struct rec_args *args, struct pd_err *err)
{
	bool has_bounds = args->max_files || args->max_files_len ||
			  args->max_files_age_ns || args->keep_free_len;
	bool has_times = args->switch_output.is_on || args->timestamp_filename;
	bool has_max_samples = args->max_samples != UINT64_MAX;
	const struct rec_option_check checks[] = {
		{ args->attr.all_user && args->attr.all_kernel,
		  "--all-user and --all-kernel exclude each other",
		  "give one of them" },
		{ !args->flush_interval_ns,
		  "--flush-interval 0 would never wait",
		  "give a time, such as 100ms" },
		{ args->output && !*args->output, "-o has no name",
		  "give the name of a file, or - for stdout" },
		{ args->carry_file && !args->carry,
		  "--carry-file with --carry none: nothing would be in it",
		  "leave one of them out" },
		{ args->switch_max_files && !args->switch_output.is_on,
		  "--switch-max-files without --switch-output",
		  "--switch-output=SIZE, TIME or signal says when a file "
		  "ends" },
		{ !args->max_samples, "--max-samples 0 would record nothing",
		  "give a number, such as 10000" },
		{ has_max_samples && args->attr.no_samples,
		  "--max-samples with -n, which takes none",
		  "leave one of them out" },
		{ has_max_samples && overwrites(args),
		  "--max-samples keeps the first samples, --overwrite the last",
		  "leave one of them out" },
		{ args->holds_tasks &&
			  (args->attr.switch_events || args->off_cpu),
		  "--sideband=sampled with context switches, which name all "
		  "tasks",
		  "leave one of them out" },
		{ args->holds_tasks &&
			  (overwrites(args) || args->tail_synthesize),
		  "--sideband=sampled with rings that are overwritten",
		  "leave one of them out" },
		{ args->attr.leaf_callers == REC_YES && args->tail_synthesize,
		  "--leaf-callers with --tail-synthesize, which tells of the "
		  "maps of what runs when all is over",
		  "leave one of them out" },
		{ args->off_cpu && (args->cgroup_nr || args->each_cgroup),
		  "--off-cpu with a control group",
		  "give -a, and look at one with report -s cgroup" },
		{ has_bounds && !has_times,
		  "--max-files, --max-files-size, --max-files-age or "
		  "--keep-free without --switch-output or "
		  "--timestamp-filename",
		  "they count files that have a time in their name" },
		{ args->on_slice && !has_times,
		  "--on-slice without --switch-output or "
		  "--timestamp-filename",
		  "--switch-output=SIZE, TIME or signal says when a file "
		  "ends" },
		{ !args->on_slice_ns,
		  "--on-slice-time 0 would end a command at once",
		  "give a time, such as 60s" },
		{ args->reload && !rec_args_can_reload(args),
		  "--reload without --config, with a command or with "
		  "--control fd:N",
		  "give --config FILE as the first option" },
	};

	return rec_option_checks_run(checks, sizeof(checks) / sizeof(checks[0]),
				     err);
}

/* --off-cpu */
static int add_off_cpu(struct rec_args *args, struct pd_err *err)
{
	const struct rec_target_spec *t = &args->target;

	args->attr.switch_events = true;
	return rec_off_cpu_events_add(&args->events, &args->env,
				      !t->system_wide && !t->cpu_list,
				      &args->off_cpu_note, err);
}

int rec_args_parse(struct rec_args *args, int argc, char **argv,
		   struct pd_err *err)
{
	int first = argc;
	int rc;

	init(args, argc, argv);
	rc = parse_config_file(args, argc, argv, err);
	if (!rc)
		rc = sup_options_parse(&rec_command, args, argc, argv, &first,
				       err);
	if (rc)
		return rc;
	if (args->asked == REC_ASKED_LIST && !args->list_word && first < argc)
		args->list_word = argv[first];
	if (args->asked)
		return 1;
	if (first < argc)
		args->workload = argv + first;
	choose_target(args);
	args->attr.is_delayed = args->delay.is_given;
	args->attr.has_control = args->control != NULL;
	if (args->no_buildid)
		args->attr.buildid_mmap = false;
	rc = check_options(args, err);
	if (!rc)
		rc = check_budget(args, err);
	if (!rc && !args->events.nr)
		rc = rec_event_default(&args->events, &args->env, err);
	if (!rc && args->off_cpu)
		rc = add_off_cpu(args, err);
	if (!rc && args->each_cgroup)
		rc = rec_cgroup_multiply(&args->events, args->each_cgroup,
					 "/proc", err);
	return rc ? rc : check_cgroups(args, err);
}

void rec_args_release(struct rec_args *args)
{
	rec_event_list_release(&args->events);
	rec_event_list_release(&args->switch_events);
	rec_delay_release(&args->delay);
	free((void *)(uintptr_t)args->env.tracefs);
	for (size_t i = 0; i < args->config_nr; i++)
		free(args->config_words[i]);
	free(args->config_words);
	memset(args, 0, sizeof(*args));
}
