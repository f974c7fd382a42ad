/* sample_value.h: reads the numbers of a sample by which rows can differ:
 * weights, sizes of pages, the cgroup ...
 */
#ifndef RPT_SAMPLE_VALUE_H
#define RPT_SAMPLE_VALUE_H

#include "format/base/err.h"
#include "format/reader/reader.h"
#include "format/records/sample.h"
#include "report/events/wait_state.h"
#include "report/timeline/timeline.h"

enum rpt_value {
	RPT_VALUE_SOCKET, /* of its CPU; ~0: not known */
	RPT_VALUE_WEIGHT,
	RPT_VALUE_INS_LAT,
	RPT_VALUE_STAGE_CYC, /* cycles of a pipeline stage; on x86 until it
			      * retired */
	RPT_VALUE_CGROUP,
	RPT_VALUE_UNIT,	     /* const char *, rpt_timeline_unit(), or 0 */
	RPT_VALUE_CGROUP_NS, /* number of the task's, cgroup_ns.h */
	RPT_VALUE_TGID,	     /* of its process; 0: it is idle */
	RPT_VALUE_PROCESS,   /* const char *, rpt_timeline_process() */
	RPT_VALUE_CODE_PAGE,
	RPT_VALUE_TIME, /* rounded down to the quantum */
	RPT_VALUE_TRANSACTION,
	/* of a memory access; from LEVEL on the parts of its data source, with
	 * the bits that their texts show (data_src.h) */
	RPT_VALUE_DATA_ADDR,
	RPT_VALUE_PHYS_ADDR,
	RPT_VALUE_DATA_PAGE,
	RPT_VALUE_LEVEL,
	RPT_VALUE_SNOOP,
	RPT_VALUE_TLB,
	RPT_VALUE_LOCK,
	RPT_VALUE_BLOCK,
	/* of an interval without a CPU: wait_state.h */
	RPT_VALUE_WAIT_STATE,
	RPT_VALUE_WAKER,     /* const char *, of the timeline; 0: unknown */
	RPT_VALUE_WAKER_TID, /* RPT_WAKER_* or a thread id */
	RPT_VALUE_PARALLELISM,
	RPT_VALUES_NR,
};

/* The quantum of rows that differ by time, as in perf: 100 ms. */
#define RPT_TIME_QUANTUM_NS UINT64_C(100000000)

/* The socket of each CPU.  A zeroed table is empty. */
struct rpt_sockets {
	uint32_t *of_cpu; /* owned */
	uint32_t cpu_nr;
};

/* Read the table from the file's header; without it the table stays empty. */
void rpt_sockets_read(struct rpt_sockets *sockets, struct pd_reader *reader);
/* Free the table. */
void rpt_sockets_release(struct rpt_sockets *sockets);

/* Return the socket of the sample's CPU; UINT32_MAX: it is not known. */
uint32_t rpt_socket_of(const struct rpt_sockets *sockets,
		       const struct pd_sample *sample);

/* The context on which values depend besides the sample. */
struct rpt_value_conf {
	const struct rpt_sockets *sockets; /* NULL: no value needs it */
	uint64_t quantum_ns;		   /* of RPT_VALUE_TIME; 0: the usual */
	const struct rpt_timeline *timeline;
	const struct rpt_wait *wait; /* NULL: the task was on a CPU */
	uint32_t parallelism; /* how many threads ran then; 0: not counted, or
			       * none */
};

/* Return a value of a sample; when is the sample's. */
uint64_t rpt_value_of(enum rpt_value value, const struct pd_sample *sample,
		      struct rpt_timestamp when,
		      const struct rpt_value_conf *conf);

/* Return the part of a value that distinguishes rows.  As in perf that can be
 * less than what is shown of the row's first sample.  It is nothing of a data
 * address: rows.h compares the symbol there. */
uint64_t rpt_value_key(enum rpt_value value, uint64_t v);

/* Compare two values by the order of rows.  Return <0, 0 or >0. */
int rpt_value_compare(enum rpt_value value, uint64_t a, uint64_t b);

/* Return the weight of a branch that counts as a sample: its cycles. */
static inline uint64_t rpt_branch_weight(const struct pd_branch *branch)
{
	uint64_t cycles = branch->flags >> 4 & 0xffff;

	return cycles ? cycles : 1;
}

#endif
