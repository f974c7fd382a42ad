#include "report/top/live_tasks.h"

#include "format/base/search.h"
#include "format/file/layout.h"
#include "format/records/record_body.h"
#include "report/base/compare.h"
#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The records of one process, for live_tasks.c.
 *
 * Records with the pid of the kernel are one process as well: its maps, the
 * code that it made at run time, and the names of control groups. */

#define RPT_LIVE_KERNEL UINT32_MAX

struct live_record {
	uint64_t time_ns;
	uint64_t seq;	/* the order in which records came */
	uint64_t start; /* of a map or of code; the id of a control group */
	uint64_t end;
	uint32_t tid;
	uint32_t ppid; /* of a FORK */
	uint32_t ptid;
	uint16_t type;
	bool is_exec;	    /* a COMM */
	bool is_unregister; /* a KSYMBOL */
	bool is_dropped;    /* while it is settled */
	bool swap;	    /* the byte order of data */
	uint16_t len;
	uint8_t *data; /* owned */
};

struct rpt_live_process {
	uint32_t pid;
	struct live_record *records; /* owned */
	uint32_t nr;
	uint32_t cap;
	bool is_unsorted;
	bool is_touched;     /* it may have records behind the horizon */
	bool is_leader_gone; /* its first thread has ended */
	struct rpt_live_process *next;
};

#define TASK_IDS_OFF \
	8u /* of pid and tid in COMM and maps: FORMAT.md "Records" */

static int compare(const void *a, const void *b)
{
	const struct live_record *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Add a copy of a record, whose data is the caller's. */
static void live_process_add(struct rpt_live_process *process,
			     const struct live_record *rec)
{
	struct live_record copy = *rec;

	copy.data = rpt_alloc(rec->len);
	memcpy(copy.data, rec->data, rec->len);
	copy.is_dropped = false;
	if (process->nr && compare(&process->records[process->nr - 1], rec) > 0)
		process->is_unsorted = true;
	process->records = rpt_grow(process->records, &process->cap,
				    process->nr, sizeof(copy));
	process->records[process->nr++] = copy;
	process->is_touched = true;
}

static void live_process_free(struct rpt_live_process *process)
{
	for (uint32_t i = 0; i < process->nr; i++)
		free(process->records[i].data);
	free(process->records);
	free(process);
}

/* Sort the records by time and the order in which they came. */
static void live_process_sort(struct rpt_live_process *process)
{
	if (process->is_unsorted)
		qsort(process->records, process->nr, sizeof(*process->records),
		      compare);
	process->is_unsorted = false;
}

static bool is_map(const struct live_record *rec)
{
	return rec->type == PD_RECORD_MMAP || rec->type == PD_RECORD_MMAP2;
}

/* Remove the records that are dropped. */
static void sweep(struct rpt_live_process *process)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < process->nr; i++) {
		if (process->records[i].is_dropped)
			free(process->records[i].data);
		else
			process->records[nr++] = process->records[i];
	}
	process->nr = nr;
	if (process->cap > 64 && nr < process->cap / 4) {
		process->cap = nr * 2 + 1;
		process->records =
			rpt_realloc_array(process->records, process->cap,
					  sizeof(*process->records));
	}
}

/* Make a record, which owns its data, one of a thread of process. */
static void set_task(const struct rpt_live_process *process, uint32_t tid,
		     struct live_record *rec)
{
	bool is_big = rec->swap != PD_HOST_IS_BIG_ENDIAN;
	uint64_t ids = is_big ? (uint64_t)process->pid << 32 | tid
			      : (uint64_t)tid << 32 | process->pid;
	struct pd_buf buf = { .data = rec->data,
			      .len = rec->len,
			      .cap = rec->len,
			      .swap = rec->swap };

	rec->tid = tid;
	pd_buf_patch_u64(&buf, TASK_IDS_OFF, ids);
}

/* Add a copy of a parent's record as a record of process. */
static void add_as(struct rpt_live_process *process,
		   const struct live_record *of)
{
	live_process_add(process, of);
	set_task(process, process->pid, &process->records[process->nr - 1]);
}

/* Return the FORK with that seq, or NULL. */
static struct live_record *fork_at(struct rpt_live_process *process,
				   uint64_t seq)
{
	for (uint32_t i = 0; i < process->nr; i++)
		if (process->records[i].seq == seq &&
		    process->records[i].type == PD_RECORD_FORK)
			return &process->records[i];
	return NULL;
}

/* Drop what process had before its pid became that of a new process. */
static void drop_before(struct rpt_live_process *process,
			const struct live_record *fork)
{
	for (uint32_t i = 0; i < process->nr; i++)
		if (compare(&process->records[i], fork) < 0)
			process->records[i].is_dropped = true;
	process->is_leader_gone = false;
}

/* Replace the FORK of a process, which has that seq, by what the parent (NULL:
 * nothing is known of it) had then: its name and its maps. */
static void live_process_adopt(struct rpt_live_process *process,
			       uint64_t fork_seq,
			       struct rpt_live_process *parent)
{
	struct live_record *at = fork_at(process, fork_seq);
	const struct live_record *comm = NULL;
	struct live_record fork;

	if (!at)
		return;
	fork = *at;
	at->is_dropped = true;
	drop_before(process, &fork);
	sweep(process);
	if (!parent || parent == process)
		return;
	live_process_sort(parent);
	for (uint32_t i = 0; i < parent->nr; i++) {
		const struct live_record *rec = &parent->records[i];

		if (compare(rec, &fork) > 0)
			break;
		if (rec->type == PD_RECORD_COMM && rec->tid == fork.ptid)
			comm = rec;
		else if (is_map(rec))
			add_as(process, rec);
	}
	if (comm)
		add_as(process, comm);
}

/* Replace the FORKs of threads among the first nr records by the names that
 * the threads began with. */
static void name_threads(struct rpt_live_process *process, uint32_t nr)
{
	uint32_t *last =
		rpt_alloc_zeroed(nr, sizeof(*last)); /* by number ... */
	struct rpt_intern tids = { 0 };		     /* ... of a tid */

	for (uint32_t i = 0; i < nr; i++) {
		struct live_record *rec = &process->records[i];
		const struct live_record *name;
		int64_t from;

		if (rec->type == PD_RECORD_FORK) {
			from = rpt_intern_find(&tids, &rec->ptid,
					       sizeof(rec->ptid));
			if (from < 0)
				continue;
			name = &process->records[last[from]];
			free(rec->data);
			rec->data = rpt_alloc(name->len);
			memcpy(rec->data, name->data, name->len);
			rec->len = name->len;
			rec->type = PD_RECORD_COMM;
			rec->is_exec = false;
			set_task(process, rec->tid, rec);
		}
		if (rec->type == PD_RECORD_COMM)
			last[rpt_intern(&tids, &rec->tid, sizeof(rec->tid))] =
				i;
	}
	rpt_intern_release(&tids);
	free(last);
}

/* Addresses that later maps cover: ranges that do not touch, by address. */
struct covered {
	struct {
		uint64_t start;
		uint64_t end;
	} * items;
	uint32_t nr;
	uint32_t cap;
};

/* Return the first range that ends at start or later. */
static uint32_t covered_at(const struct covered *all, uint64_t start)
{
	uint32_t at;

	PD_FIND_FIRST(at, all->nr, all->items[at].end >= start);
	return at;
}

/* Add a range; return false if all of it was there. */
static bool cover(struct covered *all, uint64_t start, uint64_t end)
{
	uint32_t at = covered_at(all, start), to = at;

	if (at < all->nr && all->items[at].start <= start &&
	    all->items[at].end >= end)
		return false;
	for (; to < all->nr && all->items[to].start <= end; to++) {
		if (all->items[to].start < start)
			start = all->items[to].start;
		if (all->items[to].end > end)
			end = all->items[to].end;
	}
	if (to == at) {
		all->items = rpt_grow(all->items, &all->cap, all->nr,
				      sizeof(*all->items));
		to++;
		memmove(all->items + to, all->items + at,
			(all->nr++ - at) * sizeof(*all->items));
	} else {
		memmove(all->items + at + 1, all->items + to,
			(all->nr - to) * sizeof(*all->items));
		all->nr -= to - at - 1;
	}
	all->items[at].start = start;
	all->items[at].end = end;
	return true;
}

/* Facts of later records, while older ones are looked at. */
struct later {
	struct covered maps;
	struct rpt_intern comms;  /* tids with a name */
	struct rpt_intern spaces; /* tids with namespaces */
	struct rpt_intern ended;  /* tids */
	struct rpt_intern codes;  /* of KSYMBOL: addresses */
	struct rpt_intern cgroups;
	bool is_exec;
};

static void later_release(struct later *later)
{
	free(later->maps.items);
	rpt_intern_release(&later->comms);
	rpt_intern_release(&later->spaces);
	rpt_intern_release(&later->ended);
	rpt_intern_release(&later->codes);
	rpt_intern_release(&later->cgroups);
}

/* Add a key; return false if it was there. */
static bool is_first(struct rpt_intern *table, uint64_t key)
{
	uint32_t known_nr = table->nr;

	return rpt_intern(table, &key, sizeof(key)) == known_nr;
}

static bool has(const struct rpt_intern *table, uint64_t key)
{
	return rpt_intern_find(table, &key, sizeof(key)) >= 0;
}

/* Return whether a record has an effect on times behind the horizon. */
static bool is_of_use(struct rpt_live_process *process, struct later *later,
		      const struct live_record *rec)
{
	switch (rec->type) {
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
		return !later->is_exec &&
		       cover(&later->maps, rec->start, rec->end);
	case PD_RECORD_COMM:
		if (rec->is_exec && rec->tid == process->pid)
			later->is_exec = true;
		return !has(&later->ended, rec->tid) &&
		       is_first(&later->comms, rec->tid);
	case PD_RECORD_NAMESPACES:
		return !has(&later->ended, rec->tid) &&
		       is_first(&later->spaces, rec->tid);
	case PD_RECORD_EXIT:
		is_first(&later->ended, rec->tid);
		if (rec->tid == process->pid && !has(&later->comms, rec->tid))
			process->is_leader_gone = true;
		return false;
	case PD_RECORD_KSYMBOL:
		return is_first(&later->codes, rec->start) &&
		       !rec->is_unregister;
	case PD_RECORD_CGROUP:
		return is_first(&later->cgroups, rec->start);
	default: /* the FORK of a thread whose parent has no name */
		return false;
	}
}

/* Drop what is older than the horizon and has no effect on later times.  Return
 * false if nothing is left of the process: it has ended. */
static bool live_process_settle(struct rpt_live_process *process,
				uint64_t horizon_ns)
{
	struct later later = { 0 };
	uint32_t old_nr = 0;
	bool is_named, has_fork = false;

	live_process_sort(process);
	while (old_nr < process->nr &&
	       process->records[old_nr].time_ns < horizon_ns)
		has_fork |= process->records[old_nr++].type == PD_RECORD_FORK;
	if (has_fork)
		name_threads(process, old_nr);
	for (uint32_t i = old_nr; i-- > 0;)
		process->records[i].is_dropped =
			!is_of_use(process, &later, &process->records[i]);
	process->is_touched = old_nr < process->nr;
	is_named = later.comms.nr;
	later_release(&later);
	sweep(process);
	return process->is_touched || is_named || !process->is_leader_gone;
}

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
			live_process_free(at);
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
static uint32_t fill(struct live_record *ret, const struct pd_body *body,
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
		     const struct live_record *rec)
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
	struct live_record item = {
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
	live_process_add(get(tasks, pid), &item);
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
			live_process_adopt(child, fork->seq,
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
			    !live_process_settle(process, horizon_ns)) {
				*at = process->next;
				live_process_free(process);
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
		const struct live_record *rec = &process->records[i];

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
