/* task_sums.h: when each task had a CPU, waited for one, or slept; and the sums
 * of that, as the summary of perf sched timehist has them.
 *
 *	rpt_task_sums_init(&sums, budget);
 *	for each event, in the order of time:
 *		rpt_task_sums_switch(), _wake(), _migrate(), _lost(), _other()
 *		rpt_task_sums_count(), of the slices that are to be counted
 *	rpt_task_sums_print(&sums, &text, &form);
 *	rpt_task_sums_release(&sums);
 *
 * Memory is some words for each task and CPU, charged to the budget.
 */
#ifndef RPT_TASK_SUMS_H
#define RPT_TASK_SUMS_H

#include "report/base/ids.h"
#include "report/base/text_out.h"
#include "report/sched/sched_events.h"

/* A name with its ids: "comm[tid/pid]". */
#define RPT_SUMS_NAME_LEN 96u
/* Columns of CPUs that a line has at most. */
#define RPT_SUMS_CPUS_MAX 1024u

/* A slice of a CPU that a switch ends. */
struct rpt_slice_times {
	uint64_t end_ns;
	uint64_t run_ns;	   /* these three are 0 if they are not known */
	uint64_t wait_ns;	   /* without a CPU, before it */
	uint64_t delay_ns;	   /* the part of it behind the wakeup */
	enum rpt_wait_state state; /* in which the wait began */
	/* The task that woke this one before it. */
	uint32_t waker_tid;
	const char *waker; /* or NULL */
	bool is_run_known;
	bool is_woken;
	bool by_interrupt;
};

struct rpt_task_sums {
	struct rpt_budget *budget;
	struct rpt_ids tids;
	uint32_t *latest; /* owned; by number of the tid: an item */
	uint32_t latest_cap;
	struct rpt_task_sum *items; /* owned */
	uint32_t nr;
	uint32_t cap;
	struct rpt_ids cpu_ids;
	struct rpt_cpu_sum *cpus; /* owned; by number of the CPU */
	uint32_t cpu_cap;
	struct rpt_intern comms; /* names out of raw data */
	uint64_t lost_ns;	 /* the last loss; 0: none */
	uint32_t dead_nr;
	uint64_t missing_nr; /* switches before which one is missing */
	uint64_t unfit_nr;   /* events for whose task there was no budget */
};

struct rpt_sums_form {
	uint64_t elapsed_ns;
	size_t comm_width;
	uint32_t cpu_nr;
	const struct rpt_filter *cpus; /* those that were asked for */
	bool is_idle;	 /* the sums are of the CPUs' idle time behind tasks */
	bool with_waits; /* sums of waits by their states */
	bool is_part;	 /* some tasks were left out: there are no totals */
};

/* Begin.  budget is borrowed. */
void rpt_task_sums_init(struct rpt_task_sums *sums, struct rpt_budget *budget);
void rpt_task_sums_release(struct rpt_task_sums *sums);

/* Note a switch, and return the times of the slice that it ends. */
void rpt_task_sums_switch(struct rpt_task_sums *sums,
			  const struct rpt_sched_event *ev,
			  struct rpt_slice_times *ret);
/* Count a slice of that switch: for its task or, if that is idle, for its CPU
 * and the task that had it before. */
void rpt_task_sums_count(struct rpt_task_sums *sums,
			 const struct rpt_sched_event *ev,
			 const struct rpt_slice_times *times);
void rpt_task_sums_wake(struct rpt_task_sums *sums,
			const struct rpt_sched_event *ev);
void rpt_task_sums_migrate(struct rpt_task_sums *sums,
			   const struct rpt_sched_event *ev);
void rpt_task_sums_lost(struct rpt_task_sums *sums,
			const struct rpt_sched_event *ev);
/* Note any other event. */
void rpt_task_sums_other(struct rpt_task_sums *sums,
			 const struct rpt_sched_event *ev);

/* Append the tables. */
void rpt_task_sums_print(struct rpt_task_sums *sums, struct rpt_text *text,
			 const struct rpt_sums_form *form);

/* Write "comm[tid]", or "comm[tid/pid]" of a thread, to buf; return how long it
 * is. */
size_t rpt_sums_name(const struct rpt_task_ref *ref, const char *comm,
		     char buf[RPT_SUMS_NAME_LEN]);
/* Append milliseconds as perf does: "  12.345 ", with so many digits before the
 * point at least. */
void rpt_sums_put_ms(struct rpt_text *text, uint64_t ns, unsigned width);

#endif
