#include "report/timeline/tasks.h"

#include "report/timeline/task_exit.h"

#include <errno.h>
#include <stdlib.h>

static struct rpt_lives *lives_of(const struct rpt_tasks *tasks, uint32_t tid)
{
	int64_t idx = rpt_intern_find(&tasks->tids, &tid, sizeof(tid));

	return idx < 0 ? NULL : &tasks->lives[idx];
}

static struct rpt_lives *lives_get(struct rpt_tasks *tasks, uint32_t tid)
{
	uint32_t known_nr = tasks->tids.nr;
	int64_t idx;

	if (known_nr == tasks->lives_cap) {
		uint32_t cap = known_nr ? known_nr * 2 : 64;
		struct rpt_lives *lives =
			realloc(tasks->lives, cap * sizeof(*lives));

		if (!lives)
			return NULL;
		tasks->lives = lives;
		tasks->lives_cap = cap;
	}
	idx = rpt_intern(&tasks->tids, &tid, sizeof(tid));
	if (idx < 0)
		return NULL;
	if (idx == known_nr)
		tasks->lives[idx] = (struct rpt_lives){ 0 };
	return &tasks->lives[idx];
}

/* NULL: none yet. */
static struct rpt_task *task_now(const struct rpt_tasks *tasks, uint32_t tid)
{
	const struct rpt_lives *lives = lives_of(tasks, tid);

	return lives && lives->nr ? lives->items[lives->nr - 1] : NULL;
}

static struct rpt_address_space *space_new(struct rpt_tasks *tasks)
{
	struct rpt_address_space *space;

	if (tasks->space_nr == tasks->space_cap) {
		uint32_t cap = tasks->space_cap ? tasks->space_cap * 2 : 64;
		struct rpt_address_space **spaces =
			realloc(tasks->spaces,
				cap * sizeof(struct rpt_address_space *));

		if (!spaces)
			return NULL;
		tasks->spaces = spaces;
		tasks->space_cap = cap;
	}
	space = calloc(1, sizeof(*space));
	if (!space)
		return NULL;
	space->id = tasks->space_nr;
	tasks->spaces[tasks->space_nr++] = space;
	return space;
}

/* The leader's space for a thread whose process is known, else an own one. */
static struct rpt_address_space *space_of(struct rpt_tasks *tasks, uint32_t pid,
					  uint32_t tid)
{
	struct rpt_task *leader;

	if (pid == tid || pid == RPT_PID_UNKNOWN)
		return space_new(tasks);
	leader = rpt_tasks_get(tasks, pid, pid);
	return leader ? leader->space : NULL;
}

struct rpt_task *rpt_tasks_reborn(struct rpt_tasks *tasks, uint32_t pid,
				  uint32_t tid, struct rpt_when birth)
{
	struct rpt_address_space *space = space_of(tasks, pid, tid);
	struct rpt_lives *lives = space ? lives_get(tasks, tid) : NULL;
	struct rpt_task *task;

	if (!lives)
		return NULL;
	if (lives->nr == lives->cap) {
		uint32_t cap = lives->cap ? lives->cap * 2 : 1;
		struct rpt_task **items =
			realloc(lives->items, cap * sizeof(struct rpt_task *));

		if (!items)
			return NULL;
		lives->items = items;
		lives->cap = cap;
	}
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->pid = pid;
	task->tid = tid;
	task->ptid = RPT_TID_NONE;
	task->birth = birth;
	task->space = space;
	lives->items[lives->nr++] = task;
	return task;
}

struct rpt_task *rpt_tasks_get(struct rpt_tasks *tasks, uint32_t pid,
			       uint32_t tid)
{
	struct rpt_task *task = task_now(tasks, tid);

	if (!task)
		return rpt_tasks_reborn(tasks, pid, tid,
					(struct rpt_when){ 0 });
	if (task->pid == RPT_PID_UNKNOWN && pid != RPT_PID_UNKNOWN) {
		task->pid = pid;
		if (pid != tid)
			task->space = space_of(tasks, pid, tid);
		if (!task->space)
			return NULL;
	}
	return task;
}

const struct rpt_task *rpt_tasks_at(const struct rpt_tasks *tasks, uint32_t tid,
				    struct rpt_when when, struct rpt_span *span)
{
	const struct rpt_lives *lives = lives_of(tasks, tid);
	uint32_t lo = 0;
	uint32_t hi;

	if (!lives || !lives->nr)
		return NULL;
	hi = lives->nr;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (rpt_when_before(when, lives->items[mid]->birth))
			hi = mid;
		else
			lo = mid;
	}
	if (lo)
		rpt_span_start(span, lives->items[lo]->birth);
	if (lo + 1 < lives->nr)
		rpt_span_end(span, lives->items[lo + 1]->birth);
	return lives->items[lo];
}

int rpt_tasks_name(struct rpt_tasks *tasks, struct rpt_task *task,
		   struct rpt_when when, struct pd_str comm)
{
	int64_t idx = rpt_intern(&tasks->comms, comm.ptr, comm.len);

	if (idx < 0)
		return (int)idx;
	if (task->naming_nr == task->naming_cap) {
		uint32_t cap = task->naming_cap ? task->naming_cap * 2 : 2;
		struct rpt_naming *namings =
			realloc(task->namings, cap * sizeof(*namings));

		if (!namings)
			return -ENOMEM;
		task->namings = namings;
		task->naming_cap = cap;
	}
	task->namings[task->naming_nr++] =
		(struct rpt_naming){ when, rpt_intern_key(&tasks->comms,
							  (uint32_t)idx) };
	return 0;
}

void rpt_tasks_release(struct rpt_tasks *tasks)
{
	for (uint32_t i = 0; i < tasks->tids.nr; i++) {
		struct rpt_lives *lives = &tasks->lives[i];

		for (uint32_t k = 0; k < lives->nr; k++) {
			free(lives->items[k]->namings);
			free(lives->items[k]);
		}
		free(lives->items);
	}
	for (uint32_t i = 0; i < tasks->space_nr; i++) {
		rpt_address_space_release(tasks->spaces[i]);
		free(tasks->spaces[i]);
	}
	free(tasks->lives);
	free(tasks->spaces);
	rpt_intern_release(&tasks->tids);
	rpt_intern_release(&tasks->comms);
	*tasks = (struct rpt_tasks){ 0 };
}
