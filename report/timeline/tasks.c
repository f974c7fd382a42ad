#include "report/timeline/tasks.h"

#include "format/base/search.h"

#include <stdlib.h>

void rpt_tasks_init(struct rpt_tasks *tasks, struct rpt_budget *budget)
{
	*tasks = (struct rpt_tasks){
		.arena.budget = budget,
		.tids.keys.budget = budget,
		.comms.keys.budget = budget,
	};
}

static struct rpt_tid_history *history_of(const struct rpt_tasks *tasks,
					  uint32_t tid)
{
	int64_t idx = rpt_intern_find(&tasks->tids, &tid, sizeof(tid));

	return idx < 0 ? NULL : &tasks->histories[idx];
}

static struct rpt_tid_history *get_history(struct rpt_tasks *tasks,
					   uint32_t tid)
{
	uint32_t known_nr = tasks->tids.nr;
	int64_t idx = rpt_intern(&tasks->tids, &tid, sizeof(tid));

	tasks->histories = rpt_grow_within(
		tasks->arena.budget, tasks->histories, &tasks->histories_cap,
		known_nr, sizeof(*tasks->histories));
	if (idx == known_nr)
		tasks->histories[idx] = (struct rpt_tid_history){ 0 };
	return &tasks->histories[idx];
}

/* Return the latest task of tid, or NULL. */
static struct rpt_task *latest_task(const struct rpt_tasks *tasks, uint32_t tid)
{
	const struct rpt_tid_history *history = history_of(tasks, tid);

	return history ? history->items[history->nr - 1] : NULL;
}

static struct rpt_address_space *new_space(struct rpt_tasks *tasks)
{
	struct rpt_address_space *space =
		rpt_arena_alloc(&tasks->arena, sizeof(*space));

	tasks->spaces = rpt_grow_within(tasks->arena.budget, tasks->spaces,
					&tasks->space_cap, tasks->space_nr,
					sizeof(struct rpt_address_space *));
	*space = (struct rpt_address_space){ .id = tasks->space_nr,
					     .budget = tasks->arena.budget };
	tasks->spaces[tasks->space_nr++] = space;
	return space;
}

/* Return its leader's space for a thread whose process is known, else a new
 * one. */
static struct rpt_address_space *space_for(struct rpt_tasks *tasks,
					   uint32_t pid, uint32_t tid)
{
	if (pid == tid || pid == RPT_PID_UNKNOWN)
		return new_space(tasks);
	return rpt_tasks_get(tasks, pid, pid)->space;
}

struct rpt_task *rpt_tasks_fork(struct rpt_tasks *tasks, uint32_t pid,
				uint32_t tid, struct rpt_timestamp birth)
{
	struct rpt_address_space *space = space_for(tasks, pid, tid);
	struct rpt_tid_history *history = get_history(tasks, tid);
	struct rpt_task *task = rpt_arena_alloc(&tasks->arena, sizeof(*task));

	*task = (struct rpt_task){
		.pid = pid,
		.tid = tid,
		.ptid = RPT_TID_NONE,
		.birth = birth,
		.space = space,
	};
	history->items = rpt_grow_within(tasks->arena.budget, history->items,
					 &history->cap, history->nr,
					 sizeof(struct rpt_task *));
	history->items[history->nr++] = task;
	return task;
}

struct rpt_task *rpt_tasks_get(struct rpt_tasks *tasks, uint32_t pid,
			       uint32_t tid)
{
	struct rpt_task *task = latest_task(tasks, tid);

	if (!task)
		return rpt_tasks_fork(tasks, pid, tid,
				      (struct rpt_timestamp){ 0 });
	if (task->pid == RPT_PID_UNKNOWN && pid != RPT_PID_UNKNOWN) {
		task->pid = pid;
		if (pid != tid)
			task->space = space_for(tasks, pid, tid);
	}
	return task;
}

void rpt_tasks_set_comm(struct rpt_tasks *tasks, struct rpt_task *task,
			struct rpt_timestamp when, struct pd_str comm)
{
	char *safe = rpt_alloc_safe(comm.ptr, comm.len, SUP_SAFE_NAME);
	uint32_t idx = (uint32_t)rpt_intern(&tasks->comms, safe, strlen(safe));
	const char *name = rpt_intern_key(&tasks->comms, idx);

	free(safe);
	if (task->comm_nr && task->comms[task->comm_nr - 1].comm == name)
		return;
	task->comms = rpt_grow_within(tasks->arena.budget, task->comms,
				      &task->comm_cap, task->comm_nr,
				      sizeof(*task->comms));
	task->comms[task->comm_nr++] = (struct rpt_comm_change){ when, name };
}

const struct rpt_task *rpt_tasks_at(const struct rpt_tasks *tasks, uint32_t tid,
				    struct rpt_timestamp when,
				    struct rpt_span *span)
{
	const struct rpt_tid_history *history = history_of(tasks, tid);
	uint32_t at;

	if (!history)
		return NULL;
	PD_FIND_FIRST(
		at, history->nr,
		at && rpt_timestamp_before(when, history->items[at]->birth));
	if (at > 1)
		rpt_span_start(span, history->items[at - 1]->birth);
	if (at < history->nr)
		rpt_span_end(span, history->items[at]->birth);
	return history->items[at - 1];
}

void rpt_tasks_release(struct rpt_tasks *tasks)
{
	for (uint32_t i = 0; i < tasks->tids.nr; i++) {
		struct rpt_tid_history *history = &tasks->histories[i];

		for (uint32_t k = 0; k < history->nr; k++)
			free(history->items[k]->comms);
		free(history->items);
	}
	for (uint32_t i = 0; i < tasks->space_nr; i++)
		rpt_address_space_release(tasks->spaces[i]);
	free(tasks->histories);
	free(tasks->spaces);
	rpt_intern_release(&tasks->tids);
	rpt_intern_release(&tasks->comms);
	rpt_arena_release(&tasks->arena);
	*tasks = (struct rpt_tasks){ 0 };
}
