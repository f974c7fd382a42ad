/* string_ranks.h: replaces names by numbers in the order of strcmp(), so that
 * many comparisons of few names are comparisons of numbers.
 *
 *	rpt_string_ranks_number()	for each name, as often as it comes
 *	rpt_string_ranks_compute()	once
 *	rpt_string_ranks_of()		equal names have equal ranks
 */
#ifndef RPT_STRING_RANKS_H
#define RPT_STRING_RANKS_H

#include "report/base/intern.h"

/* The rank of NULL: behind all others. */
#define RPT_NO_RANK UINT32_MAX

struct rpt_string_ranks {
	struct rpt_intern names; /* pointers to them */
	uint32_t *ranks;	 /* by number */
	const char *last_name;	 /* that was asked about */
	uint32_t last_number;
};

/* A zeroed struct is empty. */
void rpt_string_ranks_release(struct rpt_string_ranks *ranks);

/* Return the number of a name that stays where it is until the end;
 * RPT_NO_RANK for NULL. */
uint32_t rpt_string_ranks_number(struct rpt_string_ranks *ranks,
				 const char *name);

/* Compute the ranks of all names. */
void rpt_string_ranks_compute(struct rpt_string_ranks *ranks);

static inline uint32_t rpt_string_ranks_of(const struct rpt_string_ranks *ranks,
					   uint32_t number)
{
	return number == RPT_NO_RANK ? RPT_NO_RANK : ranks->ranks[number];
}

#endif
