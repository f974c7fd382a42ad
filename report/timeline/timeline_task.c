/* Finds the task that has a thread id at a time, and for how long it holds. */
#include "report/timeline/timeline_impl.h"

static void find_task_ref(const struct rpt_timeline *tl,
			  struct rpt_timestamp when, uint32_t pid, uint32_t tid,
			  struct rpt_span *span, struct rpt_task_ref *ret)
{
	const struct rpt_task *task = rpt_tasks_at(&tl->tasks, tid, when, span);

	ret->pid = pid;
	ret->tid = tid;
	ret->task = task;
	ret->space = task ? task->space : NULL;
	if (task && task->pid != RPT_PID_UNKNOWN)
		return;
	if (pid != tid && pid != RPT_PID_UNKNOWN) {
		task = rpt_tasks_at(&tl->tasks, pid, when, span);
		ret->space = task ? task->space : NULL;
	}
}

void rpt_timeline_task(const struct rpt_timeline *tl, uint32_t pid,
		       uint32_t tid, struct rpt_timestamp when,
		       struct rpt_task_ref *ret)
{
	struct rpt_span span = RPT_SPAN_ALL;

	find_task_ref(tl, when, pid, tid, &span, ret);
}

/* Return how many names the task had by then. */
static uint32_t count_comms(const struct rpt_task *task,
			    struct rpt_timestamp when)
{
	uint32_t lo = 0;
	uint32_t hi = task ? task->comm_nr : 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (rpt_timestamp_before(when, task->comms[mid].when))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

const char *rpt_task_ref_comm(const struct rpt_task_ref *ref,
			      struct rpt_timestamp when)
{
	uint32_t nr = count_comms(ref->task, when);

	return nr ? ref->task->comms[nr - 1].comm : NULL;
}

const char *rpt_task_ref_comm_shown(const struct rpt_task_ref *ref,
				    struct rpt_timestamp when)
{
	const char *comm = rpt_task_ref_comm(ref, when);

	if (!comm && ref->task && ref->task->comm_nr)
		return ref->task->comms[0].comm;
	return comm;
}

const char *rpt_task_ref_comm_last(const struct rpt_task_ref *ref)
{
	const struct rpt_task *task = ref->task;

	if (!task || !task->comm_nr)
		return NULL;
	return task->comms[task->comm_nr - 1].comm;
}

static void narrow_by_comm(const struct rpt_task *task,
			   struct rpt_timestamp when, struct rpt_span *span)
{
	uint32_t nr = count_comms(task, when);

	if (task && nr)
		rpt_span_start(span, task->comms[nr - 1].when);
	if (task && nr < task->comm_nr)
		rpt_span_end(span, task->comms[nr].when);
}

static uint32_t narrow_by_space(const struct rpt_address_space *space,
				struct rpt_timestamp when,
				struct rpt_span *span)
{
	uint32_t nr = rpt_address_space_version(space, when);

	if (space && nr)
		rpt_span_start(span, space->changes[nr - 1].when);
	if (space && nr < space->nr)
		rpt_span_end(span, space->changes[nr].when);
	return nr;
}

void rpt_timeline_task_state(const struct rpt_timeline *tl, uint32_t pid,
			     uint32_t tid, struct rpt_timestamp when,
			     struct rpt_task_state *ret)
{
	ret->span = RPT_SPAN_ALL;
	find_task_ref(tl, when, pid, tid, &ret->span, &ret->ref);
	ret->comm = rpt_task_ref_comm_shown(&ret->ref, when);
	ret->comm_then = rpt_task_ref_comm(&ret->ref, when);
	narrow_by_comm(ret->ref.task, when, &ret->span);
	ret->space_id = ret->ref.space ? ret->ref.space->id + 1 : 0;
	ret->space_version = narrow_by_space(ret->ref.space, when, &ret->span);
	ret->kernel_version = narrow_by_space(&tl->kernel, when, &ret->span);
}
