/* task_slices_impl.h: what task_slices keeps of each task and CPU; private to
 * this room. */
#ifndef RPT_TASK_SLICES_IMPL_H
#define RPT_TASK_SLICES_IMPL_H

#include "report/offcpu/task_slices.h"

#define RPT_SLICE_NO_CPU UINT32_MAX

/* Who has a CPU, besides a thread id: nobody that is known. */
#define RPT_SLICE_NOBODY UINT32_MAX

enum rpt_slice_task_state {
	UNKNOWN, /* it may have a CPU since since_ns */
	ON,	 /* it has a CPU since since_ns */
	OFF,	 /* it gave it up */
	NEW,	 /* it was made, and waits for its first CPU */
	GONE,	 /* it has had its last slice */
};

struct rpt_slice_task {
	enum rpt_slice_task_state state;
	uint32_t cpu; /* that it has, or gave up */
	uint64_t since_ns;
	uint64_t done_ns; /* up to here slices were delivered */
	uint64_t exit_ns; /* when it began to end; 0: it has not */
	uint64_t woken_ns;
	bool is_woken;
	bool is_own; /* there is a record of its own */
	struct rpt_wait wait;
};

struct rpt_slice_cpu {
	uint32_t runner;   /* a thread id, or RPT_SLICE_NOBODY */
	bool is_fresh;	   /* there was no switch since ... */
	uint64_t since_ns; /* and no record is missing since then */
	uint64_t seen_ns;  /* its last record */
	uint64_t done_ns;
};

/* Return the task, a new one at its first time; NULL if it is an idle task, or
 * if there is no budget for it.  Others may move then. */
struct rpt_slice_task *rpt_slice_task_of(struct rpt_task_slices *s,
					 uint32_t tid);
/* The same for a CPU; NULL if it is not known which. */
struct rpt_slice_cpu *rpt_slice_cpu_of(struct rpt_task_slices *s, uint32_t cpu);

/* Return what is known of a task or CPU; NULL if nothing is. */
struct rpt_slice_task *rpt_slice_task_find(const struct rpt_task_slices *s,
					   uint32_t tid);
struct rpt_slice_cpu *rpt_slice_cpu_find(const struct rpt_task_slices *s,
					 uint32_t cpu);

#endif
