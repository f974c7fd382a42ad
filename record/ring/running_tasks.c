#include "record/ring/running_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/layout.h"
#include "record/ring/held_tasks_impl.h"

enum {
	MISC_OFF = 4,
	GENERATION_NR = 32, /* of tasks that run what their parents began */
	READ_FACTOR = 16,   /* so much may be read, in all that is held */
	MAP_START_OFF = 16,
	MAP_LEN_OFF = 24,
};

/* A task's records up to some time, by their times. */
struct history {
	struct pd_buf copy;
	struct rec_stored *records; /* owned */
	size_t nr;
};

static void release_history(struct history *history)
{
	free(history->records);
	pd_buf_release(&history->copy);
}

/* Return the place of the last record of that type, with these bits in misc,
 * counted from 1; 0: there is none. */
static size_t last_of(const struct history *history, uint32_t type,
		      uint16_t misc)
{
	size_t i = history->nr;

	while (i && (history->records[i - 1].record.type != type ||
		     (history->records[i - 1].record.misc & misc) != misc))
		i--;
	return i;
}

/* The task of which records are synthesized, and where they go. */
struct synthesis {
	struct rec_held_tasks *held; /* locked */
	const struct rec_held_task *task;
	uint64_t old_ns;   /* what is older gets no time */
	uint64_t least_ns; /* nothing gets a time before it */
	size_t *read_len;  /* of records, each time that they were read */
	struct pd_buf *ret;
};

/* Return -ENODATA if reading it all takes too long. */
static int read_history(const struct synthesis *s,
			const struct rec_held_task *task, uint64_t until_ns,
			struct history *ret)
{
	const struct rec_held_tasks *h = s->held;

	*ret = (struct history){ .nr = 0 };
	rec_record_store_copy(&h->records, &task->records, &ret->copy);
	*s->read_len += ret->copy.len;
	if (*s->read_len > READ_FACTOR * h->conf.len_max)
		return -ENODATA;
	ret->records = rec_stored_list(&ret->copy, &ret->nr);
	while (ret->nr && ret->records[ret->nr - 1].time_ns > until_ns)
		ret->nr--;
	return ret->records ? 0 : -ENOMEM;
}

/* Append the record as one of the task; ids: with which it begins. */
static void put_record(const struct synthesis *s,
		       const struct rec_stored *stored, const uint32_t *ids,
		       size_t id_nr)
{
	unsigned back = s->held->conf.time_back;
	uint64_t time_ns = stored->time_ns < s->old_ns ? 0 : stored->time_ns;
	size_t start = s->ret->len;

	if (time_ns < s->least_ns)
		time_ns = s->least_ns;
	pd_buf_bytes(s->ret, stored->record.data, stored->record.len);
	if (pd_buf_status(s->ret) ||
	    stored->record.len < REC_TASK_PID_OFF + id_nr * sizeof(*ids) + back)
		return;
	memcpy(s->ret->data + start + REC_TASK_PID_OFF, ids,
	       id_nr * sizeof(*ids));
	pd_buf_patch_u64(s->ret, s->ret->len - back, time_ns);
}

/* Return whether the next file may have a sample of it. */
static bool may_be_sampled(const struct rec_held_tasks *h,
			   const struct rec_held_task *task)
{
	return task->records.nr && (!task->has_ended || task->has_threads ||
				    h->epoch - task->end_epoch < 2);
}

/* Return whose child the task is: the process of a thread that is gone; init,
 * which most orphans get, if all of it is. */
static uint32_t parent_of(const struct synthesis *s)
{
	const struct rec_held_task *parent = &s->held->tasks[s->task->parent];
	const struct rec_held_task *leader =
		rec_held_tasks_find(s->held, parent->pid);

	return leader && leader != parent && may_be_sampled(s->held, leader)
		       ? parent->pid
		       : 1;
}

/* The task's own maps follow: readers take none from the parent. */
static void put_fork(const struct synthesis *s, const struct rec_stored *stored)
{
	const struct rec_held_task *task = s->task;
	const struct rec_held_task *parent = &s->held->tasks[task->parent];
	uint32_t ids[] = {
		task->pid, rec_task_word_at(&stored->record, REC_TASK_TID_OFF),
		task->tid, rec_task_word_at(&stored->record, REC_FORK_PTID_OFF)
	};
	size_t start = s->ret->len;

	if (task->pid != task->tid)
		ids[1] = ids[3] = task->pid;
	else if (task->parent != REC_HELD_NONE &&
		 (parent->has_ended || !parent->records.nr))
		ids[1] = ids[3] = parent_of(s);
	put_record(s, stored, ids, 4);
	if (!pd_buf_status(s->ret))
		pd_buf_patch_u16(s->ret, start + MISC_OFF,
				 stored->record.misc | PD_MISC_FORK_EXEC);
}

static void put_own(const struct synthesis *s, const struct rec_stored *stored)
{
	const uint32_t ids[] = { s->task->pid, s->task->tid };

	put_record(s, stored, ids, 2);
}

static int put_comm_or_maps(const struct synthesis *s,
			    const struct rec_held_task *task,
			    const struct history *history, bool is_maps,
			    unsigned generation);

/* Put what the task has of its parent, since that was at the task's FORK. */
static int put_inherited(const struct synthesis *s,
			 const struct rec_held_task *task,
			 const struct rec_stored *fork, bool is_maps,
			 unsigned generation)
{
	const struct rec_held_task *parent = &s->held->tasks[task->parent];
	struct history history;
	int rc;

	if (is_maps && task->parent != REC_HELD_NONE &&
	    parent->pid != parent->tid)
		parent = rec_held_tasks_find(s->held, parent->pid);
	if (task->parent == REC_HELD_NONE && is_maps)
		return 0;
	if (task->parent == REC_HELD_NONE || !parent || !generation)
		return -ENODATA;
	rc = read_history(s, parent, fork->time_ns, &history);
	if (!rc)
		rc = put_comm_or_maps(s, parent, &history, is_maps,
				      generation - 1);
	release_history(&history);
	return rc;
}

/* Put what a task was called, or its process had mapped, at the end of history.
 * Return -ENODATA if that is not known. */
static int put_comm_or_maps(const struct synthesis *s,
			    const struct rec_held_task *task,
			    const struct history *history, bool is_maps,
			    unsigned generation)
{
	size_t from = last_of(history, PD_RECORD_COMM,
			      is_maps ? PD_MISC_COMM_EXEC : 0);
	size_t fork = last_of(history, PD_RECORD_FORK, 0);
	int rc = 0;

	/* what was read from /proc, or synthesized before, has maps of its own
	 */
	if (!from && fork &&
	    (!is_maps ||
	     !(history->records[fork - 1].record.misc & PD_MISC_FORK_EXEC)))
		rc = put_inherited(s, task, &history->records[fork - 1],
				   is_maps, generation);
	else if (!from && !fork && task != s->task)
		rc = -ENODATA; /* of one that has the number since */
	if (!rc && from && !is_maps)
		put_own(s, &history->records[from - 1]);
	for (size_t i = from; is_maps && !rc && i < history->nr; i++)
		if (rec_is_map(&history->records[i].record))
			put_own(s, &history->records[i]);
	return rc;
}

struct placed_map {
	uint64_t start;
	uint64_t end;
	size_t off;
};

/* By start; of those with one start the last one is first. */
static int compare_maps(const void *a, const void *b)
{
	const struct placed_map *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->off < y->off) - (x->off > y->off);
}

static size_t list_maps(const struct pd_buf *b, size_t from,
			struct placed_map *ret)
{
	struct pd_record rec = { .len = 0 };
	size_t nr = 0;

	for (;
	     !pd_record_read_header(b->data + from, b->len - from, false, &rec);
	     from += rec.len) {
		uint64_t start = pd_record_word(&rec, MAP_START_OFF);

		if (ret)
			ret[nr] = (struct placed_map){
				start,
				start + pd_record_word(&rec, MAP_LEN_OFF), from
			};
		nr++;
	}
	return nr;
}

/* Leave the records out that have the type 0. */
static void close_gaps(struct pd_buf *b, size_t from)
{
	struct pd_record rec = { .len = 0 };
	size_t to = from;

	for (;
	     !pd_record_read_header(b->data + from, b->len - from, false, &rec);
	     from += rec.len) {
		if (!rec.type)
			continue;
		memmove(b->data + to, b->data + from, rec.len);
		to += rec.len;
	}
	b->len = to;
}

/* Leave out the maps from there on in whose place there is another one.  A file
 * that is mapped again and again would take all memory. */
static int drop_covered(struct pd_buf *b, size_t from)
{
	size_t nr = pd_buf_status(b) ? 0 : list_maps(b, from, NULL);
	struct placed_map *maps = calloc(nr + 1, sizeof(*maps));
	size_t last = 0;

	if (!maps)
		return -ENOMEM;
	if (nr)
		list_maps(b, from, maps);
	qsort(maps, nr, sizeof(*maps), compare_maps);
	for (size_t i = 1; i < nr; i++)
		if (maps[i].start != maps[last].start)
			last = i;
		else if (maps[i].end <= maps[last].end)
			memset(b->data + maps[i].off, 0, sizeof(uint32_t));
	if (nr)
		close_gaps(b, from);
	free(maps);
	return pd_buf_status(b);
}

/* Put the records of a task in the snapshot's order; its EXIT if it is over. */
static int put_history(struct synthesis *s, const struct history *history)
{
	const struct rec_held_task *task = s->task;
	size_t fork = last_of(history, PD_RECORD_FORK, 0);
	size_t names = last_of(history, PD_RECORD_NAMESPACES, 0);
	size_t end = last_of(history, PD_RECORD_EXIT, 0);
	size_t from;
	int rc;

	s->least_ns = 0;
	if (fork && history->records[fork - 1].time_ns >= s->old_ns)
		s->least_ns = history->records[fork - 1].time_ns;
	if (fork)
		put_fork(s, &history->records[fork - 1]);
	if (names)
		put_own(s, &history->records[names - 1]);
	rc = put_comm_or_maps(s, task, history, false, GENERATION_NR);
	from = s->ret->len;
	if (!rc && task->tid == task->pid)
		rc = put_comm_or_maps(s, task, history, true, GENERATION_NR);
	if (!rc)
		rc = drop_covered(s->ret, from);
	if (end && task->has_ended && !task->has_threads)
		pd_buf_bytes(s->ret, history->records[end - 1].record.data,
			     history->records[end - 1].record.len);
	return rc;
}

/* A task that ended need not be known whole. */
static int put_task(struct synthesis *s)
{
	struct history history;
	int rc = read_history(s, s->task, UINT64_MAX, &history);

	if (!rc)
		rc = put_history(s, &history);
	release_history(&history);
	return rc == -ENODATA && s->task->has_ended ? 0 : rc;
}

static void note_threads(struct rec_held_tasks *h, struct rec_held_task *task)
{
	struct rec_held_task *leader =
		task->has_ended ? NULL : rec_held_tasks_find(h, task->pid);

	if (leader && leader != task)
		leader->has_threads = true;
}

int rec_running_tasks_synthesize(struct rec_held_tasks *h, uint64_t old_ns,
				 struct pd_buf *ret)
{
	size_t len_max = ret->len + 2 * h->conf.len_max, read_len = 0;
	struct synthesis s = {
		.held = h, .old_ns = old_ns, .read_len = &read_len, .ret = ret
	};
	int rc;

	pthread_mutex_lock(&h->lock);
	rc = h->is_whole ? 0 : -ENODATA;
	for (size_t i = 1; i < h->task_nr; i++)
		h->tasks[i].has_threads = false;
	for (size_t i = 0; i < REC_HELD_HASH_NR && !rc; i++)
		for (uint32_t at = h->hash[i]; at != REC_HELD_NONE;
		     at = h->tasks[at].next)
			note_threads(h, &h->tasks[at]);
	/* leaders first: newer FORKs take the maps from their threads */
	for (size_t i = 0; i < 2 * REC_HELD_HASH_NR && !rc; i++)
		for (uint32_t at = h->hash[i % REC_HELD_HASH_NR];
		     at != REC_HELD_NONE && !rc; at = h->tasks[at].next) {
			s.task = &h->tasks[at];
			if (may_be_sampled(h, s.task) &&
			    (s.task->pid == s.task->tid) ==
				    (i < REC_HELD_HASH_NR))
				rc = put_task(&s);
			if (!rc && ret->len > len_max)
				rc = -ENODATA;
		}
	pthread_mutex_unlock(&h->lock);
	if (rc)
		rec_held_tasks_lose(h);
	return rc ? rc : pd_buf_status(ret);
}
