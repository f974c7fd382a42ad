/* Finds what is mapped at an address: in a process by its records, in the
 * kernel also by kcore or the kernel's symbols. */
#include "report/timeline/map_range.h"

#include "report/symbols/dso.h"
#include "report/timeline/timeline_impl.h"

#include <string.h>

/* Find the kernel at a symbol outside of its map, which ends with its text: as
 * in perf, all that kallsyms names is the kernel's, such as .init.text. */
static bool find_kernel_symbol(const struct rpt_timeline *tl, uint64_t addr,
			       struct rpt_map *ret)
{
	if (!tl->kernel_image.dso ||
	    !rpt_dso_symbol(tl->kernel_image.dso, addr))
		return false;
	*ret = tl->kernel_image;
	return true;
}

/* Return whether kcore replaces a map: all but those of BPF programs, which
 * have records of their own. */
static bool is_of_kcore(const struct rpt_map *map)
{
	return strncmp(rpt_dso_name(map->dso), "bpf_prog_", 9) != 0;
}

/* Find the part of kcore that has an address. */
static bool find_in_kcore(const struct rpt_timeline *tl,
			  const struct rpt_kcore *kcore, uint64_t addr,
			  struct rpt_map_range *ret)
{
	const struct rpt_kcore_part *part = rpt_kcore_at(kcore, addr);

	if (!part) {
		ret->range = (struct rpt_addr_range){ addr, addr };
		return false;
	}
	rpt_range_from(&ret->range, part->start);
	rpt_range_until(&ret->range, part->end);
	ret->map = tl->kernel_image;
	ret->map.start = ret->map.pgoff = part->start;
	ret->map.end = part->end;
	return true;
}

static bool kernel_mapped(const struct rpt_timeline *tl, uint64_t addr,
			  struct rpt_timestamp when, struct rpt_map_range *ret)
{
	const struct rpt_kcore *kcore = rpt_symbols_kcore(tl->symbols);
	bool is_mapped = rpt_address_space_find_range(&tl->kernel, addr, when,
						      &ret->map, &ret->range);

	if (is_mapped && (!kcore || !is_of_kcore(&ret->map)))
		return true;
	if (kcore)
		return find_in_kcore(tl, kcore, addr, ret);
	ret->range = (struct rpt_addr_range){ addr, addr };
	return find_kernel_symbol(tl, addr, &ret->map);
}

bool rpt_timeline_mapped(const struct rpt_timeline *tl,
			 const struct rpt_task_ref *ref, unsigned cpumode,
			 uint64_t addr, struct rpt_timestamp when,
			 struct rpt_map_range *ret)
{
	struct rpt_addr_range *range = &ret->range;

	*range = RPT_RANGE_ALL;
	if (cpumode == PD_CPUMODE_USER)
		return rpt_address_space_find_range(ref->space, addr, when,
						    &ret->map, range);
	return cpumode == PD_CPUMODE_KERNEL &&
	       kernel_mapped(tl, addr, when, ret);
}

bool rpt_timeline_map(const struct rpt_timeline *tl,
		      const struct rpt_task_ref *ref, unsigned cpumode,
		      uint64_t addr, struct rpt_timestamp when,
		      struct rpt_map *ret)
{
	struct rpt_map_range found;

	if (!rpt_timeline_mapped(tl, ref, cpumode, addr, when, &found))
		return false;
	*ret = found.map;
	return true;
}

bool rpt_timeline_kernel_beyond(const struct rpt_timeline *tl, uint64_t addr,
				struct rpt_map *ret)
{
	const struct rpt_symbol *sym;
	struct rpt_dso *dso;

	if (rpt_symbols_kcore(tl->symbols))
		return false;
	for (size_t i = 0; (dso = rpt_symbols_dso_at(tl->symbols, i)); i++)
		if (rpt_dso_kind(dso) == RPT_DSO_KERNEL)
			break;
	sym = dso ? rpt_dso_symbol(dso, addr) : NULL;
	if (!sym)
		return false;
	*ret = (struct rpt_map){
		.start = sym->start,
		.end = sym->end,
		.pgoff = sym->start,
		.is_kernel = true,
		.dso = dso,
	};
	return true;
}

uint32_t rpt_timeline_kernel_version(const struct rpt_timeline *tl,
				     struct rpt_timestamp when)
{
	return rpt_address_space_version(&tl->kernel, when);
}

const char *rpt_kernel_symbols_function(const struct rpt_kernel_symbols *at,
					uint64_t *addr)
{
	static const struct rpt_task_ref nobody;
	const struct rpt_symbol *sym = NULL;
	struct rpt_map map;

	if (at->lock)
		pthread_mutex_lock(at->lock);
	if (rpt_timeline_map(at->timeline, &nobody, PD_CPUMODE_KERNEL, *addr,
			     at->when, &map))
		sym = rpt_dso_symbol(map.dso, *addr - map.start + map.pgoff);
	if (at->lock)
		pthread_mutex_unlock(at->lock);
	if (!sym)
		return NULL;
	*addr = sym->start - map.pgoff + map.start;
	return sym->name;
}
