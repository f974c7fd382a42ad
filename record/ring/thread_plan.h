/* thread_plan.h: --threads: how many threads drain, and which rings each.
 *
 *	--threads=N            N threads; each takes any ring
 *	--threads[=cpu]        a thread per CPU, per core, per package, per
 *	--threads=core ...     NUMA node: bound to its CPUs, drains their rings
 *	--threads=0,2-4/2-4:1/5
 * as in perf: rings of these CPUs / bound to those
 *
 * All write into one file; perf makes a directory.
 */
#ifndef REC_THREAD_PLAN_H
#define REC_THREAD_PLAN_H

#include "record/base/read_file.h"
#include "record/targets/target.h"

struct rec_thread_group {
	struct rec_cpu_list cpus;  /* owned: whose rings */
	struct rec_cpu_list bound; /* owned: where the thread may run */
};

struct rec_thread_plan {
	size_t thread_nr;
	struct rec_thread_group *groups; /* owned; NULL: any ring for all */
};

enum { REC_THREADS_MAX = 4096 };

/* text: the value of --threads; NULL: one thread for 8 CPUs, at most 16.
 * Return -EINVAL for a malformed value. */
int rec_thread_plan_init(struct rec_thread_plan *ret, const char *text,
			 const struct rec_target *target,
			 const struct rec_sysroots *roots, struct pd_err *err);
void rec_thread_plan_release(struct rec_thread_plan *plan);

/* Return the thread, from 0, for the rings of a CPU; 0 if no group names it. */
size_t rec_thread_plan_find(const struct rec_thread_plan *plan, int cpu);

#endif
