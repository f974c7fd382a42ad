/* cgroup_ns.h: the cgroup namespaces of tasks, which NAMESPACES records tell
 * (record --namespaces): device and inode, as containers differ by them.
 *
 * Part of the timeline: filled in time order, then sorted once and only read.
 */
#ifndef RPT_CGROUP_NS_H
#define RPT_CGROUP_NS_H

#include "format/record_body.h"
#include "report/timeline/timeline.h"

struct rpt_cgroup_ns {
	uint64_t dev;
	uint64_t ino;
};

/* A task was in one from then on. */
struct rpt_cgroup_stay {
	struct rpt_when when;
	struct rpt_cgroup_ns ns;
	uint32_t tid;
	uint32_t number; /* of ns, from 1; rpt_cgroup_nses_sort() */
};

struct rpt_cgroup_nses {
	struct rpt_cgroup_stay *stays; /* owned */
	uint32_t nr;
	uint32_t cap;
	struct rpt_cgroup_ns *numbered; /* owned; the first is none */
	uint32_t numbered_nr;
};

/* 0 or -ENOMEM.  Records without a cgroup namespace tell nothing. */
int rpt_cgroup_nses_add(struct rpt_cgroup_nses *all, struct rpt_when when,
			const struct pd_namespaces *record);
/* By task and time, after the last; numbers them.  0 or -ENOMEM. */
int rpt_cgroup_nses_sort(struct rpt_cgroup_nses *all);
void rpt_cgroup_nses_release(struct rpt_cgroup_nses *all);

/* The number of the one that a task was in, equal ones for equal namespaces,
 * the greater the number the greater device and inode; 0: none is known. */
uint32_t rpt_cgroup_ns_number(const struct rpt_timeline *tl, uint32_t tid,
			      struct rpt_when when);
/* { 0, 0 } for 0. */
struct rpt_cgroup_ns rpt_cgroup_ns_of(const struct rpt_timeline *tl,
				      uint32_t number);

#endif
