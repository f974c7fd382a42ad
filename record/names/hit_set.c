#include "record/names/hit_set.h"

#include "format/base/search.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { FIRST_CAP = 64 };

/* A number that other processes do not know: a program chooses the addresses in
 * its call chains, and must not choose slots by them.  The kernel gives each
 * process sixteen random bytes, getauxval(3). */
static uint64_t secret(void)
{
	const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
	uint64_t ret = 0;

	if (random)
		memcpy(&ret, random, sizeof(ret));
	return ret;
}

/* Mixes as the end of MurmurHash3 does. */
static size_t slot_of(const struct rec_hit_set *set, uint64_t key)
{
	uint64_t hash = key ^ set->secret;

	hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
	hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return (size_t)(hash ^ hash >> 33) & (set->cap - 1);
}

/* Return the slot that holds key, or the free one for it. */
static uint64_t *find_slot(const struct rec_hit_set *set, uint64_t key)
{
	size_t i = slot_of(set, key);

	while (set->slots[i] && set->slots[i] != key)
		i = (i + 1) & (set->cap - 1);
	return &set->slots[i];
}

static bool grow(struct rec_hit_set *set, size_t *budget)
{
	struct rec_hit_set more = {
		.cap = set->cap ? 2 * set->cap : FIRST_CAP,
		.nr = set->nr,
		.secret = set->cap ? set->secret : secret(),
	};
	size_t len = (more.cap - set->cap) * sizeof(*set->slots);

	if (len > *budget)
		return false;
	more.slots = calloc(more.cap, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (size_t i = 0; i < set->cap; i++)
		if (set->slots[i])
			*find_slot(&more, set->slots[i]) = set->slots[i];
	free(set->slots);
	*set = more;
	*budget -= len;
	return true;
}

bool rec_hit_set_add(struct rec_hit_set *set, uint64_t addr, size_t *budget)
{
	uint64_t *slot;

	if (set->nr >= set->cap / 2 && !grow(set, budget))
		return false;
	slot = find_slot(set, addr + 1);
	if (!*slot)
		set->nr++;
	*slot = addr + 1;
	return true;
}

void rec_hit_set_move(struct rec_hit_set *from, struct rec_hit_set *set,
		      size_t *budget)
{
	for (size_t i = 0; i < from->cap; i++)
		if (from->slots[i])
			rec_hit_set_add(set, from->slots[i] - 1, budget);
	*budget += from->cap * sizeof(*from->slots);
	rec_hit_set_release(from);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Move the addresses to items, which may be the set's own memory. */
static void list_sorted(const struct rec_hit_set *set, uint64_t *items)
{
	size_t nr = 0;

	for (size_t i = 0; i < set->cap; i++)
		if (set->slots[i])
			items[nr++] = set->slots[i] - 1;
	if (nr)
		qsort(items, nr, sizeof(*items), compare);
}

uint64_t *rec_hit_set_list(const struct rec_hit_set *set)
{
	uint64_t *ret = malloc((set->nr + 1) * sizeof(*ret));

	if (ret)
		list_sorted(set, ret);
	return ret;
}

const uint64_t *rec_hit_set_sort(struct rec_hit_set *set)
{
	list_sorted(set, set->slots);
	return set->slots;
}

void rec_hit_set_release(struct rec_hit_set *set)
{
	free(set->slots);
	*set = (struct rec_hit_set){ .slots = NULL };
}

size_t rec_hits_below(const uint64_t *hits, size_t nr, uint64_t addr)
{
	size_t at;

	PD_FIND_FIRST(at, nr, hits[at] >= addr);
	return at;
}
