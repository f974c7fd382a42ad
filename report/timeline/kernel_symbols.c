#include "report/timeline/kernel_symbols.h"

const char *rpt_kernel_symbols_function(const struct rpt_kernel_symbols *at,
					uint64_t *addr)
{
	static const struct rpt_who nobody;
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
