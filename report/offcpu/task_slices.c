#include "report/offcpu/task_slices.h"

#include <stdlib.h>

#include "report/base/memory.h"

/* The state of each task and CPU. */

#define RPT_SLICE_NO_CPU UINT32_MAX

/* The owner of a CPU, besides a thread id: nobody that is known. */
#define RPT_SLICE_NOBODY UINT32_MAX

enum slice_task_state {
	UNKNOWN, /* it may have a CPU since since_ns */
	ON,	 /* it has a CPU since since_ns */
	OFF,	 /* it gave it up */
	NEW,	 /* it was made, and waits for its first CPU */
	GONE,	 /* it has had its last slice */
};

struct rpt_slice_task {
	enum slice_task_state state;
	uint32_t pid; /* UINT32_MAX: not known */
	uint32_t cpu; /* that it has, or gave up */
	uint64_t since_ns;
	uint64_t done_ns; /* up to here slices were delivered */
	uint64_t exit_ns; /* when it began to end; 0: it has not */
	uint64_t woken_ns;
	bool is_woken;
	bool is_own; /* there is a record of its own */
	struct rpt_wait wait;
};

struct rpt_slice_cpu {
	uint32_t runner;   /* a thread id, or RPT_SLICE_NOBODY */
	bool is_fresh;	   /* there was no switch since ... */
	uint64_t since_ns; /* and no record is missing since then */
	uint64_t seen_ns;  /* its last record */
	uint64_t done_ns;
};

void rpt_task_slices_init(struct rpt_task_slices *slices,
			  rpt_slice_deliver *deliver, void *ctx,
			  struct rpt_budget *budget)
{
	*slices = (struct rpt_task_slices){
		.deliver = deliver,
		.ctx = ctx,
		.first_ns = UINT64_MAX,
	};
	rpt_ids_init(&slices->tids, budget);
	rpt_ids_init(&slices->cpu_ids, budget);
}

void rpt_task_slices_release(struct rpt_task_slices *slices)
{
	rpt_ids_release(&slices->tids);
	rpt_ids_release(&slices->cpu_ids);
	free(slices->tasks);
	free(slices->cpus);
	*slices = (struct rpt_task_slices){ 0 };
}

/* Return the task, a new one at its first time; NULL if it is an idle task, or
 * if there is no budget for it.  Others may move then. */
static struct rpt_slice_task *slice_task_of(struct rpt_task_slices *s,
					    uint32_t tid)
{
	uint32_t known_nr = s->tids.table.nr;
	int64_t idx;

	if (!tid || tid == RPT_SLICE_NOBODY)
		return NULL;
	s->tasks = rpt_grow_within(s->tids.table.limit, s->tasks, &s->task_cap,
				   known_nr, sizeof(*s->tasks));
	idx = rpt_ids_number(&s->tids, tid);
	if (idx < 0) {
		s->unfit_nr++;
		return NULL;
	}
	if (idx == known_nr)
		s->tasks[idx] =
			(struct rpt_slice_task){ .pid = UINT32_MAX,
						 .cpu = RPT_SLICE_NO_CPU };
	return &s->tasks[idx];
}

/* The same for a CPU; NULL if it is not known which. */
static struct rpt_slice_cpu *slice_cpu_of(struct rpt_task_slices *s,
					  uint32_t cpu)
{
	uint32_t known_nr = s->cpu_ids.table.nr;
	int64_t idx;

	if (cpu == RPT_SLICE_NO_CPU)
		return NULL;
	s->cpus = rpt_grow_within(s->cpu_ids.table.limit, s->cpus, &s->cpu_cap,
				  known_nr, sizeof(*s->cpus));
	idx = rpt_ids_number(&s->cpu_ids, cpu);
	if (idx < 0) {
		s->unfit_nr++;
		return NULL;
	}
	if (idx == known_nr)
		s->cpus[idx] = (struct rpt_slice_cpu){
			.runner = RPT_SLICE_NOBODY,
			.is_fresh = true,
			.since_ns = s->first_ns,
			.seen_ns = s->first_ns,
		};
	return &s->cpus[idx];
}

/* Return what is known of a task or CPU; NULL if nothing is. */
static struct rpt_slice_task *slice_task_find(struct rpt_task_slices *s,
					      uint32_t tid)
{
	int64_t idx = rpt_ids_find(&s->tids, tid);

	return idx >= 0 ? &s->tasks[idx] : NULL;
}

static struct rpt_slice_cpu *slice_cpu_find(struct rpt_task_slices *s,
					    uint32_t cpu)
{
	int64_t idx = rpt_ids_find(&s->cpu_ids, cpu);

	return idx >= 0 ? &s->cpus[idx] : NULL;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Deliver a slice, unless nothing of it is left. */
static int deliver(struct rpt_task_slices *s, struct rpt_slice *slice)
{
	struct rpt_slice_task *task = slice->kind == RPT_SLICE_LOST
					      ? NULL
					      : slice_task_find(s, slice->tid);
	struct rpt_slice_cpu *cpu = slice->kind == RPT_SLICE_WAITS
					    ? NULL
					    : slice_cpu_find(s, slice->cpu);

	if (task)
		slice->start_ns = later(slice->start_ns, task->done_ns);
	slice->pid = task ? task->pid : UINT32_MAX;
	if (cpu)
		slice->start_ns = later(slice->start_ns, cpu->done_ns);
	if (slice->start_ns >= slice->end_ns)
		return 0;
	if (task)
		task->done_ns = slice->end_ns;
	if (cpu)
		cpu->done_ns = slice->end_ns;
	return s->deliver(s->ctx, slice);
}

static int deliver_run(struct rpt_task_slices *s, uint32_t tid, uint32_t cpu,
		       uint64_t start_ns, uint64_t end_ns)
{
	return deliver(s, &(struct rpt_slice){ .kind = RPT_SLICE_RUNS,
					       .start_ns = start_ns,
					       .end_ns = end_ns,
					       .tid = tid,
					       .cpu = cpu });
}

static int deliver_wait(struct rpt_task_slices *s, uint32_t tid,
			const struct rpt_slice_task *task,
			enum rpt_wait_state state, uint64_t start_ns,
			uint64_t end_ns)
{
	return deliver(s, &(struct rpt_slice){
				  .kind = RPT_SLICE_WAITS,
				  .start_ns = start_ns,
				  .end_ns = end_ns,
				  .tid = tid,
				  .cpu = task->cpu,
				  .wait = { state, task->wait.waker_tid,
					    task->wait.waker },
			  });
}

/* Deliver the wait of a task that has a CPU again, or at the end. */
static int close_wait(struct rpt_task_slices *s, uint32_t tid,
		      struct rpt_slice_task *task, uint64_t time_ns)
{
	uint64_t start_ns = task->since_ns;
	enum rpt_wait_state state =
		task->state == NEW ? RPT_WAIT_WOKEN : task->wait.state;
	int rc = 0;

	if (task->is_woken && task->woken_ns >= start_ns &&
	    task->woken_ns <= time_ns) {
		rc = deliver_wait(s, tid, task, state, start_ns,
				  task->woken_ns);
		start_ns = task->woken_ns;
		state = RPT_WAIT_WOKEN;
	}
	if (rc)
		return rc;
	if (!s->lost_ns || s->lost_ns < start_ns)
		return deliver_wait(s, tid, task, state, start_ns, time_ns);
	s->missing_nr++;
	return 0;
}

/* Deliver what goes on. */
static int close_task(struct rpt_task_slices *s, uint32_t tid,
		      struct rpt_slice_task *task, uint64_t time_ns)
{
	uint64_t since_ns = task->since_ns;

	if (task->state == ON && since_ns < task->exit_ns)
		time_ns = task->exit_ns;
	if (task->state == ON)
		return deliver_run(s, tid, task->cpu,
				   task->cpu == RPT_SLICE_NO_CPU
					   ? later(since_ns, s->lost_ns)
					   : since_ns,
				   time_ns);
	return task->state == OFF || task->state == NEW
		       ? close_wait(s, tid, task, time_ns)
		       : 0;
}

/* Return whether switches of a task are recorded: in a recording of some tasks
 * others are only those that get a CPU next. */
static bool is_recorded(const struct rpt_task_slices *s,
			const struct rpt_slice_task *task)
{
	return s->is_wide || task->is_own;
}

/* Another task than the runner has the CPU.  Unless the runner had come to its
 * end, it is not known when it gave the CPU up. */
static int forget_runner(struct rpt_task_slices *s, struct rpt_slice_cpu *cpu,
			 uint32_t tid)
{
	struct rpt_slice_task *task;
	uint32_t runner;
	int rc = 0;

	if (!cpu || cpu->runner == tid || cpu->runner == RPT_SLICE_NOBODY)
		return 0;
	runner = cpu->runner;
	cpu->runner = RPT_SLICE_NOBODY;
	task = slice_task_find(s, runner);
	if (!task)
		return 0;
	if (task->exit_ns)
		rc = close_task(s, runner, task, task->exit_ns);
	else
		s->missing_nr += is_recorded(s, task);
	task->state = GONE;
	return rc;
}

/* Return whether a task gives up its CPU for good.  PERF_RECORD_SWITCH does not
 * say so, but then the task has begun to end. */
static bool is_last(const struct rpt_slice_task *task,
		    const struct rpt_switch *sw)
{
	return sw->state == RPT_WAIT_DEAD ||
	       (task->exit_ns && sw->state == RPT_WAIT_BLOCKED);
}

/* Return whether two CPUs may be one: records of some events do not say it. */
static bool is_same(uint32_t a, uint32_t b)
{
	return a == b || a == RPT_SLICE_NO_CPU || b == RPT_SLICE_NO_CPU;
}

/* Return since when a task that gives up its CPU had it; UINT64_MAX if that is
 * not known. */
static uint64_t run_start(const struct rpt_task_slices *s,
			  const struct rpt_slice_task *task,
			  const struct rpt_slice_cpu *cpu,
			  const struct rpt_switch *sw)
{
	bool is_fresh = !cpu || cpu->is_fresh;
	uint64_t since_ns =
		cpu ? cpu->since_ns : later(s->first_ns, s->lost_ns);

	switch (task->state) {
	case ON:
		return is_same(task->cpu, sw->cpu)
			       ? later(since_ns, task->since_ns)
			       : UINT64_MAX;
	case UNKNOWN:
		if (!is_fresh && task->exit_ns)
			return task->exit_ns;
		return is_fresh ? later(since_ns, task->since_ns) : UINT64_MAX;
	default: /* that it had a CPU was lost, or is not recorded */
		return is_fresh && since_ns > task->since_ns ? since_ns
							     : UINT64_MAX;
	}
}

/* Return which task gives up its CPU.  PERF_RECORD_SWITCH of one that has ended
 * may have no thread id any more. */
static uint32_t leaver_of(const struct rpt_task_slices *s,
			  const struct rpt_slice_cpu *cpu,
			  const struct rpt_switch *sw)
{
	return sw->tid == RPT_SLICE_NOBODY && cpu && !s->is_sampled
		       ? cpu->runner
		       : sw->tid;
}

/* The id of one that has ended may be -1. */
static void keep_pid(struct rpt_slice_task *task, const struct rpt_switch *sw)
{
	if (sw->pid != UINT32_MAX)
		task->pid = sw->pid;
}

static int out(struct rpt_task_slices *s, const struct rpt_switch *sw)
{
	struct rpt_slice_cpu *cpu = slice_cpu_of(s, sw->cpu);
	uint32_t tid = leaver_of(s, cpu, sw);
	struct rpt_slice_task *task = slice_task_of(s, tid);
	int rc = forget_runner(s, cpu, tid);
	uint64_t start_ns = task ? run_start(s, task, cpu, sw) : 0;

	if (cpu) {
		cpu->runner = RPT_SLICE_NOBODY;
		cpu->is_fresh = false;
	}
	if (rc || !task)
		return rc;
	s->missing_nr += start_ns == UINT64_MAX || task->state == OFF ||
			 task->state == NEW;
	keep_pid(task, sw);
	rc = deliver_run(s, tid, sw->cpu, start_ns, sw->time_ns);
	task->state = is_last(task, sw) ? GONE : OFF;
	task->is_own = true;
	task->cpu = sw->cpu;
	task->since_ns = sw->time_ns;
	task->is_woken = false;
	task->wait = (struct rpt_wait){ sw->state, RPT_WAKER_NONE, NULL };
	return rc;
}

static int in(struct rpt_task_slices *s, uint32_t tid,
	      const struct rpt_switch *sw)
{
	uint32_t cpu_id = sw->cpu;
	uint64_t time_ns = sw->time_ns;
	struct rpt_slice_task *task = slice_task_of(s, tid);
	struct rpt_slice_cpu *cpu = slice_cpu_of(s, cpu_id);
	int rc = forget_runner(s, cpu, tid);

	if (cpu) {
		cpu->runner = tid ? tid : RPT_SLICE_NOBODY;
		cpu->is_fresh = false;
	}
	if (rc || !task)
		return rc;
	task->is_own |= sw->kind == RPT_SWITCH_IN;
	if (sw->kind == RPT_SWITCH_IN)
		keep_pid(task, sw);
	if (task->state == ON && is_same(task->cpu, cpu_id))
		return 0; /* a sample has said it already */
	s->missing_nr += task->state == ON;
	if (task->state == OFF || task->state == NEW)
		rc = close_wait(s, tid, task, time_ns);
	task->state = ON;
	task->cpu = cpu_id;
	task->since_ns = time_ns;
	return rc;
}

/* PERF_RECORD_SWITCH.  Behind a sample it only says whether the task could have
 * run on. */
static int out_again(struct rpt_task_slices *s, const struct rpt_switch *sw)
{
	struct rpt_slice_task *task = slice_task_find(s, sw->tid);

	if (!s->is_sampled || !task ||
	    (task->state != OFF && task->state != GONE))
		return out(s, sw);
	if (task->wait.state == RPT_WAIT_BLOCKED)
		task->wait.state = sw->state;
	return 0;
}

static void wake(struct rpt_task_slices *s, const struct rpt_switch *sw)
{
	struct rpt_slice_task *task = slice_task_find(s, sw->tid);

	/* what was lost before may have been the end of the wait */
	if (!task || task->state != OFF || task->is_woken ||
	    (s->lost_ns && s->lost_ns >= task->since_ns) ||
	    task->wait.state == RPT_WAIT_PREEMPTED ||
	    task->wait.state == RPT_WAIT_RUNNABLE)
		return;
	task->is_woken = true;
	task->woken_ns = sw->time_ns;
	task->wait.waker_tid = sw->waker.waker_tid;
	task->wait.waker = sw->waker.waker;
}

static int lost(struct rpt_task_slices *s, const struct rpt_switch *sw)
{
	struct rpt_slice_cpu *cpu = slice_cpu_of(s, sw->cpu);
	struct rpt_slice_task *task = cpu && cpu->runner != RPT_SLICE_NOBODY
					      ? slice_task_find(s, cpu->runner)
					      : NULL;
	uint64_t seen_ns;

	s->lost_ns = later(s->lost_ns, sw->time_ns);
	if (!cpu)
		return 0;
	if (task) {
		task->state = UNKNOWN;
		s->missing_nr++;
	}
	seen_ns = cpu->seen_ns;
	cpu->runner = RPT_SLICE_NOBODY;
	cpu->is_fresh = true;
	cpu->since_ns = cpu->seen_ns = sw->time_ns;
	return deliver(s, &(struct rpt_slice){ .kind = RPT_SLICE_LOST,
					       .start_ns = seen_ns,
					       .end_ns = sw->time_ns,
					       .cpu = sw->cpu });
}

static int fork_task(struct rpt_task_slices *s, const struct rpt_switch *sw)
{
	struct rpt_slice_task *task = slice_task_find(s, sw->tid);
	int rc = task && task->exit_ns
			 ? close_task(s, sw->tid, task, sw->time_ns)
			 : 0;
	uint64_t done_ns;

	task = slice_task_of(s, sw->tid);
	if (!task)
		return rc;
	done_ns = task->done_ns;
	*task = (struct rpt_slice_task){
		.state = NEW,
		.pid = sw->pid,
		.is_own = true,
		.cpu = RPT_SLICE_NO_CPU,
		.since_ns = sw->time_ns,
		.done_ns = done_ns,
		.wait = { RPT_WAIT_WOKEN, RPT_WAKER_NONE, NULL },
	};
	return rc;
}

/* A task ends, which it does on a CPU. */
static void exit_task(struct rpt_task_slices *s, const struct rpt_switch *sw)
{
	struct rpt_slice_task *task = slice_task_of(s, sw->tid);

	if (!task || task->state == GONE)
		return;
	if (task->state == OFF || task->state == NEW) {
		task->state = UNKNOWN;
		task->since_ns = sw->time_ns;
		s->missing_nr++;
	}
	task->exit_ns = sw->time_ns;
}

/* Keep the time of a record.  Those of tasks may be older than any switch,
 * since recorders enable events one by one. */
static void saw(struct rpt_task_slices *s, const struct rpt_switch *sw)
{
	bool is_no_switch = sw->kind == RPT_SWITCH_FORK ||
			    sw->kind == RPT_SWITCH_EXIT ||
			    sw->kind == RPT_SWITCH_LOST;

	if (!is_no_switch && sw->time_ns < s->first_ns)
		s->first_ns = sw->time_ns;
	if (sw->time_ns > s->last_ns)
		s->last_ns = sw->time_ns;
}

static int apply(struct rpt_task_slices *s, const struct rpt_switch *sw)
{
	int rc;

	switch (sw->kind) {
	case RPT_SWITCH_TRACED:
	case RPT_SWITCH_SAMPLED:
		s->is_sampled = true;
		rc = out(s, sw);
		return rc || sw->kind == RPT_SWITCH_SAMPLED
			       ? rc
			       : in(s, sw->next, sw);
	case RPT_SWITCH_OUT:
		return out_again(s, sw);
	case RPT_SWITCH_IN:
		return in(s, sw->tid, sw);
	case RPT_SWITCH_WAKE:
		wake(s, sw);
		return 0;
	case RPT_SWITCH_LOST:
		return lost(s, sw);
	case RPT_SWITCH_FORK:
		return fork_task(s, sw);
	case RPT_SWITCH_EXIT:
		exit_task(s, sw);
		return 0;
	default:
		return 0;
	}
}

int rpt_task_slices_apply(struct rpt_task_slices *s,
			  const struct rpt_switch *sw)
{
	struct rpt_slice_cpu *cpu;
	int rc;

	if (!sw->kind || !sw->time_ns)
		return 0;
	saw(s, sw);
	s->is_wide |= sw->is_wide;
	rc = apply(s, sw);
	cpu = slice_cpu_find(s, sw->cpu);
	if (cpu)
		cpu->seen_ns = sw->time_ns;
	return rc;
}

int rpt_task_slices_end(struct rpt_task_slices *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->tids.table.nr && !rc; i++) {
		uint32_t tid = rpt_ids_at(&s->tids, i);

		if (is_recorded(s, &s->tasks[i]))
			rc = close_task(s, tid, &s->tasks[i], s->last_ns);
	}
	return rc;
}
