#include "report/offcpu/off_cpu.h"

#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A task by its tid.  Zeroed: nothing is known of it. */
struct rpt_off_cpu_task {
	bool is_seen; /* it ran, or was made, since the recording began */
	bool is_off;
	bool is_woken;
	bool is_dead;	/* it had its last switch */
	bool has_stack; /* rec is of the switch that took the CPU away */
	struct rpt_wait wait;
	uint64_t off_ns;
	uint64_t woken_ns;
	uint64_t first_in_ns; /* it was off the CPU until then; 0: it was not,
			       * or that is counted */
	struct pd_record rec; /* of the switch; its data is owned */
	uint8_t *data;	      /* rec.data; of data_cap bytes */
	uint32_t data_cap;
};

void rpt_off_cpu_init(struct rpt_off_cpu *off, rpt_off_cpu_deliver *deliver,
		      void *ctx, struct rpt_budget *budget)
{
	*off = (struct rpt_off_cpu){
		.deliver = deliver,
		.ctx = ctx,
		.budget = budget,
		.first_ns = UINT64_MAX,
	};
	rpt_ids_init(&off->tids, budget);
}

void rpt_off_cpu_release(struct rpt_off_cpu *off)
{
	for (uint32_t i = 0; i < off->tids.table.nr; i++)
		free(off->tasks[i].data);
	free(off->tasks);
	rpt_ids_release(&off->tids);
	*off = (struct rpt_off_cpu){ 0 };
}

void rpt_off_cpu_saw(struct rpt_off_cpu *off, uint64_t time_ns)
{
	if (time_ns < off->first_ns)
		off->first_ns = time_ns;
	if (time_ns > off->last_ns)
		off->last_ns = time_ns;
}

/* Return the task, a new one at its first time; NULL if it is an idle task, or
 * if there is no budget for it. */
static struct rpt_off_cpu_task *task_of(struct rpt_off_cpu *off, uint32_t tid)
{
	uint32_t known_nr = off->tids.table.nr;
	int64_t idx;

	if (!tid || tid >= RPT_WAKER_INTERRUPT)
		return NULL;
	off->tasks = rpt_grow_within(off->budget, off->tasks, &off->task_cap,
				     known_nr, sizeof(*off->tasks));
	idx = rpt_ids_number(&off->tids, tid);
	if (idx < 0)
		return NULL;
	if (idx == known_nr)
		off->tasks[idx] = (struct rpt_off_cpu_task){ 0 };
	return &off->tasks[idx];
}

/* Return the task if it is off the CPU; else NULL. */
static struct rpt_off_cpu_task *off_task_of(struct rpt_off_cpu *off,
					    uint32_t tid)
{
	int64_t idx = rpt_ids_find(&off->tids, tid);

	return idx >= 0 && off->tasks[idx].is_off ? &off->tasks[idx] : NULL;
}

static void count(struct rpt_off_cpu_count *count, uint64_t from_ns,
		  uint64_t to_ns)
{
	count->nr++;
	count->sum_ns += to_ns > from_ns ? to_ns - from_ns : 0;
}

static int deliver(struct rpt_off_cpu *off, const struct rpt_off_cpu_task *task,
		   enum rpt_wait_state state, uint64_t start_ns,
		   uint64_t end_ns)
{
	const struct rpt_off_cpu_interval interval = {
		.rec = &task->rec,
		.start_ns = start_ns,
		.end_ns = end_ns,
		.wait = { state, task->wait.waker_tid, task->wait.waker },
	};

	return off->deliver(off->ctx, &interval);
}

/* The task has a CPU again, or the recording ends.  Is_whole: nothing is
 * missing since it was woken or, if it was not, since it went off. */
static int close_task(struct rpt_off_cpu *off, struct rpt_off_cpu_task *task,
		      uint64_t time_ns, bool is_whole)
{
	uint64_t start_ns = task->off_ns;
	uint64_t end_ns = time_ns > start_ns ? time_ns : start_ns;
	enum rpt_wait_state state = task->wait.state;
	int rc = 0;

	task->is_off = false;
	if (!task->has_stack) {
		count(&off->counts.with_loss, start_ns, end_ns);
		return 0;
	}
	if (task->is_woken && task->woken_ns >= start_ns &&
	    task->woken_ns <= end_ns) {
		rc = deliver(off, task, state, start_ns, task->woken_ns);
		start_ns = task->woken_ns;
		state = RPT_WAIT_WOKEN;
	}
	if (rc)
		return rc;
	if (is_whole && (!off->lost_ns || off->lost_ns < start_ns))
		return deliver(off, task, state, start_ns, end_ns);
	count(&off->counts.with_loss, start_ns, end_ns);
	return 0;
}

/* Copy the record.  Return false if there is no budget for it. */
static bool copy_record(struct rpt_off_cpu *off, struct rpt_off_cpu_task *task,
			const struct pd_record *rec)
{
	if (task->data_cap < rec->len) {
		if (off->budget && !rpt_budget_take(off->budget, rec->len))
			return false;
		free(task->data);
		task->data = rpt_alloc(rec->len);
		task->data_cap = rec->len;
	}
	memcpy(task->data, rec->data, rec->len);
	task->rec = *rec;
	task->rec.data = task->data;
	return true;
}

/* Return the task that went off the CPU, and whose interval begins; NULL if
 * none does. */
static struct rpt_off_cpu_task *begin(struct rpt_off_cpu *off, uint32_t tid,
				      uint64_t time_ns,
				      enum rpt_wait_state state)
{
	struct rpt_off_cpu_task *task = task_of(off, tid);

	if (!task) {
		off->unfit_nr += tid && tid < RPT_WAKER_INTERRUPT;
		return NULL;
	}
	task->is_seen = true;
	/* Not before: of a task that is only the next one of a switch, nothing
	 * else need be recorded. */
	if (task->first_in_ns)
		count(&off->counts.at_start, off->first_ns, task->first_in_ns);
	task->first_in_ns = 0;
	task->is_dead |= state == RPT_WAIT_DEAD;
	if (task->is_dead)
		return NULL;
	task->is_off = true;
	task->is_woken = false;
	task->has_stack = false;
	task->off_ns = time_ns;
	task->wait = (struct rpt_wait){ state, RPT_WAKER_NONE, NULL };
	return task;
}

int rpt_off_cpu_out(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns,
		    enum rpt_wait_state state, const struct pd_record *rec)
{
	struct rpt_off_cpu_task *task = off_task_of(off, tid);
	/* when it had a CPU again is not known */
	int rc = task ? close_task(off, task, time_ns, false) : 0;

	if (rc)
		return rc;
	task = begin(off, tid, time_ns, state);
	if (!task)
		return 0;
	task->has_stack = copy_record(off, task, rec);
	off->unfit_nr += !task->has_stack;
	return 0;
}

void rpt_off_cpu_switched(struct rpt_off_cpu *off, uint32_t tid,
			  uint64_t time_ns, bool was_preempted)
{
	struct rpt_off_cpu_task *task = off_task_of(off, tid);

	if (!task)
		begin(off, tid, time_ns, RPT_WAIT_BLOCKED);
	else if (task->wait.state == RPT_WAIT_BLOCKED && was_preempted)
		task->wait.state = RPT_WAIT_PREEMPTED;
}

int rpt_off_cpu_in(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns)
{
	struct rpt_off_cpu_task *task = task_of(off, tid);

	if (!task)
		return 0;
	task->is_dead = false;
	if (task->is_off)
		return close_task(off, task, time_ns, true);
	if (!task->is_seen)
		task->first_in_ns = time_ns;
	task->is_seen = true;
	return 0;
}

int rpt_off_cpu_end(struct rpt_off_cpu *off)
{
	int rc = 0;

	for (uint32_t i = 0; i < off->tids.table.nr && !rc; i++) {
		struct rpt_off_cpu_task *task = &off->tasks[i];

		if (!task->is_off)
			continue;
		if (task->has_stack && off->lost_ns < task->off_ns)
			count(&off->counts.at_end, task->off_ns, off->last_ns);
		rc = close_task(off, task, off->last_ns, true);
	}
	return rc;
}

void rpt_off_cpu_wake(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns,
		      const struct rpt_wait *waker)
{
	struct rpt_off_cpu_task *task = off_task_of(off, tid);

	/* what was lost before may have been the end of the interval */
	if (!task || task->is_woken ||
	    (off->lost_ns && off->lost_ns >= task->off_ns) ||
	    task->wait.state == RPT_WAIT_PREEMPTED ||
	    task->wait.state == RPT_WAIT_RUNNABLE)
		return;
	task->is_woken = true;
	task->woken_ns = time_ns;
	task->wait.waker_tid = waker->waker_tid;
	task->wait.waker = waker->waker;
}

void rpt_off_cpu_lost(struct rpt_off_cpu *off, uint64_t time_ns)
{
	if (time_ns > off->lost_ns)
		off->lost_ns = time_ns;
}

void rpt_off_cpu_fork(struct rpt_off_cpu *off, uint32_t tid)
{
	struct rpt_off_cpu_task *task = task_of(off, tid);

	if (!task)
		return;
	task->is_seen = true;
	task->is_off = false;
	task->is_dead = false;
}

int rpt_off_cpu_exit(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns)
{
	struct rpt_off_cpu_task *task = off_task_of(off, tid);

	return task ? close_task(off, task, time_ns, false) : 0;
}
