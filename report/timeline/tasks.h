/* tasks.h: all tasks that had a thread id, their names, and their states at a
 * time.  Part of the timeline, which fills it in the order of time; afterwards
 * it is only read.
 */
#ifndef RPT_TASKS_H
#define RPT_TASKS_H

#include "report/base/intern.h"
#include "report/timeline/address_space.h"

#include <stdio.h>

#define RPT_PID_UNKNOWN UINT32_MAX
#define RPT_TID_NONE	UINT32_MAX

/* A task has this name from then on. */
struct rpt_comm_change {
	struct rpt_timestamp when;
	const char *comm; /* interned */
};

struct rpt_task {
	uint32_t pid; /* RPT_PID_UNKNOWN until a record has it */
	uint32_t tid;
	uint32_t ptid; /* the task that started it; RPT_TID_NONE: unknown */
	bool is_named; /* it has a FORK or a COMM, not only maps */
	struct rpt_timestamp birth;
	struct rpt_comm_change *comms; /* owned; comm_nr of them */
	uint32_t comm_nr;
	uint32_t comm_cap;
	struct rpt_address_space *space; /* shared in the process */
};

/* All tasks that had one thread id. */
struct rpt_tid_history {
	struct rpt_task **items; /* by birth; owned */
	uint32_t nr;
	uint32_t cap;
};

struct rpt_tasks {
	struct rpt_arena arena; /* of tasks and spaces; its budget is for all */
	struct rpt_intern tids; /* u32 keys; number = place in histories */
	struct rpt_tid_history *histories; /* owned */
	uint32_t histories_cap;
	struct rpt_intern comms;
	struct rpt_address_space **spaces; /* owned, by id */
	uint32_t space_nr;
	uint32_t space_cap;
};

/* Initialise; memory is charged to the budget, which may be NULL. */
void rpt_tasks_init(struct rpt_tasks *tasks, struct rpt_budget *budget);
/* Free all. */
void rpt_tasks_release(struct rpt_tasks *tasks);

/* Return the latest task that has tid.  If there is none, one is made that was
 * there from the beginning; an unknown pid is filled in. */
struct rpt_task *rpt_tasks_get(struct rpt_tasks *tasks, uint32_t pid,
			       uint32_t tid);

/* Return a new task that has tid from birth on, with an address space of its
 * own or, for a thread, its leader's. */
struct rpt_task *rpt_tasks_fork(struct rpt_tasks *tasks, uint32_t pid,
				uint32_t tid, struct rpt_timestamp birth);

/* Give the task a name from when on, which it may have already. */
void rpt_tasks_set_comm(struct rpt_tasks *tasks, struct rpt_task *task,
			struct rpt_timestamp when, struct pd_str comm);

/* Return the task that has tid at when; NULL if no record is about tid.  span,
 * which holds when, is narrowed to the times with the same answer. */
const struct rpt_task *rpt_tasks_at(const struct rpt_tasks *tasks, uint32_t tid,
				    struct rpt_timestamp when,
				    struct rpt_span *span);

/* Return comm or, for a task without a name, ":TID" in buf. */
static inline const char *rpt_comm_or_tid(const char *comm, uint32_t tid,
					  char buf[16])
{
	if (comm)
		return comm;
	snprintf(buf, 16, ":%d", (int)tid);
	return buf;
}

/* The state of a task for its samples at every time in span. */
struct rpt_task_state {
	struct rpt_span span;
	struct rpt_task_ref ref;
	const char *comm;      /* rpt_task_ref_comm_shown() */
	const char *comm_then; /* rpt_task_ref_comm(): NULL before a name */
	uint32_t space_id;     /* 0: no space */
	uint32_t space_version;
	uint32_t kernel_version;
};

/* Find the state of the task that has tid at when. */
void rpt_timeline_task_state(const struct rpt_timeline *tl, uint32_t pid,
			     uint32_t tid, struct rpt_timestamp when,
			     struct rpt_task_state *ret);

/* The last task that had a thread id. */
struct rpt_task_exit {
	struct rpt_task_ref ref;
	uint32_t ptid; /* the task that started it; RPT_TID_NONE: unknown */
	bool is_named; /* as in rpt_task */
};

/* Return the last task of the idx-th thread id, in the order in which records
 * first have them; false if there are no more. */
bool rpt_timeline_last_task(const struct rpt_timeline *tl, uint32_t idx,
			    struct rpt_task_exit *ret);

#endif
