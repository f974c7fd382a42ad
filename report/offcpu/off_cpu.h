/* off_cpu.h: makes intervals without a CPU out of context switches.
 *
 *	rpt_off_cpu_init(&off, deliver, ctx, budget);
 *	for each record, in the order of time (switch_events.h):
 *		rpt_off_cpu_out(), _in(), _wake(), _lost(), _fork(), _exit()
 *	rpt_off_cpu_end(&off);
 *	rpt_off_cpu_release(&off);
 *
 * An interval reaches from the switch that took a task's CPU away to the one
 * that gave it one again; its stack is that of the first.  Where the recording
 * has the wakeup, too, the interval is two: blocked up to the wakeup, then
 * RPT_WAIT_WOKEN, both with the stack and the waker.
 *
 * What is not whole is not delivered as if it were:
 *   - A task that was off the CPU when the recording began has no stack:
 *     at_start.
 *   - One that is off the CPU at the end is delivered up to the last record's
 *     time, and counted in at_end.
 *   - An interval in which records were lost, of whatever CPU, may be several;
 *     so may one whose end was not recorded, as a second switch away from the
 *     CPU shows: with_loss.  Up to a wakeup before the loss it is delivered.
 *   - One whose switch has no sample has no stack: with_loss, too.
 *
 * Task 0, the idle one of each CPU, has no intervals.  Memory is that of one
 * record for each thread that is off the CPU, and is charged to the budget.
 */
#ifndef RPT_OFF_CPU_H
#define RPT_OFF_CPU_H

#include "format/records/record.h"
#include "report/base/ids.h"
#include "report/events/wait_state.h"

struct rpt_off_cpu_interval {
	/* The record of the switch, whose stack the interval has.  It is good
	 * until deliver returns. */
	const struct pd_record *rec;
	uint64_t start_ns;
	uint64_t end_ns; /* not before start_ns */
	struct rpt_wait wait;
};

/* Take an interval.  Return 0, or a negative errno, which ends everything. */
typedef int rpt_off_cpu_deliver(void *ctx,
				const struct rpt_off_cpu_interval *interval);

struct rpt_off_cpu_count {
	uint64_t nr;
	uint64_t sum_ns;
};

/* Counts of records that were not delivered as they were: see above. */
struct rpt_off_cpu_counts {
	struct rpt_off_cpu_count at_start;
	struct rpt_off_cpu_count at_end;
	struct rpt_off_cpu_count with_loss;
};

struct rpt_off_cpu {
	rpt_off_cpu_deliver *deliver;
	void *ctx;
	struct rpt_budget *budget; /* NULL: none */
	struct rpt_ids tids;
	struct rpt_off_cpu_task *tasks; /* owned; by number of the tid */
	uint32_t task_cap;
	uint64_t first_ns, last_ns; /* of all records; UINT64_MAX: none yet */
	uint64_t lost_ns;	    /* the last loss; 0: none */
	struct rpt_off_cpu_counts counts;
	uint64_t unfit_nr; /* switches for which there was no budget */
};

/* Begin.  budget is borrowed. */
void rpt_off_cpu_init(struct rpt_off_cpu *off, rpt_off_cpu_deliver *deliver,
		      void *ctx, struct rpt_budget *budget);
void rpt_off_cpu_release(struct rpt_off_cpu *off);

/* A record of any kind has that time. */
void rpt_off_cpu_saw(struct rpt_off_cpu *off, uint64_t time_ns);

/* A task gave up its CPU, or lost it.  rec, which is copied, has its stack.
 * Return 0 or what deliver returned; so do the next two. */
int rpt_off_cpu_out(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns,
		    enum rpt_wait_state state, const struct pd_record *rec);
/* A task has a CPU. */
int rpt_off_cpu_in(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns);
/* The recording ends. */
int rpt_off_cpu_end(struct rpt_off_cpu *off);

/* A task gave up its CPU, or lost it, without a stack: PERF_RECORD_SWITCH,
 * which follows the record with the stack.  If there was one, it says only
 * whether the task could have run on. */
void rpt_off_cpu_switched(struct rpt_off_cpu *off, uint32_t tid,
			  uint64_t time_ns, bool was_preempted);
/* waker wakes a task.  Nothing happens unless the task is off the CPU, and was
 * not woken before. */
void rpt_off_cpu_wake(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns,
		      const struct rpt_wait *waker);
/* Records up to that time were lost. */
void rpt_off_cpu_lost(struct rpt_off_cpu *off, uint64_t time_ns);
/* A new task has the tid; what had it before is gone. */
void rpt_off_cpu_fork(struct rpt_off_cpu *off, uint32_t tid);
/* A task ends, and is on a CPU while it does; it may wait for some more before
 * its last switch, whose state is RPT_WAIT_DEAD.  Return 0 or what deliver
 * returned. */
int rpt_off_cpu_exit(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns);

#endif
