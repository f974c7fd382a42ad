/* affinity.h: the CPUs on which a draining thread runs.
 *
 * With --affinity, before it drains a ring, a thread moves to the CPU of that
 * ring (cpu) or to its NUMA node (node), where the ring's memory is; sys leaves
 * it to the scheduler.  Threads of --threads=cpu and the like are bound once.
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

/* Return 0, or -ENOMEM. */
int rec_affinity_init(struct rec_affinity *ret, enum rec_affinity_mode mode,
		      const struct rec_ring_reader *readers, size_t nr,
		      const struct rec_sysroots *roots);
void rec_affinity_release(struct rec_affinity *affinity);

/* Move the calling thread to the CPUs of ring idx; *last is the ring that it
 * was moved to before, SIZE_MAX at first.  If the kernel refuses, it does not
 * move. */
void rec_affinity_follow(const struct rec_affinity *affinity, size_t idx,
			 size_t *last);

/* Bind the calling thread to these CPUs.  Return 0 or a negative errno. */
int rec_affinity_bind(const struct rec_cpu_list *cpus);

/* Ask the scheduler to run the calling thread soon after it is woken, for short
 * times, at the same share of the CPU.  No effect before Linux 6.12. */
void rec_ask_short_slices(void);

/* Return true if the calling thread has no real-time priority. */
bool rec_is_at_own_priority(void);
/* Give one of our threads (0: the calling one) this priority of SCHED_RR; 0:
 * the default policy, with short slices.  Threads that it starts do not inherit
 * it.  Return false if the kernel refuses; nothing changes then.  Safe in a
 * signal handler. */
bool rec_set_priority(int tid, unsigned priority);

/* Format the CPUs of the NUMA node of a CPU, as sysfs writes them; all online
 * CPUs if there are no nodes. */
void rec_node_cpus(const struct rec_sysroots *roots, int cpu,
		   char ret[REC_CPU_LIST_LEN_MAX]);

#endif
