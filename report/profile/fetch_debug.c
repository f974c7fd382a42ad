#include "report/profile/fetch_debug.h"

#include "report/base/memory.h"

#include <errno.h>
#include <stdlib.h>

/* Periods by DSO. */
struct heat {
	struct rpt_intern dsos; /* pointers */
	struct rpt_hot_dso *items;
	uint32_t *last_stacks; /* the last that counted for it, + 1 */
	uint32_t items_cap, stacks_cap;
	uint64_t total;
};

static void add(struct heat *heat, struct rpt_dso *dso, uint32_t stack_idx,
		uint64_t period)
{
	uint32_t known_nr = heat->dsos.nr;
	int64_t idx;

	heat->items = rpt_grow(heat->items, &heat->items_cap, known_nr,
			       sizeof(*heat->items));
	heat->last_stacks = rpt_grow(heat->last_stacks, &heat->stacks_cap,
				     known_nr, sizeof(*heat->last_stacks));
	idx = rpt_intern(&heat->dsos, &dso, sizeof(dso));
	if (idx < 0)
		return;
	if (idx == known_nr) {
		heat->items[idx] = (struct rpt_hot_dso){ dso, 0 };
		heat->last_stacks[idx] = 0;
	}
	if (heat->last_stacks[idx] != stack_idx + 1)
		heat->items[idx].period += period;
	heat->last_stacks[idx] = stack_idx + 1;
}

/* Add the DSOs of an ip and call chain, of the task that first is of, to a
 * stack; no map has a context mark. */
static void add_addresses(struct heat *heat, const struct rpt_profile *profile,
			  const struct rpt_stack_key *key,
			  const struct rpt_stack *first, uint32_t stack_idx)
{
	const struct rpt_timeline *timeline = profile->conf.timeline;
	struct rpt_task_ref ref;
	struct rpt_map map;

	rpt_timeline_task(timeline, first->first_pid, first->first_tid,
			  first->first, &ref);
	for (uint32_t i = 0; i <= key->chain_nr; i++) {
		uint64_t ip = i ? key->chain[i - 1] : key->ip;

		if (rpt_timeline_map(timeline, &ref, PD_CPUMODE_USER, ip,
				     first->first, &map))
			add(heat, map.dso, stack_idx,
			    profile->stacks[stack_idx].period);
	}
}

static void add_stack(struct heat *heat, const struct rpt_profile *profile,
		      uint32_t stack_idx)
{
	const struct rpt_linked_stacks *linked = profile->linked;
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	const struct rpt_stack *stack = &profile->stacks[stack_idx];

	heat->total += stack->period;
	if (!linked || !rpt_stack_key_is_linked(key)) {
		add_addresses(heat, profile, key, stack, stack_idx);
		return;
	}
	for (uint32_t i = 1; i < key->chain_nr; i++) {
		const struct rpt_stack_link *link =
			rpt_linked_stacks_at(linked, key->chain[i]);

		if (link && link->part != RPT_LINK_NO_PART)
			add_addresses(heat, profile,
				      rpt_linked_stacks_key(linked, link->part),
				      &linked->firsts[link->part], stack_idx);
	}
}

static int compare_hot(const void *a, const void *b)
{
	const struct rpt_hot_dso *x = a, *y = b;

	return (x->period < y->period) - (x->period > y->period);
}

struct rpt_hot_dso *rpt_hot_dsos(const struct rpt_profile *profile,
				 size_t *ret_nr)
{
	struct heat heat = { .total = 0 };
	size_t nr = 0;

	for (uint32_t i = 0; i < profile->keys.nr; i++)
		add_stack(&heat, profile, i);
	for (uint32_t i = 0; i < heat.dsos.nr; i++) {
		if ((double)heat.items[i].period >=
		    (double)heat.total * RPT_HOT_SHARE)
			heat.items[nr++] = heat.items[i];
	}
	if (nr)
		qsort(heat.items, nr, sizeof(*heat.items), compare_hot);
	rpt_intern_release(&heat.dsos);
	free(heat.last_stacks);
	*ret_nr = nr;
	return heat.items;
}

static void fetch(struct rpt_debuginfod *d, struct rpt_dso *dso,
		  struct rpt_fetched *ret)
{
	uint8_t id_len;
	const uint8_t *id = rpt_dso_build_id(dso, &id_len);
	int fd = rpt_debuginfod_find(d, id, id_len, rpt_dso_name(dso));

	if (fd == -ETIME) {
		ret->left_nr++;
		return;
	}
	ret->asked_nr++;
	if (fd >= 0 && rpt_dso_take_debug(dso, fd))
		ret->found_nr++;
	else /* other recordings share the DSO */
		rpt_dso_note_unserved(dso);
	if (fd < 0 && fd != -ENOENT)
		ret->is_unreachable = true;
}

void rpt_fetch_debug(struct rpt_debuginfod *d,
		     const struct rpt_profile *profile, bool are_lines_wanted,
		     struct rpt_fetched *ret)
{
	size_t nr;
	struct rpt_hot_dso *hot = rpt_hot_dsos(profile, &nr);

	for (size_t i = 0; i < nr; i++) {
		if (rpt_dso_lacks_debug(hot[i].dso, are_lines_wanted))
			fetch(d, hot[i].dso, ret);
	}
	free(hot);
}
