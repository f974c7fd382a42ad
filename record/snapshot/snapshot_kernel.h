/* snapshot_kernel.h: the records of what is not a task. */
#ifndef REC_SNAPSHOT_KERNEL_H
#define REC_SNAPSHOT_KERNEL_H

#include "format/buf.h"
#include "record/snapshot/snapshot.h"

/* The kernel's own map and one per module.  A machine that hides its addresses
 * has none; stats->kernel_hidden says so. */
void rec_put_kernel_maps(const struct rec_snapshot_conf *conf,
			 struct rec_snapshot_stats *stats, struct pd_buf *out);

/* One CGROUP per control group of the hierarchy that perf events belong to:
 * perf_event's of cgroup v1, else v2's. */
void rec_put_cgroups(const struct rec_snapshot_conf *conf, struct pd_buf *out);

/* KSYMBOL and BPF_EVENT of each loaded BPF program; none without the right to
 * see them. */
void rec_put_bpf_programs(const struct rec_snapshot_conf *conf,
			  struct pd_buf *out);

#endif
