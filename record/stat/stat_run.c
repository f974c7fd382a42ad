#include "record/stat/stat_run.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/base/runtime.h"

enum { NS_OF_US = 1000, NS_OF_MS = 1000000, ALIVE_MS = 100, LINE_LEN = 1024 };

int rec_stat_run_init(struct rec_stat_run *run, struct rec_stat_args *args,
		      struct pd_err *err)
{
	size_t event_nr = args->events.nr;
	int rc;

	*run = (struct rec_stat_run){ .args = args,
				      .control = { .fd = -1 },
				      .workload = REC_WORKLOAD_INIT,
				      .commands = REC_CONTROL_FD_INIT };
	rc = rec_control_open(&run->control, err);
	if (!rc && args->control)
		rc = rec_control_fd_open(&run->commands, args->control, err);
	if (!rc)
		rc = rec_target_init(&run->target, &args->target, err);
	if (rc)
		return rc;
	rc = rec_stat_groups_init(&run->groups, args->mode, &run->target,
				  args->env.sysfs);
	run->groups.skips_idle = args->target.all_threads;
	for (size_t i = 0; i < 3 && !rc; i++)
		rc = rec_counts_init(i == 0   ? &run->counts
				     : i == 1 ? &run->before
					      : &run->of_interval,
				     event_nr, run->target.cpu_nr,
				     run->target.thread_nr);
	return rc ? pd_err_set(err, rc, "out of memory") : 0;
}

static void end_run(struct rec_stat_run *run)
{
	rec_counters_release(&run->counters);
	rec_workload_finish(&run->workload);
	run->workload = (struct rec_workload)REC_WORKLOAD_INIT;
}

void rec_stat_run_release(struct rec_stat_run *run)
{
	end_run(run);
	rec_counts_release(&run->counts);
	rec_counts_release(&run->before);
	rec_counts_release(&run->of_interval);
	rec_stat_groups_release(&run->groups);
	rec_target_release(&run->target);
	rec_control_fd_close(&run->commands);
	rec_control_close(&run->control);
}

/* Fork the command, and open the counters on it or on what else is counted. */
static int open_all(struct rec_stat_run *run, struct pd_err *err)
{
	const struct rec_stat_args *args = run->args;
	struct rec_counters_conf conf = {
		.target = &run->target,
		.no_inherit = args->no_inherit,
		.enable_on_exec = args->counts_workload && !args->delay_ms &&
				  !args->starts_off,
		.all_user = args->all_user,
		.all_kernel = args->all_kernel,
		.note = run->note,
	};
	int rc = 0;

	if (args->workload)
		rc = rec_workload_fork(&run->workload, args->workload, false,
				       err);
	if (!rc && args->counts_workload)
		run->target.threads[0].tid = run->workload.pid;
	return rc ? rc
		  : rec_counters_init(&run->counters, &run->args->events, &conf,
				      err);
}

static void say(const struct rec_stat_run *run, const char *text)
{
	if (!run->args->quiet)
		fprintf(stderr, "%s\n", text);
}

static int switch_on(struct rec_stat_run *run, bool on, struct pd_err *err)
{
	int rc = rec_counters_switch(&run->counters, on, err);

	if (!rc)
		say(run, on ? "Events enabled" : "Events disabled");
	return rc;
}

/* The CPU time of the command and its children that have been waited for. */
static void add_usage(struct rec_stat_run *run, int sign)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage))
		return;
	run->user_us +=
		(uint64_t)sign * ((uint64_t)usage.ru_utime.tv_sec * 1000000 +
				  (uint64_t)usage.ru_utime.tv_usec);
	run->sys_us +=
		(uint64_t)sign * ((uint64_t)usage.ru_stime.tv_sec * 1000000 +
				  (uint64_t)usage.ru_stime.tv_usec);
}

/* Put what is measured here at the first place and thread, as perf does.  A
 * command's time is known once it has ended. */
static void measure(struct rec_stat_run *run, uint64_t wall_ns)
{
	uint64_t values[REC_TOOL_NR] = { [REC_TOOL_DURATION] = wall_ns };
	struct rec_counts *counts = &run->counts;
	size_t len = counts->place_nr * counts->thread_nr * sizeof(*counts->at);

	add_usage(run, 1);
	values[REC_TOOL_USER] = run->user_us * NS_OF_US;
	values[REC_TOOL_SYSTEM] = run->sys_us * NS_OF_US;
	add_usage(run, -1);
	for (size_t i = 0; i < counts->event_nr; i++) {
		uint64_t ns = values[run->args->events.events[i].tool];
		struct rec_count *first = rec_counts_at(counts, i, 0, 0);

		if (!run->args->events.events[i].tool)
			continue;
		memset(first, 0, len);
		*first = (struct rec_count){ ns, ns, ns, true };
	}
}

static int read_counts(struct rec_stat_run *run, uint64_t wall_ns,
		       struct pd_err *err)
{
	int rc = rec_counters_read(&run->counters, &run->counts, err);

	if (!rc)
		measure(run, wall_ns);
	return rc;
}

/* Read what was counted since the last interval, and have it printed. */
static int end_interval(struct rec_stat_run *run, struct pd_err *err)
{
	int rc = read_counts(run, rec_now_ns() - run->start_ns, err);

	if (rc)
		return rc;
	rec_counts_subtract(&run->of_interval, &run->counts, &run->before);
	rec_counts_copy(&run->before, &run->counts);
	rc = run->interval(run, run->interval_ctx, err);
	run->last_ns = rec_now_ns();
	run->interval_nr++;
	if (run->args->interval_nr &&
	    run->interval_nr >= run->args->interval_nr)
		run->is_ended = run->is_cut = true;
	return rc;
}

/* Run one command of --control. */
static int obey(struct rec_stat_run *run, const char *line, struct pd_err *err)
{
	bool on = !strcmp(line, "enable"), is_known = true;
	int rc = 0;

	if (on || !strcmp(line, "disable")) {
		rc = switch_on(run, on, err);
		if (!rc && run->args->interval_ms)
			rc = end_interval(run, err);
	} else if (!strcmp(line, "stop")) {
		run->is_ended = run->is_cut = true;
	} else if (strcmp(line, "ping") != 0) {
		if (!run->args->quiet)
			fprintf(stderr, "failed: '%s' is no command\n", line);
		is_known = false;
	}
	if (!rc)
		(void)!rec_control_fd_ack(&run->commands, is_known);
	return rc;
}

static int obey_all(struct rec_stat_run *run, struct pd_err *err)
{
	char line[LINE_LEN];
	int rc = 0, more = 1;

	while (!rc && more > 0) {
		more = rec_control_fd_read(&run->commands, line, sizeof(line));
		if (more > 0 && *line)
			rc = obey(run, line, err);
	}
	if (more < 0)
		rec_control_fd_close(&run->commands);
	return rc;
}

static bool is_any_alive(const struct rec_target *target)
{
	char path[64];

	for (size_t i = 0; i < target->thread_nr; i++) {
		if (target->threads[i].tid < 0)
			return true;
		snprintf(path, sizeof(path), "/proc/%d",
			 target->threads[i].tid);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

/* Wait for a signal or a command, no longer than until then. */
static void wait_until(struct rec_stat_run *run, uint64_t until_ns)
{
	struct pollfd fds[] = {
		{ .fd = run->control.fd, .events = POLLIN },
		{ .fd = run->commands.fd, .events = POLLIN },
	};
	uint64_t now = rec_now_ns();
	uint64_t left = until_ns > now ? until_ns - now : 0;
	struct timespec timeout = { (time_t)(left / 1000000000),
				    (long)(left % 1000000000) };

	if (left > (uint64_t)INT_MAX * NS_OF_MS)
		timeout = (struct timespec){ INT_MAX / 1000, 0 };
	(void)ppoll(fds, 2, &timeout, NULL);
	rec_control_read(&run->control);
	if (run->control.stop_signal)
		run->is_ended = true;
	if (run->workload.pid && rec_workload_poll(&run->workload))
		run->is_ended = true;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Count until the command ends, or a signal, a time or a command says so. */
static int loop(struct rec_stat_run *run, struct pd_err *err)
{
	const struct rec_stat_args *args = run->args;
	uint64_t step_ns = (uint64_t)args->interval_ms * NS_OF_MS;
	uint64_t next_ns = step_ns ? run->start_ns + step_ns : UINT64_MAX;
	uint64_t end_ns = UINT64_MAX;
	bool follows = !args->workload && run->target.any_cpu;
	int rc = 0;

	if (args->timeout_ms)
		end_ns = run->start_ns + (uint64_t)args->timeout_ms * NS_OF_MS;
	while (!rc && !run->is_ended) {
		uint64_t until = earlier(next_ns, end_ns);

		if (follows)
			until = earlier(until,
					rec_now_ns() + ALIVE_MS * NS_OF_MS);
		wait_until(run, until);
		if (run->commands.fd >= 0)
			rc = obey_all(run, err);
		if (run->is_ended || rc)
			break;
		if (rec_now_ns() >= next_ns) {
			rc = end_interval(run, err);
			while (next_ns <= rec_now_ns())
				next_ns += step_ns;
		}
		if (rec_now_ns() >= end_ns)
			run->is_ended = run->is_cut = true;
		if (follows && !is_any_alive(&run->target))
			run->is_ended = true;
	}
	return rc;
}

/* -D: let the command run for that long without being counted. */
static int delay(struct rec_stat_run *run, struct pd_err *err)
{
	const struct rec_stat_args *args = run->args;
	uint64_t until = rec_now_ns() + (uint64_t)args->delay_ms * NS_OF_MS;

	if (args->starts_off || args->delay_ms)
		say(run, "Events disabled");
	if (!args->delay_ms)
		return 0;
	while (!run->is_ended && rec_now_ns() < until)
		wait_until(run, until);
	return run->is_ended ? 0 : switch_on(run, true, err);
}

static int begin(struct rec_stat_run *run, struct pd_err *err)
{
	const struct rec_stat_args *args = run->args;
	bool now =
		!args->counts_workload && !args->delay_ms && !args->starts_off;
	int rc = now ? rec_counters_switch(&run->counters, true, err) : 0;

	run->start_ns = rec_now_ns();
	if (!rc && args->workload)
		rc = rec_workload_start(&run->workload, args->workload[0], err);
	if (!rc)
		rc = delay(run, err);
	if (args->delay_ms)
		run->start_ns = rec_now_ns();
	run->last_ns = run->start_ns;
	return rc;
}

static void clear(struct rec_counts *counts)
{
	memset(counts->at, 0,
	       counts->event_nr * counts->place_nr * counts->thread_nr *
		       sizeof(*counts->at));
}

static int count(struct rec_stat_run *run, uint64_t *ret_wall_ns,
		 struct pd_err *err)
{
	const struct rec_stat_args *args = run->args;
	int rc = begin(run, err);

	if (!rc)
		rc = loop(run, err);
	/* A command that was cut short counts until it has ended. */
	if (!rc)
		rec_workload_finish(&run->workload);
	*ret_wall_ns = rec_now_ns() - run->start_ns;
	if (!rc && args->interval_ms && !run->is_cut)
		rc = end_interval(run, err);
	if (!rc && run->counters.open.nr && !args->counts_workload)
		rc = rec_counters_switch(&run->counters, false, err);
	if (!rc)
		rc = read_counts(run, *ret_wall_ns, err);
	return rc;
}

int rec_stat_run_once(struct rec_stat_run *run, uint64_t *ret_wall_ns,
		      struct pd_err *err)
{
	int rc;

	end_run(run);
	clear(&run->counts);
	clear(&run->before);
	run->is_ended = run->is_cut = false;
	run->interval_nr = 0;
	run->user_us = run->sys_us = 0;
	if (run->args->sync)
		sync();
	add_usage(run, -1);
	rc = open_all(run, err);
	if (!rc)
		rc = count(run, ret_wall_ns, err);
	add_usage(run, 1);
	return rc;
}
