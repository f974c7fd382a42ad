/* tasks.h: the lives of all thread ids, and the names they had.
 *
 * Filled in time order by timeline.c; afterwards only read.  Part of the
 * timeline.
 */
#ifndef RPT_TASKS_H
#define RPT_TASKS_H

#include "report/base/arena.h"
#include "report/base/intern.h"
#include "report/timeline/address_space.h"

#define RPT_PID_UNKNOWN UINT32_MAX

struct rpt_naming {
	struct rpt_when when;
	const char *comm; /* interned */
};

struct rpt_task {
	uint32_t pid; /* RPT_PID_UNKNOWN until a record tells */
	uint32_t tid;
	uint32_t ptid; /* RPT_TID_NONE until a FORK tells */
	bool is_told;  /* by a FORK or a COMM */
	struct rpt_when birth;
	struct rpt_naming *namings; /* owned */
	uint32_t naming_nr;
	uint32_t naming_cap;
	struct rpt_address_space *space; /* shared in the process */
};

/* One thread id. */
struct rpt_lives {
	struct rpt_task **items; /* by birth */
	uint32_t nr;
	uint32_t cap;
};

struct rpt_tasks {
	struct rpt_intern tids;	 /* u32 keys; number = place in lives */
	struct rpt_lives *lives; /* owned */
	uint32_t lives_cap;
	struct rpt_intern comms;
	struct rpt_address_space **spaces; /* owned, by id */
	uint32_t space_nr;
	uint32_t space_cap;
};

/* The task that has tid now (the latest life), made if need be as one that was
 * there from the beginning; a pid that was unknown is filled in.  NULL: out of
 * memory. */
struct rpt_task *rpt_tasks_get(struct rpt_tasks *tasks, uint32_t pid,
			       uint32_t tid);

/* A new life of tid from birth on, with a space of its own or its leader's.
 * NULL: out of memory. */
struct rpt_task *rpt_tasks_reborn(struct rpt_tasks *tasks, uint32_t pid,
				  uint32_t tid, struct rpt_when birth);

/* The life of tid at when; NULL: tid was never spoken of.  span, which holds
 * when, is narrowed to where the answer is the same. */
const struct rpt_task *rpt_tasks_at(const struct rpt_tasks *tasks, uint32_t tid,
				    struct rpt_when when,
				    struct rpt_span *span);

/* 0 or -ENOMEM. */
int rpt_tasks_name(struct rpt_tasks *tasks, struct rpt_task *task,
		   struct rpt_when when, struct pd_str comm);

void rpt_tasks_release(struct rpt_tasks *tasks);

#endif
