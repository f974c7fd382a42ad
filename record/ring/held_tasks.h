/* held_tasks.h: records of tasks, held back until the task is sampled.
 *
 * At 19 Hz nearly all tasks of a busy host are never sampled, and their names
 * and maps are most of what the kernel records.  FORK, COMM, NAMESPACES, MMAP,
 * MMAP2 and EXIT of a task are held here, and forgotten once it has ended
 * without a sample.
 *
 *	drain threads				at the end of a round
 *	rec_held_tasks_take()	a record	rec_held_tasks_write()
 *	rec_held_tasks_sample()	a sample
 *
 * A sampled task brings the leader of its process and all ancestors that are
 * held, and their children's records are written as they come from then on.
 *
 * Time.  A reader processes all records up to some time at each round's marker
 * (FORMAT.md "Order"), and cannot take older ones after that: perf counts these
 * as out of order.  So what is written late gets the time up to which readers
 * have been by then, which is before the sample: a record in a file's round is
 * newer than all that was drained two rounds before (epoch.h).  Records are
 * written by their own time; all that would be too old have one and the same.
 *
 * A child has what its parent was called and had mapped when it began.  So the
 * children of a task that ends, or gets another name, are written with it.
 *
 * Rings are drained in any order: a sample may come before the task's FORK, and
 * its EXIT before both.  So a task that ended is forgotten two epochs later,
 * when what is older has been drained.
 *
 * The next file.  What was written is kept, too, so that what runs is known at
 * the file's end without reading /proc (running_tasks.h), if the recorder sees
 * the records of all tasks.  That is given up if memory ends or records are
 * lost.
 *
 * Any thread; there is a lock.  Memory is limited: beyond it the records of a
 * task are written as they come, and those before at the end of the round.
 */
#ifndef REC_HELD_TASKS_H
#define REC_HELD_TASKS_H

#include "format/file/layout.h"
#include "format/records/record.h"

struct rec_held_conf {
	unsigned time_back; /* of TIME in their trailers, from the end */
	size_t len_max;	    /* bytes of records that are held */
	bool keeps;	    /* what is written, too, for running_tasks.h */
	/* Called once with each map and EXIT of a task that is sampled, before
	 * that is written; is_new: the kernel wrote it, not the snapshot.
	 * NULL: nobody is told. */
	void (*show)(void *ctx, const struct pd_record *record, bool is_new);
	void *ctx;
};

struct rec_held_left {
	uint64_t task_nr; /* threads of which the file tells nothing */
	uint64_t record_nr;
};

struct rec_held_tasks;

/* Return NULL if there is no memory. */
struct rec_held_tasks *rec_held_tasks_new(const struct rec_held_conf *conf);
/* Safe on NULL. */
void rec_held_tasks_free(struct rec_held_tasks *held);

/* Return whether records of this type are held at all. */
static inline bool rec_held_type(uint32_t type)
{
	return type < 64 &&
	       (PD_BIT(PD_RECORD_FORK) | PD_BIT(PD_RECORD_COMM) |
		PD_BIT(PD_RECORD_EXIT) | PD_BIT(PD_RECORD_MMAP) |
		PD_BIT(PD_RECORD_MMAP2) | PD_BIT(PD_RECORD_NAMESPACES)) &
		       PD_BIT(type);
}

/* Take a record of such a type; 0: it has no time.  Return whether it is held;
 * else it is to be written now. */
bool rec_held_tasks_take(struct rec_held_tasks *held,
			 const struct pd_record *record, uint64_t time_ns);

/* A sample of this thread was drained; time_ns 0: at an unknown time. */
void rec_held_tasks_sample(struct rec_held_tasks *held, uint32_t pid,
			   uint32_t tid, uint64_t time_ns);

/* Return whether the process's maps are written without being taken. */
bool rec_held_tasks_passes_maps(struct rec_held_tasks *held, uint32_t pid);

/* Return a number that changes when a thread that was sampled ends: until then
 * rec_held_tasks_sample() of it needs no second call.  Without the lock. */
uint32_t rec_held_tasks_turn(const struct rec_held_tasks *held);

/* An epoch begins: all that the last one was to drain is drained. */
void rec_held_tasks_begin_epoch(struct rec_held_tasks *held);

/* Set *ret to what is to be written, with no time before least_ns: held's,
 * until the next call, and for one thread at a time.  Return 0 or -ENOMEM. */
int rec_held_tasks_write(struct rec_held_tasks *held, uint64_t least_ns,
			 const struct pd_buf **ret);

/* Say what the file does not have so far. */
void rec_held_tasks_left(struct rec_held_tasks *held,
			 struct rec_held_left *ret);
/* Forget all, for another file. */
void rec_held_tasks_restart(struct rec_held_tasks *held);

/* Records were lost: what runs is not known until the next restart. */
void rec_held_tasks_lose(struct rec_held_tasks *held);
bool rec_held_tasks_knows_all(struct rec_held_tasks *held);

#endif
