/* sample_value.h: numbers of a sample that rows can be told apart by, as they
 * are in its record: weights, sizes of pages, the cgroup ...
 */
#ifndef RPT_SAMPLE_VALUE_H
#define RPT_SAMPLE_VALUE_H

#include "format/err.h"
#include "format/reader.h"
#include "format/sample.h"

enum rpt_value {
	RPT_VALUE_SOCKET, /* of its CPU; ~0: not known */
	RPT_VALUE_WEIGHT,
	RPT_VALUE_INS_LAT,
	RPT_VALUE_CGROUP,
	RPT_VALUE_CODE_PAGE,
	RPT_VALUE_TIME, /* rounded down to the quantum */
	RPT_VALUES_NR,
};

/* Samples of 100 ms are one where rows are told apart by time, as in perf. */
#define RPT_TIME_QUANTUM_NS UINT64_C(100000000)

/* Which CPU is in which socket; a zeroed table knows of none. */
struct rpt_sockets {
	uint32_t *of_cpu; /* owned */
	uint32_t cpu_nr;
};

/* Out of the file's header, if it is there.  0 or -ENOMEM. */
int rpt_sockets_read(struct rpt_sockets *sockets, struct pd_reader *reader);
void rpt_sockets_release(struct rpt_sockets *sockets);

/* UINT32_MAX: not known. */
uint32_t rpt_socket_of(const struct rpt_sockets *sockets,
		       const struct pd_sample *sample);

/* sockets may be NULL where that is not asked for. */
uint64_t rpt_value_of(enum rpt_value value, const struct pd_sample *sample,
		      const struct rpt_sockets *sockets);

/* Below 0, 0, above 0: in the order of rows. */
int rpt_value_compare(enum rpt_value value, uint64_t a, uint64_t b);

#endif
