/* stat_groups.h: what counts are added up to: all, CPUs, cores, dies, sockets,
 * NUMA nodes or threads.
 *
 * Source: Documentation/ABI/stable/sysfs-devices-system-cpu, topology/;
 * sysfs-devices-node.
 */
#ifndef REC_STAT_GROUPS_H
#define REC_STAT_GROUPS_H

#include "record/targets/target.h"

enum rec_stat_mode {
	REC_STAT_GLOBAL, /* one group of all */
	REC_STAT_CPU,	 /* -A */
	REC_STAT_CORE,
	REC_STAT_DIE,
	REC_STAT_SOCKET,
	REC_STAT_NODE,
	REC_STAT_THREAD,
};

struct rec_stat_group {
	int cpu;		     /* REC_STAT_CPU; -1 otherwise */
	int socket, die, core, node; /* -1: of no meaning in this mode */
	struct rec_thread thread;    /* REC_STAT_THREAD */
};

/* The place of a CPU. */
struct rec_stat_place {
	int socket, die, core, node;
};

struct rec_stat_groups {
	enum rec_stat_mode mode;
	bool skips_idle; /* threads that never ran are not printed */
	struct rec_stat_group *groups; /* owned, in the order of printing */
	size_t nr;
	size_t *of_place; /* owned; the group of each CPU of the target */
};

/* Sort the CPUs or threads of the target into groups.  What the firmware does
 * not tell of a CPU counts as 0, as in perf.  sysfs: "/sys".  Return 0 or
 * -ENOMEM. */
int rec_stat_groups_init(struct rec_stat_groups *ret, enum rec_stat_mode mode,
			 const struct rec_target *target, const char *sysfs);
/* Do the same for CPUs that may be another machine's: places has one entry for
 * each CPU of the target. */
int rec_stat_groups_init_places(struct rec_stat_groups *ret,
				enum rec_stat_mode mode,
				const struct rec_target *target,
				const struct rec_stat_place *places);
void rec_stat_groups_release(struct rec_stat_groups *groups);

/* Find out where a CPU of this machine is, but for its node; sysfs: "/sys". */
void rec_stat_place_read(struct rec_stat_place *ret, const char *sysfs,
			 int cpu);

/* Return the group of a count. */
size_t rec_stat_group_of(const struct rec_stat_groups *groups, size_t place,
			 size_t thread);

#endif
