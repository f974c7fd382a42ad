/* live_process.h: the records of one process, for live_tasks.c.
 *
 * Records with the pid of the kernel are one process as well: its maps, the
 * code that it made at run time, and the names of control groups.
 */
#ifndef RPT_LIVE_PROCESS_H
#define RPT_LIVE_PROCESS_H

#include "format/base/buf.h"
#include "format/records/record_body.h"

#define RPT_LIVE_KERNEL UINT32_MAX

struct rpt_live_record {
	uint64_t time_ns;
	uint64_t seq;	/* the order in which records came */
	uint64_t start; /* of a map or of code; the id of a control group */
	uint64_t end;
	uint32_t tid;
	uint32_t ppid; /* of a FORK */
	uint32_t ptid;
	uint16_t type;
	bool is_exec;	    /* a COMM */
	bool is_unregister; /* a KSYMBOL */
	bool is_dropped;    /* while it is settled */
	bool swap;	    /* the byte order of data */
	uint16_t len;
	uint8_t *data; /* owned */
};

struct rpt_live_process {
	uint32_t pid;
	struct rpt_live_record *records; /* owned */
	uint32_t nr;
	uint32_t cap;
	bool is_unsorted;
	bool is_touched;     /* it may have records behind the horizon */
	bool is_leader_gone; /* its first thread has ended */
	struct rpt_live_process *next;
};

/* Add a copy of a record, whose data is the caller's. */
void rpt_live_process_add(struct rpt_live_process *process,
			  const struct rpt_live_record *rec);
void rpt_live_process_free(struct rpt_live_process *process);

/* Sort the records by time and the order in which they came. */
void rpt_live_process_sort(struct rpt_live_process *process);

/* Replace the FORK of a process, which has that seq, by what the parent (NULL:
 * nothing is known of it) had then: its name and its maps. */
void rpt_live_process_adopt(struct rpt_live_process *process, uint64_t fork_seq,
			    struct rpt_live_process *parent);

/* Drop what is older than the horizon and has no effect on later times.  Return
 * false if nothing is left of the process: it has ended. */
bool rpt_live_process_settle(struct rpt_live_process *process,
			     uint64_t horizon_ns);

#endif
