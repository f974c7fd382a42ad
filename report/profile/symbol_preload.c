#include "report/profile/symbol_preload.h"

#include "format/file/layout.h"
#include "report/symbols/symbols.h"

/* Look at about so many stacks: they go through most programs. */
#define STACKS_NR 1000u

static void add_dso(struct rpt_symbol_preload *preload,
		    const struct rpt_map *map, uint64_t ip)
{
	for (uint32_t i = 0; i < preload->nr; i++)
		if (preload->dsos[i] == map->dso)
			return;
	if (preload->nr == RPT_SYMBOL_PRELOAD_NR)
		return;
	preload->dsos[preload->nr] = map->dso;
	preload->addrs[preload->nr++] = ip - map->start + map->pgoff;
}

struct place {
	const struct rpt_timeline *timeline;
	struct rpt_task_ref ref;
	struct rpt_timestamp when;
};

static void add_address(struct rpt_symbol_preload *preload,
			const struct place *place, uint64_t ip)
{
	struct rpt_map map;

	if (rpt_timeline_map(place->timeline, &place->ref, PD_CPUMODE_USER, ip,
			     place->when, &map))
		add_dso(preload, &map, ip);
}

static void add_stack(struct rpt_symbol_preload *preload,
		      const struct rpt_profile *part, uint32_t stack)
{
	const struct rpt_stack_key *key = rpt_profile_key(part, stack);
	const struct rpt_stack *at = &part->stacks[stack];
	struct place place = { .timeline = part->conf.timeline,
			       .when = at->first };

	rpt_timeline_task(place.timeline, at->first_pid, at->first_tid,
			  at->first, &place.ref);
	if (key->cpumode == PD_CPUMODE_USER)
		add_address(preload, &place, key->ip);
	for (uint32_t i = 0; i < key->chain_nr; i++)
		add_address(preload, &place, key->chain[i]);
}

static void read_names(void *ctx, uint32_t thread)
{
	struct rpt_symbol_preload *preload = ctx;

	(void)thread;
	for (uint32_t i = 0; i < preload->nr; i++) {
		pthread_mutex_lock(preload->lock);
		rpt_dso_symbol(preload->dsos[i], preload->addrs[i]);
		pthread_mutex_unlock(preload->lock);
	}
}

void rpt_symbol_preload_begin(struct rpt_symbol_preload *preload,
			      const struct rpt_profile *part)
{
	uint32_t step = part->keys.nr / STACKS_NR + 1;

	*preload = (struct rpt_symbol_preload){
		.lock = rpt_symbols_lock(
			rpt_timeline_symbols(part->conf.timeline)),
	};
	for (uint32_t i = 0; i < part->keys.nr; i += step)
		add_stack(preload, part, i);
	rpt_threads_start(&preload->task, preload->nr ? 1 : 0, read_names,
			  preload);
}

void rpt_symbol_preload_end(struct rpt_symbol_preload *preload)
{
	rpt_threads_join(&preload->task);
}
