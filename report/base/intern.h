/* intern.h: numbers byte strings 0, 1, 2 ...; equal ones have one number.
 *
 * Names, frames, call chains and rows become numbers once, which are compared
 * instead.  Keys are copied and found by XXH3 with a seed
 * (hash_seed.h).  A zeroed struct is an empty table.  All memory is charged
 * to keys.budget, if that is set, and no new key is taken once limit is spent.
 */
#ifndef RPT_INTERN_H
#define RPT_INTERN_H

#include "report/base/arena.h"

struct rpt_intern_entry {
	const void *key;
	uint32_t len;
	uint32_t mark; /* upper half of its hash */
};

struct rpt_intern {
	struct rpt_arena keys;
	struct rpt_budget *limit;	  /* the caller's; NULL: none */
	struct rpt_intern_entry *entries; /* nr of them, by number */
	uint32_t nr;
	uint32_t cap;
	bool is_bytes;	 /* set by the caller: no NUL is put behind keys */
	uint64_t *slots; /* upper half of the hash, number + 1; 0: free */
	uint32_t slots_nr;
};

/* Return the number of key, a new one (the old nr) at its first time; or
 * -EFBIG if the limit is spent, for a key of 4 GiB, or beyond 2^30 keys. */
int64_t rpt_intern(struct rpt_intern *table, const void *key, size_t len);

/* The same for a key of another table, whose hash is known.  The key is not
 * copied before rpt_intern_own(). */
int64_t rpt_intern_share(struct rpt_intern *table,
			 const struct rpt_intern_entry *entry);
/* Make the keys from number first on, which from shares, table's own.  from is
 * only to be released then. */
void rpt_intern_own(struct rpt_intern *table, struct rpt_intern *from,
		    uint32_t first);

/* Return the number of key, or -1 if it is not in the table. */
int64_t rpt_intern_find(const struct rpt_intern *table, const void *key,
			size_t len);

/* Begin to fetch the slot that rpt_intern() of this key will look at. */
void rpt_intern_prefetch(const struct rpt_intern *table, const void *key,
			 size_t len);

/* Return the copied key, aligned to 8, with a NUL behind it unless is_bytes is
 * set. */
static inline const void *rpt_intern_key(const struct rpt_intern *table,
					 uint32_t idx)
{
	return table->entries[idx].key;
}

/* Free all memory, but leave table->nr as it is. */
void rpt_intern_close(struct rpt_intern *table);
/* Free all memory. */
void rpt_intern_release(struct rpt_intern *table);

#endif
