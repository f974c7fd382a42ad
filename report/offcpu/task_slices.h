/* task_slices.h: context switches to what each task did, slice by slice.
 *
 *	rpt_task_slices_init(&slices, deliver, ctx, budget);
 *	for each record, in the order of time:
 *		rpt_switch_events_read(&se, &rec, &sw);
 *		rpt_task_slices_apply(&slices, &sw);
 *	rpt_task_slices_end(&slices);
 *	rpt_task_slices_release(&slices);
 *
 * A task runs on a CPU, waits for something, or was woken and waits for a CPU.
 * Slices of one task, and those of one CPU, are delivered in the order of time
 * and do not overlap.
 *
 * At the edges: a task whose first record is that it gives up its CPU had it
 * since the first sample or switch of all; what goes on at the end lasts until
 * the last record, or until the task's end.
 *
 * Where records of a CPU were lost, a slice of it (RPT_SLICE_LOST) reaches from
 * its last switch to the loss; who gives it up next had it since the loss.
 * What began before a loss and ended behind it may have been several slices,
 * and is not delivered; nor is what ends by a record that is missing.  Both
 * are counted in missing_nr.
 *
 * Memory is some words for each thread and CPU, charged to the budget.
 */
#ifndef RPT_TASK_SLICES_H
#define RPT_TASK_SLICES_H

#include "report/base/ids.h"
#include "report/offcpu/switch_events.h"

enum rpt_slice_kind {
	RPT_SLICE_RUNS,
	RPT_SLICE_WAITS, /* its wait says why */
	RPT_SLICE_LOST,	 /* of no task */
};

struct rpt_slice {
	enum rpt_slice_kind kind;
	uint64_t start_ns;
	uint64_t end_ns; /* later than start_ns */
	uint32_t tid;
	uint32_t pid; /* UINT32_MAX: not known */
	uint32_t cpu; /* that it had, or gave up; UINT32_MAX: not known */
	struct rpt_wait wait;
};

/* Take a slice.  Return 0, or a negative errno, which ends everything. */
typedef int rpt_slice_deliver(void *ctx, const struct rpt_slice *slice);

struct rpt_task_slices {
	rpt_slice_deliver *deliver;
	void *ctx;
	struct rpt_ids tids;
	struct rpt_slice_task *tasks; /* owned; by number of the tid */
	uint32_t task_cap;
	struct rpt_ids cpu_ids;
	struct rpt_slice_cpu *cpus; /* owned; by number of the CPU */
	uint32_t cpu_cap;
	uint64_t first_ns; /* of samples and switches; UINT64_MAX: none yet */
	uint64_t last_ns;  /* of all records */
	uint64_t lost_ns;  /* the last loss; 0: none */
	bool is_sampled;   /* switches have samples */
	bool is_wide;	   /* switches are those of all tasks */
	uint64_t missing_nr;
	uint64_t unfit_nr; /* records for whose task or CPU no budget was */
};

/* Begin.  budget is borrowed; NULL: none. */
void rpt_task_slices_init(struct rpt_task_slices *slices,
			  rpt_slice_deliver *deliver, void *ctx,
			  struct rpt_budget *budget);
void rpt_task_slices_release(struct rpt_task_slices *slices);

/* Take what a record says.  Return 0 or what deliver returned; so does the
 * next one. */
int rpt_task_slices_apply(struct rpt_task_slices *slices,
			  const struct rpt_switch *sw);
/* The recording ends. */
int rpt_task_slices_end(struct rpt_task_slices *slices);

#endif
