#include "report/top/live_process.h"

#include "format/file/layout.h"
#include "report/base/compare.h"
#include "report/base/intern.h"
#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define TASK_IDS_OFF \
	8u /* of pid and tid in COMM and maps: FORMAT.md "Records" */

static int compare(const void *a, const void *b)
{
	const struct rpt_live_record *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void rpt_live_process_add(struct rpt_live_process *process,
			  const struct rpt_live_record *rec)
{
	struct rpt_live_record copy = *rec;

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

void rpt_live_process_free(struct rpt_live_process *process)
{
	for (uint32_t i = 0; i < process->nr; i++)
		free(process->records[i].data);
	free(process->records);
	free(process);
}

void rpt_live_process_sort(struct rpt_live_process *process)
{
	if (process->is_unsorted)
		qsort(process->records, process->nr, sizeof(*process->records),
		      compare);
	process->is_unsorted = false;
}

static bool is_map(const struct rpt_live_record *rec)
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
		     struct rpt_live_record *rec)
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
		   const struct rpt_live_record *of)
{
	rpt_live_process_add(process, of);
	set_task(process, process->pid, &process->records[process->nr - 1]);
}

/* Return the FORK with that seq, or NULL. */
static struct rpt_live_record *fork_at(struct rpt_live_process *process,
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
			const struct rpt_live_record *fork)
{
	for (uint32_t i = 0; i < process->nr; i++)
		if (compare(&process->records[i], fork) < 0)
			process->records[i].is_dropped = true;
	process->is_leader_gone = false;
}

void rpt_live_process_adopt(struct rpt_live_process *process, uint64_t fork_seq,
			    struct rpt_live_process *parent)
{
	struct rpt_live_record *at = fork_at(process, fork_seq);
	const struct rpt_live_record *comm = NULL;
	struct rpt_live_record fork;

	if (!at)
		return;
	fork = *at;
	at->is_dropped = true;
	drop_before(process, &fork);
	sweep(process);
	if (!parent || parent == process)
		return;
	rpt_live_process_sort(parent);
	for (uint32_t i = 0; i < parent->nr; i++) {
		const struct rpt_live_record *rec = &parent->records[i];

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
		struct rpt_live_record *rec = &process->records[i];
		const struct rpt_live_record *name;
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
	uint32_t lo = 0, hi = all->nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (all->items[mid].end < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
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

/* What later records have said, while older ones are looked at. */
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
		      const struct rpt_live_record *rec)
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

bool rpt_live_process_settle(struct rpt_live_process *process,
			     uint64_t horizon_ns)
{
	struct later later = { 0 };
	uint32_t old_nr = 0;
	bool is_named, has_fork = false;

	rpt_live_process_sort(process);
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
