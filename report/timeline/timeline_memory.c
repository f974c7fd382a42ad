#include "report/timeline/timeline_impl.h"

#include "format/symtab/perf_map_line.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/dso_class.h"

#include <string.h>

/* Gaps between the functions of a perf map that are looked at. */
#define GAPS_MAX 16u

/* Return whether the perf map names something from start to end. */
static bool names_some(const struct rpt_timeline *tl, struct rpt_dso *perf_map,
		       uint64_t start, uint64_t end)
{
	pthread_mutex_t *lock = rpt_symbols_lock(tl->symbols);
	bool is_named = false;

	pthread_mutex_lock(lock);
	for (unsigned i = 0; i < GAPS_MAX && start < end && !is_named; i++) {
		struct rpt_addr_range range = RPT_RANGE_ALL;
		const struct rpt_symbol *sym =
			rpt_dso_symbol_range(perf_map, start, &range);

		is_named = sym && !sym->is_made_up;
		if (range.last == UINT64_MAX)
			break;
		start = range.last + 1;
	}
	pthread_mutex_unlock(lock);
	return is_named;
}

/* Return whether the recording knows that the file is ELF. */
static bool is_elf(const struct rpt_timeline *tl, const struct pd_mmap *mmap)
{
	const struct pd_carried *carried = rpt_symbols_own_carried(tl->symbols);
	struct rpt_dso_key key = { .build_id_len = mmap->build_id_len };

	rpt_symbols_identify(tl->symbols, mmap, &key);
	return key.build_id_len ||
	       (key.carried && carried->files[key.carried - 1].machine);
}

bool rpt_timeline_is_jit_file(struct rpt_timeline *tl,
			      const struct pd_mmap *mmap, uint32_t prot)
{
	char name[RPT_JIT_NAME_LEN];
	struct rpt_named_map named;
	struct rpt_dso_key key = { .kind = RPT_DSO_USER };

	if (!(prot & RPT_PROT_EXEC) || !pd_may_be_jit_file(mmap->filename) ||
	    is_elf(tl, mmap))
		return false;
	rpt_name_jit_memory(mmap->pid, name, &named);
	key.name = named.name.ptr;
	key.name_len = named.name.len;
	return names_some(tl, rpt_timeline_dso(tl, &key), mmap->addr,
			  mmap->addr + mmap->map_len);
}
