#include "record/ring/held_tasks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "format/file/layout.h"

enum {
	BLOCK_LEN = 256,
	BLOCK_ROOM = BLOCK_LEN - sizeof(uint32_t),
	TASK_NR = 1 << 15,
	HASH_NR = 1 << 14,
	NONE = 0, /* no task, no block */
};

/* Bytes of a task's records, one behind the other. */
struct block {
	uint32_t next;
	uint8_t data[BLOCK_ROOM];
};

/* Stands before each record. */
struct held_head {
	uint64_t time_ns;
	uint64_t seq;
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
	uint32_t first;	  /* block of its records */
	uint32_t last;
	uint32_t last_len;
	uint32_t block_nr;
	uint32_t record_nr;
	uint32_t end_epoch;  /* in which its EXIT was drained */
	uint32_t next_ended; /* of a list */
	uint8_t state;	     /* enum task_state */
	bool has_fork;
	bool has_ended;
	bool has_changed; /* since it had children: these are to be told before
			   * it ended or got another name */
	bool is_replaced; /* another one has its tid: it has no hash */
	uint64_t end_ns;
	uint64_t sampled_ns; /* of the newest sample; 0: none */
};

struct rec_held_tasks {
	pthread_mutex_t lock;
	struct rec_held_conf conf;
	struct block *blocks; /* owned; the first one is none */
	size_t block_nr;      /* used so far */
	size_t block_cap;
	uint32_t free_block;
	size_t free_nr;	    /* blocks */
	struct task *tasks; /* owned; the first one is none */
	size_t task_nr;	    /* used so far */
	uint32_t free_task;
	uint32_t ended;	  /* list of tasks to forget */
	uint32_t *hash;	  /* owned; HASH_NR */
	uint32_t *wanted; /* owned; TASK_NR: tasks to write */
	size_t wanted_nr;
	uint64_t seq;
	uint32_t epoch;
	uint32_t turn; /* atomic */
	struct rec_held_left left;
};

/* Only what is used of it takes memory. */
static void *map_memory(size_t len)
{
	void *ret = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return ret == MAP_FAILED ? NULL : ret;
}

static void unmap(void *memory, size_t len)
{
	if (memory)
		munmap(memory, len);
}

struct rec_held_tasks *rec_held_tasks_new(const struct rec_held_conf *conf)
{
	struct rec_held_tasks *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	pthread_mutex_init(&h->lock, NULL);
	h->conf = *conf;
	h->block_cap = conf->len_max / BLOCK_LEN + 1;
	h->blocks = map_memory(h->block_cap * sizeof(*h->blocks));
	h->tasks = map_memory(TASK_NR * sizeof(*h->tasks));
	h->hash = map_memory(HASH_NR * sizeof(*h->hash));
	h->wanted = map_memory(TASK_NR * sizeof(*h->wanted));
	h->block_nr = h->task_nr = 1;
	if (h->blocks && h->tasks && h->hash && h->wanted)
		return h;
	rec_held_tasks_free(h);
	return NULL;
}

void rec_held_tasks_free(struct rec_held_tasks *h)
{
	if (!h)
		return;
	unmap(h->blocks, h->block_cap * sizeof(*h->blocks));
	unmap(h->tasks, TASK_NR * sizeof(*h->tasks));
	unmap(h->hash, HASH_NR * sizeof(*h->hash));
	unmap(h->wanted, TASK_NR * sizeof(*h->wanted));
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

/* Bytes of tasks. */

static void drop_records(struct rec_held_tasks *h, struct task *task)
{
	if (task->first != NONE) {
		h->blocks[task->last].next = h->free_block;
		h->free_block = task->first;
	}
	h->free_nr += task->block_nr;
	task->first = task->last = NONE;
	task->block_nr = task->record_nr = 0;
}

static void add_block(struct rec_held_tasks *h, struct task *task)
{
	uint32_t idx = h->free_block;

	if (idx == NONE) {
		idx = (uint32_t)h->block_nr++;
	} else {
		h->free_block = h->blocks[idx].next;
		h->free_nr--;
	}
	h->blocks[idx].next = NONE;
	if (task->first == NONE)
		task->first = idx;
	else
		h->blocks[task->last].next = idx;
	task->last = idx;
	task->last_len = 0;
	task->block_nr++;
}

/* There must be room. */
static void add_bytes(struct rec_held_tasks *h, struct task *task,
		      const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	while (len) {
		size_t part;

		if (task->first == NONE || task->last_len == BLOCK_ROOM)
			add_block(h, task);
		part = BLOCK_ROOM - task->last_len;
		part = len < part ? len : part;
		memcpy(h->blocks[task->last].data + task->last_len, from, part);
		task->last_len += (uint32_t)part;
		from += part;
		len -= part;
	}
}

static bool add_record(struct rec_held_tasks *h, struct task *task,
		       const struct pd_record *record, uint64_t time_ns)
{
	const struct held_head head = { time_ns, h->seq++ };
	size_t block_nr = (sizeof(head) + record->len) / BLOCK_ROOM + 1;

	if (block_nr > h->free_nr + (h->block_cap - h->block_nr))
		return false;
	add_bytes(h, task, &head, sizeof(head));
	add_bytes(h, task, record->data, record->len);
	task->record_nr++;
	return true;
}

struct walk {
	const struct rec_held_tasks *held;
	uint32_t block;
	uint32_t at;
};

/* Copy the next len bytes, which are there. */
static void walk_bytes(struct walk *w, uint8_t *to, size_t len)
{
	while (len) {
		const struct block *block = &w->held->blocks[w->block];
		size_t part = BLOCK_ROOM - w->at;

		part = len < part ? len : part;
		memcpy(to, block->data + w->at, part);
		to += part;
		len -= part;
		w->at += (uint32_t)part;
		if (w->at == BLOCK_ROOM)
			*w = (struct walk){ w->held, block->next, 0 };
	}
}

/* Append the task's records to ret, each with its head before it. */
static void copy_records(const struct rec_held_tasks *h,
			 const struct task *task, struct pd_buf *ret)
{
	struct walk w = { h, task->first, 0 };

	for (uint32_t i = 0; i < task->record_nr; i++) {
		uint8_t start[sizeof(struct held_head) + PD_RECORD_HEADER_LEN];
		uint8_t *to;
		uint16_t len;

		walk_bytes(&w, start, sizeof(start));
		memcpy(&len, start + sizeof(start) - sizeof(len), sizeof(len));
		to = pd_buf_reserve(ret, sizeof(struct held_head) + len);
		if (!to)
			return;
		memcpy(to, start, sizeof(start));
		walk_bytes(&w, to + sizeof(start), len - PD_RECORD_HEADER_LEN);
		pd_buf_commit(ret, sizeof(struct held_head) + len);
	}
}

/* Return the record at *at of what was copied, and go on to the next one. */
static struct pd_record record_at(const struct pd_buf *copy, size_t *at,
				  struct held_head *ret_head)
{
	struct pd_record rec = { .len = 0 };

	memcpy(ret_head, copy->data + *at, sizeof(*ret_head));
	*at += sizeof(*ret_head);
	pd_record_read_header(copy->data + *at, copy->len - *at, false, &rec);
	*at += rec.len;
	return rec;
}

/* Tasks that are wanted. */

static void show_maps(const struct rec_held_tasks *h, const struct task *task)
{
	struct pd_buf copy = PD_BUF_INIT;
	struct held_head head;

	if (!h->conf.show || !task->record_nr)
		return;
	copy_records(h, task, &copy);
	for (size_t at = 0; at < copy.len;) {
		struct pd_record rec = record_at(&copy, &at, &head);

		if (rec.type == PD_RECORD_MMAP2 || rec.type == PD_RECORD_MMAP)
			h->conf.show(h->conf.ctx, &rec, head.time_ns != 0);
	}
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
	if (task->state == TASK_HELD && task->record_nr) {
		h->left.task_nr++;
		h->left.record_nr += task->record_nr;
	}
	drop_records(h, task);
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

enum { PID_OFF = 8, TID_OFF = 12, FORK_TID_OFF = 16, FORK_PTID_OFF = 20 };

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
	if (record->type == PD_RECORD_FORK)
		see_fork(h, task, word_at(record, FORK_PTID_OFF));
	if (record->type == PD_RECORD_EXIT)
		end_task(h, task, time_ns);
	if (record->type == PD_RECORD_COMM)
		change(h, task);
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
	if (task)
		see(h, task, record, time_ns);
	is_held = task && task->state != TASK_WRITTEN;
	if (is_held && !add_record(h, task, record, time_ns)) {
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

bool rec_held_tasks_is_written(struct rec_held_tasks *h, uint32_t pid)
{
	const struct task *task;
	bool ret;

	pthread_mutex_lock(&h->lock);
	task = find(h, pid);
	ret = task && task->state == TASK_WRITTEN && !task->has_ended;
	pthread_mutex_unlock(&h->lock);
	return ret;
}

uint32_t rec_held_tasks_turn(const struct rec_held_tasks *h)
{
	return __atomic_load_n(&h->turn, __ATOMIC_RELAXED);
}

/* Writing. */

struct late {
	struct held_head head;
	size_t off; /* of the record in the copy */
};

static int compare_lates(const void *a, const void *b)
{
	const struct held_head *x = &((const struct late *)a)->head;
	const struct held_head *y = &((const struct late *)b)->head;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void append_late(const struct rec_held_tasks *h, const uint8_t *record,
			uint64_t time_ns, struct pd_buf *ret)
{
	struct pd_record rec = { .len = 0 };

	pd_record_read_header(record, PD_RECORD_LEN_MAX, false, &rec);
	pd_buf_bytes(ret, record, rec.len);
	if (rec.len >= PD_RECORD_HEADER_LEN + h->conf.time_back &&
	    !pd_buf_status(ret))
		pd_buf_patch_u64(ret, ret->len - h->conf.time_back, time_ns);
}

/* Append the records of copy, at most nr, to ret, by time, with none below
 * least_ns. */
static int write_sorted(const struct rec_held_tasks *h,
			const struct pd_buf *copy, size_t nr, uint64_t least_ns,
			struct pd_buf *ret)
{
	struct late *lates = calloc(nr + 1, sizeof(*lates));
	size_t late_nr = 0;

	if (!lates)
		return -ENOMEM;
	for (size_t at = 0; at < copy->len && late_nr < nr; late_nr++) {
		lates[late_nr].off = at + sizeof(struct held_head);
		record_at(copy, &at, &lates[late_nr].head);
	}
	qsort(lates, late_nr, sizeof(*lates), compare_lates);
	for (size_t i = 0; i < late_nr; i++) {
		uint64_t time_ns = lates[i].head.time_ns;

		append_late(h, copy->data + lates[i].off,
			    time_ns < least_ns ? least_ns : time_ns, ret);
	}
	free(lates);
	return pd_buf_status(ret);
}

int rec_held_tasks_write(struct rec_held_tasks *h, uint64_t least_ns,
			 struct pd_buf *ret)
{
	struct pd_buf copy = PD_BUF_INIT;
	size_t nr = 0;
	int rc;

	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < h->wanted_nr; i++) {
		struct task *task = &h->tasks[h->wanted[i]];

		copy_records(h, task, &copy);
		nr += task->record_nr;
		drop_records(h, task);
		leave_parent(h, task);
		task->state = TASK_WRITTEN;
	}
	h->wanted_nr = 0;
	pthread_mutex_unlock(&h->lock);
	rc = pd_buf_status(&copy);
	if (!rc && nr)
		rc = write_sorted(h, &copy, nr, least_ns, ret);
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

			if (task->state != TASK_HELD || !task->record_nr)
				continue;
			ret->task_nr++;
			ret->record_nr += task->record_nr;
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
	(void)!madvise(h->blocks, h->block_cap * sizeof(*h->blocks),
		       MADV_DONTNEED);
	h->block_nr = h->task_nr = 1;
	h->free_nr = h->wanted_nr = 0;
	h->free_block = h->free_task = h->ended = NONE;
	h->left = (struct rec_held_left){ 0 };
	__atomic_add_fetch(&h->turn, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&h->lock);
}
