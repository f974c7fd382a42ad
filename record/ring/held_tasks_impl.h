/* held_tasks_impl.h: the members of held tasks, for the two files that know
 * them: held_tasks.c, which changes them, and running_tasks.c, which reads
 * them.
 */
#ifndef REC_HELD_TASKS_IMPL_H
#define REC_HELD_TASKS_IMPL_H

#include "record/ring/held_tasks.h"
#include "record/ring/record_store.h"

#include <pthread.h>
#include <string.h>

enum {
	REC_HELD_HASH_NR = 1 << 14,
	REC_HELD_NONE = 0,
};

enum rec_held_task_state {
	REC_TASK_HELD,
	REC_TASK_WANTED, /* it was sampled, and is to be written */
	REC_TASK_WRITTEN,
};

struct rec_held_task {
	uint32_t tid;
	uint32_t pid;	  /* of its FORK; the tid until that came */
	uint32_t next;	  /* of those with one hash; or of the free ones */
	uint32_t parent;  /* of its FORK, while that is held */
	uint32_t child;	  /* the first one that has it as parent */
	uint32_t sibling; /* the next one */
	uint32_t elder;	  /* the one before; REC_HELD_NONE: first */
	struct rec_record_list records;
	uint32_t end_epoch;  /* in which its EXIT was drained */
	uint32_t next_ended; /* of a list */
	uint8_t state;	     /* enum rec_held_task_state */
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
	struct rec_held_task *tasks; /* owned; the first one is none */
	size_t task_nr;		     /* used so far */
	uint32_t free_task;
	uint32_t ended;	  /* list of tasks to forget */
	uint32_t *hash;	  /* owned; REC_HELD_HASH_NR: tasks by tid */
	uint32_t *wanted; /* owned: tasks to write */
	size_t wanted_nr;
	uint32_t epoch;
	uint32_t turn; /* atomic */
	bool is_whole; /* all that is known of what runs is in records */
	struct rec_held_left left;
	struct pd_buf shown;   /* owned; a task's records, to be shown */
	struct pd_buf copy;    /* owned; what is to be written */
	struct pd_buf written; /* owned; the same by time */
};

/* Return the task that has this tid now, or NULL.  With the lock. */
struct rec_held_task *rec_held_tasks_find(const struct rec_held_tasks *h,
					  uint32_t tid);

/* Offsets of the ids in a task's records. */
enum {
	REC_TASK_PID_OFF = 8,
	REC_TASK_TID_OFF = 12,
	REC_FORK_TID_OFF = 16,
	REC_FORK_PTID_OFF = 20,
};

/* Return 0 behind the record's end. */
static inline uint32_t rec_task_word_at(const struct pd_record *record,
					size_t off)
{
	uint32_t word = 0;

	if (off + sizeof(word) <= record->len)
		memcpy(&word, record->data + off, sizeof(word));
	return word;
}

static inline bool rec_is_map(const struct pd_record *record)
{
	return record->type == PD_RECORD_MMAP ||
	       record->type == PD_RECORD_MMAP2;
}

#endif
