/* timehist.c: perfpair sched timehist: each switch as a line, in the layout of
 * perf sched timehist, and sums of each task.
 *
 *	wait time	since the task had its CPU before
 *	sch delay	the part of it behind the wakeup
 *	run time	on the CPU, up to the line's time
 *
 * A time is 0.000 where the recording does not have both of its ends: at the
 * start, and where records were lost between them.
 */
#include "report/sched/sched.h"
#include "report/sched/sched_events.h"
#include "report/sched/task_sums.h"
#include "report/sched/timehist_lines.h"

#include "format/base/limits.h"
#include "format/support/message.h"
#include "report/base/memory.h"
#include "report/cli/filter_options.h"
#include "report/cli/symbol_options.h"
#include "report/unwind/unwind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OFF(member) offsetof(struct rpt_timehist_args, member)

static const struct sup_opt opts[] = {
	RPT_OPTS_SCHED(OFF(of_all)),
	RPT_OPT_FLAG('g', "call-graph", OFF(with_chains), SUP_OPT_NEGATABLE,
		     "show callers, if they were recorded (on)"),
	RPT_OPT_U32("max-stack", OFF(max_stack), "NR",
		    "show at most NR callers (5)"),
	RPT_OPT_FLAG('V', "cpu-visual", OFF(with_cpus), 0,
		     "show in a column for each CPU where it was"),
	RPT_OPT_FLAG('s', "summary", OFF(is_summary), 0,
		     "show only the sums of each task"),
	RPT_OPT_FLAG('S', "with-summary", OFF(with_summary), 0,
		     "show the sums of each task behind the switches"),
	RPT_OPT_FLAG('w', "wakeups", OFF(with_wakeups), 0, "show wakeups, too"),
	RPT_OPT_FLAG('M', "migrations", OFF(with_migrations), 0,
		     "show migrations, too, and count them"),
	RPT_OPT_FLAG('n', "next", OFF(with_next), 0,
		     "show which task gets the CPU"),
	RPT_OPT_FLAG('I', "idle-hist", OFF(is_idle), 0,
		     "show only when CPUs become idle, and for how long"),
	RPT_OPT_FLAG(0, "state", OFF(with_state), 0,
		     "show the state in which the task left the CPU"),
	RPT_OPT_FLAG(0, "wakers", OFF(with_wakers), 0,
		     "show who had woken the task before it ran"),
	RPT_OPT_TEXT('p', "pid", OFF(of_all.filter.pids), "LIST",
		     "show only these processes"),
	RPT_OPT_TEXT('t', "tid", OFF(of_all.filter.tids), "LIST",
		     "show only these threads"),
	RPT_OPT_TEXT('C', "cpu", OFF(of_all.filter.cpus), "LIST",
		     "show only these CPUs: 0,2-3"),
	RPT_OPT_TEXT(0, "time", OFF(of_all.filter.times), "START,STOP",
		     "show only what was between these times, in seconds "
		     "(either may be left out), or a part of the recording: "
		     "10%-20%"),
	RPT_OPT_FLAG('v', "verbose", OFF(of_all.symbols.with_parameters), 0,
		     "show C++ functions with their parameters"),
	{ 0 },
};

const struct sup_command rpt_sched_timehist_command = {
	.name = "perfpair sched timehist",
	.usage = "[OPTION]... [FILE]",
	.summary = "Show each context switch, with the waits before it.",
	.opts = opts,
};

struct timehist {
	const struct rpt_timehist_args *args;
	struct rpt_sched_events *se;
	struct rpt_filter cpus;	   /* the filter without times; borrows all */
	uint64_t start_ns, end_ns; /* of --time */
	struct rpt_task_sums sums;
	uint64_t first_ns, last_ns; /* of switches in that time; 0: none */
	uint64_t lost_nr;
	bool has_waking;
	bool is_part; /* switches of some tasks were left out */
	struct rpt_timehist_lines lines;
};

static bool passes(const struct timehist *th, const struct rpt_sched_task *task)
{
	const struct rpt_filtered_task of = {
		.pid = task->ref.pid,
		.tid = task->ref.tid,
		.comm = task->comm,
	};

	return rpt_filter_task(&th->se->filter, &of);
}

static bool passes_cpu(const struct timehist *th, uint32_t cpu)
{
	return rpt_filter_time(&th->cpus, 0, cpu);
}

/* Show a wakeup or a migration. */
static void show_other(struct timehist *th, const struct rpt_sched_event *ev)
{
	if (th->args->is_summary || th->args->is_idle ||
	    ev->time_ns < th->start_ns || ev->time_ns > th->end_ns ||
	    !passes_cpu(th, ev->cpu) ||
	    (!passes(th, &ev->task) && !passes(th, &ev->woken)))
		return;
	rpt_timehist_other(&th->lines, ev);
}

static bool is_shown(const struct timehist *th,
		     const struct rpt_sched_event *ev)
{
	bool is_idle = !ev->task.ref.tid || (ev->has_next && !ev->next.ref.tid);

	return passes(th, &ev->task) && passes_cpu(th, ev->cpu) &&
	       (!th->args->is_idle || is_idle);
}

/* Leave what of a slice is in the time that is asked for.  Return false if
 * nothing is. */
static bool cut_to_times(const struct timehist *th,
			 struct rpt_slice_times *times)
{
	uint64_t start_ns = times->end_ns - times->run_ns;

	if (times->end_ns < th->start_ns)
		return false;
	if (start_ns > th->end_ns)
		return false;
	if (start_ns < th->start_ns && times->run_ns)
		start_ns = th->start_ns;
	if (times->end_ns > th->end_ns)
		times->end_ns = th->end_ns;
	times->run_ns = times->end_ns - start_ns;
	return true;
}

static void take_switch(struct timehist *th, const struct rpt_sched_event *ev)
{
	struct rpt_slice_times times;
	bool is_idle = !ev->task.ref.tid;

	rpt_task_sums_switch(&th->sums, ev, &times);
	if (ev->cpu >= th->lines.column_nr && ev->cpu < RPT_SUMS_CPUS_MAX)
		th->lines.column_nr = ev->cpu + 1;
	if (ev->time_ns >= th->start_ns) {
		th->first_ns = th->first_ns ? th->first_ns : ev->time_ns;
		if (ev->time_ns <= th->end_ns)
			th->last_ns = ev->time_ns;
	}
	th->is_part |= !passes(th, &ev->task);
	if (!is_shown(th, ev) || !cut_to_times(th, &times))
		return;
	if (times.end_ns > th->last_ns)
		th->last_ns = times.end_ns;
	if (th->args->is_idle && !is_idle)
		times.wait_ns = times.delay_ns = times.run_ns = 0;
	else
		rpt_task_sums_count(&th->sums, ev, &times);
	if (!th->args->is_summary)
		rpt_timehist_switch(&th->lines, ev, &times);
}

static void take_lost(struct timehist *th, const struct rpt_sched_event *ev)
{
	rpt_task_sums_lost(&th->sums, ev);
	th->lost_nr += ev->value;
	if (th->args->is_summary || ev->time_ns < th->start_ns ||
	    ev->time_ns > th->end_ns)
		return;
	rpt_text_dec(&th->lines.text, ev->time_ns / 1000000000, 8);
	rpt_text_format(&th->lines.text,
			".%06" PRIu64 " lost %" PRIu64 " events on cpu %d\n",
			ev->time_ns % 1000000000 / 1000, ev->value,
			(int)ev->cpu);
}

static int take(void *ctx, const struct rpt_sched_event *ev)
{
	struct timehist *th = ctx;

	switch (ev->kind) {
	case RPT_SCHED_SWITCH:
		take_switch(th, ev);
		break;
	case RPT_SCHED_WAKEUP:
		if (th->has_waking) /* which came before */
			break;
		/* fallthrough */
	case RPT_SCHED_WAKING:
	case RPT_SCHED_NEW:
		rpt_task_sums_wake(&th->sums, ev);
		if (th->args->with_wakeups)
			show_other(th, ev);
		break;
	case RPT_SCHED_MIGRATE:
		if (!th->args->with_migrations)
			break;
		rpt_task_sums_migrate(&th->sums, ev);
		show_other(th, ev);
		break;
	case RPT_SCHED_LOST:
		take_lost(th, ev);
		break;
	default:
		rpt_task_sums_other(&th->sums, ev);
	}
	return th->lines.text.status;
}

/* Say what the recording lacks for what was asked. */
static void warn_missing(const struct timehist *th)
{
	const struct rpt_sched_events *se = th->se;

	if (se->switches.wake_idx == UINT32_MAX)
		sup_message("%s: no wakeups were recorded, so that sch delay "
			    "is not known; perfpair-record --off-cpu -a, or "
			    "perf sched record, has them",
			    se->in.path);
	if (th->args->with_migrations && !rpt_sched_has(se, RPT_SCHED_MIGRATE))
		sup_message("%s: no migrations were recorded; perf sched "
			    "record, or -e sched:sched_migrate_task, has them",
			    se->in.path);
	if (th->lost_nr)
		sup_message("%s: %" PRIu64 " record%s lost while recording; "
			    "times across a loss are 0.000",
			    se->in.path, th->lost_nr,
			    th->lost_nr == 1 ? "" : "s");
	if (th->sums.missing_nr)
		sup_message("%s: before %" PRIu64 " switch%s one is missing; "
			    "how long the task ran is not known",
			    se->in.path, th->sums.missing_nr,
			    th->sums.missing_nr == 1 ? "" : "es");
	if (th->sums.unfit_nr)
		sup_message("%s: %" PRIu64 " switches are of more tasks than "
			    "a recording of that length may have",
			    se->in.path, th->sums.unfit_nr);
	if (se->switches.is_partial)
		sup_message("%s: not each context switch and wakeup was "
			    "recorded (-F, -c), so that times may be several; "
			    "-c 1 records all",
			    se->in.path);
}

static int find_times(struct timehist *th, struct pd_err *err)
{
	const struct rpt_time_ranges *ranges = &th->se->filter.times;

	th->cpus = th->se->filter;
	th->cpus.asked &= ~(unsigned)RPT_FILTER_TIME;
	th->end_ns = UINT64_MAX;
	if (!(th->se->filter.asked & RPT_FILTER_TIME))
		return 0;
	if (ranges->nr != 1)
		return pd_err_set(err, -EINVAL,
				  "--time takes one START,STOP here");
	th->start_ns = ranges->items[0].start_ns;
	th->end_ns = ranges->items[0].end_ns;
	return 0;
}

static uint64_t elapsed(const struct timehist *th)
{
	return th->last_ns > th->first_ns ? th->last_ns - th->first_ns : 0;
}

static int show(struct timehist *th, struct pd_err *err)
{
	const struct rpt_timehist_args *args = th->args;
	int rc = find_times(th, err);
	const struct pd_attr *attr;

	if (rc)
		return rc;
	attr = &th->se->switches.events->events[th->se->switches.switch_idx]
			.attr;
	th->lines.with_chains =
		args->with_chains && attr->sample_type & PD_SAMPLE_CALLCHAIN;
	th->lines.column_nr = th->se->cpu_nr < RPT_SUMS_CPUS_MAX
				      ? th->se->cpu_nr
				      : RPT_SUMS_CPUS_MAX;
	if (!args->is_summary)
		rpt_timehist_head(&th->lines);
	rc = rpt_sched_events_read(th->se, take, th, err);
	if (rc)
		return rc;
	if (args->is_summary || args->with_summary)
		rpt_task_sums_print(
			&th->sums, &th->lines.text,
			&(struct rpt_sums_form){
				.elapsed_ns = elapsed(th),
				.comm_width = th->lines.comm_width,
				.cpu_nr = th->lines.column_nr,
				.cpus = &th->cpus,
				.is_idle = args->is_idle,
				.with_waits =
					args->is_summary && args->with_state,
				.is_part = th->is_part && !args->is_idle,
			});
	rc = rpt_text_flush(&th->lines.text);
	warn_missing(th);
	return rc;
}

static int run(const struct rpt_timehist_args *args)
{
	struct rpt_sched_events se;
	struct pd_err err = PD_ERR_INIT;
	struct timehist *th;
	struct pd_str machine;
	int rc, exit_code = rpt_sched_open(&se, &args->of_all);

	if (exit_code)
		return exit_code;
	th = rpt_alloc_zeroed(1, sizeof(*th));
	th->args = args;
	th->se = &se;
	th->lines.args = args;
	th->lines.se = &se;
	th->lines.comm_width = 30;
	th->has_waking = rpt_sched_has(&se, RPT_SCHED_WAKING);
	rpt_text_init(&th->lines.text, stdout);
	th->lines.text.is_safe = true;
	machine = pd_reader_string(se.in.reader, PD_FEATURE_ARCH);
	th->lines.unwind =
		rpt_unwind_new(rpt_arch_of(machine.ptr, machine.len));
	rpt_task_sums_init(&th->sums, rpt_timeline_budget(se.timeline));
	rc = show(th, &err);
	rpt_task_sums_release(&th->sums);
	rpt_unwind_free(th->lines.unwind);
	free(th);
	return rpt_sched_close(&se, rc, &err);
}

int rpt_sched_timehist(int argc, char **argv)
{
	struct rpt_timehist_args args = {
		.of_all.max_ratio = PD_LIMIT_ZSTD_RATIO,
		.max_stack = 5,
		.with_chains = true,
	};
	struct pd_err err = PD_ERR_INIT;
	int exit_code;
	int rc = rpt_options_parse(&rpt_sched_timehist_command, &args, argc,
				   argv, &args.of_all.input, &err);

	if (!rc)
		rc = rpt_symbol_files_check(&args.of_all.symbols, &err);
	if (!rpt_options_are_good(rc, &rpt_sched_timehist_command, &err,
				  &exit_code))
		return exit_code;
	return run(&args);
}
