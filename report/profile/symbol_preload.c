#include "report/profile/symbol_preload.h"

#include "format/layout.h"
#include "report/symbols/symbols.h"

/* Most programs are among so many. */
#define STACKS_NR 1000u

static void note(struct rpt_symbol_preload *early, const struct rpt_map *map,
		 uint64_t ip)
{
	for (uint32_t i = 0; i < early->nr; i++)
		if (early->dsos[i] == map->dso)
			return;
	if (early->nr == RPT_SYMBOL_PRELOAD_NR)
		return;
	early->dsos[early->nr] = map->dso;
	early->addrs[early->nr++] = ip - map->start + map->pgoff;
}

struct place {
	const struct rpt_timeline *timeline;
	struct rpt_task_ref ref;
	struct rpt_timestamp when;
};

static void note_at(struct rpt_symbol_preload *early, const struct place *place,
		    uint64_t ip)
{
	struct rpt_map map;

	if (rpt_timeline_map(place->timeline, &place->ref, PD_CPUMODE_USER, ip,
			     place->when, &map))
		note(early, &map, ip);
}

static void note_stack(struct rpt_symbol_preload *early,
		       const struct rpt_profile *part, uint32_t stack)
{
	const struct rpt_stack_key *key = rpt_profile_key(part, stack);
	const struct rpt_stack *at = &part->stacks[stack];
	struct place place = { .timeline = part->conf.timeline,
			       .when = at->first };

	rpt_timeline_task(place.timeline, at->first_pid, at->first_tid,
			  at->first, &place.ref);
	if (key->cpumode == PD_CPUMODE_USER)
		note_at(early, &place, key->ip);
	for (uint32_t i = 0; i < key->chain_nr; i++)
		note_at(early, &place, key->chain[i]);
}

static void read_names(void *ctx, uint32_t thread)
{
	struct rpt_symbol_preload *early = ctx;

	(void)thread;
	for (uint32_t i = 0; i < early->nr; i++) {
		pthread_mutex_lock(early->lock);
		rpt_dso_symbol(early->dsos[i], early->addrs[i]);
		pthread_mutex_unlock(early->lock);
	}
}

void rpt_symbol_preload_begin(struct rpt_symbol_preload *early,
			      const struct rpt_profile *part)
{
	uint32_t step = part->keys.nr / STACKS_NR + 1;

	*early = (struct rpt_symbol_preload){
		.lock = rpt_symbols_lock(
			rpt_timeline_symbols(part->conf.timeline)),
	};
	for (uint32_t i = 0; i < part->keys.nr; i += step)
		note_stack(early, part, i);
	rpt_threads_start(&early->task, early->nr ? 1 : 0, read_names, early);
}

void rpt_symbol_preload_end(struct rpt_symbol_preload *early)
{
	rpt_threads_join(&early->task);
}
