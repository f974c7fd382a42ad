#include "record/carry/known_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/base/search.h"
#include "record/base/read_file.h"
#include "record/base/runtime.h"
#include "record/carry/elf_bounds.h"
#include "record/carry/elf_names.h"
#include "record/carry/separate_symbols.h"
#include "record/carry/symbol_index.h"
#include "record/names/hit_set.h"

/* Reading. */

static bool has_start(const struct rec_name_list *list, uint32_t nr,
		      const struct pd_carried_name *name)
{
	uint32_t at;

	PD_FIND_FIRST(at, nr, list->items[at].start >= name->start);
	for (; at < nr && list->items[at].start == name->start; at++)
		if (list->items[at].source == name->source)
			return true;
	return false;
}

/* All symbols of a file that start at one address are found at once. */
static int add_names(struct rec_known_file *file,
		     const struct rec_name_list *more)
{
	uint32_t nr = file->names.nr;

	for (uint32_t i = 0; i < more->nr; i++)
		if (!has_start(&file->names, nr, &more->items[i]) &&
		    !rec_name_list_add(&file->names, &more->items[i]))
			return -ENOMEM;
	return rec_name_list_sort(&file->names) ? 0 : -ENOMEM;
}

/* The hits of which names are looked for; spans are found. */
struct around {
	const uint64_t *hits;
	size_t nr;
	struct rec_name_span *spans; /* owned */
};

/* A file of root's with a build-id, of which names were looked for so often,
 * gets an index of its symbols: it changes seldom. */
enum { READS_MIN = 3 };

/* One for each recording; what cannot be written is tried seldom. */
static bool may_make_index(const struct rec_known_file *file,
			   const struct rec_known_limits *limits)
{
	return file->read_nr > READS_MIN &&
	       file->read_nr >= 2 * file->made_at &&
	       rec_now_ns() < limits->index_until_ns;
}

/* Find names in symbols: those of the file itself or of fd. */
static int find_names(struct rec_known_file *file,
		      struct rec_known_limits *limits,
		      const struct rec_elf_names_from *of, int fd,
		      const struct around *at, struct rec_name_list *list)
{
	struct rec_symbol_index_place place = {
		.dir_fd = file->index_fd,
		.key = { file->dev, file->ino, file->len, file->changed_ns },
	};
	struct rec_elf_names_from from = *of;
	bool may_make, makes;
	struct stat st;
	int rc;

	if (fd >= 0 && fstat(fd, &st))
		return -errno;
	if (fd >= 0) {
		place.key[4] = st.st_dev;
		place.key[5] = st.st_ino;
		place.key[6] = (uint64_t)st.st_size;
		place.key[7] = rec_stat_ctime_ns(&st);
	}
	_Static_assert(sizeof(file->head.build_id) <= 3 * sizeof(*place.key),
		       "a build-id is a part of the key");
	memcpy(&place.key[8], file->head.build_id, file->head.build_id_len);
	if (file->index_fd >= 0 && file->head.build_id_len)
		from.place = &place;
	file->read_nr++;
	may_make = may_make_index(file, limits);
	makes = may_make;
	from.makes_index = &makes;
	rc = rec_elf_names(&from, at->hits, at->nr, at->spans, list);
	if (may_make && !makes) {
		file->made_at = file->read_nr;
		limits->index_until_ns = 0;
	}
	return rc;
}

/* Symbols that .dynsym lacks may be in .gnu_debugdata. */
static int own_names_of(struct rec_known_file *file,
			struct rec_known_limits *limits,
			const struct pd_elf_image *elf, const struct around *at,
			struct rec_name_list *list)
{
	const struct rec_elf_names_from from = { .mapped = elf,
						 .symbols = elf };
	int rc = find_names(file, limits, &from, -1, at, list);

	if (rc || list->named_nr >= at->nr || file->head.packed.len ||
	    pd_elf_image_find(elf, ".symtab"))
		return rc;
	rc = rec_separate_symbols_packed(elf, &limits->packed_len,
					 &file->head.packed);
	return rc == -ENOMEM ? rc : 0;
}

/* The names are in the file itself, or in its debug file. */
static int names_of(struct rec_known_file *file,
		    struct rec_known_limits *limits,
		    const struct pd_elf_image *elf, const struct around *at,
		    struct rec_name_list *list)
{
	struct rec_build_id id = { .len = file->head.build_id_len };
	struct pd_elf_image debug;
	const struct rec_elf_names_from from = { .mapped = elf,
						 .symbols = &debug };
	int fd = -1, rc;

	memcpy(id.bytes, file->head.build_id, id.len);
	if (!pd_elf_image_find(elf, ".symtab"))
		fd = rec_separate_symbols_open(&id);
	if (fd < 0)
		return own_names_of(file, limits, elf, at, list);
	rc = pd_elf_image_read(rec_read_at(fd), &debug);
	if (!rc) {
		rc = find_names(file, limits, &from, fd, at, list);
		pd_elf_image_release(&debug);
	}
	close(fd);
	return rc;
}

/* Find the names around hits, and what is known then. */
static int read_names(struct rec_known_file *file,
		      struct rec_known_limits *limits,
		      const struct pd_elf_image *elf, const uint64_t *hits,
		      size_t nr)
{
	struct rec_name_list list = { .budget = &limits->names_len };
	struct around at = { hits, nr, calloc(nr + 1, sizeof(*at.spans)) };
	int rc = at.spans ? 0 : -ENOMEM;

	if (!rc)
		rc = names_of(file, limits, elf, &at, &list);
	/* functions that have no name have bounds at least */
	if (!rc)
		rc = rec_name_list_sort(&list)
			     ? rec_elf_bounds(elf, hits, nr, limits->until_ns,
					      at.spans, &list)
			     : -ENOMEM;
	if (!rc)
		rc = rec_known_spans_add(&file->spans, at.spans, nr,
					 &limits->names_len);
	if (add_names(file, &list) && !rc)
		rc = -ENOMEM;
	rec_name_list_release(&list);
	free(at.spans);
	return rc;
}

static bool is_late(void *ctx)
{
	const struct rec_known_limits *limits = ctx;

	return rec_now_ns() >= limits->until_ns;
}

/* Collect the file's call frame information by which stack copies are unwound
 * and the callers of leaves are found. */
static int read_frames(struct rec_known_frames *frames,
		       struct rec_known_limits *limits,
		       const struct pd_elf_image *elf, const uint64_t *hits,
		       size_t nr)
{
	const struct pd_cfi_limits cfi = { &limits->frame_len, is_late,
					   limits };
	size_t before;
	int rc;

	pd_cfi_pieces_release(&frames->pieces);
	limits->frame_len += frames->len;
	before = limits->frame_len;
	rc = pd_cfi_pieces_find(elf, hits, nr, &cfi, &frames->pieces);
	frames->len = before - limits->frame_len;
	frames->hit_nr = nr;
	return rc == -EBADMSG ? 0 : rc; /* nobody else could read it, either */
}

static int copy_head(const struct pd_elf_image *elf, int fd,
		     struct pd_carried_file *ret)
{
	struct rec_build_id id = { .len = 0 };

	ret->segments = calloc(elf->segment_nr + 1, sizeof(*ret->segments));
	if (!ret->segments)
		return -ENOMEM;
	ret->segment_nr = elf->segment_nr;
	memcpy(ret->segments, elf->segments,
	       elf->segment_nr * sizeof(*ret->segments));
	ret->is_64 = elf->is_64;
	ret->is_big_endian = elf->is_big_endian;
	ret->machine = elf->machine;
	ret->type = elf->type;
	(void)!rec_elf_build_id(fd, &id);
	ret->build_id_len = id.len;
	memcpy(ret->build_id, id.bytes, id.len);
	return 0;
}

int rec_known_file_read(struct rec_known_file *file,
			struct rec_known_limits *limits, int fd,
			const struct rec_known_wish *wish)
{
	bool has_names =
		!wish->has_names ||
		!rec_known_spans_miss(&file->spans, wish->hits, wish->nr, NULL);
	struct pd_elf_image elf;
	int rc, frames_rc = 0;
	size_t nr;

	if (has_names && !wish->frames && file->head.segments)
		return 0;
	rc = pd_elf_image_read(rec_read_at(fd), &elf);
	if (rc)
		return rc;
	if (!file->head.segments)
		rc = copy_head(&elf, fd, &file->head);
	if (!rc && wish->frames)
		frames_rc = read_frames(wish->frames, limits, &elf,
					wish->frame_hits, wish->frame_hit_nr);
	if (!rc && !has_names) {
		nr = rec_known_spans_miss(&file->spans, wish->hits, wish->nr,
					  wish->hits);
		rc = read_names(file, limits, &elf, wish->hits, nr);
	}
	pd_elf_image_release(&elf);
	return rc ? rc : frames_rc;
}

void rec_known_file_release(struct rec_known_file *file,
			    struct rec_known_limits *limits)
{
	limits->packed_len += file->head.packed.len;
	free((void *)(uintptr_t)file->head.packed.ptr);
	free(file->head.segments);
	rec_known_spans_release(&file->spans, &limits->names_len);
	rec_name_list_release(&file->names);
}

/* The names of some hits. */

/* Mark the names of file that count for hits: bounds, or the others.  A symbol
 * counts up to the next one, or as far as it reaches.  Return how many they
 * are. */
static uint32_t mark_names(const struct rec_known_file *file,
			   const uint64_t *hits, size_t nr, bool are_bounds,
			   bool *ret)
{
	uint64_t start = UINT64_MAX, next = UINT64_MAX;
	uint32_t found = 0;

	for (uint32_t i = file->names.nr; i--;) {
		const struct pd_carried_name *name = &file->names.items[i];
		uint64_t end = name->start + name->len;
		size_t at = rec_hits_below(hits, nr, name->start);

		if ((name->source == PD_CARRIED_FDE) != are_bounds)
			continue;
		if (name->source == PD_CARRIED_SYMTAB) {
			if (name->start != start)
				next = start;
			start = name->start;
			if (end < next)
				end = next;
		}
		ret[i] = at < nr && hits[at] < end;
		found += ret[i];
	}
	return found;
}

/* Set ret to those of hits that no marked name covers. */
static size_t list_unnamed(const struct rec_known_file *file,
			   const bool *is_marked, const uint64_t *hits,
			   size_t nr, uint64_t *ret)
{
	uint64_t named_to = 0;
	size_t found = 0;
	uint32_t at = 0;

	for (size_t i = 0; i < nr; i++) {
		for (; at < file->names.nr &&
		       file->names.items[at].start <= hits[i];
		     at++) {
			const struct pd_carried_name *name =
				&file->names.items[at];

			if (is_marked[at] && named_to < name->start + name->len)
				named_to = name->start + name->len;
		}
		if (hits[i] >= named_to)
			ret[found++] = hits[i];
	}
	return found;
}

int rec_known_file_names(const struct rec_known_file *file,
			 const uint64_t *hits, size_t nr,
			 struct pd_carried_name **ret, uint32_t *ret_nr,
			 uint64_t *ret_named_nr)
{
	bool *is_marked = calloc(file->names.nr + 1, sizeof(*is_marked));
	uint64_t *unnamed = malloc((nr + 1) * sizeof(*unnamed));
	uint32_t found = 0;
	size_t left;

	*ret = NULL;
	*ret_nr = 0;
	if (is_marked && unnamed) {
		found = mark_names(file, hits, nr, false, is_marked);
		left = list_unnamed(file, is_marked, hits, nr, unnamed);
		*ret_named_nr = nr - left;
		found += mark_names(file, unnamed, left, true, is_marked);
		*ret = malloc((found + 1) * sizeof(**ret));
	}
	for (uint32_t i = 0; *ret && i < file->names.nr; i++)
		if (is_marked[i])
			(*ret)[(*ret_nr)++] = file->names.items[i];
	free(is_marked);
	free(unnamed);
	return *ret ? 0 : -ENOMEM;
}
