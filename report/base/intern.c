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

/* The upper half of a hash is kept in the slot: most other keys are told from
 * this one without a look at them. */
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

/* Where a key of that mark belongs among slots_nr, a power of 2: marks and
 * places rise together, so that a table is copied from one end to the other. */
static uint32_t place_of(uint32_t mark, uint32_t slots_nr)
{
	return (uint32_t)((uint64_t)mark * slots_nr >> 32);
}

/* Free ones.  Not of calloc(): pages that are read first and then written are
 * two faults each. */
static uint64_t *new_slots(uint32_t slots_nr)
{
	uint64_t *slots = reallocarray(NULL, slots_nr, sizeof(*slots));

	return slots ? memset(slots, 0, slots_nr * sizeof(*slots)) : NULL;
}

static bool grow_slots(struct rpt_intern *table)
{
	uint32_t slots_nr =
		table->slots_nr ? table->slots_nr * 2 : SLOTS_NR_MIN;
	uint64_t *slots = table->is_sealed ? NULL : new_slots(slots_nr);

	if (!slots)
		return false;
	for (uint32_t i = 0; i < table->slots_nr; i++) {
		uint64_t slot = table->slots[i];
		uint32_t at = place_of(mark_of(slot), slots_nr);

		if (!slot)
			continue;
		while (slots[at])
			at = (at + 1) & (slots_nr - 1);
		slots[at] = slot;
	}
	free(table->slots);
	table->slots = slots;
	table->slots_nr = slots_nr;
	return true;
}

static bool grow_entries(struct rpt_intern *table)
{
	struct rpt_intern_entry *entries = rpt_grow(
		table->entries, &table->cap, table->nr, sizeof(*entries));

	if (!entries)
		return false;
	table->entries = entries;
	return true;
}

static const void *copy_key(struct rpt_intern *table, const void *key,
			    size_t len)
{
	void *copy;

	if (!table->is_bytes)
		return rpt_arena_copy(&table->keys, key, len);
	copy = rpt_arena_alloc(&table->keys, len);
	return copy ? memcpy(copy, key, len) : NULL;
}

/* is_lent: the key stays where it is. */
static int64_t append(struct rpt_intern *table, struct rpt_intern_entry entry,
		      bool is_lent)
{
	if (table->nr >= KEYS_NR_MAX)
		return -EFBIG;
	if (!grow_entries(table))
		return -ENOMEM;
	if (!is_lent)
		entry.key = copy_key(table, entry.key, entry.len);
	if (!entry.key)
		return -ENOMEM;
	table->entries[table->nr] = entry;
	return table->nr++;
}

/* The slot of key, or the free one where it belongs. */
static uint32_t slot_of(const struct rpt_intern *table,
			const struct rpt_intern_entry *want)
{
	uint32_t at = place_of(want->mark, table->slots_nr);
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
		      const struct rpt_intern_entry *entry, bool is_lent)
{
	uint32_t at;
	int64_t idx;

	if (table->nr >= table->slots_nr / 4 * 3 && !grow_slots(table))
		return -ENOMEM;
	at = slot_of(table, entry);
	if (table->slots[at])
		return idx_of(table->slots[at]);
	idx = append(table, *entry, is_lent);
	if (idx >= 0)
		table->slots[at] = slot_for(entry->mark, (uint32_t)idx);
	return idx;
}

/* -1: it is not there. */
static int64_t find(const struct rpt_intern *table,
		    const struct rpt_intern_entry *entry)
{
	uint32_t at;

	if (!table->slots_nr)
		return -1;
	at = slot_of(table, entry);
	return table->slots[at] ? (int64_t)idx_of(table->slots[at]) : -1;
}

int64_t rpt_intern_lent(struct rpt_intern *table,
			const struct rpt_intern_entry *entry)
{
	return number(table, entry, true);
}

int64_t rpt_intern_lent_last(struct rpt_intern *table,
			     const struct rpt_intern_entry *entry)
{
	int64_t idx = find(table, entry);

	if (idx >= 0)
		return idx;
	return append(table, *entry, true);
}

void rpt_intern_seal(struct rpt_intern *table)
{
	free(table->slots);
	table->slots = NULL;
	table->slots_nr = 0;
	table->is_sealed = true;
}

/* Where most of them are new, all that from has is taken over; else its memory
 * would be worth less than what it costs. */
int rpt_intern_settle(struct rpt_intern *table, struct rpt_intern *from,
		      uint32_t first)
{
	if (table->nr - first > from->nr / 2) {
		rpt_arena_move(&table->keys, &from->keys);
		return 0;
	}
	for (uint32_t i = first; i < table->nr; i++) {
		struct rpt_intern_entry *entry = &table->entries[i];

		entry->key = copy_key(table, entry->key, entry->len);
		if (!entry->key)
			return -ENOMEM;
	}
	return 0;
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

	return len > UINT32_MAX ? -1 : find(table, &want);
}

void rpt_intern_fetch_entry(const struct rpt_intern *table,
			    const struct rpt_intern_entry *entry)
{
	uint32_t at = place_of(entry->mark, table->slots_nr);

	if (table->slots_nr)
		rpt_cpu_prefetch(&table->slots[at]);
}

void rpt_intern_fetch(const struct rpt_intern *table, const void *key,
		      size_t len)
{
	struct rpt_intern_entry want = entry_of(key, len);

	rpt_intern_fetch_entry(table, &want);
}

void rpt_intern_close(struct rpt_intern *table)
{
	uint32_t nr = table->nr;

	rpt_intern_release(table);
	table->nr = nr;
}

void rpt_intern_release(struct rpt_intern *table)
{
	rpt_arena_release(&table->keys);
	free(table->entries);
	free(table->slots);
	*table = (struct rpt_intern){ 0 };
}

void *rpt_grow(void *items, uint32_t *cap, uint32_t nr, size_t item_len)
{
	uint32_t more = *cap ? *cap * 2 : 64;
	void *grown;

	if (nr < *cap)
		return items;
	grown = reallocarray(items, more, item_len);
	if (grown)
		*cap = more;
	return grown;
}
