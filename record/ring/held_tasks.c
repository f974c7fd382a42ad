#include "record/ring/held_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "record/base/runtime.h"
#include "record/ring/held_tasks_impl.h"

enum { TASK_NR = 1 << 15, KEPT_LEN = 256 * 1024 };

struct rec_held_tasks *rec_held_tasks_new(const struct rec_held_conf *conf)
{
	struct rec_held_tasks *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	pthread_mutex_init(&h->lock, NULL);
	h->conf = *conf;
	h->tasks = rec_map_memory(TASK_NR * sizeof(*h->tasks));
	h->hash = rec_map_memory(REC_HELD_HASH_NR * sizeof(*h->hash));
	h->wanted = rec_map_memory(TASK_NR * sizeof(*h->wanted));
	h->task_nr = 1;
	h->is_whole = conf->keeps;
	if (!rec_record_store_init(&h->records, conf->len_max) && h->tasks &&
	    h->hash && h->wanted)
		return h;
	rec_held_tasks_free(h);
	return NULL;
}

void rec_held_tasks_free(struct rec_held_tasks *h)
{
	if (!h)
		return;
	rec_record_store_release(&h->records);
	rec_unmap_memory(h->tasks, TASK_NR * sizeof(*h->tasks));
	rec_unmap_memory(h->hash, REC_HELD_HASH_NR * sizeof(*h->hash));
	rec_unmap_memory(h->wanted, TASK_NR * sizeof(*h->wanted));
	pd_buf_release(&h->shown);
	pd_buf_release(&h->copy);
	pd_buf_release(&h->written);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* Tasks. */

static uint32_t *bucket_of(struct rec_held_tasks *h, uint32_t tid)
{
	return &h->hash[tid % REC_HELD_HASH_NR];
}

struct rec_held_task *rec_held_tasks_find(const struct rec_held_tasks *h,
					  uint32_t tid)
{
	uint32_t idx = h->hash[tid % REC_HELD_HASH_NR];

	while (idx != REC_HELD_NONE && h->tasks[idx].tid != tid)
		idx = h->tasks[idx].next;
	return idx == REC_HELD_NONE ? NULL : &h->tasks[idx];
}

static uint32_t idx_of(const struct rec_held_tasks *h,
		       const struct rec_held_task *task)
{
	return (uint32_t)(task - h->tasks);
}

/* Return a new task without records, or NULL if there are too many. */
static struct rec_held_task *add_task(struct rec_held_tasks *h, uint32_t tid)
{
	uint32_t idx = h->free_task;
	struct rec_held_task *task;

	if (idx == REC_HELD_NONE && h->task_nr == TASK_NR)
		return NULL;
	if (idx == REC_HELD_NONE)
		idx = (uint32_t)h->task_nr++;
	else
		h->free_task = h->tasks[idx].next;
	task = &h->tasks[idx];
	*task = (struct rec_held_task){ .tid = tid,
					.pid = tid,
					.next = *bucket_of(h, tid) };
	*bucket_of(h, tid) = idx;
	return task;
}

static void unlink_task(struct rec_held_tasks *h,
			const struct rec_held_task *task)
{
	uint32_t *at = bucket_of(h, task->tid);

	while (*at != idx_of(h, task))
		at = &h->tasks[*at].next;
	*at = task->next;
}

/* Tasks that are wanted. */

/* Empty a buffer that is used again and again; after much its memory goes. */
static void empty(struct pd_buf *b)
{
	if (b->cap > KEPT_LEN)
		pd_buf_release(b);
	pd_buf_reset(b);
}

static void show(const struct rec_held_tasks *h, const struct pd_record *record,
		 uint64_t time_ns)
{
	if (h->conf.show &&
	    (rec_is_map(record) || record->type == PD_RECORD_EXIT))
		h->conf.show(h->conf.ctx, record, time_ns != 0);
}

static void show_all(struct rec_held_tasks *h, const struct rec_held_task *task)
{
	struct rec_stored stored;

	if (!h->conf.show || !task->records.nr)
		return;
	rec_record_store_copy(&h->records, &task->records, &h->shown);
	for (size_t at = 0; rec_stored_next(&h->shown, &at, &stored);)
		show(h, &stored.record, stored.time_ns);
	empty(&h->shown);
}

static void want_one(struct rec_held_tasks *h, struct rec_held_task *task)
{
	if (!task || task->state != REC_TASK_HELD)
		return;
	task->state = REC_TASK_WANTED;
	h->wanted[h->wanted_nr++] = idx_of(h, task);
}

static void want_children_of(struct rec_held_tasks *h,
			     const struct rec_held_task *task)
{
	for (uint32_t at = task->child; at != REC_HELD_NONE;
	     at = h->tasks[at].sibling)
		want_one(h, &h->tasks[at]);
}

/* Want those behind idx, their leaders, all ancestors of both, and what these
 * would not bring to their children any more. */
static void want_others(struct rec_held_tasks *h, size_t idx)
{
	for (; idx < h->wanted_nr; idx++) {
		const struct rec_held_task *t = &h->tasks[h->wanted[idx]];

		if (t->pid != t->tid)
			want_one(h, rec_held_tasks_find(h, t->pid));
		if (t->parent != REC_HELD_NONE)
			want_one(h, &h->tasks[t->parent]);
		if (t->has_changed)
			want_children_of(h, t);
		show_all(h, t);
	}
}

static void want(struct rec_held_tasks *h, struct rec_held_task *task)
{
	size_t idx = h->wanted_nr;

	want_one(h, task);
	want_others(h, idx);
}

/* The task will not be what it was when its children began: newer perf forgets
 * it at its EXIT, and all readers at another program or name. */
static void change(struct rec_held_tasks *h, struct rec_held_task *task)
{
	size_t idx = h->wanted_nr;

	task->has_changed = task->child != REC_HELD_NONE;
	if (task->state != REC_TASK_HELD)
		want_children_of(h, task);
	want_others(h, idx);
}

static void set_parent(struct rec_held_tasks *h, struct rec_held_task *task,
		       struct rec_held_task *parent)
{
	if (parent == task || task->parent != REC_HELD_NONE)
		return;
	task->parent = idx_of(h, parent);
	task->sibling = parent->child;
	if (task->sibling != REC_HELD_NONE)
		h->tasks[task->sibling].elder = idx_of(h, task);
	parent->child = idx_of(h, task);
}

static void leave_parent(struct rec_held_tasks *h, struct rec_held_task *task)
{
	if (task->parent == REC_HELD_NONE)
		return;
	if (task->elder == REC_HELD_NONE)
		h->tasks[task->parent].child = task->sibling;
	else
		h->tasks[task->elder].sibling = task->sibling;
	if (task->sibling != REC_HELD_NONE)
		h->tasks[task->sibling].elder = task->elder;
	task->parent = task->sibling = task->elder = REC_HELD_NONE;
}

/* Tasks that ended. */

static void forget(struct rec_held_tasks *h, struct rec_held_task *task)
{
	if (task->state == REC_TASK_HELD && task->records.nr) {
		h->left.task_nr++;
		h->left.record_nr += task->records.nr;
	}
	rec_record_store_drop(&h->records, &task->records);
	leave_parent(h, task);
	if (!task->is_replaced)
		unlink_task(h, task);
	task->next = h->free_task;
	h->free_task = idx_of(h, task);
}

static bool is_needed(const struct rec_held_tasks *h,
		      const struct rec_held_task *task)
{
	return task->state == REC_TASK_WANTED || task->child != REC_HELD_NONE ||
	       h->epoch - task->end_epoch < 2;
}

void rec_held_tasks_begin_epoch(struct rec_held_tasks *h)
{
	uint32_t *at;

	pthread_mutex_lock(&h->lock);
	h->epoch++;
	at = &h->ended;
	while (*at != REC_HELD_NONE) {
		struct rec_held_task *task = &h->tasks[*at];

		if (is_needed(h, task)) {
			at = &task->next_ended;
			continue;
		}
		*at = task->next_ended;
		forget(h, task);
	}
	pthread_mutex_unlock(&h->lock);
}

/* A thread that was sampled is looked for again. */
static void begin_turn(struct rec_held_tasks *h)
{
	__atomic_add_fetch(&h->turn, 1, __ATOMIC_RELAXED);
}

static void end_task(struct rec_held_tasks *h, struct rec_held_task *task,
		     uint64_t time_ns)
{
	if (task->has_ended)
		return;
	task->has_ended = true;
	task->end_ns = time_ns;
	task->end_epoch = h->epoch;
	task->next_ended = h->ended;
	h->ended = idx_of(h, task);
	change(h, task);
	if (task->state != REC_TASK_HELD)
		begin_turn(h);
}

/* Take the tid from a task: another one has it now. */
static void replace(struct rec_held_tasks *h, struct rec_held_task *task,
		    uint64_t time_ns)
{
	size_t idx = h->wanted_nr;

	end_task(h, task, time_ns);
	/* what others have of it is to be told before the next one */
	want_children_of(h, task);
	want_others(h, idx);
	unlink_task(h, task);
	task->is_replaced = true;
	begin_turn(h);
}

static struct rec_held_task *get(struct rec_held_tasks *h, uint32_t tid)
{
	struct rec_held_task *task = rec_held_tasks_find(h, tid);

	return task ? task : add_task(h, tid);
}

/* Return the task that a record of that time is of, or NULL if there are too
 * many. */
static struct rec_held_task *task_of(struct rec_held_tasks *h, uint32_t tid,
				     bool is_fork, uint64_t time_ns)
{
	struct rec_held_task *task = rec_held_tasks_find(h, tid);
	uint64_t sampled_ns = 0;

	if (task && ((task->has_ended && time_ns > task->end_ns) ||
		     (is_fork && task->has_fork && time_ns))) {
		sampled_ns = task->sampled_ns;
		replace(h, task, time_ns);
	}
	task = get(h, tid);
	/* a sample of this one came before its FORK */
	if (task && sampled_ns > time_ns)
		want(h, task);
	return task;
}

/* Records. */

static bool is_fork_or_exit(const struct pd_record *record)
{
	return record->type == PD_RECORD_FORK || record->type == PD_RECORD_EXIT;
}

/* Return whose record it is: maps are the process's. */
static uint32_t tid_of(const struct pd_record *record)
{
	if (is_fork_or_exit(record))
		return rec_task_word_at(record, REC_FORK_TID_OFF);
	if (rec_is_map(record))
		return rec_task_word_at(record, REC_TASK_PID_OFF);
	return rec_task_word_at(record, REC_TASK_TID_OFF);
}

/* The idle tasks and the kernel, which has pid -1, are always there. */
static bool is_task(uint32_t tid)
{
	return tid && tid != UINT32_MAX;
}

static void see_fork(struct rec_held_tasks *h, struct rec_held_task *task,
		     uint32_t ptid)
{
	struct rec_held_task *parent = is_task(ptid) ? get(h, ptid) : NULL;

	task->has_fork = true;
	if (!parent)
		return;
	set_parent(h, task, parent);
	/* it was sampled before this record came */
	if (task->state != REC_TASK_HELD)
		want(h, parent);
	else if (parent->state != REC_TASK_HELD && parent->has_ended)
		want(h, task);
}

static void see(struct rec_held_tasks *h, struct rec_held_task *task,
		const struct pd_record *record, uint64_t time_ns)
{
	task->pid = rec_task_word_at(record, REC_TASK_PID_OFF);
	if (record->type == PD_RECORD_FORK) {
		task->fork_ns = time_ns;
		see_fork(h, task, rec_task_word_at(record, REC_FORK_PTID_OFF));
	}
	if (record->type == PD_RECORD_EXIT)
		end_task(h, task, time_ns);
	if (record->type == PD_RECORD_COMM)
		change(h, task);
}

/* Stop knowing what runs, and forget what only that was kept for. */
static void stop_keeping(struct rec_held_tasks *h)
{
	if (!h->is_whole)
		return;
	h->is_whole = false;
	for (size_t i = 1; i < h->task_nr; i++) {
		struct rec_held_task *task = &h->tasks[i];

		if (task->state != REC_TASK_WRITTEN)
			continue;
		rec_record_store_drop(&h->records, &task->records);
		leave_parent(h, task);
	}
}

/* Return false if there is no room. */
static bool add_record(struct rec_held_tasks *h, struct rec_held_task *task,
		       const struct pd_record *record, uint64_t time_ns)
{
	if (rec_record_store_add(&h->records, &task->records, record, time_ns))
		return true;
	if (!h->is_whole)
		return false;
	stop_keeping(h);
	return task->state == REC_TASK_WRITTEN ||
	       rec_record_store_add(&h->records, &task->records, record,
				    time_ns);
}

bool rec_held_tasks_take(struct rec_held_tasks *h,
			 const struct pd_record *record, uint64_t time_ns)
{
	uint32_t tid = tid_of(record);
	struct rec_held_task *task;
	bool is_held;

	if (!is_task(tid))
		return false;
	pthread_mutex_lock(&h->lock);
	task = task_of(h, tid, record->type == PD_RECORD_FORK, time_ns);
	/* one of the task that had the number before */
	if (task && time_ns && time_ns < task->fork_ns) {
		pthread_mutex_unlock(&h->lock);
		return false;
	}
	if (task)
		see(h, task, record, time_ns);
	else
		stop_keeping(h);
	is_held = task && task->state != REC_TASK_WRITTEN;
	if (task && (is_held || h->is_whole) &&
	    !add_record(h, task, record, time_ns)) {
		want(h, task);
		is_held = false;
	}
	if (is_held && task->state == REC_TASK_WANTED)
		show(h, record, time_ns);
	pthread_mutex_unlock(&h->lock);
	return is_held;
}

void rec_held_tasks_sample(struct rec_held_tasks *h, uint32_t pid, uint32_t tid,
			   uint64_t time_ns)
{
	struct rec_held_task *task;

	if (!is_task(tid) || !is_task(pid))
		return;
	pthread_mutex_lock(&h->lock);
	/* samples of a task come behind its EXIT, too: of its memory's end */
	task = get(h, tid);
	if (task) {
		task->pid = pid;
		if (task->sampled_ns < time_ns)
			task->sampled_ns = time_ns;
		(void)!get(h, pid); /* its leader is written as it comes */
		want(h, task);
	}
	pthread_mutex_unlock(&h->lock);
}

bool rec_held_tasks_passes_maps(struct rec_held_tasks *h, uint32_t pid)
{
	const struct rec_held_task *task;
	bool ret;

	pthread_mutex_lock(&h->lock);
	task = rec_held_tasks_find(h, pid);
	ret = !h->is_whole && task && task->state == REC_TASK_WRITTEN &&
	      !task->has_ended;
	pthread_mutex_unlock(&h->lock);
	return ret;
}

uint32_t rec_held_tasks_turn(const struct rec_held_tasks *h)
{
	return __atomic_load_n(&h->turn, __ATOMIC_RELAXED);
}

int rec_held_tasks_write(struct rec_held_tasks *h, uint64_t least_ns,
			 const struct pd_buf **ret)
{
	empty(&h->copy);
	empty(&h->written);
	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < h->wanted_nr; i++) {
		struct rec_held_task *task = &h->tasks[h->wanted[i]];

		rec_record_store_copy(&h->records, &task->records, &h->copy);
		if (!h->is_whole) {
			rec_record_store_drop(&h->records, &task->records);
			leave_parent(h, task);
		}
		task->state = REC_TASK_WRITTEN;
	}
	h->wanted_nr = 0;
	pthread_mutex_unlock(&h->lock);
	*ret = &h->written;
	return rec_stored_write(&h->copy, h->conf.time_back, least_ns,
				&h->written);
}

/* Files. */

static void add_held(const struct rec_held_tasks *h, struct rec_held_left *ret)
{
	*ret = h->left;
	for (size_t i = 0; i < REC_HELD_HASH_NR; i++)
		for (uint32_t at = h->hash[i]; at != REC_HELD_NONE;
		     at = h->tasks[at].next) {
			const struct rec_held_task *task = &h->tasks[at];

			if (task->state != REC_TASK_HELD || !task->records.nr)
				continue;
			ret->task_nr++;
			ret->record_nr += task->records.nr;
		}
}

void rec_held_tasks_left(struct rec_held_tasks *h, struct rec_held_left *ret)
{
	pthread_mutex_lock(&h->lock);
	add_held(h, ret);
	pthread_mutex_unlock(&h->lock);
}

void rec_held_tasks_restart(struct rec_held_tasks *h)
{
	pthread_mutex_lock(&h->lock);
	memset(h->hash, 0, REC_HELD_HASH_NR * sizeof(*h->hash));
	rec_record_store_reset(&h->records);
	h->task_nr = 1;
	h->wanted_nr = 0;
	h->free_task = h->ended = REC_HELD_NONE;
	h->left = (struct rec_held_left){ 0 };
	h->is_whole = h->conf.keeps;
	__atomic_add_fetch(&h->turn, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&h->lock);
}

void rec_held_tasks_lose(struct rec_held_tasks *h)
{
	pthread_mutex_lock(&h->lock);
	stop_keeping(h);
	pthread_mutex_unlock(&h->lock);
}

bool rec_held_tasks_knows_all(struct rec_held_tasks *h)
{
	bool ret;

	pthread_mutex_lock(&h->lock);
	ret = h->is_whole;
	pthread_mutex_unlock(&h->lock);
	return ret;
}
