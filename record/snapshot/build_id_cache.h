/* build_id_cache.h: build-ids of files that were seen before.
 *
 * A host runs the same few hundred libraries in all its processes; each file,
 * known by device, inode and
 * generation (0 where that is not told), is asked for its build-id once.  That
 * a file has none is kept as well.  One cache a thread; no lock.
 */
#ifndef REC_BUILD_ID_CACHE_H
#define REC_BUILD_ID_CACHE_H

#include "record/base/elf_note.h"

struct rec_build_id_entry {
	uint64_t ino;
	uint64_t ino_generation;
	uint32_t maj;
	uint32_t min;
	struct rec_build_id id;
	bool used;
};

struct rec_build_id_cache {
	struct rec_build_id_entry *entries; /* owned; cap of them */
	size_t cap;			    /* a power of two, or 0 */
	size_t nr;
};

#define REC_BUILD_ID_CACHE_INIT \
	{                       \
		.entries = NULL \
	}

void rec_build_id_cache_release(struct rec_build_id_cache *cache);

/* The entry of that file, to be filled by the caller if *is_new.  NULL when out
 * of memory.  Good until the next call. */
struct rec_build_id *rec_build_id_cache_get(struct rec_build_id_cache *cache,
					    uint32_t maj, uint32_t min,
					    uint64_t ino,
					    uint64_t ino_generation,
					    bool *is_new);

#endif
