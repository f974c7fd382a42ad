/* affinity.h: on which CPUs a draining thread runs.
 *
 * --affinity: before it drains a ring, a thread moves to the CPU of that ring
 * (cpu), or to its NUMA node (node), where the ring's memory is; sys leaves it
 * to the scheduler.  Threads of --threads=cpu and the like are bound once.
 */
#ifndef REC_AFFINITY_H
#define REC_AFFINITY_H

#include "record/ring/ring_reader.h"
#include "record/base/cpu_list.h"
#include "record/base/read_file.h"

#include <sched.h>

enum rec_affinity_mode {
	REC_AFFINITY_SYS,
	REC_AFFINITY_NODE,
	REC_AFFINITY_CPU,
};

struct rec_affinity {
	cpu_set_t **sets; /* owned, by ring; NULL: the mode is sys */
	size_t nr;
};

int rec_affinity_parse(const char *text, enum rec_affinity_mode *ret,
		       struct pd_err *err);

/* -ENOMEM. */
int rec_affinity_init(struct rec_affinity *ret, enum rec_affinity_mode mode,
		      const struct rec_ring_reader *readers, size_t nr,
		      const struct rec_sysroots *roots);
void rec_affinity_release(struct rec_affinity *affinity);

/* Move the calling thread to where ring idx is; *last is the ring that it was
 * moved to before, SIZE_MAX at first.  Where the kernel refuses it stays. */
void rec_affinity_follow(const struct rec_affinity *affinity, size_t idx,
			 size_t *last);

/* Bind the calling thread to these CPUs; negative errno. */
int rec_affinity_bind(const struct rec_cpu_list *cpus);

/* Ask the scheduler to run the calling thread soon after it is woken, for
 * short times, at the same share of the CPU: Linux 6.12 and later.  Where
 * that is not known it changes nothing. */
void rec_ask_short_slices(void);

/* Return whether the calling thread is at the scheduler's own. */
bool rec_is_at_own_priority(void);
/* A thread of ours (0: the calling one) at this priority of SCHED_RR; 0: at the
 * scheduler's own, with short slices.  Threads that it starts are not at it.
 * False: the kernel refuses, and it stays.  Safe in a signal handler. */
bool rec_set_priority(int tid, unsigned priority);

/* The CPUs of the NUMA node that a CPU is in, as sysfs writes them; all online
 * ones if there are no nodes. */
void rec_node_cpus(const struct rec_sysroots *roots, int cpu,
		   char ret[REC_CPU_LIST_LEN_MAX]);

#endif
