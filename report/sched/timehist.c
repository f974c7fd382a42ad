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

#include "format/base/limits.h"
#include "format/records/callchain.h"
#include "format/support/message.h"
#include "report/base/memory.h"
#include "report/cli/filter_options.h"
#include "report/cli/symbol_options.h"
#include "report/profile/user_stack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Frames of the scheduler itself, which are not shown, are so many. */
#define OWN_FRAMES_NR 2u

/* Large: one member for each option, which the table fills by offset. */
struct timehist_args {
	struct rpt_sched_args of_all;
	uint32_t max_stack;
	bool with_chains;
	bool with_cpus; /* -V */
	bool is_summary;
	bool with_summary;
	bool with_wakeups;
	bool with_migrations;
	bool with_next;
	bool with_state;
	bool with_wakers;
	bool is_idle;
};

#define OFF(member) offsetof(struct timehist_args, member)

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
	const struct timehist_args *args;
	struct rpt_sched_events *se;
	struct rpt_unwind *unwind;
	struct rpt_filter cpus;	   /* the filter without times; borrows all */
	uint64_t start_ns, end_ns; /* of --time */
	struct rpt_task_sums sums;
	uint64_t first_ns, last_ns; /* of switches in that time; 0: none */
	uint64_t lost_nr;
	size_t comm_width;
	uint32_t column_nr; /* of -V */
	bool with_chains;
	bool has_waking;
	bool is_part; /* switches of some tasks were left out */
	struct rpt_text text;
};

static void put_ms(struct rpt_text *t, uint64_t ns)
{
	rpt_sums_put_ms(t, ns, 6);
}

static void put_line(struct rpt_text *t, size_t nr)
{
	while (nr--)
		rpt_text_char(t, '-');
}

static void put_head(struct timehist *th)
{
	struct rpt_text *t = &th->text;
	bool with_state = th->args->with_state;
	uint32_t nr = th->args->with_cpus ? th->column_nr : 0;

	rpt_text_format(t, "%15s %6s ", "time", "cpu");
	if (nr)
		rpt_text_char(t, ' ');
	for (uint32_t i = 0; i < nr; i++)
		rpt_text_char(t, "0123456789abcdef"[i % 16]);
	if (nr)
		rpt_text_char(t, ' ');
	rpt_text_format(t, " %-30s  %9s  %9s  %9s%s\n", "task name",
			"wait time", "sch delay", "run time",
			with_state ? "  state" : "");
	rpt_text_format(t, "%15s %-6s ", "", "");
	rpt_text_pad(t, nr ? nr + 2 : 0);
	rpt_text_format(t, " %-30s  %9s  %9s  %9s%s\n", "[tid/pid]", "(msec)",
			"(msec)", "(msec)", with_state ? "       " : "");
	rpt_text_format(t, "%.15s %.6s ", "---------------", "------");
	if (nr)
		rpt_text_char(t, ' ');
	put_line(t, nr);
	if (nr)
		rpt_text_char(t, ' ');
	rpt_text_char(t, ' ');
	put_line(t, 30);
	rpt_text_format(t, "  %.9s  %.9s  %.9s%s\n", "---------", "---------",
			"---------", with_state ? "  -----" : "");
}

/* Append the task's name, padded; columns grow with the widest so far. */
static void put_task(struct timehist *th, const char *before,
		     const struct rpt_sched_task *task, bool is_padded)
{
	char name[RPT_SUMS_NAME_LEN];
	size_t len = rpt_sums_name(&task->ref, task->comm, name);
	size_t before_len = strlen(before);

	if (len > th->comm_width)
		th->comm_width = len;
	rpt_text_put(&th->text, before, before_len);
	rpt_text_put(&th->text, name, len);
	len += before_len;
	if (is_padded && len < th->comm_width)
		rpt_text_pad(&th->text, th->comm_width - len);
}

/* Append what each line begins with; mark stands in the column of that CPU. */
static void put_start(struct timehist *th, uint64_t time_ns, uint32_t cpu,
		      uint32_t column, char mark)
{
	struct rpt_text *t = &th->text;

	rpt_text_dec(t, time_ns / 1000000000, 8);
	rpt_text_char(t, '.');
	rpt_text_zeros(t, time_ns % 1000000000 / 1000, 6);
	rpt_text_put(t, " [", 2);
	if (cpu == UINT32_MAX) /* it was not recorded */
		rpt_text_put(t, "----", 4);
	else
		rpt_text_zeros(t, cpu, 4);
	rpt_text_put(t, "] ", 2);
	if (th->args->with_cpus) {
		rpt_text_char(t, ' ');
		for (uint32_t i = 0; i < th->column_nr; i++)
			rpt_text_char(t, i == column ? mark : ' ');
		rpt_text_char(t, ' ');
	}
	rpt_text_char(t, ' ');
}

/* Append one function of a call chain, unless it is the scheduler's own. */
static void put_frame(struct timehist *th, const struct rpt_sample *sample,
		      const struct pd_callchain *it, bool *is_first)
{
	static const char *const own[] = { "schedule", "__schedule",
					   "preempt_schedule" };
	const struct rpt_location *at =
		rpt_sched_find(th->se, sample, it->cpumode, it->ip);
	const char *name = at->sym ? at->sym->name : "[unknown]";

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(name, own[i]))
			return;
	rpt_text_str(&th->text, *is_first ? " " : " <- ");
	rpt_text_str(&th->text, name);
	*is_first = false;
}

/* Append the callers that a switch has. */
static void put_chain(struct timehist *th, const struct rpt_sample *sample)
{
	uint64_t words[RPT_USER_STACK_FRAMES + 1];
	uint64_t left = (uint64_t)th->args->max_stack + OWN_FRAMES_NR;
	struct pd_callchain it = pd_callchain_start(&sample->fields.callchain);
	struct pd_u64s unwound = { .raw = (const uint8_t *)words };
	bool is_first = true;

	rpt_text_put(&th->text, "  ", 2);
	for (; left && pd_callchain_next(&it) == PD_CALLCHAIN_ADDRESS; left--)
		put_frame(th, sample, &it, &is_first);
	if (!left)
		return;
	unwound.nr = rpt_user_stack_frames(th->unwind, th->se->timeline, sample,
					   words);
	it = pd_callchain_start(&unwound);
	it.has_no_marks = true;
	it.next_idx = 1; /* the first word is a mark */
	for (; left && pd_callchain_next(&it) == PD_CALLCHAIN_ADDRESS; left--)
		put_frame(th, sample, &it, &is_first);
}

static char state_letter(const struct rpt_sched_event *ev)
{
	static const char letters[RPT_WAIT_STATES_NR] = {
		[RPT_WAIT_SLEEPING] = 'S',  [RPT_WAIT_DISK] = 'D',
		[RPT_WAIT_STOPPED] = 'T',   [RPT_WAIT_TRACED] = 't',
		[RPT_WAIT_PARKED] = 'P',    [RPT_WAIT_IDLE] = 'I',
		[RPT_WAIT_PREEMPTED] = 'R', [RPT_WAIT_RUNNABLE] = 'R',
		[RPT_WAIT_DEAD] = 'X',
	};

	if (!ev->task.ref.tid)
		return 'I';
	return letters[ev->state] ? letters[ev->state] : '?';
}

static void put_waker(struct timehist *th, const struct rpt_slice_times *times)
{
	struct rpt_sched_task waker = { .comm = times->waker };

	waker.ref.tid = waker.ref.pid = times->waker_tid;
	rpt_text_char(&th->text, ' ');
	if (!times->is_woken)
		rpt_text_pad(&th->text, th->comm_width);
	else if (times->by_interrupt)
		rpt_text_format(&th->text, "%-*s", (int)th->comm_width,
				"by: [interrupt]");
	else
		put_task(th, "by: ", &waker, true);
}

static void put_next(struct timehist *th, const struct rpt_sched_event *ev)
{
	struct rpt_sched_task next = ev->next;
	char name[RPT_SUMS_NAME_LEN];

	if (ev->next_comm) /* as the kernel calls it then, as in perf */
		next.comm = ev->next_comm;
	if (ev->has_next)
		snprintf(name, sizeof(name), "next: %.63s[%d]",
			 next.comm ? next.comm : "", (int)next.ref.tid);
	else
		name[0] = '\0';
	rpt_text_format(&th->text, " %-*s", (int)th->comm_width, name);
}

static void put_switch(struct timehist *th, const struct rpt_sched_event *ev,
		       const struct rpt_slice_times *times)
{
	const struct timehist_args *args = th->args;
	struct rpt_text *t = &th->text;
	bool is_idle = !ev->task.ref.tid;

	put_start(th, times->end_ns, ev->cpu, ev->cpu, is_idle ? 'i' : 's');
	put_task(th, "", &ev->task, true);
	rpt_text_char(t, ' ');
	put_ms(t, times->wait_ns);
	put_ms(t, times->delay_ns);
	put_ms(t, times->run_ns);
	if (args->with_state)
		rpt_text_format(t, " %5c ", state_letter(ev));
	if (args->with_next)
		put_next(th, ev);
	if (args->with_wakers)
		put_waker(th, times);
	if (args->with_wakeups && !args->with_next)
		rpt_text_pad(t, 2 + th->comm_width);
	if (!is_idle && th->with_chains && ev->sample)
		put_chain(th, ev->sample);
	rpt_text_char(t, '\n');
}

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
	bool is_move = ev->kind == RPT_SCHED_MIGRATE;
	struct rpt_text *t = &th->text;

	if (th->args->is_summary || th->args->is_idle ||
	    ev->time_ns < th->start_ns || ev->time_ns > th->end_ns ||
	    !passes_cpu(th, ev->cpu) ||
	    (!passes(th, &ev->task) && !passes(th, &ev->woken)))
		return;
	put_start(th, ev->time_ns, ev->cpu, is_move ? ev->cpu : UINT32_MAX,
		  'm');
	if (ev->task.ref.tid)
		put_task(th, "", &ev->task, true);
	else
		rpt_text_format(t, "%-*s", (int)th->comm_width, "swapper");
	rpt_text_pad(t, 35);
	put_task(th, is_move ? "migrated: " : "awakened: ", &ev->woken, false);
	if (is_move)
		rpt_text_format(t, " cpu %" PRIu32 " => %" PRIu32, ev->orig,
				ev->dest);
	rpt_text_char(t, '\n');
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
	if (ev->cpu >= th->column_nr && ev->cpu < RPT_SUMS_CPUS_MAX)
		th->column_nr = ev->cpu + 1;
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
		put_switch(th, ev, &times);
}

static void take_lost(struct timehist *th, const struct rpt_sched_event *ev)
{
	rpt_task_sums_lost(&th->sums, ev);
	th->lost_nr += ev->value;
	if (th->args->is_summary || ev->time_ns < th->start_ns ||
	    ev->time_ns > th->end_ns)
		return;
	rpt_text_dec(&th->text, ev->time_ns / 1000000000, 8);
	rpt_text_format(
		&th->text, ".%06" PRIu64 " lost %" PRIu64 " events on cpu %d\n",
		ev->time_ns % 1000000000 / 1000, ev->value, (int)ev->cpu);
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
	return th->text.status;
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
	const struct timehist_args *args = th->args;
	int rc = find_times(th, err);
	const struct pd_attr *attr;

	if (rc)
		return rc;
	attr = &th->se->switches.events->events[th->se->switches.switch_idx]
			.attr;
	th->with_chains =
		args->with_chains && attr->sample_type & PD_SAMPLE_CALLCHAIN;
	th->column_nr = th->se->cpu_nr < RPT_SUMS_CPUS_MAX ? th->se->cpu_nr
							   : RPT_SUMS_CPUS_MAX;
	if (!args->is_summary)
		put_head(th);
	rc = rpt_sched_events_read(th->se, take, th, err);
	if (rc)
		return rc;
	if (args->is_summary || args->with_summary)
		rpt_task_sums_print(
			&th->sums, &th->text,
			&(struct rpt_sums_form){
				.elapsed_ns = elapsed(th),
				.comm_width = th->comm_width,
				.cpu_nr = th->column_nr,
				.cpus = &th->cpus,
				.is_idle = args->is_idle,
				.with_waits =
					args->is_summary && args->with_state,
				.is_part = th->is_part && !args->is_idle,
			});
	rc = rpt_text_flush(&th->text);
	warn_missing(th);
	return rc;
}

static int run(const struct timehist_args *args)
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
	th->comm_width = 30;
	th->has_waking = rpt_sched_has(&se, RPT_SCHED_WAKING);
	rpt_text_init(&th->text, stdout);
	th->text.is_safe = true;
	machine = pd_reader_string(se.in.reader, PD_FEATURE_ARCH);
	th->unwind = rpt_unwind_new(rpt_arch_of(machine.ptr, machine.len));
	rpt_task_sums_init(&th->sums, rpt_timeline_budget(se.timeline));
	rc = show(th, &err);
	rpt_task_sums_release(&th->sums);
	rpt_unwind_free(th->unwind);
	free(th);
	return rpt_sched_close(&se, rc, &err);
}

int rpt_sched_timehist(int argc, char **argv)
{
	struct timehist_args args = {
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
