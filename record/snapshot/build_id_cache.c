#include "record/snapshot/build_id_cache.h"

#include <search.h>
#include <stdlib.h>

struct known_file {
	uint64_t key[3]; /* inode, generation, device */
	struct rec_build_id id;
};

static int compare_keys(const void *va, const void *vb)
{
	const struct known_file *a = va, *b = vb;

	for (int i = 0; i < 3; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return 0;
}

void rec_build_id_cache_release(struct rec_build_id_cache *cache)
{
	tdestroy(cache->root, free);
	*cache = (struct rec_build_id_cache)REC_BUILD_ID_CACHE_INIT;
}

struct rec_build_id *rec_build_id_cache_get(struct rec_build_id_cache *cache,
					    uint32_t maj, uint32_t min,
					    uint64_t ino,
					    uint64_t ino_generation)
{
	const struct known_file key = { .key = { ino, ino_generation,
						 (uint64_t)maj << 32 | min } };
	struct known_file **found = tfind(&key, &cache->root, compare_keys);
	struct known_file *entry;

	if (found)
		return &(*found)->id;
	entry = malloc(sizeof(*entry));
	if (!entry)
		return NULL;
	*entry = key;
	entry->id.len = REC_BUILD_ID_UNKNOWN;
	if (!tsearch(entry, &cache->root, compare_keys)) {
		free(entry);
		return NULL;
	}
	cache->nr++;
	return &entry->id;
}
