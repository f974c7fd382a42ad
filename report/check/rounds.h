/* rounds.h: checks whether the FINISHED_ROUND markers of a file are true.
 *
 * The n-th marker says that no record up to the highest time seen at marker n -
 * 1 follows; a record behind it with a lower time is late.  Any marker may be
 * left out, which only costs the reader memory; one that a late record proves
 * wrong has to be left out.
 *
 *	rpt_rounds_time(&rounds, time_ns)	each record, in file order
 *	rpt_rounds_mark(&rounds)		each marker
 *	...
 *	rpt_rounds_is_good(&rounds)		each marker again, in order
 *	rpt_rounds_release(&rounds)
 */
#ifndef RPT_ROUNDS_H
#define RPT_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_round {
	uint64_t idx;	    /* of the marker in the file */
	uint64_t let_go_ns; /* no earlier record follows */
};

/* A zeroed struct is ready. */
struct rpt_rounds {
	struct rpt_round *good; /* owned: markers not proved wrong */
	uint32_t good_nr;
	uint32_t good_cap;
	uint64_t mark_nr;
	uint64_t max_ns;    /* seen so far */
	uint64_t seen_ns;   /* max_ns at the last marker */
	uint64_t let_go_ns; /* by all markers so far */
	uint64_t again_nr;  /* of rpt_rounds_is_good() */
	uint32_t again_idx;
};

/* Note a record's time; return true if it is late.  Records with a time of 0 or
 * UINT64_MAX have no place in the order and are never late. */
bool rpt_rounds_time(struct rpt_rounds *rounds, uint64_t time_ns);
/* Note a marker. */
void rpt_rounds_mark(struct rpt_rounds *rounds);
/* Return whether the next marker may stay; call it for each, in order. */
bool rpt_rounds_is_good(struct rpt_rounds *rounds);
void rpt_rounds_release(struct rpt_rounds *rounds);

#endif
