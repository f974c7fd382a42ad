#include "record/carry/kept_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/base/hash.h"

int rec_kept_files_init(struct rec_kept_files *files, size_t cap)
{
	*files = (struct rec_kept_files){ .cap = cap };
	files->items = calloc(cap + 1, sizeof(*files->items));
	return files->items ? 0 : -ENOMEM;
}

void rec_kept_files_release(struct rec_kept_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		close(files->items[i].fd);
	free(files->items);
	*files = (struct rec_kept_files){ .nr = 0 };
}

static bool has_id(const struct rec_kept_file *file,
		   const struct rec_build_id *id)
{
	return id->len && file->id.len == id->len &&
	       !memcmp(file->id.bytes, id->bytes, id->len);
}

/* Records of what ran before have no generation. */
static bool has_key(const struct rec_kept_file *file,
		    const struct rec_mapped *mapped)
{
	return mapped->ino && file->ino == mapped->ino &&
	       file->maj == mapped->maj && file->min == mapped->min &&
	       (!file->ino_generation || !mapped->ino_generation ||
		file->ino_generation == mapped->ino_generation);
}

/* Return how likely a file with the build-id is the one of that path: anybody
 * may have copied the build-id into his own.  0: it is not. */
static unsigned rank_of(const struct rec_kept_file *file, uint64_t path_hash)
{
	return (file->path_hash == path_hash ? 2u : 0u) +
	       (rec_is_roots(file->fd) ? 1u : 0u);
}

int rec_kept_files_find(const struct rec_kept_files *files,
			const struct rec_mapped *mapped,
			const struct rec_build_id *id)
{
	uint64_t path_hash = rec_kept_path_hash(mapped->path);
	unsigned best = 0;
	int found = -1;

	for (size_t i = files->nr; i--;) {
		const struct rec_kept_file *file = &files->items[i];

		if (!id->len && has_key(file, mapped))
			return file->fd;
		if (!has_id(file, id) || rank_of(file, path_hash) <= best)
			continue;
		best = rank_of(file, path_hash);
		found = file->fd;
	}
	return found;
}

uint64_t rec_kept_path_hash(const char *path)
{
	return path ? pd_hash_of(path, strlen(path)) : 0;
}

/* Return the index of what a file of that worth may replace, nr if none. */
static size_t find_place(const struct rec_kept_files *files,
			 enum rec_kept_worth worth)
{
	size_t least = files->nr;

	for (size_t i = 0; i < files->nr; i++)
		if (files->items[i].worth <= worth &&
		    (least == files->nr ||
		     files->items[i].worth < files->items[least].worth))
			least = i;
	/* A file of many that are all the same is as good as the next. */
	if (worth == REC_KEPT_OLD)
		return files->nr;
	return least;
}

/* Files mapped before the start have a build-id in their record, later ones an
 * inode: return whether both are of this file, which has both from then on. */
static bool is_joined(struct rec_kept_file *kept,
		      const struct rec_kept_file *file)
{
	if (!has_id(kept, &file->id) || kept->st_dev != file->st_dev ||
	    kept->st_ino != file->st_ino || (kept->ino && file->ino))
		return false;
	if (file->ino) {
		kept->ino = file->ino;
		kept->ino_generation = file->ino_generation;
		kept->maj = file->maj;
		kept->min = file->min;
	}
	return true;
}

int rec_kept_files_add(struct rec_kept_files *files,
		       const struct rec_kept_file *file)
{
	struct rec_kept_file *items = files->items;
	int other = -1;

	for (size_t i = 0; i < files->nr; i++)
		if (is_joined(&items[i], file))
			return file->fd;
	if (files->nr == files->cap) {
		size_t at = find_place(files, file->worth);

		if (at == files->nr)
			return file->fd;
		other = items[at].fd;
		memmove(items + at, items + at + 1,
			(--files->nr - at) * sizeof(*items));
	}
	items[files->nr++] = *file;
	return other;
}
