#include "report/events/stat_table.h"

#include "report/base/memory.h"

#include "format/base/search.h"

#include <errno.h>
#include <stdlib.h>

void rpt_stat_table_init(struct rpt_stat_table *table,
			 const struct pd_event_set *events, uint64_t max_nr)
{
	*table = (struct rpt_stat_table){ .events = events, .left_nr = max_nr };
}

static void release_cpus(struct rpt_stat_cpus *cpus)
{
	free(cpus->items);
	free(cpus->order);
}

void rpt_stat_table_release(struct rpt_stat_table *table)
{
	for (size_t i = 0; table->of && i < table->events->nr; i++)
		release_cpus(&table->of[i].own);
	free(table->of);
	release_cpus(&table->cpus);
	free(table->tids);
	free(table->cells);
}

bool rpt_stat_table_spend(struct rpt_stat_table *table, uint64_t nr)
{
	table->is_full |= nr > table->left_nr;
	if (table->is_full)
		return false;
	table->left_nr -= nr;
	return true;
}

const struct rpt_stat_cpus *
rpt_stat_table_cpus(const struct rpt_stat_table *table, size_t idx)
{
	const struct rpt_stat_cpus *own = &table->of[idx].own;

	return own->items ? own : &table->cpus;
}

static int by_cpu(const void *a, const void *b, void *ctx)
{
	const int32_t *items = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (items[x] != items[y])
		return items[x] < items[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Order a list of CPUs, which can be in any. */
static void sort_list(struct rpt_stat_cpus *cpus)
{
	cpus->order = rpt_alloc_zeroed(cpus->nr, sizeof(*cpus->order));
	for (uint32_t i = 0; i < cpus->nr; i++)
		cpus->order[i] = i;
	qsort_r(cpus->order, cpus->nr, sizeof(*cpus->order), by_cpu,
		cpus->items);
}

static void take_cpus(struct rpt_stat_table *table,
		      const struct pd_cpu_map *map, struct rpt_stat_cpus *cpus)
{
	uint32_t place_nr = pd_cpu_map_place_nr(map);

	if (cpus->items || !rpt_stat_table_spend(table, place_nr))
		return; /* perf, too, keeps to the first map */
	cpus->items = rpt_alloc_zeroed(place_nr + 1u, sizeof(*cpus->items));
	for (uint32_t i = 0; i < place_nr; i++)
		cpus->nr += pd_cpu_map_cpu(map, i, &cpus->items[cpus->nr]);
	if (map->map_type == PD_CPU_MAP_LIST)
		sort_list(cpus);
}

static void take_threads(struct rpt_stat_table *table,
			 const struct pd_thread_map *map, bool swap)
{
	size_t nr = (size_t)map->nr;

	if (table->tids || !rpt_stat_table_spend(table, nr))
		return;
	table->tids = rpt_alloc_zeroed(nr, sizeof(*table->tids));
	table->tid_nr = nr;
	for (size_t i = 0; i < nr; i++)
		table->tids[i] = (int32_t)pd_thread_map_at(map, i, swap).tid;
}

/* Make the cells if all maps have been read. */
static void make_cells(struct rpt_stat_table *table)
{
	size_t nr = 0;

	if (table->cells || !table->tids || !table->cpus.items)
		return;
	for (size_t i = 0; i < table->events->nr; i++) {
		size_t cpu_nr = rpt_stat_table_cpus(table, i)->nr;

		table->of[i].first_cell = nr;
		if (table->tid_nr && cpu_nr > table->left_nr / table->tid_nr)
			table->is_full = true;
		if (!rpt_stat_table_spend(table, cpu_nr * table->tid_nr))
			return;
		nr += cpu_nr * table->tid_nr;
	}
	table->cell_nr = nr;
	table->cells = rpt_alloc_zeroed(nr, sizeof(*table->cells));
}

static size_t place_of(const struct rpt_stat_cpus *cpus, size_t idx)
{
	return cpus->order ? cpus->order[idx] : idx;
}

/* Return the first place of cpu, or nr if it is not there. */
static size_t find_cpu(const struct rpt_stat_cpus *cpus, int32_t cpu)
{
	size_t at;

	PD_FIND_FIRST(at, cpus->nr, cpus->items[place_of(cpus, at)] >= cpu);
	if (at == cpus->nr)
		return cpus->nr;
	at = place_of(cpus, at);
	return cpus->items[at] == cpu ? at : cpus->nr;
}

static struct rpt_stat_cell *cell_of(const struct rpt_stat_table *table,
				     const struct pd_stat *stat)
{
	const struct pd_event *event =
		pd_event_set_by_id(table->events, stat->id);
	const struct rpt_stat_cpus *cpus;
	size_t idx, at;

	if (!event || !table->cells || stat->thread >= table->tid_nr)
		return NULL;
	idx = (size_t)(event - table->events->events);
	cpus = rpt_stat_table_cpus(table, idx);
	at = find_cpu(cpus, (int32_t)stat->cpu);
	if (at == cpus->nr)
		return NULL;
	return &table->cells[table->of[idx].first_cell +
			     cpus->nr * stat->thread + at];
}

static void take_count(struct rpt_stat_table *table, const struct pd_stat *stat)
{
	struct rpt_stat_cell *cell = cell_of(table, stat);

	if (cell)
		cell->now = (struct rpt_stat_count){ stat->value, stat->enabled,
						     stat->running };
	else
		table->strange_nr++;
}

static void take_update(struct rpt_stat_table *table,
			const struct pd_event_update *update)
{
	const struct pd_event *event =
		pd_event_set_by_id(table->events, update->id);

	if (update->what == PD_UPDATE_CPUS && event && !table->cpus.items)
		take_cpus(table, &update->cpus,
			  &table->of[event - table->events->events].own);
}

static void take_config(struct rpt_stat_table *table,
			const struct pd_stat_config *config)
{
	enum { TAG_AGGR_MODE = 0, TAG_SCALE = 2 };

	for (size_t i = 0; i + 1 < config->entries.nr; i += 2) {
		uint64_t value = pd_u64s_at(&config->entries, i + 1);

		switch (pd_u64s_at(&config->entries, i)) {
		case TAG_AGGR_MODE:
			table->aggr_mode = value;
			break;
		case TAG_SCALE:
			table->is_scaled = value != 0;
			break;
		default:
			break;
		}
	}
}

static void take_body(struct rpt_stat_table *table, const struct pd_body *body,
		      bool swap)
{
	switch (body->type) {
	case PD_RECORD_THREAD_MAP:
		take_threads(table, &body->u.thread_map, swap);
		break;
	case PD_RECORD_CPU_MAP:
		take_cpus(table, &body->u.cpu_map, &table->cpus);
		break;
	case PD_RECORD_EVENT_UPDATE:
		take_update(table, &body->u.event_update);
		break;
	case PD_RECORD_STAT_CONFIG:
		take_config(table, &body->u.stat_config);
		break;
	default:
		take_count(table, &body->u.stat);
		return;
	}
	make_cells(table);
}

bool rpt_stat_table_has(uint32_t type)
{
	return type == PD_RECORD_THREAD_MAP || type == PD_RECORD_CPU_MAP ||
	       type == PD_RECORD_EVENT_UPDATE ||
	       type == PD_RECORD_STAT_CONFIG || type == PD_RECORD_STAT;
}

void rpt_stat_table_take(struct rpt_stat_table *table,
			 const struct pd_record *rec, struct pd_damage *damage)
{
	struct pd_damage here = { .skipped_nr = 1, .first = PD_ERR_INIT };
	struct pd_body body;
	int rc;

	if (!rpt_stat_table_has(rec->type))
		return;
	if (!table->of)
		table->of =
			rpt_alloc_zeroed(table->events->nr, sizeof(*table->of));
	rc = pd_body_read(rec, 0, &body, &here.first);
	if (!rc)
		take_body(table, &body, rec->swap);
	else if (rc != -ENOTSUP) /* a newer kind of body is no damage */
		pd_damage_merge(damage, &here);
}

/* Return true if counts are shown as they were recorded: see the header. */
static bool is_raw(const struct rpt_stat_table *table)
{
	enum { AGGR_GLOBAL = 1, AGGR_UNSET = 6, AGGR_END = 8 };

	return pd_event_set_needed_perf(table->events) == PD_PERF_6_1 &&
	       (table->aggr_mode == AGGR_GLOBAL ||
		table->aggr_mode == AGGR_UNSET || table->aggr_mode >= AGGR_END);
}

static void subtract_and_scale(struct rpt_stat_cell *cell, bool is_scaled)
{
	struct rpt_stat_count *c = &cell->now, recorded = cell->now;
	double scaled;

	c->value -= cell->before.value;
	c->enabled_ns -= cell->before.enabled_ns;
	c->running_ns -= cell->before.running_ns;
	cell->before = recorded;
	if (!is_scaled || (c->running_ns && c->running_ns >= c->enabled_ns))
		return;
	scaled = (double)c->value * (double)c->enabled_ns /
		 (double)c->running_ns;
	c->value = c->running_ns && scaled < 0x1p64 ? (uint64_t)scaled : 0;
}

void rpt_stat_table_round(struct rpt_stat_table *table)
{
	if (is_raw(table))
		return;
	for (size_t i = 0; i < table->cell_nr && rpt_stat_table_spend(table, 1);
	     i++)
		subtract_and_scale(&table->cells[i], table->is_scaled);
}
