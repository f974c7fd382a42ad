#include "report/sched/timehist_lines.h"

#include "format/records/callchain.h"
#include "report/profile/user_stack.h"

#include <inttypes.h>
#include <string.h>

/* Frames of the scheduler itself, which are not shown, are so many. */
#define OWN_FRAMES_NR 2u

static void put_ms(struct rpt_text *t, uint64_t ns)
{
	rpt_sums_put_ms(t, ns, 6);
}

static void put_line(struct rpt_text *t, size_t nr)
{
	while (nr--)
		rpt_text_char(t, '-');
}

void rpt_timehist_head(struct rpt_timehist_lines *lines)
{
	struct rpt_text *t = &lines->text;
	bool with_state = lines->args->with_state;
	uint32_t nr = lines->args->with_cpus ? lines->column_nr : 0;

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
static void put_task(struct rpt_timehist_lines *lines, const char *before,
		     const struct rpt_sched_task *task, bool is_padded)
{
	char name[RPT_SUMS_NAME_LEN];
	size_t len = rpt_sums_name(&task->ref, task->comm, name);
	size_t before_len = strlen(before);

	if (len > lines->comm_width)
		lines->comm_width = len;
	rpt_text_put(&lines->text, before, before_len);
	rpt_text_put(&lines->text, name, len);
	len += before_len;
	if (is_padded && len < lines->comm_width)
		rpt_text_pad(&lines->text, lines->comm_width - len);
}

/* Append what each line begins with; mark stands in the column of that CPU. */
static void put_start(struct rpt_timehist_lines *lines, uint64_t time_ns,
		      uint32_t cpu, uint32_t column, char mark)
{
	struct rpt_text *t = &lines->text;

	rpt_text_dec(t, time_ns / 1000000000, 8);
	rpt_text_char(t, '.');
	rpt_text_zeros(t, time_ns % 1000000000 / 1000, 6);
	rpt_text_put(t, " [", 2);
	if (cpu == UINT32_MAX) /* it was not recorded */
		rpt_text_put(t, "----", 4);
	else
		rpt_text_zeros(t, cpu, 4);
	rpt_text_put(t, "] ", 2);
	if (lines->args->with_cpus) {
		rpt_text_char(t, ' ');
		for (uint32_t i = 0; i < lines->column_nr; i++)
			rpt_text_char(t, i == column ? mark : ' ');
		rpt_text_char(t, ' ');
	}
	rpt_text_char(t, ' ');
}

/* Append one function of a call chain, unless it is the scheduler's own. */
static void put_frame(struct rpt_timehist_lines *lines,
		      const struct rpt_sample *sample,
		      const struct pd_callchain *it, bool *is_first)
{
	static const char *const own[] = { "schedule", "__schedule",
					   "preempt_schedule" };
	const struct rpt_location *at =
		rpt_sched_find(lines->se, sample, it->cpumode, it->ip);
	const char *name = at->sym ? at->sym->name : "[unknown]";

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(name, own[i]))
			return;
	rpt_text_str(&lines->text, *is_first ? " " : " <- ");
	rpt_text_str(&lines->text, name);
	*is_first = false;
}

/* Append the callers that a switch has. */
static void put_chain(struct rpt_timehist_lines *lines,
		      const struct rpt_sample *sample)
{
	uint64_t words[RPT_USER_STACK_FRAMES + 1];
	uint64_t left = (uint64_t)lines->args->max_stack + OWN_FRAMES_NR;
	struct pd_callchain it = pd_callchain_start(&sample->fields.callchain);
	struct pd_u64s unwound = { .raw = (const uint8_t *)words };
	bool is_first = true;

	rpt_text_put(&lines->text, "  ", 2);
	for (; left && pd_callchain_next(&it) == PD_CALLCHAIN_ADDRESS; left--)
		put_frame(lines, sample, &it, &is_first);
	if (!left)
		return;
	unwound.nr = rpt_user_stack_frames(lines->unwind, lines->se->timeline,
					   sample, words);
	it = pd_callchain_start(&unwound);
	it.has_no_marks = true;
	it.next_idx = 1; /* the first word is a mark */
	for (; left && pd_callchain_next(&it) == PD_CALLCHAIN_ADDRESS; left--)
		put_frame(lines, sample, &it, &is_first);
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

static void put_waker(struct rpt_timehist_lines *lines,
		      const struct rpt_slice_times *times)
{
	struct rpt_sched_task waker = { .comm = times->waker };

	waker.ref.tid = waker.ref.pid = times->waker_tid;
	rpt_text_char(&lines->text, ' ');
	if (!times->is_woken)
		rpt_text_pad(&lines->text, lines->comm_width);
	else if (times->by_interrupt)
		rpt_text_format(&lines->text, "%-*s", (int)lines->comm_width,
				"by: [interrupt]");
	else
		put_task(lines, "by: ", &waker, true);
}

static void put_next(struct rpt_timehist_lines *lines,
		     const struct rpt_sched_event *ev)
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
	rpt_text_format(&lines->text, " %-*s", (int)lines->comm_width, name);
}

void rpt_timehist_switch(struct rpt_timehist_lines *lines,
			 const struct rpt_sched_event *ev,
			 const struct rpt_slice_times *times)
{
	const struct rpt_timehist_args *args = lines->args;
	struct rpt_text *t = &lines->text;
	bool is_idle = !ev->task.ref.tid;

	put_start(lines, times->end_ns, ev->cpu, ev->cpu, is_idle ? 'i' : 's');
	put_task(lines, "", &ev->task, true);
	rpt_text_char(t, ' ');
	put_ms(t, times->wait_ns);
	put_ms(t, times->delay_ns);
	put_ms(t, times->run_ns);
	if (args->with_state)
		rpt_text_format(t, " %5c ", state_letter(ev));
	if (args->with_next)
		put_next(lines, ev);
	if (args->with_wakers)
		put_waker(lines, times);
	if (args->with_wakeups && !args->with_next)
		rpt_text_pad(t, 2 + lines->comm_width);
	if (!is_idle && lines->with_chains && ev->sample)
		put_chain(lines, ev->sample);
	rpt_text_char(t, '\n');
}

void rpt_timehist_other(struct rpt_timehist_lines *lines,
			const struct rpt_sched_event *ev)
{
	bool is_move = ev->kind == RPT_SCHED_MIGRATE;
	struct rpt_text *t = &lines->text;

	put_start(lines, ev->time_ns, ev->cpu, is_move ? ev->cpu : UINT32_MAX,
		  'm');
	if (ev->task.ref.tid)
		put_task(lines, "", &ev->task, true);
	else
		rpt_text_format(t, "%-*s", (int)lines->comm_width, "swapper");
	rpt_text_pad(t, 35);
	put_task(lines, is_move ? "migrated: " : "awakened: ", &ev->woken,
		 false);
	if (is_move)
		rpt_text_format(t, " cpu %" PRIu32 " => %" PRIu32, ev->orig,
				ev->dest);
	rpt_text_char(t, '\n');
}
