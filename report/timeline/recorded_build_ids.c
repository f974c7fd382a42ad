#include "report/timeline/recorded_build_ids.h"

#include "format/layout.h"
#include "report/symbols/dso.h"
#include "report/timeline/guest_ids.h"

#include <stdlib.h>
#include <string.h>

static struct pd_str name_of(const struct rpt_dso *dso)
{
	const char *name = rpt_dso_name(dso);

	return (struct pd_str){ name, strlen(name) };
}

static int compare(struct pd_str a, struct pd_str b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int rc = memcmp(a.ptr, b.ptr, len);

	return rc ? rc : (a.len > b.len) - (a.len < b.len);
}

static int compare_dsos(const void *a, const void *b)
{
	struct rpt_dso *const *x = a, *const *y = b;

	return compare(name_of(*x), name_of(*y));
}

void rpt_recorded_build_ids_init(struct rpt_recorded_build_ids *ids,
				 struct rpt_symbols *symbols)
{
	struct rpt_dso *dso;

	*ids = (struct rpt_recorded_build_ids){ 0 };
	while (rpt_symbols_dso_at(symbols, ids->nr))
		ids->nr++;
	ids->dsos = rpt_alloc_zeroed(ids->nr + 1, sizeof(struct rpt_dso *));
	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++)
		ids->dsos[i] = dso;
	qsort(ids->dsos, ids->nr, sizeof(struct rpt_dso *), compare_dsos);
}

void rpt_recorded_build_ids_release(struct rpt_recorded_build_ids *ids)
{
	free(ids->dsos);
	rpt_intern_release(&ids->seen);
	*ids = (struct rpt_recorded_build_ids){ 0 };
}

/* The first DSO whose name is not before this one. */
static size_t find(const struct rpt_recorded_build_ids *ids, struct pd_str name)
{
	size_t lo = 0, hi = ids->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare(name_of(ids->dsos[mid]), name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A damaged file has a million ids of a name that thousands of DSOs have: only
 * the first of a name counts. */
static bool is_new(struct rpt_recorded_build_ids *ids, unsigned mode,
		   struct pd_str name)
{
	char key[1 + PD_RECORD_LEN_MAX];
	uint32_t known_nr = ids->seen.nr;

	key[0] = (char)mode;
	memcpy(key + 1, name.ptr, name.len);
	return rpt_intern(&ids->seen, key, 1 + name.len) == known_nr;
}

void rpt_recorded_build_ids_add(struct rpt_recorded_build_ids *ids,
				uint16_t misc,
				const struct pd_header_build_id *entry)
{
	unsigned mode = misc & PD_MISC_CPUMODE_MASK;
	size_t at;

	/* Files of guests are none of these, whatever they are called. */
	if (rpt_is_of_guest(misc))
		return;
	at = find(ids, entry->filename);
	if (at == ids->nr || compare(name_of(ids->dsos[at]), entry->filename) ||
	    !is_new(ids, mode, entry->filename))
		return;
	for (; at < ids->nr; at++) {
		struct rpt_dso *dso = ids->dsos[at];

		if (compare(name_of(dso), entry->filename))
			break;
		rpt_dso_set_build_id(dso, entry->build_id, entry->build_id_len);
		if (mode == PD_CPUMODE_KERNEL)
			rpt_dso_note_kernel_entry(dso);
	}
}
