/* perfpair why: says in a few sentences what took a process its time. */
#include "report/base/memory.h"
#include "report/base/progress.h"
#include "report/cli/command_options.h"
#include "report/cli/recording_input.h"
#include "report/commands/commands.h"
#include "report/commands/outputs.h"
#include "report/commands/why.h"
#include "report/report/report_files.h"
#include "report/top/recorder_child.h"

#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

struct why_args {
	const char *input;
	const char *output;
	const char *pids;
	const char *comms;
	const char *times;
	uint64_t duration_ns;
};

#define ARGS(field) offsetof(struct why_args, field)

static const struct sup_opt opts[] = {
	RPT_OPT_TEXT('p', "pid", ARGS(pids), "LIST",
		     "explain these processes; without a FILE record them "
		     "first, and whatever wakes them"),
	RPT_OPT_TEXT('c', "comms", ARGS(comms), "NAME,...",
		     "explain the threads of these names"),
	{ 'd', "duration", SUP_DURATION, ARGS(duration_ns), 0, "SECONDS",
	  "record for so many seconds, or 500ms, 2m (10)", NULL },
	RPT_OPT_TEXT('o', "output", ARGS(output), "FILE",
		     "record into this file (perf.data)"),
	RPT_OPT_INPUT(ARGS(input)),
	RPT_OPT_TEXT(0, "time", ARGS(times), "RANGE,...",
		     "explain these times alone, as report --time"),
	{ 0 },
};

const struct sup_command rpt_why_command = {
	.name = "perfpair why",
	.usage = "-p PID [-d SECONDS] | [OPTION]... [FILE]",
	.summary = "Say in a few sentences what took a process its time, and "
		   "what would shorten it, with the commands that print the "
		   "numbers.",
	.opts = opts,
};

/* Return 0, or -ESRCH if a process of a list is not there. */
static int check_pids(const char *pids, struct pd_err *err)
{
	const char *at = pids;

	while (*at) {
		char *end;
		long pid = strtol(at, &end, 10);

		if (end == at || pid <= 0 || pid > INT32_MAX ||
		    (*end && *end != ','))
			return pd_err_set(err, -EINVAL,
					  "--pid: '%s' is no list of processes",
					  pids);
		if (kill((pid_t)pid, 0) && errno == ESRCH)
			return pd_err_set(err, -ESRCH,
					  "there is no process %ld", pid);
		at = end + (*end == ',');
	}
	return 0;
}

/* Record, all tasks or those of args->pids alone.  Return the recorder's exit
 * code; what it printed is in child. */
static int run_recorder(const struct why_args *args, bool is_wide,
			struct rpt_recorder_child *child, struct pd_err *err)
{
	char duration[32];
	const char *words[] = {
		"",
		"-q",
		"--off-cpu",
#ifdef __x86_64__
		"--leaf-callers",
#endif
		"-g",
		"-F",
		"999",
		"-m",
		"4M",
		"--duration",
		duration,
		"-o",
		args->output,
		is_wide ? "-a" : "-p",
		is_wide ? NULL : args->pids,
		NULL,
	};

	snprintf(duration, sizeof(duration), "%" PRIu64 "ms",
		 args->duration_ns / (SECOND_NS / 1000));
	if (rpt_recorder_child_start(child, (char **)(uintptr_t)words, true,
				     err))
		return RPT_EXIT_FAILED;
	while (child->err_fd >= 0)
		rpt_recorder_child_hear(child);
	return rpt_recorder_child_end(child, 0);
}

/* Record the processes, and all others, which may be whom they wait for; or, if
 * that is not allowed, them alone.  Return an exit code. */
static int record(struct why_args *args)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct rpt_recorder_child child;
	struct pd_err err = PD_ERR_INIT;
	int rc = check_pids(args->pids, &err);
	int exit_code;

	if (rc)
		return rpt_warn_failed(NULL, rc, &err);
	sup_message("recording %s for %.1f s, with whatever wakes it",
		    args->pids, (double)args->duration_ns / 1e9);
	/* the recorder ends at Ctrl-C, and what it has is explained */
	sigaction(SIGINT, &ignore, &old);
	exit_code = run_recorder(args, true, &child, &err);
	if (exit_code) {
		exit_code = run_recorder(args, false, &child, &err);
		if (!exit_code)
			sup_message("other processes may not be recorded, so "
				    "that wakers are not known: root may");
	}
	sigaction(SIGINT, &old, NULL);
	if (exit_code)
		fwrite(child.tail, 1, child.tail_len, stderr);
	if (exit_code && err.text[0])
		sup_message_err(NULL, &err);
	return exit_code ? RPT_EXIT_FAILED : RPT_EXIT_OK;
}

/* The CPU time of each process of a recording. */
struct process {
	uint32_t pid;
	uint64_t period;
};

/* Count by process.  Return the number of those that ran; *ret is the one with
 * the most time. */
static uint32_t find_most(const struct rpt_profile *profile,
			  struct process *ret)
{
	struct rpt_intern pids = { .is_bytes = true };
	struct process *items = NULL;
	uint32_t cap = 0, nr;

	*ret = (struct process){ 0, 0 };
	for (uint32_t i = 0; i < profile->keys.nr; i++) {
		const struct rpt_stack *stack = &profile->stacks[i];
		uint32_t known_nr = pids.nr;
		int64_t idx;

		if (!stack->first_pid || stack->first_pid == UINT32_MAX)
			continue;
		idx = rpt_intern(&pids, &stack->first_pid,
				 sizeof(stack->first_pid));
		items = rpt_grow(items, &cap, known_nr, sizeof(*items));
		if (idx == known_nr)
			items[idx] = (struct process){ stack->first_pid, 0 };
		items[idx].period += stack->period;
		if (items[idx].period > ret->period)
			*ret = items[idx];
	}
	nr = pids.nr;
	rpt_intern_release(&pids);
	free(items);
	return nr;
}

/* Return whether a recording is of all tasks: of those, recorders keep on which
 * CPU each sample was taken. */
static bool is_wide(const struct pd_event_set *events)
{
	bool is_wide = false;

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		if (attr->flags & PD_ATTR_ENABLE_ON_EXEC)
			return false;
		is_wide |= attr->type != PD_TYPE_TRACEPOINT &&
			   attr->sample_type & PD_SAMPLE_CPU;
	}
	return is_wide;
}

/* Choose the process with the most CPU time of a recording of all: *ret_pid; 0:
 * none need be chosen. */
static int choose(struct rpt_report_args *args, uint32_t *ret_pid,
		  struct pd_err *err)
{
	struct rpt_report_args by_pid = *args;
	struct rpt_report_files inputs;
	struct process most;
	uint32_t nr;
	int rc;

	*ret_pid = 0;
	by_pid.switches = (struct rpt_report_switch_args){ 0 };
	by_pid.columns.sort = "pid";
	rc = rpt_report_files_open(&inputs, &by_pid, err);
	if (!rc && is_wide(pd_reader_events(inputs.items[0].reader)))
		rc = rpt_report_files_count(&inputs, err);
	if (!rc && inputs.items[0].is_profiled) {
		nr = find_most(&inputs.items[0].profile, &most);
		*ret_pid = nr > 1 ? most.pid : 0;
		if (*ret_pid)
			sup_message("%s: %" PRIu32 " processes ran: -p chooses "
				    "one, %" PRIu32 " had the most CPU time",
				    args->input, nr, most.pid);
	}
	rpt_report_files_close(&inputs);
	return rc;
}

/* Explain a recording.  Return an exit code. */
static int explain(const struct why_args *args)
{
	struct rpt_report_args report = rpt_report_args_default;
	struct pd_err err = PD_ERR_INIT;
	char pids[16];
	uint32_t pid = 0;
	int exit_code, rc;

	report.out.output = &rpt_output_why;
	report.switches.latency = report.switches.waits = true;
	report.columns.sort = RPT_WHY_SORT;
	report.filter.pids = args->pids;
	report.filter.comms = args->comms;
	report.filter.times = args->times;
	rpt_report_args_add_input(&report, args->input);
	rc = rpt_report_args_finish(&report, &err);
	if (!rc && !args->pids && !args->comms && strcmp(args->input, "-") != 0)
		rc = choose(&report, &pid, &err);
	if (pid) {
		snprintf(pids, sizeof(pids), "%" PRIu32, pid);
		report.filter.pids = pids;
	}
	exit_code = rc ? rpt_warn_failed(args->input, rc, &err)
		       : rpt_report_run(&report);
	rpt_report_args_release(&report);
	return exit_code;
}

int rpt_cmd_why(int argc, char **argv)
{
	struct why_args args = { .duration_ns = 10 * SECOND_NS };
	struct pd_err err = PD_ERR_INIT;
	int exit_code = RPT_EXIT_OK;
	int rc = rpt_options_parse(&rpt_why_command, &args, argc, argv,
				   &args.input, &err);
	bool is_recorded = args.pids && !args.input;

	if (!rc && !is_recorded && args.output)
		rc = pd_err_set(&err, -EINVAL,
				"-o is for what -p records, without a FILE");
	if (!rpt_options_are_good(rc, &rpt_why_command, &err, &exit_code))
		return exit_code;
	if (!args.output)
		args.output = RPT_DEFAULT_FILE;
	if (is_recorded) {
		rpt_progress_end();
		exit_code = record(&args);
		args.input = args.output;
	} else if (!args.input) {
		args.input = rpt_recording_input_default_path();
	}
	if (exit_code)
		return exit_code;
	exit_code = explain(&args);
	if (is_recorded)
		printf("\nThe recording is %s; look again: perfpair why -p %s "
		       "%s\n",
		       args.output, args.pids, args.output);
	return exit_code;
}
