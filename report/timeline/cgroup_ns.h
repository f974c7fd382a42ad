/* cgroup_ns.h: the cgroup namespaces of tasks, from NAMESPACES records
 * (record --namespaces): device and inode, as containers differ by them.
 *
 * Part of the timeline: filled in time order, then sorted once and only read.
 */
#ifndef RPT_CGROUP_NS_H
#define RPT_CGROUP_NS_H

#include "format/records/record_body.h"
#include "report/timeline/timeline.h"

struct rpt_cgroup_ns {
	uint64_t dev;
	uint64_t ino;
};

/* From when on a task was in a namespace. */
struct rpt_cgroup_stay {
	struct rpt_timestamp when;
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

/* Add the record's cgroup namespace, if it has one. */
void rpt_cgroup_nses_add(struct rpt_cgroup_nses *all, struct rpt_budget *budget,
			 struct rpt_timestamp when,
			 const struct pd_namespaces *record);
/* Sort by task and time and number the namespaces; after the last record. */
void rpt_cgroup_nses_sort(struct rpt_cgroup_nses *all);
/* Free all. */
void rpt_cgroup_nses_release(struct rpt_cgroup_nses *all);

/* Return the number of the namespace that the task was in; 0 if none is known.
 * Equal namespaces have equal numbers, which rise by device and inode. */
uint32_t rpt_cgroup_ns_number(const struct rpt_timeline *tl, uint32_t tid,
			      struct rpt_timestamp when);
/* Return the namespace of a number; { 0, 0 } for number 0. */
struct rpt_cgroup_ns rpt_cgroup_ns_of(const struct rpt_timeline *tl,
				      uint32_t number);

#endif
