#include "report/symbols/carried_index.h"

#include "format/base/search.h"
#include "format/carried/carried_identity.h"
#include "format/symtab/perf_map_line.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/symbols/dso.h"

#include <stdlib.h>
#include <string.h>

/* So many names are compared, and so many for each that is carried: one file
 * with many names may be compared with many files. */
enum { COMPARED_FREE = 4 << 20, COMPARED_RATIO = 16 };

static int compare_texts(const void *a, size_t a_len, const void *b,
			 size_t b_len)
{
	size_t len = a_len < b_len ? a_len : b_len;
	int cmp = len ? memcmp(a, b, len) : 0;

	return cmp ? cmp : (a_len > b_len) - (a_len < b_len);
}

/* Compare the kinds, and paths or pids. */
static int compare_places(const struct pd_carried_file *a,
			  const struct pd_carried_file *b)
{
	int cmp = rpt_compare_u64(a->kind, b->kind);

	if (cmp || a->kind == PD_CARRIED_KERNEL)
		return cmp;
	if (a->kind == PD_CARRIED_PERF_MAP)
		return rpt_compare_u64(a->pid, b->pid);
	return compare_texts(a->path.ptr, a->path.len, b->path.ptr,
			     b->path.len);
}

/* The same, and build-ids; of one place, files without one come first. */
static int compare_files(const struct pd_carried_file *a,
			 const struct pd_carried_file *b)
{
	int cmp = compare_places(a, b);

	return cmp ? cmp
		   : compare_texts(a->build_id, a->build_id_len, b->build_id,
				   b->build_id_len);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct pd_carried_file *files = ctx;
	const uint32_t *x = a, *y = b;

	return compare_files(&files[*x], &files[*y]);
}

static int compare_ids(const void *a, const void *b, void *ctx)
{
	const struct pd_carried_file *files = ctx;
	const struct pd_carried_file *x = &files[*(const uint32_t *)a];
	const struct pd_carried_file *y = &files[*(const uint32_t *)b];

	return compare_texts(x->build_id, x->build_id_len, y->build_id,
			     y->build_id_len);
}

static int compare_keys(const struct pd_file_key *a,
			const struct pd_file_key *b)
{
	const uint64_t x[] = { a->maj, a->min, a->ino, a->ino_generation };
	const uint64_t y[] = { b->maj, b->min, b->ino, b->ino_generation };
	int cmp = 0;

	for (size_t i = 0; i < sizeof(x) / sizeof(x[0]) && !cmp; i++)
		cmp = rpt_compare_u64(x[i], y[i]);
	return cmp;
}

/* Of what a damaged file has twice, the first file counts. */
static int compare_path_keys(const void *a, const void *b, void *ctx)
{
	const struct pd_carried_file *files = ctx;
	const struct rpt_carried_key *x = a, *y = b;
	int cmp = compare_places(&files[x->file_idx], &files[y->file_idx]);

	if (!cmp)
		cmp = compare_keys(&x->key, &y->key);
	return cmp ? cmp : rpt_compare_u64(x->file_idx, y->file_idx);
}

/* Sort the keys of ELF files. */
static void index_keys(struct rpt_carried_index *index)
{
	const struct pd_carried *carried = index->carried;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < carried->file_nr; i++)
		nr += carried->files[i].key_nr;
	index->by_key =
		rpt_alloc_zeroed(nr + (size_t)1, sizeof(*index->by_key));
	for (uint32_t i = 0; i < carried->file_nr; i++) {
		const struct pd_carried_file *f = &carried->files[i];

		for (uint32_t k = 0; k < f->key_nr; k++)
			if (f->kind == PD_CARRIED_ELF)
				index->by_key[index->key_nr++] =
					(struct rpt_carried_key){ i,
								  f->keys[k] };
	}
	qsort_r(index->by_key, index->key_nr, sizeof(*index->by_key),
		compare_path_keys, carried->files);
}

void rpt_carried_index_init(struct rpt_carried_index *index,
			    const struct pd_carried *carried)
{
	*index = (struct rpt_carried_index){ .carried = carried };
	index->order =
		rpt_alloc_zeroed(carried->file_nr + 1u, sizeof(*index->order));
	index->by_id =
		rpt_alloc_zeroed(carried->file_nr + 1u, sizeof(*index->by_id));
	for (uint32_t i = 0; i < carried->file_nr; i++)
		index->order[i] = index->by_id[i] = i;
	qsort_r(index->by_id, carried->file_nr, sizeof(*index->by_id),
		compare_ids, carried->files);
	qsort_r(index->order, carried->file_nr, sizeof(*index->order), compare,
		carried->files);
	index_keys(index);
}

void rpt_carried_index_release(struct rpt_carried_index *index)
{
	free(index->order);
	free(index->by_id);
	free(index->by_key);
	*index = (struct rpt_carried_index){ .carried = NULL };
}

/* Return the file at a place of the order; NULL behind the last. */
static const struct pd_carried_file *
file_at(const struct rpt_carried_index *index, uint32_t place)
{
	return place < index->carried->file_nr
		       ? &index->carried->files[index->order[place]]
		       : NULL;
}

/* Return the place of the first file that is not less than key. */
static uint32_t first_place(const struct rpt_carried_index *index,
			    const struct pd_carried_file *key)
{
	uint32_t at;

	PD_FIND_FIRST(at, index->carried->file_nr,
		      compare_files(file_at(index, at), key) >= 0);
	return at;
}

/* Count, to 2, the files that are equal to key by cmp, and put one to *ret.  Of
 * these, key is the least by compare_files(). */
static uint32_t find_equal(const struct rpt_carried_index *index,
			   const struct pd_carried_file *key,
			   int (*cmp)(const struct pd_carried_file *a,
				      const struct pd_carried_file *b),
			   const struct pd_carried_file **ret)
{
	uint32_t place = first_place(index, key), nr;

	for (nr = 0; nr < 2; nr++) {
		const struct pd_carried_file *f = file_at(index, place + nr);

		if (!f || cmp(f, key))
			break;
		*ret = f;
	}
	return nr;
}

/* Return the file that a record with key's path and build-id is of, if it says
 * no more: the one that the recorder found by these, else root's or the one
 * with the most names.  NULL: there is none. */
static const struct pd_carried_file *
find_build(const struct rpt_carried_index *index,
	   const struct pd_carried_file *key)
{
	const struct pd_carried_file *best = NULL, *f;

	for (uint32_t place = first_place(index, key);
	     (f = file_at(index, place)) && !compare_files(f, key); place++) {
		if (f->is_known_by_id)
			return f;
		if (!best || !pd_carried_is_preferred(best, f))
			best = f;
	}
	return best;
}

static bool is_key_before(const struct pd_carried_file *files,
			  const struct rpt_carried_key *at,
			  const struct pd_carried_file *place,
			  const struct pd_file_key *key)
{
	int cmp = compare_places(&files[at->file_idx], place);

	return cmp ? cmp < 0 : compare_keys(&at->key, key) < 0;
}

static uint32_t find_key(const struct rpt_carried_index *index,
			 const struct pd_carried_file *place,
			 const struct pd_file_key *key)
{
	const struct pd_carried_file *files = index->carried->files;
	const struct rpt_carried_key *found;
	uint32_t at;

	PD_FIND_FIRST(at, index->key_nr,
		      !is_key_before(files, &index->by_key[at], place, key));
	found = &index->by_key[at];
	return at < index->key_nr &&
			       !compare_places(&files[found->file_idx],
					       place) &&
			       !compare_keys(&found->key, key)
		       ? found->file_idx + 1
		       : 0;
}

uint32_t rpt_carried_index_identify(const struct rpt_carried_index *index,
				    const struct pd_mmap *mmap)
{
	const struct pd_file_key key = { mmap->maj, mmap->min, mmap->ino,
					 mmap->ino_generation };
	struct pd_carried_file place = { .kind = PD_CARRIED_ELF,
					 .path = mmap->filename,
					 .build_id_len = mmap->build_id_len };
	const struct pd_carried_file *f;

	if (!index->carried || !index->carried->has_identities)
		return 0;
	if (!mmap->build_id_len)
		return mmap->ino ? find_key(index, &place, &key) : 0;
	memcpy(place.build_id, mmap->build_id, sizeof(place.build_id));
	f = find_build(index, &place);
	return f ? (uint32_t)(f - index->carried->files) + 1 : 0;
}

bool rpt_carried_index_is_contested(const struct rpt_carried_index *index,
				    const struct pd_carried_file *f)
{
	return index->carried && f->build_id_len && find_build(index, f) != f;
}

/* Return whether both have a build-id and these differ. */
static bool differs(const struct rpt_dso *dso, const struct pd_carried_file *f)
{
	return dso->recorded_id_len && f->build_id_len &&
	       compare_texts(dso->build_id, dso->recorded_id_len, f->build_id,
			     f->build_id_len);
}

/* A module has the file of the kernel, whose build-id is not its own. */
static uint32_t find_kernel(const struct rpt_carried_index *index,
			    const struct rpt_dso *dso,
			    const struct pd_carried_file **ret)
{
	const struct pd_carried_file key = { .kind = PD_CARRIED_KERNEL };
	uint32_t place = first_place(index, &key), nr = 0;
	const struct pd_carried_file *f;

	for (; nr < 2; place++) {
		f = file_at(index, place);
		if (!f || f->kind != PD_CARRIED_KERNEL)
			break;
		if (dso->kind == RPT_DSO_KERNEL && differs(dso, f))
			continue;
		*ret = f;
		nr++;
	}
	return nr;
}

/* Return whether the record has a key, and no carried file has it. */
static bool is_unknown(const struct rpt_carried_index *index,
		       const struct rpt_dso *dso)
{
	return index->carried->has_identities && dso->mapper.ino &&
	       !dso->key_id_len && !dso->carried;
}

static uint32_t find_file(const struct rpt_carried_index *index,
			  const struct rpt_dso *dso,
			  const struct pd_carried_file **ret)
{
	struct pd_carried_file key = { .kind = PD_CARRIED_ELF };
	const struct pd_carried_file *same;
	uint32_t nr;

	if (is_unknown(index, dso))
		return 0;
	key.path = (struct pd_str){ dso->name, strlen(dso->name) };
	if (!dso->recorded_id_len)
		nr = find_equal(index, &key, compare_places, ret);
	else
		nr = find_equal(index, &key, compare_files, ret);
	if (nr == 1 && (*ret)->key_nr && dso->recorded_id_len)
		nr = 0;
	if (!dso->recorded_id_len)
		return nr;
	key.build_id_len = dso->recorded_id_len;
	memcpy(key.build_id, dso->build_id, sizeof(key.build_id));
	same = find_build(index, &key);
	if (same)
		*ret = same;
	return nr + (same != NULL);
}

const struct pd_carried_file *
rpt_carried_index_find(const struct rpt_carried_index *index,
		       const struct rpt_dso *dso)
{
	struct pd_carried_file map = { .kind = PD_CARRIED_PERF_MAP };
	const struct pd_carried_file *found = NULL;
	uint32_t nr = 0;

	if (!index->carried)
		return NULL;
	if (dso->kind == RPT_DSO_KERNEL || dso->kind == RPT_DSO_MODULE) {
		nr = find_kernel(index, dso, &found);
	} else {
		nr = find_file(index, dso, &found);
		if (pd_is_perf_map(
			    (struct pd_str){ dso->name, strlen(dso->name) },
			    &map.pid))
			nr += find_equal(index, &map, compare_places, &found);
	}
	return nr == 1 ? found : NULL;
}

/* Return the place of the first file by build-id that is not below dso's. */
static uint32_t first_of_id(const struct rpt_carried_index *index,
			    const struct rpt_dso *dso)
{
	const struct pd_carried_file *files = index->carried->files;
	uint32_t at;

	PD_FIND_FIRST(at, index->carried->file_nr,
		      compare_texts(files[index->by_id[at]].build_id,
				    files[index->by_id[at]].build_id_len,
				    dso->build_id, dso->recorded_id_len) >= 0);
	return at;
}

const struct pd_carried_file *
rpt_carried_index_find_same(const struct rpt_carried_index *index,
			    const struct rpt_dso *dso)
{
	const struct pd_carried_file *found = NULL;

	if (!index->carried || !dso->recorded_id_len ||
	    (dso->kind != RPT_DSO_USER && dso->kind != RPT_DSO_VDSO))
		return NULL;
	for (uint32_t place = first_of_id(index, dso);
	     place < index->carried->file_nr; place++) {
		const struct pd_carried_file *f =
			&index->carried->files[index->by_id[place]];

		if (compare_texts(f->build_id, f->build_id_len, dso->build_id,
				  dso->recorded_id_len) != 0)
			break;
		if (f->kind != PD_CARRIED_ELF)
			continue;
		if (found && !index->carried->has_identities)
			return NULL; /* nobody knows whose they are */
		if (!found || !pd_carried_is_preferred(found, f))
			found = f;
	}
	return found;
}

static bool is_of_build(const struct pd_carried_file *a,
			const struct pd_carried_file *b)
{
	return a->kind == PD_CARRIED_ELF && b->kind == PD_CARRIED_ELF &&
	       a->build_id_len &&
	       !compare_texts(a->build_id, a->build_id_len, b->build_id,
			      b->build_id_len);
}

/* Judge the files of the build-id that begin at a place, and return the place
 * behind them.  What there is no budget to compare counts as disputed. */
static uint32_t judge_build(const struct rpt_carried_index *index,
			    uint32_t place, uint64_t *budget,
			    struct rpt_carried_verdict *verdicts)
{
	const struct pd_carried *carried = index->carried;
	const struct pd_carried_file *files = carried->files;
	uint32_t best = index->by_id[place], end = place + 1;

	for (; end < carried->file_nr; end++) {
		uint32_t at = index->by_id[end];

		if (!is_of_build(&files[best], &files[at]))
			break;
		if (!pd_carried_is_preferred(&files[best], &files[at]))
			best = at;
	}
	for (; place < end; place++) {
		uint32_t at = index->by_id[place];
		uint64_t cost =
			UINT64_C(1) + files[best].name_nr + files[at].name_nr;

		verdicts[at].winner = best;
		if (at == best)
			continue;
		verdicts[at].is_disputed =
			cost > *budget ||
			pd_carried_disagree(carried, best, carried, at);
		*budget -= cost < *budget ? cost : *budget;
	}
	return end;
}

struct rpt_carried_verdict *
rpt_carried_index_judge(const struct rpt_carried_index *index)
{
	const struct pd_carried *carried = index->carried;
	uint32_t nr = carried ? carried->file_nr : 0;
	struct rpt_carried_verdict *verdicts =
		rpt_alloc_zeroed(nr + (size_t)1, sizeof(*verdicts));
	uint64_t budget = COMPARED_FREE;

	for (uint32_t i = 0; i < nr; i++)
		budget += COMPARED_RATIO * (uint64_t)carried->files[i].name_nr;
	for (uint32_t place = 0; place < nr;)
		place = judge_build(index, place, &budget, verdicts);
	return verdicts;
}
