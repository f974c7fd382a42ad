/* intern.h: byte strings numbered 0, 1, 2 ..., equal ones alike.
 *
 * One table serves names, frames, call chains and rows: what is compared often
 * becomes a number once.  Keys are copied and found by XXH3 with a seed
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
	bool is_sealed;	 /* rpt_intern_seal() */
	uint64_t *slots; /* upper half of the hash, number + 1; 0: free */
	uint32_t slots_nr;
};

/* Return the number of key, a new one (the old nr) at its first time; or
 * -EFBIG if the limit is spent, for a key of 4 GiB, or beyond 2^30 keys. */
int64_t rpt_intern(struct rpt_intern *table, const void *key, size_t len);

/* The same for a key of another table, whose hash is known; it is not copied
 * before rpt_intern_settle(). */
int64_t rpt_intern_share(struct rpt_intern *table,
			 const struct rpt_intern_entry *entry);
/* The same where the keys of that table, all different, are the last ones: they
 * are not found again.  To be followed by rpt_intern_seal(). */
int64_t rpt_intern_shared_last(struct rpt_intern *table,
			       const struct rpt_intern_entry *entry);
/* The keys from number first on, which that table shares, become table's own;
 * from is only to be released then. */
void rpt_intern_settle(struct rpt_intern *table, struct rpt_intern *from,
		       uint32_t first);

/* No key is asked for any more: what finds them goes, keys and numbers stay. */
void rpt_intern_seal(struct rpt_intern *table);

/* The number of key if it is in the table, else -1. */
int64_t rpt_intern_find(const struct rpt_intern *table, const void *key,
			size_t len);

/* Begin to fetch the slot that rpt_intern() of this key will look at. */
void rpt_intern_prefetch(const struct rpt_intern *table, const void *key,
			 size_t len);

/* Begin to fetch the slot of an entry of another table that will be asked for
 * soon, as the merge of threads' tables does. */
void rpt_intern_fetch_entry(const struct rpt_intern *table,
			    const struct rpt_intern_entry *entry);

/* The copied key, aligned to 8, and NUL terminated but with is_bytes. */
static inline const void *rpt_intern_key(const struct rpt_intern *table,
					 uint32_t idx)
{
	return table->entries[idx].key;
}

/* Gives all memory back; of the table only nr stays, for who counts by it. */
void rpt_intern_close(struct rpt_intern *table);

void rpt_intern_release(struct rpt_intern *table);

#endif
