#include "report/base/intern.h"

#include "report/base/cpu_prefetch.h"
#include "report/base/hash_seed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define KEYS_NR_MAX ((uint32_t)1 << 30)

#define SLOTS_NR_MIN 256u

/* Hash a key.  The slot has the upper half of the hash, which is enough to tell
 * most other keys from this one. */
static struct rpt_intern_entry entry_of(const void *key, size_t len)
{
	uint64_t hash = XXH3_64bits_withSeed(key, len, rpt_hash_seed[0]);

	return (struct rpt_intern_entry){
		.key = key,
		.len = (uint32_t)len,
		.mark = (uint32_t)(hash >> 32),
	};
}

static uint64_t slot_for(uint32_t mark, uint32_t idx)
{
	return (uint64_t)mark << 32 | (idx + 1);
}

static uint32_t mark_of(uint64_t slot)
{
	return (uint32_t)(slot >> 32);
}

static uint32_t idx_of(uint64_t slot)
{
	return (uint32_t)slot - 1;
}

/* Return the first slot, of slots_nr, a power of 2, to look for a mark in.  It
 * rises with the mark, so that a table is copied from one end to the other. */
static uint32_t home_of(uint32_t mark, uint32_t slots_nr)
{
	return (uint32_t)((uint64_t)mark * slots_nr >> 32);
}

/* Return free slots.  With calloc(), pages that are read before they are
 * written would fault twice. */
static uint64_t *new_slots(uint32_t slots_nr)
{
	uint64_t *slots = rpt_realloc_array(NULL, slots_nr, sizeof(*slots));

	return memset(slots, 0, slots_nr * sizeof(*slots));
}

static void free_slots(struct rpt_intern *table)
{
	rpt_budget_give(table->keys.budget,
			table->slots_nr * sizeof(*table->slots));
	free(table->slots);
	table->slots = NULL;
	table->slots_nr = 0;
}

static void grow_slots(struct rpt_intern *table)
{
	uint32_t slots_nr =
		table->slots_nr ? table->slots_nr * 2 : SLOTS_NR_MIN;
	uint64_t *slots = new_slots(slots_nr);

	rpt_budget_charge(table->keys.budget, slots_nr * sizeof(*slots));
	for (uint32_t i = 0; i < table->slots_nr; i++) {
		uint64_t slot = table->slots[i];
		uint32_t at = home_of(mark_of(slot), slots_nr);

		if (!slot)
			continue;
		while (slots[at])
			at = (at + 1) & (slots_nr - 1);
		slots[at] = slot;
	}
	free_slots(table);
	table->slots = slots;
	table->slots_nr = slots_nr;
}

static const void *copy_key(struct rpt_intern *table, const void *key,
			    size_t len)
{
	if (!table->is_bytes)
		return rpt_arena_copy(&table->keys, key, len);
	return memcpy(rpt_arena_alloc(&table->keys, len), key, len);
}

/* Add an entry; if is_shared, its key is not copied. */
static int64_t append(struct rpt_intern *table, struct rpt_intern_entry entry,
		      bool is_shared)
{
	if (table->nr >= KEYS_NR_MAX || rpt_budget_is_spent(table->limit))
		return -EFBIG;
	table->entries =
		rpt_grow_within(table->keys.budget, table->entries, &table->cap,
				table->nr, sizeof(*table->entries));
	if (!is_shared)
		entry.key = copy_key(table, entry.key, entry.len);
	table->entries[table->nr] = entry;
	return table->nr++;
}

/* Return the slot of want, or the free one where it belongs. */
static uint32_t slot_of(const struct rpt_intern *table,
			const struct rpt_intern_entry *want)
{
	uint32_t at = home_of(want->mark, table->slots_nr);
	uint64_t slot;

	for (; (slot = table->slots[at]);
	     at = (at + 1) & (table->slots_nr - 1)) {
		const struct rpt_intern_entry *e;

		if (mark_of(slot) != want->mark)
			continue;
		e = &table->entries[idx_of(slot)];
		if (e->len == want->len &&
		    !memcmp(e->key, want->key, want->len))
			break;
	}
	return at;
}

static int64_t number(struct rpt_intern *table,
		      const struct rpt_intern_entry *entry, bool is_shared)
{
	uint32_t at;
	int64_t idx;

	if (table->nr >= table->slots_nr / 4 * 3)
		grow_slots(table);
	at = slot_of(table, entry);
	if (table->slots[at])
		return idx_of(table->slots[at]);
	idx = append(table, *entry, is_shared);
	if (idx >= 0)
		table->slots[at] = slot_for(entry->mark, (uint32_t)idx);
	return idx;
}

int64_t rpt_intern_share(struct rpt_intern *table,
			 const struct rpt_intern_entry *entry)
{
	return number(table, entry, true);
}

/* If most keys of from are new, take over its whole memory instead of copying
 * them. */
void rpt_intern_own(struct rpt_intern *table, struct rpt_intern *from,
		    uint32_t first)
{
	if (table->nr - first > from->nr / 2) {
		rpt_arena_move(&table->keys, &from->keys);
		return;
	}
	for (uint32_t i = first; i < table->nr; i++) {
		struct rpt_intern_entry *entry = &table->entries[i];

		entry->key = copy_key(table, entry->key, entry->len);
	}
}

int64_t rpt_intern(struct rpt_intern *table, const void *key, size_t len)
{
	struct rpt_intern_entry want = entry_of(key, len);

	return len > UINT32_MAX ? -EFBIG : number(table, &want, false);
}

int64_t rpt_intern_find(const struct rpt_intern *table, const void *key,
			size_t len)
{
	struct rpt_intern_entry want = entry_of(key, len);
	uint64_t slot = 0;

	if (table->slots_nr && len <= UINT32_MAX)
		slot = table->slots[slot_of(table, &want)];
	return slot ? (int64_t)idx_of(slot) : -1;
}

void rpt_intern_prefetch(const struct rpt_intern *table, const void *key,
			 size_t len)
{
	struct rpt_intern_entry entry = entry_of(key, len);

	if (table->slots_nr)
		rpt_cpu_prefetch(
			&table->slots[home_of(entry.mark, table->slots_nr)]);
}

void rpt_intern_close(struct rpt_intern *table)
{
	uint32_t nr = table->nr;

	rpt_intern_release(table);
	table->nr = nr;
}

void rpt_intern_release(struct rpt_intern *table)
{
	free_slots(table);
	rpt_budget_give(table->keys.budget,
			table->cap * sizeof(*table->entries));
	free(table->entries);
	rpt_arena_release(&table->keys);
	*table = (struct rpt_intern){ .keys.budget = table->keys.budget,
				      .limit = table->limit };
}
