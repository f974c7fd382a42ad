/* live_tasks.h: the records of tasks and maps that still matter, of a recording
 * that does not end.
 *
 *	rpt_live_tasks_add(&tasks, &rec, time_ns, events)	as they come
 *	rpt_live_tasks_settle(&tasks, horizon_ns)		now and then
 *	rpt_live_tasks_put(&tasks, &pids, &out)			for a frame
 *
 * Nobody asks for a time before the horizon any more.  So what is older is kept
 * as the state at the horizon: of a process its names, and the maps that no
 * later one covers.  A fork is replaced by copies of the parent's maps and name
 * (unless an exec followed), so that no process depends on one that has ended;
 * processes and threads that have ended are dropped.  Memory thus grows with
 * what runs, not with time.
 */
#ifndef RPT_LIVE_TASKS_H
#define RPT_LIVE_TASKS_H

#include "format/base/buf.h"
#include "format/records/event_set.h"
#include "report/base/intern.h"

struct rpt_live_process;

#define RPT_LIVE_CHAINS_NR 4096u

struct rpt_live_tasks {
	struct rpt_live_process *chains[RPT_LIVE_CHAINS_NR]; /* by pid; owned */
	struct rpt_live_fork *forks; /* not before the horizon; owned */
	uint32_t fork_nr;
	uint32_t fork_cap;
	uint32_t process_nr; /* the kernel's among them */
	uint64_t held_len;   /* bytes of all records */
	uint64_t record_nr;  /* that came */
};

/* A zeroed struct is empty. */
void rpt_live_tasks_release(struct rpt_live_tasks *tasks);

/* Return whether records of the type belong here. */
bool rpt_live_tasks_has(uint32_t type);

/* Add a record of such a type.  Damaged ones are skipped; return false. */
bool rpt_live_tasks_add(struct rpt_live_tasks *tasks,
			const struct pd_record *rec, uint64_t time_ns,
			const struct pd_event_set *events);

/* Keep of what is older than horizon_ns only what it left behind.  The horizon
 * never goes back. */
void rpt_live_tasks_settle(struct rpt_live_tasks *tasks, uint64_t horizon_ns);

/* Append the records of the kernel and of the processes whose pids are the
 * (u32) keys of pids; those that these were forked from are added to pids. */
void rpt_live_tasks_put(const struct rpt_live_tasks *tasks,
			struct rpt_intern *pids, struct pd_buf *out);

#endif
