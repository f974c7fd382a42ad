#include "record/cmdline/args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/carry/carry.h"
#include "record/cmdline/config_file.h"
#include "record/targets/cgroup.h"
#include "record/targets/off_cpu_events.h"
#include "record/host/host_facts.h"
#include "record/ring/ring_set.h"
#include "record/snapshot/snapshot.h"

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
	args->spill_len = REC_SPILL_BUFFER_LEN_DEFAULT;
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

/* Check what the parser of a single option cannot. */
static int check_options(const struct rec_args *args, struct pd_err *err)
{
	bool has_bounds = args->max_files || args->max_files_len ||
			  args->max_files_age_ns;
	bool has_times = args->switch_output.is_on || args->timestamp_filename;
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
		{ args->off_cpu && args->cpu_limit_pct > 0,
		  "--off-cpu with --cpu-limit, which would leave out switches",
		  "leave one of them out" },
		{ args->off_cpu && (args->cgroup_nr || args->each_cgroup),
		  "--off-cpu with a control group",
		  "give -a, and look at one with report -s cgroup" },
		{ has_bounds && !has_times,
		  "--max-files, --max-files-size or --max-files-age without "
		  "--switch-output or --timestamp-filename",
		  "they count files that have a time in their name" },
		{ args->on_slice && !has_times,
		  "--on-slice without --switch-output or "
		  "--timestamp-filename",
		  "--switch-output=SIZE, TIME or signal says when a file "
		  "ends" },
		{ !args->on_slice_ns,
		  "--on-slice-time 0 would end a command "
		  "at once",
		  "give a time, such as 60s" },
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
	rc = rec_config_file_parse(args, argc, argv, err);
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
