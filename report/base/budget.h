/* budget.h: how much memory may be made of a recording's records.
 *
 * What is kept of each (a task, a map, a stack, a row) is taken from one
 * budget, which the length of the recording sets: PD_LIMIT_KEPT_LEN.  Numbers
 * are what it about takes until the end.  Any thread may take.
 */
#ifndef RPT_BUDGET_H
#define RPT_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rpt_budget {
	atomic_uint_least64_t left;
	atomic_bool is_spent; /* something was asked for in vain */
};

/* False: there is not so much left, and nothing was taken. */
static inline bool rpt_budget_take(struct rpt_budget *budget, uint64_t len)
{
	uint64_t left =
		atomic_load_explicit(&budget->left, memory_order_relaxed);

	while (left >= len)
		if (atomic_compare_exchange_weak_explicit(
			    &budget->left, &left, left - len,
			    memory_order_relaxed, memory_order_relaxed))
			return true;
	atomic_store_explicit(&budget->is_spent, true, memory_order_relaxed);
	return false;
}

/* Back again. */
static inline void rpt_budget_give(struct rpt_budget *budget, uint64_t len)
{
	atomic_fetch_add_explicit(&budget->left, len, memory_order_relaxed);
}

#endif
