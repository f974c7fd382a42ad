/* build_id_cache.h: a cache of the build-ids of files.
 *
 * A host runs the same few hundred libraries in all its processes; each file,
 * known by device, inode and generation (0 if unknown), is read once.  A file
 * without a build-id is cached, too, but not one that could not be read: its
 * process may just have ended, and others may have it mapped.  Each thread has
 * its own cache, without a lock.
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

/* The length of a build-id that is not known. */
#define REC_BUILD_ID_UNKNOWN UINT8_MAX

/* Return the entry of that file, or NULL if there is no memory.  As long as its
 * length is REC_BUILD_ID_UNKNOWN, the caller reads the build-id and fills it
 * in. */
struct rec_build_id *rec_build_id_cache_get(struct rec_build_id_cache *cache,
					    uint32_t maj, uint32_t min,
					    uint64_t ino,
					    uint64_t ino_generation);

#endif
