/* build_id_cache.h: a cache of the build-ids of files.
 *
 * A host runs the same few hundred libraries in all its processes; each file,
 * known by device, inode and generation (0 if unknown), is read once.  A file
 * without a build-id is cached, too.  Each thread has its own cache, without a
 * lock.
 */
#ifndef REC_BUILD_ID_CACHE_H
#define REC_BUILD_ID_CACHE_H

#include "record/base/elf_note.h"

struct rec_build_id_cache {
	void *root; /* owned: a tree of tsearch(3) */
	size_t nr;
};

#define REC_BUILD_ID_CACHE_INIT \
	{                       \
		.root = NULL    \
	}

void rec_build_id_cache_release(struct rec_build_id_cache *cache);

/* Return the entry of that file, to be filled by the caller if *is_new, or NULL
 * if there is no memory. */
struct rec_build_id *rec_build_id_cache_get(struct rec_build_id_cache *cache,
					    uint32_t maj, uint32_t min,
					    uint64_t ino,
					    uint64_t ino_generation,
					    bool *is_new);

#endif
