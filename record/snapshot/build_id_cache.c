#include "record/snapshot/build_id_cache.h"

#include <stdlib.h>

enum { FIRST_CAP = 256 };

void rec_build_id_cache_release(struct rec_build_id_cache *cache)
{
	if (!cache)
		return;
	free(cache->entries);
	*cache = (struct rec_build_id_cache)REC_BUILD_ID_CACHE_INIT;
}

/* Fibonacci hashing: the high bits of the product are well mixed. */
static size_t slot_of(uint32_t maj, uint32_t min, uint64_t ino, size_t cap)
{
	uint64_t h = ino ^ (uint64_t)maj << 52 ^ (uint64_t)min << 32;

	h *= UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h >> 32) & (cap - 1);
}

/* Where the file stands, or the free place where it belongs. */
static struct rec_build_id_entry *find(const struct rec_build_id_cache *cache,
				       uint32_t maj, uint32_t min, uint64_t ino,
				       uint64_t ino_generation)
{
	size_t i = slot_of(maj, min, ino, cache->cap);

	for (;; i = (i + 1) & (cache->cap - 1)) {
		struct rec_build_id_entry *e = &cache->entries[i];

		if (!e->used ||
		    (e->ino == ino && e->maj == maj && e->min == min &&
		     e->ino_generation == ino_generation))
			return e;
	}
}

static bool grow(struct rec_build_id_cache *cache)
{
	struct rec_build_id_cache bigger = {
		.cap = cache->cap ? cache->cap * 2 : FIRST_CAP,
		.nr = cache->nr,
	};

	bigger.entries = calloc(bigger.cap, sizeof(*bigger.entries));
	if (!bigger.entries)
		return false;
	for (size_t i = 0; i < cache->cap; i++) {
		const struct rec_build_id_entry *e = &cache->entries[i];

		if (e->used)
			*find(&bigger, e->maj, e->min, e->ino,
			      e->ino_generation) = *e;
	}
	free(cache->entries);
	*cache = bigger;
	return true;
}

struct rec_build_id *rec_build_id_cache_get(struct rec_build_id_cache *cache,
					    uint32_t maj, uint32_t min,
					    uint64_t ino,
					    uint64_t ino_generation,
					    bool *is_new)
{
	struct rec_build_id_entry *e;

	if (cache->nr * 2 >= cache->cap && !grow(cache))
		return NULL;
	e = find(cache, maj, min, ino, ino_generation);
	*is_new = !e->used;
	if (*is_new) {
		e->ino = ino;
		e->ino_generation = ino_generation;
		e->maj = maj;
		e->min = min;
		e->used = true;
		cache->nr++;
	}
	return &e->id;
}
