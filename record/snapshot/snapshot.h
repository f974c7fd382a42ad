/* snapshot.h: records of what already runs, before the first sample.
 *
 * The kernel reports only changes after the events are open.  The state before
 * that is read from /proc and written as the kernel's own records, at time 0:
 *
 *	kernel map, module maps		always
 *	KSYMBOL, BPF_EVENT		each loaded BPF program
 *	CGROUP				each control group
 *	FORK NAMESPACES COMM MMAP2...	each task
 *
 * Each record ends in id_len zero bytes, the sample_id trailer of an event with
 * neither time nor id. perf reads records of time 0 in the order of the file.
 * A task that ends while it is read is left out.
 *
 * Source: what perf 6.1 wrote on the same machine (tests/peer compares), and
 * FORMAT-FACTS of the issue; the kernel's records of the same types are
 * described in perf_event_open(2).
 */
#ifndef REC_SNAPSHOT_H
#define REC_SNAPSHOT_H

#include "format/base/err.h"
#include "record/base/read_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --synth: which of the records below are wanted.  The maps of the kernel and
 * its modules are always written, as by perf; MMAP includes the tasks. */
enum {
	REC_SYNTH_NO = 0,
	REC_SYNTH_TASK = 1 << 0,   /* FORK, NAMESPACES, COMM */
	REC_SYNTH_MMAP = 1 << 1,   /* and MMAP2 */
	REC_SYNTH_CGROUP = 1 << 2, /* CGROUP, with want_cgroups */
	REC_SYNTH_ALL = 7,
};

/* Parse "no", "all", or a comma-separated list of task, mmap, cgroup.  Return
 * -EINVAL for anything else. */
int rec_synth_parse(const char *text, unsigned *ret, struct pd_err *err);

/* Takes one or more whole records, in order; always called from the thread that
 * called rec_snapshot().  A return value other than 0 ends the snapshot, which
 * returns it. */
typedef int rec_emit_fn(void *ctx, const void *records, size_t len);

struct rec_snapshot_conf {
	struct rec_sysroots roots;
	unsigned synth;	      /* REC_SYNTH_* */
	size_t id_len;	      /* of the sample_id trailer; 0: none */
	bool build_id;	      /* MMAP2 with build-ids (attr.build_id) */
	bool want_kernel;     /* kernel and modules; false: --all-user */
	bool want_bpf;	      /* KSYMBOL and BPF_EVENT */
	bool want_namespaces; /* --namespaces */
	bool want_cgroups;    /* --all-cgroups */
	bool want_data_maps;  /* -d: all readable mappings */
	/* The threads to record, as given to perf_event_open(); if there are
	 * none, all tasks are.  A thread's process is included: its name and
	 * its maps are written once. */
	const pid_t *tids;
	size_t tid_nr;
	unsigned worker_nr; /* threads that read /proc; 0: by CPUs and load */
};

/* The counts that are reported to the user. */
struct rec_snapshot_stats {
	size_t task_nr;	    /* threads recorded */
	size_t map_nr;	    /* MMAP2 records of theirs */
	size_t gone_nr;	    /* ended while they were read */
	size_t denied_nr;   /* processes whose maps we may not read */
	bool kernel_hidden; /* no kernel map: kptr_restrict hides addresses */
};

/* Write the snapshot. stats may be NULL.  Return -ENOENT if proc does not
 * exist. */
int rec_snapshot(const struct rec_snapshot_conf *conf, rec_emit_fn *emit,
		 void *ctx, struct rec_snapshot_stats *stats,
		 struct pd_err *err);

/* Write COMM (named comm) and NAMESPACES of a workload that waits for its exec:
 * the kernel reported its fork before the events were open. */
int rec_snapshot_workload(const struct rec_snapshot_conf *conf, pid_t pid,
			  const char *comm, rec_emit_fn *emit, void *ctx);

#endif
