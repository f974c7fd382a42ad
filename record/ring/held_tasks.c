#include "record/ring/held_tasks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/layout.h"
#include "record/base/runtime.h"
#include "record/ring/record_store.h"

enum {
	TASK_NR = 1 << 15,
	HASH_NR = 1 << 14,
	NONE = 0,
};

enum task_state {
	TASK_HELD,
	TASK_WANTED, /* it was sampled, and is to be written */
	TASK_WRITTEN,
};

struct task {
	uint32_t tid;
	uint32_t pid;	  /* of its FORK; the tid until that came */
	uint32_t next;	  /* of those with one hash; or of the free ones */
	uint32_t parent;  /* of its FORK, while that is held */
	uint32_t child;	  /* the first one that has it as parent */
	uint32_t sibling; /* the next one */
	uint32_t elder;	  /* the one before; NONE: it is the first */
	struct rec_record_list records;
	uint32_t end_epoch;  /* in which its EXIT was drained */
	uint32_t next_ended; /* of a list */
	uint8_t state;	     /* enum task_state */
	bool has_fork;
	bool has_ended;
	bool has_changed; /* since it had children: these are to be told before
			   * it ended or got another name */
	bool is_replaced; /* another one has its tid: it has no hash */
	bool has_threads; /* a thread of its runs, maybe without it */
	uint64_t fork_ns;
	uint64_t end_ns;
	uint64_t sampled_ns; /* of the newest sample; 0: none */
};

struct rec_held_tasks {
	pthread_mutex_t lock;
	struct rec_held_conf conf;
	struct rec_record_store records;
	struct task *tasks; /* owned; the first one is none */
	size_t task_nr;	    /* used so far */
	uint32_t free_task;
	uint32_t ended;	  /* list of tasks to forget */
	uint32_t *hash;	  /* owned; HASH_NR */
	uint32_t *wanted; /* owned; TASK_NR: tasks to write */
	size_t wanted_nr;
	uint32_t epoch;
	uint32_t turn; /* atomic */
	bool is_whole; /* all that is known of what runs is in records */
	struct rec_held_left left;
};

struct rec_held_tasks *rec_held_tasks_new(const struct rec_held_conf *conf)
{
	struct rec_held_tasks *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	pthread_mutex_init(&h->lock, NULL);
	h->conf = *conf;
	h->tasks = rec_map_memory(TASK_NR * sizeof(*h->tasks));
	h->hash = rec_map_memory(HASH_NR * sizeof(*h->hash));
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
	rec_unmap_memory(h->hash, HASH_NR * sizeof(*h->hash));
	rec_unmap_memory(h->wanted, TASK_NR * sizeof(*h->wanted));
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* Tasks. */

static uint32_t *bucket_of(struct rec_held_tasks *h, uint32_t tid)
{
	return &h->hash[tid % HASH_NR];
}

static struct task *find(struct rec_held_tasks *h, uint32_t tid)
{
	uint32_t idx = *bucket_of(h, tid);

	while (idx != NONE && h->tasks[idx].tid != tid)
		idx = h->tasks[idx].next;
	return idx == NONE ? NULL : &h->tasks[idx];
}

static uint32_t idx_of(const struct rec_held_tasks *h, const struct task *task)
{
	return (uint32_t)(task - h->tasks);
}

/* Return a new task without records, or NULL if there are too many. */
static struct task *add_task(struct rec_held_tasks *h, uint32_t tid)
{
	uint32_t idx = h->free_task;
	struct task *task;

	if (idx == NONE && h->task_nr == TASK_NR)
		return NULL;
	if (idx == NONE)
		idx = (uint32_t)h->task_nr++;
	else
		h->free_task = h->tasks[idx].next;
	task = &h->tasks[idx];
	*task = (struct task){ .tid = tid,
			       .pid = tid,
			       .next = *bucket_of(h, tid) };
	*bucket_of(h, tid) = idx;
	return task;
}

static void unlink_task(struct rec_held_tasks *h, const struct task *task)
{
	uint32_t *at = bucket_of(h, task->tid);

	while (*at != idx_of(h, task))
		at = &h->tasks[*at].next;
	*at = task->next;
}

/* Tasks that are wanted. */

static void show_maps(const struct rec_held_tasks *h, const struct task *task)
{
	struct pd_buf copy = PD_BUF_INIT;
	struct rec_stored stored;

	if (!h->conf.show || !task->records.nr)
		return;
	rec_record_store_copy(&h->records, &task->records, &copy);
	for (size_t at = 0; rec_stored_next(&copy, &at, &stored);)
		if (stored.record.type == PD_RECORD_MMAP2 ||
		    stored.record.type == PD_RECORD_MMAP)
			h->conf.show(h->conf.ctx, &stored.record,
				     stored.time_ns != 0);
	pd_buf_release(&copy);
}

static void want_one(struct rec_held_tasks *h, struct task *task)
{
	if (!task || task->state != TASK_HELD)
		return;
	task->state = TASK_WANTED;
	h->wanted[h->wanted_nr++] = idx_of(h, task);
}

static void want_children_of(struct rec_held_tasks *h, const struct task *task)
{
	for (uint32_t at = task->child; at != NONE; at = h->tasks[at].sibling)
		want_one(h, &h->tasks[at]);
}

/* Want those behind idx, their leaders, all ancestors of both, and what these
 * would not bring to their children any more. */
static void want_others(struct rec_held_tasks *h, size_t idx)
{
	for (; idx < h->wanted_nr; idx++) {
		const struct task *t = &h->tasks[h->wanted[idx]];

		if (t->pid != t->tid)
			want_one(h, find(h, t->pid));
		if (t->parent != NONE)
			want_one(h, &h->tasks[t->parent]);
		if (t->has_changed)
			want_children_of(h, t);
		show_maps(h, t);
	}
}

static void want(struct rec_held_tasks *h, struct task *task)
{
	size_t idx = h->wanted_nr;

	want_one(h, task);
	want_others(h, idx);
}

/* The task will not be what it was when its children began: newer perf forgets
 * it at its EXIT, and all readers at another program or name. */
static void change(struct rec_held_tasks *h, struct task *task)
{
	size_t idx = h->wanted_nr;

	task->has_changed = task->child != NONE;
	if (task->state != TASK_HELD)
		want_children_of(h, task);
	want_others(h, idx);
}

static void set_parent(struct rec_held_tasks *h, struct task *task,
		       struct task *parent)
{
	if (parent == task || task->parent != NONE)
		return;
	task->parent = idx_of(h, parent);
	task->sibling = parent->child;
	if (task->sibling != NONE)
		h->tasks[task->sibling].elder = idx_of(h, task);
	parent->child = idx_of(h, task);
}

static void leave_parent(struct rec_held_tasks *h, struct task *task)
{
	if (task->parent == NONE)
		return;
	if (task->elder == NONE)
		h->tasks[task->parent].child = task->sibling;
	else
		h->tasks[task->elder].sibling = task->sibling;
	if (task->sibling != NONE)
		h->tasks[task->sibling].elder = task->elder;
	task->parent = task->sibling = task->elder = NONE;
}

/* Tasks that ended. */

static void forget(struct rec_held_tasks *h, struct task *task)
{
	if (task->state == TASK_HELD && task->records.nr) {
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

static bool is_needed(const struct rec_held_tasks *h, const struct task *task)
{
	return task->state == TASK_WANTED || task->child != NONE ||
	       h->epoch - task->end_epoch < 2;
}

void rec_held_tasks_begin_epoch(struct rec_held_tasks *h)
{
	uint32_t *at;

	pthread_mutex_lock(&h->lock);
	h->epoch++;
	at = &h->ended;
	while (*at != NONE) {
		struct task *task = &h->tasks[*at];

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

static void end_task(struct rec_held_tasks *h, struct task *task,
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
	if (task->state != TASK_HELD)
		begin_turn(h);
}

/* Take the tid from a task: another one has it now. */
static void replace(struct rec_held_tasks *h, struct task *task,
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

static struct task *get(struct rec_held_tasks *h, uint32_t tid)
{
	struct task *task = find(h, tid);

	return task ? task : add_task(h, tid);
}

/* Return the task that a record of that time is of, or NULL if there are too
 * many. */
static struct task *task_of(struct rec_held_tasks *h, uint32_t tid,
			    bool is_fork, uint64_t time_ns)
{
	struct task *task = find(h, tid);
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

static uint32_t word_at(const struct pd_record *record, size_t off)
{
	uint32_t word = 0;

	if (off + sizeof(word) <= record->len)
		memcpy(&word, record->data + off, sizeof(word));
	return word;
}

enum {
	MISC_OFF = 4,
	PID_OFF = 8,
	TID_OFF = 12,
	FORK_TID_OFF = 16,
	FORK_PTID_OFF = 20,
};

static bool is_fork_or_exit(const struct pd_record *record)
{
	return record->type == PD_RECORD_FORK || record->type == PD_RECORD_EXIT;
}

/* Return whose record it is: maps are the process's. */
static uint32_t tid_of(const struct pd_record *record)
{
	if (is_fork_or_exit(record))
		return word_at(record, FORK_TID_OFF);
	if (record->type == PD_RECORD_MMAP || record->type == PD_RECORD_MMAP2)
		return word_at(record, PID_OFF);
	return word_at(record, TID_OFF);
}

/* The idle tasks and the kernel, which has pid -1, are always there. */
static bool is_task(uint32_t tid)
{
	return tid && tid != UINT32_MAX;
}

static void see_fork(struct rec_held_tasks *h, struct task *task, uint32_t ptid)
{
	struct task *parent = is_task(ptid) ? get(h, ptid) : NULL;

	task->has_fork = true;
	if (!parent)
		return;
	set_parent(h, task, parent);
	/* it was sampled before this record came */
	if (task->state != TASK_HELD)
		want(h, parent);
	else if (parent->state != TASK_HELD && parent->has_ended)
		want(h, task);
}

static void see(struct rec_held_tasks *h, struct task *task,
		const struct pd_record *record, uint64_t time_ns)
{
	task->pid = word_at(record, PID_OFF);
	if (record->type == PD_RECORD_FORK) {
		task->fork_ns = time_ns;
		see_fork(h, task, word_at(record, FORK_PTID_OFF));
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
		struct task *task = &h->tasks[i];

		if (task->state != TASK_WRITTEN)
			continue;
		rec_record_store_drop(&h->records, &task->records);
		leave_parent(h, task);
	}
}

/* Return false if there is no room. */
static bool add_record(struct rec_held_tasks *h, struct task *task,
		       const struct pd_record *record, uint64_t time_ns)
{
	if (rec_record_store_add(&h->records, &task->records, record, time_ns))
		return true;
	if (!h->is_whole)
		return false;
	stop_keeping(h);
	return task->state == TASK_WRITTEN ||
	       rec_record_store_add(&h->records, &task->records, record,
				    time_ns);
}

bool rec_held_tasks_take(struct rec_held_tasks *h,
			 const struct pd_record *record, uint64_t time_ns)
{
	uint32_t tid = tid_of(record);
	struct task *task;
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
	is_held = task && task->state != TASK_WRITTEN;
	if (task && (is_held || h->is_whole) &&
	    !add_record(h, task, record, time_ns)) {
		want(h, task);
		is_held = false;
	}
	pthread_mutex_unlock(&h->lock);
	return is_held;
}

void rec_held_tasks_sample(struct rec_held_tasks *h, uint32_t pid, uint32_t tid,
			   uint64_t time_ns)
{
	struct task *task;

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
	const struct task *task;
	bool ret;

	pthread_mutex_lock(&h->lock);
	task = find(h, pid);
	ret = !h->is_whole && task && task->state == TASK_WRITTEN &&
	      !task->has_ended;
	pthread_mutex_unlock(&h->lock);
	return ret;
}

uint32_t rec_held_tasks_turn(const struct rec_held_tasks *h)
{
	return __atomic_load_n(&h->turn, __ATOMIC_RELAXED);
}

int rec_held_tasks_write(struct rec_held_tasks *h, uint64_t least_ns,
			 struct pd_buf *ret)
{
	struct pd_buf copy = PD_BUF_INIT;
	int rc;

	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < h->wanted_nr; i++) {
		struct task *task = &h->tasks[h->wanted[i]];

		rec_record_store_copy(&h->records, &task->records, &copy);
		if (!h->is_whole) {
			rec_record_store_drop(&h->records, &task->records);
			leave_parent(h, task);
		}
		task->state = TASK_WRITTEN;
	}
	h->wanted_nr = 0;
	pthread_mutex_unlock(&h->lock);
	rc = rec_stored_write(&copy, h->conf.time_back, least_ns, ret);
	pd_buf_release(&copy);
	return rc;
}

/* Files. */

static void add_held(const struct rec_held_tasks *h, struct rec_held_left *ret)
{
	*ret = h->left;
	for (size_t i = 0; i < HASH_NR; i++)
		for (uint32_t at = h->hash[i]; at != NONE;
		     at = h->tasks[at].next) {
			const struct task *task = &h->tasks[at];

			if (task->state != TASK_HELD || !task->records.nr)
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
	memset(h->hash, 0, HASH_NR * sizeof(*h->hash));
	rec_record_store_reset(&h->records);
	h->task_nr = 1;
	h->wanted_nr = 0;
	h->free_task = h->ended = NONE;
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

/* Records of what runs, for the next file. */

enum {
	GENERATION_NR = 32, /* of tasks that run what their parents began */
	READ_FACTOR = 16,   /* so much may be read, in all that is held */
	MAP_START_OFF = 16,
	MAP_LEN_OFF = 24,
};

/* A task's records up to some time, by their times. */
struct past {
	struct pd_buf copy;
	struct rec_stored *records; /* owned */
	size_t nr;
};

static void release_past(struct past *past)
{
	free(past->records);
	pd_buf_release(&past->copy);
}

/* Return the place of the last record of that type, with these bits in misc,
 * counted from 1; 0: there is none. */
static size_t last_of(const struct past *past, uint32_t type, uint16_t misc)
{
	size_t i = past->nr;

	while (i && (past->records[i - 1].record.type != type ||
		     (past->records[i - 1].record.misc & misc) != misc))
		i--;
	return i;
}

/* The task of which records are told, and to where. */
struct telling {
	struct rec_held_tasks *held; /* locked */
	const struct task *task;
	uint64_t old_ns;   /* what is older is told without a time */
	uint64_t least_ns; /* nothing is told with a time before it */
	size_t *read_len;  /* of records, each time that they were read */
	struct pd_buf *ret;
};

/* Return -ENODATA if reading it all takes too long. */
static int read_past(const struct telling *t, const struct task *task,
		     uint64_t until_ns, struct past *ret)
{
	const struct rec_held_tasks *h = t->held;

	*ret = (struct past){ .nr = 0 };
	rec_record_store_copy(&h->records, &task->records, &ret->copy);
	*t->read_len += ret->copy.len;
	if (*t->read_len > READ_FACTOR * h->conf.len_max)
		return -ENODATA;
	ret->records = rec_stored_list(&ret->copy, &ret->nr);
	while (ret->nr && ret->records[ret->nr - 1].time_ns > until_ns)
		ret->nr--;
	return ret->records ? 0 : -ENOMEM;
}

/* Append the record as one of the task; ids: what it begins with. */
static void tell(const struct telling *t, const struct rec_stored *stored,
		 const uint32_t *ids, size_t id_nr)
{
	unsigned back = t->held->conf.time_back;
	uint64_t time_ns = stored->time_ns < t->old_ns ? 0 : stored->time_ns;
	size_t start = t->ret->len;

	if (time_ns < t->least_ns)
		time_ns = t->least_ns;
	pd_buf_bytes(t->ret, stored->record.data, stored->record.len);
	if (pd_buf_status(t->ret) ||
	    stored->record.len < PID_OFF + id_nr * sizeof(*ids) + back)
		return;
	memcpy(t->ret->data + start + PID_OFF, ids, id_nr * sizeof(*ids));
	pd_buf_patch_u64(t->ret, t->ret->len - back, time_ns);
}

/* Return whether the next file may have a sample of it. */
static bool is_told(const struct rec_held_tasks *h, const struct task *task)
{
	return task->records.nr && (!task->has_ended || task->has_threads ||
				    h->epoch - task->end_epoch < 2);
}

/* Return whose child the task is: the process of a thread that is gone; init,
 * which most orphans get, if all of it is. */
static uint32_t parent_of(const struct telling *t)
{
	const struct task *parent = &t->held->tasks[t->task->parent];
	const struct task *leader = find(t->held, parent->pid);

	return leader && leader != parent && is_told(t->held, leader)
		       ? parent->pid
		       : 1;
}

/* The task's own maps follow: readers take none from the parent. */
static void tell_fork(const struct telling *t, const struct rec_stored *stored)
{
	const struct task *task = t->task;
	const struct task *parent = &t->held->tasks[task->parent];
	uint32_t ids[] = { task->pid, word_at(&stored->record, TID_OFF),
			   task->tid, word_at(&stored->record, FORK_PTID_OFF) };
	size_t start = t->ret->len;

	if (task->pid != task->tid)
		ids[1] = ids[3] = task->pid;
	else if (task->parent != NONE &&
		 (parent->has_ended || !parent->records.nr))
		ids[1] = ids[3] = parent_of(t);
	tell(t, stored, ids, 4);
	if (!pd_buf_status(t->ret))
		pd_buf_patch_u16(t->ret, start + MISC_OFF,
				 stored->record.misc | PD_MISC_FORK_EXEC);
}

static void tell_own(const struct telling *t, const struct rec_stored *stored)
{
	const uint32_t ids[] = { t->task->pid, t->task->tid };

	tell(t, stored, ids, 2);
}

static bool is_map(const struct pd_record *record)
{
	return record->type == PD_RECORD_MMAP ||
	       record->type == PD_RECORD_MMAP2;
}

static int tell_past(const struct telling *t, const struct task *task,
		     uint64_t until_ns, bool is_maps, unsigned generation);

/* Tell what the task has of its parent, since that was at the task's FORK. */
static int tell_parents(const struct telling *t, const struct task *task,
			const struct rec_stored *fork, bool is_maps,
			unsigned generation)
{
	const struct task *parent = &t->held->tasks[task->parent];

	if (is_maps && task->parent != NONE && parent->pid != parent->tid)
		parent = find(t->held, parent->pid);
	if (task->parent == NONE && is_maps)
		return 0;
	if (task->parent == NONE || !parent || !generation)
		return -ENODATA;
	return tell_past(t, parent, fork->time_ns, is_maps, generation - 1);
}

/* Tell what a task was called, or its process had mapped, at that time.  Return
 * -ENODATA if that is not known. */
static int tell_past(const struct telling *t, const struct task *task,
		     uint64_t until_ns, bool is_maps, unsigned generation)
{
	struct past past;
	int rc = read_past(t, task, until_ns, &past);
	size_t from = rc ? 0
			 : last_of(&past, PD_RECORD_COMM,
				   is_maps ? PD_MISC_COMM_EXEC : 0);
	size_t fork = rc ? 0 : last_of(&past, PD_RECORD_FORK, 0);

	/* what was read from /proc, or told before, has maps of its own */
	if (!from && fork &&
	    (!is_maps ||
	     !(past.records[fork - 1].record.misc & PD_MISC_FORK_EXEC)))
		rc = tell_parents(t, task, &past.records[fork - 1], is_maps,
				  generation);
	else if (!rc && !from && !fork && task != t->task)
		rc = -ENODATA; /* of one that has the number since */
	if (!rc && from && !is_maps)
		tell_own(t, &past.records[from - 1]);
	for (size_t i = from; is_maps && !rc && i < past.nr; i++)
		if (is_map(&past.records[i].record))
			tell_own(t, &past.records[i]);
	release_past(&past);
	return rc;
}

struct told_map {
	uint64_t start;
	uint64_t end;
	size_t off;
};

/* By start; of those with one start the last one is first. */
static int compare_maps(const void *a, const void *b)
{
	const struct told_map *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->off < y->off) - (x->off > y->off);
}

static size_t list_maps(const struct pd_buf *b, size_t from,
			struct told_map *ret)
{
	struct pd_record rec = { .len = 0 };
	size_t nr = 0;

	for (;
	     !pd_record_read_header(b->data + from, b->len - from, false, &rec);
	     from += rec.len) {
		uint64_t start = pd_record_word(&rec, MAP_START_OFF);

		if (ret)
			ret[nr] = (struct told_map){
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
	struct told_map *maps = calloc(nr + 1, sizeof(*maps));
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

/* Tell of a task in the snapshot's order; its EXIT if it is over. */
static int tell_task(struct telling *t)
{
	const struct task *task = t->task;
	struct past past;
	int rc = read_past(t, task, UINT64_MAX, &past);
	size_t fork = rc ? 0 : last_of(&past, PD_RECORD_FORK, 0);
	size_t names = rc ? 0 : last_of(&past, PD_RECORD_NAMESPACES, 0);
	size_t end = rc ? 0 : last_of(&past, PD_RECORD_EXIT, 0);
	size_t from;

	t->least_ns = 0;
	if (fork && past.records[fork - 1].time_ns >= t->old_ns)
		t->least_ns = past.records[fork - 1].time_ns;
	if (fork)
		tell_fork(t, &past.records[fork - 1]);
	if (names)
		tell_own(t, &past.records[names - 1]);
	if (!rc)
		rc = tell_past(t, task, UINT64_MAX, false, GENERATION_NR);
	from = t->ret->len;
	if (!rc && task->tid == task->pid)
		rc = tell_past(t, task, UINT64_MAX, true, GENERATION_NR);
	if (!rc)
		rc = drop_covered(t->ret, from);
	if (end && task->has_ended && !task->has_threads)
		pd_buf_bytes(t->ret, past.records[end - 1].record.data,
			     past.records[end - 1].record.len);
	release_past(&past);
	return rc == -ENODATA && task->has_ended ? 0 : rc;
}

static void note_threads(struct rec_held_tasks *h, struct task *task)
{
	struct task *leader = task->has_ended ? NULL : find(h, task->pid);

	if (leader && leader != task)
		leader->has_threads = true;
}

int rec_held_tasks_state(struct rec_held_tasks *h, uint64_t old_ns,
			 struct pd_buf *ret)
{
	size_t len_max = ret->len + 2 * h->conf.len_max, read_len = 0;
	struct telling t = {
		.held = h, .old_ns = old_ns, .read_len = &read_len, .ret = ret
	};
	int rc;

	pthread_mutex_lock(&h->lock);
	rc = h->is_whole ? 0 : -ENODATA;
	for (size_t i = 1; i < h->task_nr; i++)
		h->tasks[i].has_threads = false;
	for (size_t i = 0; i < HASH_NR && !rc; i++)
		for (uint32_t at = h->hash[i]; at != NONE;
		     at = h->tasks[at].next)
			note_threads(h, &h->tasks[at]);
	/* leaders first: newer FORKs take the maps from their threads */
	for (size_t i = 0; i < 2 * HASH_NR && !rc; i++)
		for (uint32_t at = h->hash[i % HASH_NR]; at != NONE && !rc;
		     at = h->tasks[at].next) {
			t.task = &h->tasks[at];
			if (is_told(h, t.task) &&
			    (t.task->pid == t.task->tid) == (i < HASH_NR))
				rc = tell_task(&t);
			if (!rc && ret->len > len_max)
				rc = -ENODATA;
		}
	if (rc)
		stop_keeping(h);
	pthread_mutex_unlock(&h->lock);
	return rc ? rc : pd_buf_status(ret);
}
