/* memory.h: memory that is always there, and the budget of a recording.
 *
 * If the machine has no memory left, the program ends with an error
 * (shortage.h): nothing here returns NULL, and callers need no way out.  The
 * same holds for arena.h and intern.h.
 *
 * A budget limits what is made of one recording's records, by the recording's
 * length (PD_LIMIT_MEMORY_LEN), so that a small hostile file cannot fill the
 * machine.  Arenas, tables of intern.h and rpt_grow_within() charge the budget
 * with what they allocate.  Once it is spent, a table that it limits takes no
 * new key (-EFBIG), and loops over records stop at rpt_budget_is_spent(); all
 * else goes on, so that what was begun is finished.
 */
#ifndef RPT_MEMORY_H
#define RPT_MEMORY_H

#include "format/support/safe_text.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return len bytes that are not zeroed; free() frees them. */
void *rpt_alloc(size_t len);
/* Return nr zeroed items. */
void *rpt_alloc_zeroed(size_t nr, size_t item_len);
/* Resize an array, which may be NULL, to nr items.  Return where it is now. */
void *rpt_realloc_array(void *items, size_t nr, size_t item_len);
/* Return a copy of len bytes, with a NUL behind them. */
char *rpt_alloc_text(const char *text, size_t len);
/* Return a copy as it is printed (safe_text.h), NUL-terminated. */
char *rpt_alloc_safe(const char *text, size_t len, enum sup_safe kind);

/* Make room for item nr of an array that has room for *cap items; *cap doubles
 * if need be.  Return where the array is now. */
void *rpt_grow(void *items, uint32_t *cap, uint32_t nr, size_t item_len);

/* Have freed memory returned to the system in time: the thresholds of glibc
 * would rise to the longest block that was ever freed, in each thread.  Up to
 * 4 MiB stay, for the next compressed frame.  Called by main() at the start. */
void rpt_freed_memory_limit(void);
/* Return what was freed until now.  Other C libraries than glibc decide on both
 * themselves. */
void rpt_freed_memory_return(void);

/* Any thread may charge. */
struct rpt_budget {
	atomic_int_least64_t left; /* bytes; negative: it is overdrawn */
	atomic_bool is_spent;	   /* something did not find budget */
};

/* The same as rpt_grow(), charged to the budget, which may be NULL. */
void *rpt_grow_within(struct rpt_budget *budget, void *items, uint32_t *cap,
		      uint32_t nr, size_t item_len);

/* Set what is left of the budget. */
static inline void rpt_budget_set(struct rpt_budget *budget, uint64_t len)
{
	atomic_store(&budget->left, len < INT64_MAX ? (int64_t)len : INT64_MAX);
}

/* Take len bytes from the budget, even if it has not so many.  Safe on NULL. */
static inline void rpt_budget_charge(struct rpt_budget *budget, uint64_t len)
{
	if (budget)
		atomic_fetch_sub_explicit(&budget->left, (int64_t)len,
					  memory_order_relaxed);
}

/* Give len bytes back to the budget.  Safe on NULL. */
static inline void rpt_budget_give(struct rpt_budget *budget, uint64_t len)
{
	if (budget)
		atomic_fetch_add_explicit(&budget->left, (int64_t)len,
					  memory_order_relaxed);
}

/* Return whether nothing is left.  budget->is_spent becomes true then, as the
 * caller will leave something out.  False for NULL. */
static inline bool rpt_budget_is_spent(struct rpt_budget *budget)
{
	if (!budget ||
	    atomic_load_explicit(&budget->left, memory_order_relaxed) > 0)
		return false;
	atomic_store_explicit(&budget->is_spent, true, memory_order_relaxed);
	return true;
}

/* Return how many bytes are left; 0 if it is overdrawn. */
static inline uint64_t rpt_budget_left(const struct rpt_budget *budget)
{
	int64_t left =
		atomic_load_explicit(&budget->left, memory_order_relaxed);

	return left > 0 ? (uint64_t)left : 0;
}

/* Take len bytes from the budget if it has so many; else return false. */
static inline bool rpt_budget_take(struct rpt_budget *budget, uint64_t len)
{
	int64_t left =
		atomic_load_explicit(&budget->left, memory_order_relaxed);

	while (left >= 0 && (uint64_t)left >= len)
		if (atomic_compare_exchange_weak_explicit(
			    &budget->left, &left, left - (int64_t)len,
			    memory_order_relaxed, memory_order_relaxed))
			return true;
	atomic_store_explicit(&budget->is_spent, true, memory_order_relaxed);
	return false;
}

#endif
