#include "record/stat/stat_args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/cmdline/args.h"
#include "record/host/host_facts.h"
#include "record/stat/stat.h"
#include "record/targets/cgroup.h"

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
		rc = rec_stat_events_add(&args->events, &args->env,
					 is_whole_cpus(args), args->detail_nr,
					 err);
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
