#include "report/top/live_tasks.h"

#include "format/records/record_body.h"
#include "report/base/memory.h"
#include "report/top/live_process.h"

#include <stdlib.h>
#include <string.h>

/* With more, new records are left out: no machine has so many maps. */
#define HELD_MAX ((uint64_t)512 << 20)

/* The FORK of a process that is still to be replaced. */
struct rpt_live_fork {
	uint64_t time_ns;
	uint64_t seq;
	uint32_t pid;
	uint32_t ppid;
};

#define KSYMBOL_UNREGISTER 1u /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */

static struct rpt_live_process **place_of(const struct rpt_live_tasks *tasks,
					  uint32_t pid)
{
	struct rpt_live_process *const *at =
		&tasks->chains[pid % RPT_LIVE_CHAINS_NR];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return (struct rpt_live_process **)(uintptr_t)at;
}

static struct rpt_live_process *get(struct rpt_live_tasks *tasks, uint32_t pid)
{
	struct rpt_live_process **at = place_of(tasks, pid);

	if (!*at) {
		*at = rpt_alloc_zeroed(1, sizeof(**at));
		(*at)->pid = pid;
		tasks->process_nr++;
	}
	return *at;
}

void rpt_live_tasks_release(struct rpt_live_tasks *tasks)
{
	for (uint32_t i = 0; i < RPT_LIVE_CHAINS_NR; i++) {
		struct rpt_live_process *at = tasks->chains[i], *next;

		for (; at; at = next) {
			next = at->next;
			rpt_live_process_free(at);
		}
	}
	free(tasks->forks);
	memset(tasks, 0, sizeof(*tasks));
}

bool rpt_live_tasks_has(uint32_t type)
{
	return type == PD_RECORD_MMAP || type == PD_RECORD_MMAP2 ||
	       type == PD_RECORD_COMM || type == PD_RECORD_FORK ||
	       type == PD_RECORD_EXIT || type == PD_RECORD_NAMESPACES ||
	       type == PD_RECORD_KSYMBOL || type == PD_RECORD_CGROUP;
}

static uint64_t end_of(uint64_t start, uint64_t len)
{
	return start + len < start ? UINT64_MAX : start + len;
}

/* Fill in what a body says; return the pid. */
static uint32_t fill(struct rpt_live_record *ret, const struct pd_body *body,
		     uint16_t misc)
{
	switch (body->type) {
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
		ret->start = body->u.mmap.addr;
		ret->end = end_of(ret->start, body->u.mmap.map_len);
		ret->tid = body->u.mmap.tid;
		return (misc & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_KERNEL
			       ? RPT_LIVE_KERNEL
			       : body->u.mmap.pid;
	case PD_RECORD_COMM:
		ret->tid = body->u.comm.tid;
		ret->is_exec = misc & PD_MISC_COMM_EXEC;
		return body->u.comm.pid;
	case PD_RECORD_NAMESPACES:
		ret->tid = body->u.namespaces.tid;
		return body->u.namespaces.pid;
	case PD_RECORD_FORK:
	case PD_RECORD_EXIT:
		ret->tid = body->u.task.tid;
		ret->ppid = body->u.task.ppid;
		ret->ptid = body->u.task.ptid;
		return body->u.task.pid;
	case PD_RECORD_KSYMBOL:
		ret->start = body->u.ksymbol.addr;
		ret->is_unregister = body->u.ksymbol.flags & KSYMBOL_UNREGISTER;
		return RPT_LIVE_KERNEL;
	default:
		ret->start = body->u.cgroup.cgroup_id;
		return RPT_LIVE_KERNEL;
	}
}

static void add_fork(struct rpt_live_tasks *tasks, uint32_t pid,
		     const struct rpt_live_record *rec)
{
	tasks->forks = rpt_grow(tasks->forks, &tasks->fork_cap, tasks->fork_nr,
				sizeof(*tasks->forks));
	tasks->forks[tasks->fork_nr++] =
		(struct rpt_live_fork){ rec->time_ns, rec->seq, pid,
					rec->ppid };
}

bool rpt_live_tasks_add(struct rpt_live_tasks *tasks,
			const struct pd_record *rec, uint64_t time_ns,
			const struct pd_event_set *events)
{
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	struct rpt_live_record item = {
		.time_ns = time_ns,
		.seq = ++tasks->record_nr,
		.type = (uint16_t)rec->type,
		.len = rec->len,
		.swap = rec->swap,
		.data = (uint8_t *)(uintptr_t)rec->data,
	};
	struct pd_body body;
	uint32_t pid;

	if (!event || tasks->held_len > HELD_MAX ||
	    pd_body_read(rec, event->layout.id_len, &body, NULL))
		return false;
	/* of tasks that ran before; records of their names and maps follow */
	if (rec->type == PD_RECORD_FORK && rec->misc & PD_MISC_FORK_EXEC)
		return true;
	pid = fill(&item, &body, rec->misc);
	rpt_live_process_add(get(tasks, pid), &item);
	tasks->held_len += rec->len;
	if (rec->type == PD_RECORD_FORK && item.ppid != pid)
		add_fork(tasks, pid, &item);
	return true;
}

static int compare_forks(const void *a, const void *b)
{
	const struct rpt_live_fork *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Replace the forks that are older than the horizon, parents first. */
static void adopt_all(struct rpt_live_tasks *tasks, uint64_t horizon_ns)
{
	uint32_t nr = 0;

	if (!tasks->fork_nr)
		return;
	qsort(tasks->forks, tasks->fork_nr, sizeof(*tasks->forks),
	      compare_forks);
	while (nr < tasks->fork_nr && tasks->forks[nr].time_ns < horizon_ns) {
		const struct rpt_live_fork *fork = &tasks->forks[nr++];
		struct rpt_live_process *child = *place_of(tasks, fork->pid);

		if (child)
			rpt_live_process_adopt(child, fork->seq,
					       *place_of(tasks, fork->ppid));
	}
	memmove(tasks->forks, tasks->forks + nr,
		(tasks->fork_nr - nr) * sizeof(*tasks->forks));
	tasks->fork_nr -= nr;
}

static uint64_t len_of(const struct rpt_live_process *process)
{
	uint64_t len = 0;

	for (uint32_t i = 0; i < process->nr; i++)
		len += process->records[i].len;
	return len;
}

void rpt_live_tasks_settle(struct rpt_live_tasks *tasks, uint64_t horizon_ns)
{
	adopt_all(tasks, horizon_ns);
	tasks->held_len = 0;
	for (uint32_t i = 0; i < RPT_LIVE_CHAINS_NR; i++) {
		struct rpt_live_process **at = &tasks->chains[i], *process;

		while ((process = *at)) {
			if (process->is_touched &&
			    !rpt_live_process_settle(process, horizon_ns)) {
				*at = process->next;
				rpt_live_process_free(process);
				tasks->process_nr--;
				continue;
			}
			tasks->held_len += len_of(process);
			at = &process->next;
		}
	}
}

static void put_process(const struct rpt_live_tasks *tasks, uint32_t pid,
			struct rpt_intern *pids, struct pd_buf *out)
{
	const struct rpt_live_process *process = *place_of(tasks, pid);

	for (uint32_t i = 0; process && i < process->nr; i++) {
		const struct rpt_live_record *rec = &process->records[i];

		pd_buf_bytes(out, rec->data, rec->len);
		if (rec->type == PD_RECORD_FORK && rec->ppid != pid)
			rpt_intern(pids, &rec->ppid, sizeof(rec->ppid));
	}
}

void rpt_live_tasks_put(const struct rpt_live_tasks *tasks,
			struct rpt_intern *pids, struct pd_buf *out)
{
	put_process(tasks, RPT_LIVE_KERNEL, pids, out);
	for (uint32_t i = 0; i < pids->nr; i++) {
		uint32_t pid;

		memcpy(&pid, rpt_intern_key(pids, i), sizeof(pid));
		if (pid != RPT_LIVE_KERNEL)
			put_process(tasks, pid, pids, out);
	}
}
