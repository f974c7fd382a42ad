/* function_merge.h: functions of several recordings as one run has them.
 *
 * Within one recording a function is its range of addresses in a DSO, as in
 * perf.  Other machines have other builds of the same program, and a kernel
 * lies elsewhere after each boot: there a function is the same where its name
 * and its DSO's are, but
 *   - two functions of one recording never become one: of several that share a
 *     name (static ones) each finds one of the other recording's;
 *   - files with equal build-ids are one build: addresses decide.
 */
#ifndef RPT_FUNCTION_MERGE_H
#define RPT_FUNCTION_MERGE_H

#include "report/base/intern.h"

/* Up to input without padding, since that is hashed. */
struct rpt_place {
	uint64_t start; /* of the symbol */
	uint64_t end;
	uint32_t dso;	  /* number of its shown name */
	uint32_t name;	  /* number of the symbol's */
	uint32_t inlined; /* of the function merged into it; 0: none */
	uint32_t input;	  /* 0, 1 ... for the recordings */
	uint32_t build; /* number of its file's build-id; 0: not known, or of no
			 * account */
};

struct rpt_function_merge {
	struct rpt_intern exact;  /* struct rpt_place, up to input ... */
	uint32_t *place_of_exact; /* ... and what it is */
	uint32_t exact_cap;
	struct rpt_intern names; /* (dso, name, inlined) ... */
	uint32_t *first_of_name; /* ... and its places, + 1; 0: none */
	uint32_t names_cap;
	struct rpt_intern taken; /* (place, input) */
	struct rpt_named_place *places;
	uint32_t nr;
	uint32_t cap;
	struct rpt_intern builds; /* for callers: build-ids of files */
};

/* Return the number of a place that a recording has.  A zeroed merge is
 * empty. */
uint32_t rpt_function_merge_number(struct rpt_function_merge *merge,
				   const struct rpt_place *place);
void rpt_function_merge_release(struct rpt_function_merge *merge);

#endif
