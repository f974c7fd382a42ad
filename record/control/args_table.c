/* args_table.c: the options, and what those do that are more than a field. */
#include "record/control/args.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/targets/cgroup.h"
#include "record/control/cpu_limit.h"
#include "record/ring/ring_set.h"
#include "record/snapshot/snapshot.h"
#include "record/event/tracefs.h"

enum { LEVEL_MAX = 22, PRIORITY_MAX = 99 };

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
	int code;

	if (!args->env.tracefs && strchr(arg, ':') &&
	    !rec_tracefs_find(&root, &no_tracefs))
		args->env.tracefs = root;
	code = rec_event_parse(list, arg, &args->env, err);
	/* "sched:sched_switch" is unknown where there is no tracefs. */
	if (code == -ENOENT && no_tracefs.code)
		*err = no_tracefs;
	if (!code)
		code = rec_event_refuse_tracers(list, err);
	if (code && !err->hint[0])
		pd_err_hint(err, "events are written as for perf record, see "
				 "perf-list(1); several are parted by commas");
	return code;
}

static int call_event(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return parse_events(args, &args->events, arg, err);
}

/* As with perf it brings --switch-output with it. */
static int call_switch_event(void *conf, const char *arg, bool unset,
			     struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	args->switch_output.is_on = true;
	return parse_events(args, &args->switch_events, arg, err);
}

static int call_filter(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return rec_event_filter(&args->events, arg, err);
}

static int call_exclude_perf(void *conf, const char *arg, bool unset,
			     struct pd_err *err)
{
	struct rec_args *args = conf;
	int code =
		rec_event_exclude_pid(&args->events, (uint64_t)getpid(), err);

	(void)arg;
	(void)unset;
	if (code == -EINVAL) {
		*err = (struct pd_err)PD_ERR_INIT;
		pd_err_set(err, code, "--exclude-perf needs tracepoints");
		pd_err_hint(err, "give -e SYS:NAME first, then --exclude-perf");
	}
	return code;
}

static int call_freq(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	args->attr.freq_max = !strcmp(arg, "max");
	if (args->attr.freq_max)
		return 0;
	if (sup_parse_u64(arg, &args->attr.freq_hz) || !args->attr.freq_hz)
		return bad(err, "-F", arg, "give samples per second, or max");
	return 0;
}

static int call_period(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	if (sup_parse_u64(arg, &args->attr.period) || !args->attr.period)
		return bad(err, "-c", arg, "give how many events a sample");
	return 0;
}

static int call_ring(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct rec_args *args = conf;
	size_t len;
	int code = rec_ring_len_parse(arg, &len, err);

	(void)unset;
	if (!code)
		args->ring_len = len;
	return code;
}

static int call_level(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	struct rec_args *args = conf;
	uint64_t level = REC_LEVEL_DEFAULT;

	(void)unset;
	if (arg && (sup_parse_u64(arg, &level) || level > LEVEL_MAX))
		return bad(err, "-z", arg, "give a level of 1 to 22, or 0");
	args->level = (int)level;
	return 0;
}

static int call_delay(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return rec_delay_parse(arg, &args->delay, err);
}

static int call_switch(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return rec_switch_parse(arg, &args->switch_output, err);
}

static int call_max_len(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return rec_max_len_parse(arg, &args->max_len, err);
}

static int call_graph(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	struct rec_args *args = conf;

	if (unset) {
		args->attr.callchain = REC_CALLCHAIN_NONE;
		return 0;
	}
	return rec_callchain_parse(arg ? arg : "fp", &args->attr.callchain,
				   &args->attr.stack_len, err);
}

static int call_clock(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	args->attr.use_clockid = true;
	return rec_clockid_parse(arg, &args->attr.clockid, err);
}

static int call_branch(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return rec_branch_parse(arg, &args->attr.branch_type, err);
}

static int call_branch_any(void *conf, const char *arg, bool unset,
			   struct pd_err *err)
{
	(void)arg;
	return call_branch(conf, "any", unset, err);
}

static int call_synth(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	struct rec_args *args = conf;

	if (unset) {
		args->synth = REC_SYNTH_NO;
		return 0;
	}
	return rec_synth_parse(arg, &args->synth, err);
}

static int call_threads(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)err;
	args->threads = unset ? NULL : arg && *arg ? arg : "cpu";
	return 0;
}

static int call_affinity(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return rec_affinity_parse(arg, &args->affinity, err);
}

static int call_realtime(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	struct rec_args *args = conf;
	uint64_t priority;

	(void)unset;
	if (sup_parse_u64(arg, &priority) || !priority ||
	    priority > PRIORITY_MAX)
		return bad(err, "-r", arg, "give a priority of 1 to 99");
	args->priority = (unsigned)priority;
	return 0;
}

static int call_spill(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	if (sup_parse_size(arg, &args->spill_len) ||
	    args->spill_len > SIZE_MAX / 4 ||
	    (args->spill_len && args->spill_len < REC_SPILL_BUFFER_LEN_MIN))
		return bad(err, "--spill-size", arg,
			   "give a size of at least 1M, or 0 for none");
	return 0;
}

static int call_cpu_limit(void *conf, const char *arg, bool unset,
			  struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	/* Periods that change have to stand in the samples. */
	args->attr.sample_period = REC_YES;
	return rec_cpu_limit_parse(arg, &args->cpu_limit_pct, err);
}

static int set_choice(enum rec_choice *choice, bool unset)
{
	*choice = unset ? REC_NO : REC_YES;
	return 0;
}

static int call_data(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)arg;
	(void)err;
	return set_choice(&args->attr.sample_address, unset);
}

static int call_time(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)arg;
	(void)err;
	return set_choice(&args->attr.sample_time, unset);
}

static int call_sample_period(void *conf, const char *arg, bool unset,
			      struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)arg;
	(void)err;
	return set_choice(&args->attr.sample_period, unset);
}

static int call_cgroup(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return rec_cgroup_assign(&args->events, arg, &args->cgroup_nr, err);
}

/* arg NULL: all that can be sampled. */
static int parse_regs(const char *arg, uint64_t *ret, struct pd_err *err)
{
	struct utsname machine;

	uname(&machine);
	if (arg)
		return rec_regs_parse(arg, machine.machine, ret, err);
	*ret = rec_regs_user_mask(machine.machine);
	if (*ret)
		return 0;
	return pd_err_set(err, -ENOTSUP,
			  "the registers of %s are not known here",
			  machine.machine);
}

static int call_intr_regs(void *conf, const char *arg, bool unset,
			  struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return parse_regs(arg, &args->attr.regs_intr, err);
}

static int call_user_regs(void *conf, const char *arg, bool unset,
			  struct pd_err *err)
{
	struct rec_args *args = conf;

	(void)unset;
	return parse_regs(arg, &args->attr.regs_user, err);
}

static int call_aux(void *conf, const char *arg, bool unset, struct pd_err *err)
{
	(void)conf;
	(void)arg;
	(void)unset;
	pd_err_set(err, -ENOTSUP,
		   "-S and --aux-sample are of hardware traces (Intel PT and "
		   "the like), which are not recorded here");
	pd_err_hint(err, "use perf record for them; --overwrite keeps the last "
			 "samples");
	return -ENOTSUP;
}

#define ARG(member)	 offsetof(struct rec_args, member)
#define NEGATABLE_NO_ARG (SUP_OPT_NO_ARG | SUP_OPT_NEGATABLE)

static const struct sup_opt opts[] = {
	/* what */
	{ 'e', "event", SUP_CALL, 0, 0, "EVENT",
	  "event to record, see perf-list(1); several -e add up", call_event },
	{ 0, "filter", SUP_CALL, 0, 0, "FILTER",
	  "kernel filter for the tracepoints of the -e before", call_filter },
	{ 0, "exclude-perf", SUP_CALL, 0, SUP_OPT_NO_ARG, NULL,
	  "leave out the recorder's own tracepoint events", call_exclude_perf },
	{ 'F', "freq", SUP_CALL, 0, 0, "HZ",
	  "samples per second, or max (default 4000)", call_freq },
	{ 'c', "count", SUP_CALL, 0, 0, "N", "one sample every N events",
	  call_period },
	{ 0, "strict-freq", SUP_FLAG, ARG(attr.strict_freq), SUP_OPT_NEGATABLE,
	  NULL, "fail where the kernel does not allow the frequency", NULL },
	/* whom */
	{ 'a', "all-cpus", SUP_FLAG, ARG(target.system_wide), SUP_OPT_NEGATABLE,
	  NULL, "everything on all CPUs", NULL },
	{ 'C', "cpu", SUP_STRING, ARG(target.cpu_list), 0, "LIST",
	  "everything on these CPUs: 0-3,8", NULL },
	{ 'p', "pid", SUP_STRING, ARG(target.pid_list), 0, "LIST",
	  "these processes with all their threads", NULL },
	{ 't', "tid", SUP_STRING, ARG(target.tid_list), 0, "LIST",
	  "these threads", NULL },
	{ 'u', "uid", SUP_STRING, ARG(target.user), 0, "USER",
	  "all processes of this user, a name or a number", NULL },
	{ 0, "per-thread", SUP_FLAG, ARG(target.per_thread), SUP_OPT_NEGATABLE,
	  NULL, "a ring per thread, not per CPU", NULL },
	{ 'i', "no-inherit", SUP_FLAG, ARG(attr.no_inherit), 0, NULL,
	  "do not follow into new threads and children", NULL },
	{ 'G', "cgroup", SUP_CALL, 0, 0, "NAME[,NAME]",
	  "only in this control group: one for all -e before, or one each",
	  call_cgroup },
	{ 0, "for-each-cgroup", SUP_STRING, ARG(each_cgroup), 0, "NAME,NAME",
	  "every event once for each of these control groups: names or regexes",
	  NULL },
	{ 0, "all-user", SUP_FLAG, ARG(attr.all_user), SUP_OPT_NEGATABLE, NULL,
	  "user space only", NULL },
	{ 0, "all-kernel", SUP_FLAG, ARG(attr.all_kernel), SUP_OPT_NEGATABLE,
	  NULL, "kernel only", NULL },
	/* stacks */
	{ 'g', NULL, SUP_CALL, 0, SUP_OPT_NO_ARG, NULL,
	  "callchains, by frame pointers", call_graph },
	{ 0, "call-graph", SUP_CALL, 0, SUP_OPT_NEGATABLE, "MODE[,SIZE]",
	  "callchains: fp, dwarf[,bytes of stack], lbr", call_graph },
	{ 0, "kernel-callchains", SUP_FLAG, ARG(attr.kernel_callchains),
	  SUP_OPT_NEGATABLE, NULL, "the kernel's part only", NULL },
	{ 0, "user-callchains", SUP_FLAG, ARG(attr.user_callchains),
	  SUP_OPT_NEGATABLE, NULL, "user space's part only", NULL },
	{ 'b', "branch-any", SUP_CALL, 0, SUP_OPT_NO_ARG, NULL,
	  "branch stacks of any branches", call_branch_any },
	{ 'j', "branch-filter", SUP_CALL, 0, 0, "LIST",
	  "branch stacks: any, any_call, ..., u, k", call_branch },
	/* what a sample holds */
	{ 'd', "data", SUP_CALL, 0, NEGATABLE_NO_ARG, NULL,
	  "addresses, and maps of data", call_data },
	{ 'T', "timestamp", SUP_CALL, 0, NEGATABLE_NO_ARG, NULL, "times",
	  call_time },
	{ 'P', "period", SUP_CALL, 0, NEGATABLE_NO_ARG, NULL, "periods",
	  call_sample_period },
	{ 'W', "weight", SUP_FLAG, ARG(attr.sample_weight), SUP_OPT_NEGATABLE,
	  NULL, "weights, where the event has them", NULL },
	{ 'R', "raw-samples", SUP_FLAG, ARG(attr.raw_samples),
	  SUP_OPT_NEGATABLE, NULL, "raw data of all events", NULL },
	{ 's', "stat", SUP_FLAG, ARG(attr.inherit_stat), SUP_OPT_NEGATABLE,
	  NULL, "counts of each thread when it ends", NULL },
	{ 'n', "no-samples", SUP_FLAG, ARG(attr.no_samples), 0, NULL,
	  "no samples, only what happens to tasks and maps", NULL },
	{ 0, "sample-cpu", SUP_FLAG, ARG(attr.sample_cpu), SUP_OPT_NEGATABLE,
	  NULL, "CPUs", NULL },
	{ 0, "sample-identifier", SUP_FLAG, ARG(attr.sample_identifier),
	  SUP_OPT_NEGATABLE, NULL, "the event's id first", NULL },
	{ 0, "phys-data", SUP_FLAG, ARG(attr.phys_data), SUP_OPT_NEGATABLE,
	  NULL, "physical addresses", NULL },
	{ 0, "data-page-size", SUP_FLAG, ARG(attr.data_page_len),
	  SUP_OPT_NEGATABLE, NULL, "page sizes of data addresses", NULL },
	{ 0, "code-page-size", SUP_FLAG, ARG(attr.code_page_len),
	  SUP_OPT_NEGATABLE, NULL, "page sizes of code addresses", NULL },
	{ 0, "transaction", SUP_FLAG, ARG(attr.sample_transaction),
	  SUP_OPT_NEGATABLE, NULL, "transaction flags", NULL },
	{ 'I', "intr-regs", SUP_CALL, 0, SUP_OPT_ARG_OPTIONAL, "REG,REG",
	  "registers at the interrupt (all that can be sampled)",
	  call_intr_regs },
	{ 0, "user-regs", SUP_CALL, 0, SUP_OPT_ARG_OPTIONAL, "REG,REG",
	  "registers of user space", call_user_regs },
	{ 0, "running-time", SUP_FLAG, ARG(attr.running_time),
	  SUP_OPT_NEGATABLE, NULL, "enabled and running time of :S groups",
	  NULL },
	{ 'k', "clockid", SUP_CALL, 0, 0, "CLOCK",
	  "clock of the times: mono, monotonic_raw, realtime, ...",
	  call_clock },
	/* what else is told */
	{ 0, "switch-events", SUP_FLAG, ARG(attr.switch_events),
	  SUP_OPT_NEGATABLE, NULL, "context switches", NULL },
	{ 0, "namespaces", SUP_FLAG, ARG(attr.namespaces), SUP_OPT_NEGATABLE,
	  NULL, "namespaces of tasks", NULL },
	{ 0, "all-cgroups", SUP_FLAG, ARG(attr.all_cgroups), SUP_OPT_NEGATABLE,
	  NULL, "control groups", NULL },
	{ 0, "no-bpf-event", SUP_FLAG, ARG(attr.no_bpf_event), 0, NULL,
	  "nothing about BPF programs", NULL },
	{ 0, "synth", SUP_CALL, 0, SUP_OPT_NEGATABLE, "LIST",
	  "what already runs: no, all, or task,mmap,cgroup", call_synth },
	{ 'B', "no-buildid", SUP_FLAG, ARG(no_buildid), 0, NULL,
	  "no build-ids of mapped files", NULL },
	{ 0, "buildid-mmap", SUP_FLAG, ARG(attr.buildid_mmap), 0, NULL,
	  "build-ids in MMAP2 records, even if other recorders take harm",
	  NULL },
	{ 0, "buildid-all", SUP_FLAG, ARG(buildid_all), SUP_OPT_NEGATABLE, NULL,
	  "also a table of the build-ids of all mapped files", NULL },
	{ 'N', "no-buildid-cache", SUP_FLAG, ARG(no_buildid_cache), 0, NULL,
	  "leave the build-id cache alone (always so)", NULL },
	/* how */
	{ 'o', "output", SUP_STRING, ARG(output), 0, "FILE",
	  "where to (default perf.data); - is stdout", NULL },
	{ 0, "max-size", SUP_CALL, 0, 0, "SIZE",
	  "end when the file has so much: 500M", call_max_len },
	{ 0, "switch-output", SUP_CALL, 0, SUP_OPT_ARG_OPTIONAL,
	  "signal|SIZE|TIME",
	  "a new file at SIGUSR2, or each 100M, or each 30s; the old one gets "
	  "a name with the time",
	  call_switch },
	{ 0, "switch-output-event", SUP_CALL, 0, 0, "EVENT",
	  "a new file each time that this event comes on any CPU",
	  call_switch_event },
	{ 0, "switch-max-files", SUP_U32, ARG(switch_max_files), 0, "N",
	  "keep the last N of these files", NULL },
	{ 0, "max-files", SUP_U32, ARG(max_files), 0, "N",
	  "keep the last N files with a time in their name, those of earlier "
	  "recordings of that name too, and perf's",
	  NULL },
	{ 0, "timestamp-filename", SUP_FLAG, ARG(timestamp_filename),
	  SUP_OPT_NEGATABLE, NULL, "put the time behind the file's name",
	  NULL },
	{ 0, "overwrite", SUP_FLAG, ARG(attr.overwrite), SUP_OPT_NEGATABLE,
	  NULL,
	  "flight recorder: only the last of the rings is written, at the end "
	  "or at each --switch-output",
	  NULL },
	{ 0, "tail-synthesize", SUP_FLAG, ARG(tail_synthesize),
	  SUP_OPT_NEGATABLE, NULL,
	  "tell what runs at the end of the file, not at its start", NULL },
	{ 0, "timestamp-boundary", SUP_FLAG, ARG(timestamp_boundary),
	  SUP_OPT_NEGATABLE, NULL,
	  "write the times of the first and last sample (always so)", NULL },
	{ 'S', "snapshot", SUP_CALL, 0, SUP_OPT_ARG_OPTIONAL | SUP_OPT_HIDDEN,
	  "OPTS", "AUX areas", call_aux },
	{ 0, "aux-sample", SUP_CALL, 0, SUP_OPT_ARG_OPTIONAL | SUP_OPT_HIDDEN,
	  "OPTS", "AUX areas", call_aux },
	{ 0, "flush-interval", SUP_DURATION, ARG(flush_interval_ns), 0, "TIME",
	  "what is older is in the file, whatever happens (default 1s)", NULL },
	{ 0, "sync", SUP_FLAG, ARG(sync), SUP_OPT_NEGATABLE, NULL,
	  "at each flush wait until it is on the disk: holds when the machine "
	  "fails, too",
	  NULL },
	{ 'm', "mmap-pages", SUP_CALL, 0, 0, "PAGES",
	  "ring of each CPU: pages, or a size as 2M (default 512K)",
	  call_ring },
	{ 0, "threads", SUP_CALL, 0, SUP_OPT_ARG_OPTIONAL | SUP_OPT_NEGATABLE,
	  "SPEC",
	  "drain threads: a number, cpu, core, package, numa, or "
	  "CPUS/AFFINITY:... (default one for 8 CPUs)",
	  call_threads },
	{ 0, "affinity", SUP_CALL, 0, 0, "MODE",
	  "where they run: sys, or cpu or node of the ring", call_affinity },
	{ 'r', "realtime", SUP_CALL, 0, 0, "PRIO",
	  "real-time priority, 1 to 99", call_realtime },
	{ 0, "no-boost", SUP_FLAG, ARG(no_boost), 0, NULL,
	  "never take real-time priority by itself, as it does for moments "
	  "while a ring fills",
	  NULL },
	{ 0, "cpu-limit", SUP_CALL, 0, 0, "PCT",
	  "lower the events' rates so that recording takes no more than this "
	  "share of one CPU",
	  call_cpu_limit },
	{ 0, "spill-size", SUP_CALL, 0, 0, "SIZE",
	  "spare memory for bursts that the rings cannot hold (default 32M)",
	  call_spill },
	{ 'z', "compression-level", SUP_CALL, 0, SUP_OPT_ARG_OPTIONAL, "LEVEL",
	  "zstd level 1 to 22 (default 1); -z0 writes plain", call_level },
	{ 'D', "delay", SUP_CALL, 0, 0, "MS",
	  "events on so long after the start, or in ranges as 10-20,30-40; "
	  "-1: by --control",
	  call_delay },
	{ 0, "control", SUP_STRING, ARG(control), 0,
	  "fd:N[,N]|fifo:PATH[,PATH]",
	  "commands: enable, disable, evlist, snapshot, stop, ping; and where "
	  "to answer",
	  NULL },
	{ 0, "duration", SUP_DURATION, ARG(duration_ns), 0, "TIME",
	  "end after this time: 10s, 500ms, 2m", NULL },
	{ 0, "no-buffering", SUP_FLAG, ARG(attr.no_buffering), 0, NULL,
	  "wake up for each record", NULL },
	{ 'q', "quiet", SUP_FLAG, ARG(quiet), 0, NULL, "say nothing but errors",
	  NULL },
	{ 'v', "verbose", SUP_COUNT, ARG(verbose_nr), 0, NULL,
	  "say what is opened, and the cost", NULL },
	{ 0 },
};

static const struct sup_absent absent[] = {
	{ "aio", "threads of their own drain and write: --threads=N" },
	{ "clang-opt", "no BPF programs are compiled here" },
	{ "clang-path", "no BPF programs are compiled here" },
	{ "debuginfod", "symbols are looked up by 'perfpair report'" },
	{ "dry-run", "-v -o /dev/null -- true says what is opened" },
	{ "group", "put the events into braces: -e '{a,b}'" },
	{ "kcore", "use perf record for a copy of the kernel's memory" },
	{ "mmap-flush", "--flush-interval says how soon all is in the file" },
	{ "num-thread-synthesize", "what runs is read by as many threads as it "
				   "takes" },
	{ "off-cpu", "use --switch-events, or -e sched:sched_switch" },
	{ "proc-map-timeout", "maps of what runs are read to their end" },
	{ "vmlinux", "symbols are looked up by 'perfpair report --vmlinux'" },
	{ 0 },
};

const struct sup_command rec_command = {
	.name = "perfpair-record",
	.usage = "[OPTION]... [--] [COMMAND [ARG]...]",
	.summary = "Records performance events into a perf.data file.",
	.opts = opts,
	.absent = absent,
	.stop_at_operand = true,
};
